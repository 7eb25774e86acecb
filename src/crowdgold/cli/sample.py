"""`crowdgold sample`: which items to send to experts next, so that few labels tell much."""

import argparse
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.cli import terminal
from crowdgold.reading.outputs import Output
from crowdgold.system.temporary import unfinished
from crowdgold.types.columns import counted
from crowdgold.types.display import WIDTH
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import SEED

if TYPE_CHECKING:
    import pandas as pd

    from crowdgold.types.items import Items

ABOUT = """\
Say which items to send to experts next. Items are drawn at random within strata, with a known
chance, and more often where their labels are expected to tell more about the metrics asked for. So
an interval of the same width takes fewer labels than at random, and rests on no more assumptions.

The strata are of a prediction from votes and scores. It rests on the gold labels that there are
(20 or more) or on those of a pilot, else it is rough. Chances for several metrics or models are a
compromise: with other ones, the others would lose together what one gains, in per cent of the
labels that it needs. So it is expected; where few items are positive, chances for AUC or recall
alone can cost labels, and --for is best left out. Of all labels 15 % go to strata by their size
(--proportional), so that no item counts for very many.

Have experts fill in the column `gold` of the file, and give it to `crowdgold evaluate` along with
the study: nothing else needs to be said. Begin at the top: any beginning of the file is such a
sample too once each stratum has a label, which the first rows see to; before, its labels are passed
over. What an expert leaves empty counts as if it had not been drawn, which is right unless
the hard items are left. Hide the columns after `gold` from experts, who should not know what is
expected.

For more labels, run the command again with the study and all files that came back: the next batch
makes use of what they say. Where gold labels hardly look as if they were drawn at random, or as the
files say, that is told; where they surely were not, no batch can follow. Before labels came back,
the same seed with a larger --n gives the same items, then more, where there were 48 or more: a
smaller batch has fewer strata, and other items.

With --second the file has gold items that need another expert's opinion, so that answers can be
corrected for the errors of experts: a second opinion on all items of the class that is rarer among
first opinions and on a tenth of the others, a third where two differ. Have experts fill in the
column `label`, and name the file after the first gold labels. Run it again until it asks for none.
"""
EXAMPLE = """\
example:
  $ crowdgold sample study.csv --n 100 --out batch1.csv
  ... an expert fills in the column gold of batch1.csv ...
  $ crowdgold sample study.csv batch1.csv --n 200 --for AUC recall@0.5 --out batch2.csv
  ... and of batch2.csv ...
  $ crowdgold evaluate study.csv batch1.csv batch2.csv --out results
  $ crowdgold sample study.csv gold.csv --second --out second.csv

FILES are as of `crowdgold check`. Metrics are AUC, recall@0.5 (of each model), recall:large@0.5 (of
the model "large"), delta_AUC (the first two models), and so on.

exit codes: 0, done; 2, input that cannot be used, with what is wrong and how to mend it."""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    # fmt: off
    what = command.add_mutually_exclusive_group()
    what.add_argument("--n", type=int, metavar="LABELS", help="items to be labelled")
    what.add_argument("--second", action="store_true",
        help="items that need another expert's opinion instead")
    command.add_argument("--out", type=Path, required=True, metavar="to_label.csv", help="the file")
    command.add_argument("--for", nargs="+", default=[], metavar="METRIC", dest="metrics_for",
        help="what the labels are for (default: all metrics of `crowdgold evaluate`, which is best "
        "where few items are positive)")
    command.add_argument("--pilot", nargs="+", default=[], type=Path, metavar="FILE",
        help="an earlier study with gold labels and scores of the same models, whose labels guide "
        "the choice until this one has some")
    command.add_argument("--proportional", type=float, metavar="SHARE",
        help="of the labels that go to all strata by their size (default: 0.15)")
    command.add_argument("--poststratify", action="store_true",
        help="choose no items, but estimate from votes and scores the chance with which each was "
        "chosen, for gold labels that were not drawn at random; in the place of --n")
    command.add_argument("--seed", type=int, default=SEED, help="default: %(default)s")
    terminal.add_force(command)
    terminal.add_study_options(command)
    # fmt: on


def is_unlabelled(path: Path) -> bool:
    """Whether a file was written by this command and has no label yet."""
    import pandas as pd

    from crowdgold.planning import batch, estimated_chances

    try:
        frame = pd.read_csv(path.absolute(), dtype="string")
    except (OSError, ValueError):
        return False
    columns = tuple(frame.columns)
    if columns == estimated_chances.COLUMNS:
        return True
    labels: dict[tuple[str, ...], str] = {batch.COLUMNS: "gold", batch.SECOND_COLUMNS: "label"}
    return columns in labels and bool(frame[labels[columns]].isna().all())


ASSUMED = (
    "Note: right only where items were chosen by votes and scores alone, and gradually, so that "
    "those with a gold label are like the others of the same votes and scores. That cannot be seen "
    "in the data. It fails where hard or striking items were labelled. Give this file to "
    "`crowdgold evaluate` along with the study"
)


def _chances(items: "Items", asked: argparse.Namespace) -> tuple["pd.DataFrame", str]:
    """Chances of all items for the gold that there is, and what they assume."""
    import pandas as pd

    from crowdgold.planning.estimated_chances import COLUMNS, chances_in_words, estimated_chances

    chance = estimated_chances(items)
    told = textwrap.fill(chances_in_words(items, chance), WIDTH)
    assumed = textwrap.fill(ASSUMED, WIDTH, subsequent_indent="  ")
    table = pd.DataFrame(dict(zip(COLUMNS, (items.item, chance), strict=True)))
    return table, f"{told}\n{assumed}"


def _batch(items: "Items", asked: argparse.Namespace) -> tuple["pd.DataFrame", str]:
    """The next batch, and the text on it: the strata, a line each, and what it rests on."""
    import numpy as np

    from crowdgold.checking.gold_sample import assess_gold_sample
    from crowdgold.checking.next_labels import ENOUGH
    from crowdgold.planning.batch import PROPORTIONAL, next_batch
    from crowdgold.planning.more_labels import metrics_for
    from crowdgold.types.items import NO_GOLD

    share = PROPORTIONAL if asked.proportional is None else asked.proportional
    pilot = terminal.study_of(asked, asked.pilot).items if asked.pilot else None
    metrics = metrics_for(items, asked.metrics_for)
    batch = next_batch(items, metrics, asked.n, asked.seed, pilot, share)
    # Gold may hardly have been drawn as batches take it to be.
    sample = assess_gold_sample(items, np.random.default_rng(asked.seed))
    if sample.surely_chosen:
        raise InputError(f"no batch can follow these gold labels: {sample.doubt}")
    if sample.chosen:
        terminal.say_filled(f"Warning: {sample.doubt.text}.")
    lines = [f"Batch {batch.number}: {len(batch.rows):,} items to be labelled", ""]
    lines.append(f"{'stratum':>7}{'items':>9}{'drawn':>7}{'chance':>8}  why")
    strata = zip(batch.size, batch.drawn, batch.reason, strict=True)
    for one, (size, drawn, why) in enumerate(strata, start=1):
        head = f"{one:>7}{size:>9,}{drawn:>7,}{drawn / size:>8.2g}  "
        lines.append(
            textwrap.fill(why, WIDTH, initial_indent=head, subsequent_indent=" " * len(head))
        )
    labels = int((items.gold != NO_GOLD).sum())
    rests = f"{'votes and ' * items.has_votes}scores alone"
    if labels >= ENOUGH:
        rests = f"the {labels:,} gold labels that there are"
    return batch.to_frame(items), "\n".join([*lines, "", f"What is expected rests on {rests}."])


def _second(items: "Items", asked: argparse.Namespace) -> tuple["pd.DataFrame", str]:
    from crowdgold.planning.batch import more_opinions

    table = more_opinions(items, asked.seed)
    asks = table.groupby(["expert", "reason"], sort=False).size().reset_index(name="number")
    lines = [f"{one.number:>7,}  {one.expert}: {one.reason}" for one in asks.itertuples()]
    head = f"{counted(len(table), 'item')} to be looked at by another expert"
    return table, "\n".join([head, *lines])


def run(asked: argparse.Namespace) -> int:
    """Choose the items, say which, and write the file."""
    from crowdgold.reading.outputs import write_spreadsheet

    out = Output(asked.out, "--out", "crowdgold sample", is_unlabelled, asked.force)
    out.check([*terminal.read_files(asked), *asked.pilot])
    if asked.out.suffix != ".csv":
        raise InputError(f"--out: found {asked.out.name!r}, expected a name that ends in .csv")
    if asked.poststratify and (asked.second or asked.n is not None):
        raise InputError("--poststratify chooses no items; leave out --n and --second")
    other = "--second" if asked.second else "--poststratify" if asked.poststratify else ""
    if not other and asked.n is None:
        raise InputError(
            "--n: found none, expected the number of items to label, --second or --poststratify"
        )
    share = asked.proportional
    of_batch = {"--for": asked.metrics_for, "--pilot": asked.pilot, "--proportional": share}
    for name, given in of_batch.items():
        if other and given not in (None, []):
            raise InputError(f"{name}: found with {other}, expected with --n, or left out")
    if share is not None and not 0 <= share <= 1:
        raise InputError(f"--proportional: found {share:g}, expected 0 to 1")
    with terminal.progress(lambda: "reading and choosing"):
        study = terminal.study_of(asked, asked.files, unlabelled=True)
        work = _chances if asked.poststratify else _second if asked.second else _batch
        if study.passed_over and work is _batch:
            raise InputError(
                f"{counted(study.passed_over, 'gold label')} passed over, since some stratum of "
                "their batch has none: have an expert label an item of each stratum, the first "
                "rows of the batch's file. No batch can follow before: its items would be drawn "
                "once more"
            )
        table, told = work(study.items, asked)
    terminal.say_notes(study.notes)
    terminal.tell(told)
    terminal.make_way(out)
    with unfinished(asked.out) as own:
        write_spreadsheet(table, own)
    terminal.say(f"Written: {asked.out}")
    return 0
