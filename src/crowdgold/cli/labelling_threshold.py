"""`crowdgold labelling-threshold`: which confidence gives a wanted accuracy, or fits a budget."""

import argparse
from pathlib import Path

from crowdgold.cli import terminal
from crowdgold.models.clara.labelling import read_labelling_model
from crowdgold.reading.outputs import Output, write_text
from crowdgold.reading.tables import read_columns
from crowdgold.types.annotations import annotations_from_frame
from crowdgold.types.errors import InputError
from crowdgold.types.items import with_truth

ABOUT = """\
Choose the threshold of `crowdgold confidence` on validation items: the cheapest one whose final
labels are as accurate as wanted, or the most accurate one within a budget.

The table has the columns item, annotator and label (and group, where the model has confusion
matrices by group), rows of an item in the order in which its labels came, and truth, the item's
true label in each of its rows. Without true labels, --against majority measures the accuracy
against the majority of all of an item's labels, which is no more right than the majority is. Items
need more labels than a threshold would ask for, and must not be those of the fit."""
EXAMPLE = """\
example:
  crowdgold labelling-threshold model.json validation.csv --accuracy 0.95
  crowdgold labelling-threshold model.json validation.csv --budget 1.8 -o frontier.csv

Exit code 1 says that no threshold reaches what is wanted; the nearest is shown."""
NOT_REACHED = 1
AGAINST = ("truth", "majority")


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    # fmt: off
    command.add_argument("model", metavar="model.json", type=terminal.file_name,
        help="from `crowdgold fit-labelling`")
    command.add_argument("file", metavar="FILE", type=terminal.file_name,
        help="validation items: .csv, .tsv or .parquet")
    wanted = command.add_mutually_exclusive_group(required=True)
    wanted.add_argument("--accuracy", type=float, help="share of right final labels, 0 to 1")
    wanted.add_argument("--budget", type=float, metavar="LABELS",
        help="labels an item on average: the labels that can be had over the items to be labelled")
    command.add_argument("--against", choices=AGAINST, default=AGAINST[0],
        help="what final labels are held against (default: the column %(default)s)")
    command.add_argument("--step", type=float, default=0.01,
        help="between the thresholds that are tried (default: %(default)g)")
    command.add_argument("-o", "--output", type=Path, metavar="frontier.csv",
        help="write what every threshold tried gives")
    terminal.add_force(command)
    terminal.add_table_options(command)
    # fmt: on


def run(asked: argparse.Namespace) -> int:
    """Measure the frontier, choose, and say what was chosen."""
    from crowdgold.planning import labelling

    labelling.check_wanted(asked.accuracy, asked.budget)
    labelling.threshold_grid(2, asked.step)
    output = None
    if asked.output is not None:
        command = "crowdgold labelling-threshold"
        output = Output(asked.output, "-o", command, labelling.is_frontier, asked.force)
        output.check([Path(asked.model), Path(asked.file)])
    model = read_labelling_model(asked.model)
    terminal.warn_of_failed_gate(model)
    grid = labelling.threshold_grid(len(model.category), asked.step)
    frame, first_row = read_columns(asked.file, dict(asked.column))
    if model.confusion == "group" and "group" not in frame:
        raise InputError(f"{asked.file}: column 'group' is missing; the model is one of groups")
    known = [str(name) for name in model.category]
    annotations = annotations_from_frame(
        frame, known, asked.repeated, source=asked.file, first_row=first_row
    )
    terminal.warn_of_unknown(model, annotations)
    if asked.against == "truth":
        annotations = with_truth(annotations, frame, asked.file, first_row)
    truth = annotations.truth
    reference = labelling.majority_label(annotations) if truth is None else truth
    with terminal.progress(lambda: f"measuring {len(grid)} thresholds"):
        frontier = labelling.measure_frontier(model, annotations, reference, grid)
    if asked.accuracy is None:
        choice = labelling.threshold_for_budget(frontier, asked.budget)
    else:
        choice = labelling.threshold_for_accuracy(frontier, asked.accuracy)
    if output is not None:
        terminal.make_way(output)
        write_text(frontier.to_csv(index=False), output.path)
    terminal.tell(choice.message)
    return 0 if choice.reached else NOT_REACHED
