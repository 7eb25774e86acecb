"""`crowdgold fit-labelling`: fit CLARA to labels, and write the model for the online part."""

import argparse
from dataclasses import asdict
from pathlib import Path

import numpy as np

from crowdgold import __version__
from crowdgold.cli import terminal
from crowdgold.methods.clara import OURS
from crowdgold.models.clara import labelling
from crowdgold.models.clara.gibbs import ClaraSettings
from crowdgold.models.clara.model import CONFUSION
from crowdgold.reading.outputs import Output
from crowdgold.reading.study import read_labels
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import SEED

ABOUT = """\
Fit CLARA to a table of labels: how often each true label occurs (prevalence), and how often each
annotator mistakes it for another (confusion matrices), without knowing any true label. The model is
written as JSON that says itself what it holds.

FILES are as of `crowdgold check`: item, annotator and label, and group where --confusion is group,
or a column for each annotator. Gold labels and scores in them are passed over. There may be more
than two kinds of labels. Several labels on the items are what the model learns from."""
EXAMPLE = """\
example:
  crowdgold fit-labelling labels.csv -o model.json

labels.csv:
  item,annotator,label
  a17,R1,0
  a17,R2,1
  a17,R3,0"""
NUMBERS = ("chains", "warmup", "draws", "lag")  # the sampler's settings that are options


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    # fmt: off
    command.add_argument("-o", "--output", required=True, type=Path, metavar="model.json",
        help="where to write")
    terminal.add_force(command)
    command.add_argument("--confusion", choices=CONFUSION, default="annotator",
        help="whose confusion matrices: of each annotator, each group, or one that all share "
        "(default: %(default)s)")
    command.add_argument("--categories", metavar="A,B,...",
        help="all labels that there can be, in the order wanted (default: those found, sorted)")
    command.add_argument("--alpha", type=float, default=1.0,
        help="weight of the prior of the prevalence, in items (default: %(default)g)")
    command.add_argument("--gamma", type=float, default=1.0,
        help="weight of the prior of each row of a confusion matrix, in labels (default: "
        "%(default)g; 10 or so where there are many annotators)")
    command.add_argument("--ordered", action="store_true",
        help="take for granted that each annotator is better than chance: for rare positives or "
        "poor annotators, where the labels might be swapped")
    for one in ClaraSettings.declared():
        if one.name in NUMBERS:
            about = one.about[:1].lower() + one.about[1:].rstrip(".")
            text = f"{about} (default: %(default)s)"
            command.add_argument(f"--{one.name}", type=int, default=one.default, help=text)
    command.add_argument("--seed", type=int, default=SEED, help="of all random numbers")
    terminal.add_study_options(command)
    # fmt: on


def run(asked: argparse.Namespace) -> int:
    """Fit and write; say the prevalence."""
    from crowdgold.models.clara.gibbs import sample_clara
    from crowdgold.models.clara.model import empirical_prior

    command = "crowdgold fit-labelling"
    output = Output(asked.output, "-o", command, labelling.is_labelling_model, asked.force)
    output.check(terminal.read_files(asked))
    if asked.chains < 2:
        raise InputError(f"chains: found {asked.chains}, expected 2 or more, to compare them")
    numbers = {name: getattr(asked, name) for name in NUMBERS}
    settings = ClaraSettings(confusion=asked.confusion, ordered=asked.ordered, **numbers)
    categories = None
    if asked.categories is not None:
        categories = [name.strip() for name in asked.categories.split(",")]
        if len(set(categories)) < max(2, len(categories)) or "" in categories:
            raise InputError(
                f"categories: found {asked.categories!r}, expected two or more different names"
            )
        if asked.positive:
            raise InputError("--categories: not with --positive, whose labels are 0 and 1")
    annotations, notes = read_labels(asked.files, terminal.reading(asked), categories)
    terminal.say_notes(notes)
    labelling.matrix_names(annotations, asked.confusion)
    prior = empirical_prior(annotations, asked.alpha, asked.gamma)
    sweeps = settings.warmup + settings.draws * settings.lag
    terminal.say(
        f"{len(annotations):,} labels of {len(annotations.item):,} items by "
        f"{len(annotations.annotator):,} annotators; {settings.chains} chains of {sweeps:,} sweeps"
    )
    with terminal.progress(lambda: "sampling"):
        fit = sample_clara(annotations, prior, settings, np.random.default_rng(asked.seed))
    found = fit.diagnostics
    made = {
        "from": ", ".join(path.name for path in asked.files), "items": len(annotations.item),
        "labels": len(annotations), "annotators": len(annotations.annotator),
        "method": OURS.name, **asdict(settings), "alpha": asked.alpha, "gamma": asked.gamma,
        "seed": asked.seed,
        "rhat": round(found.rhat, 4) if np.isfinite(found.rhat) and found.chains else None,
        "diagnostics_passed": found.passed, "diagnostics_message": found.message,
        "crowdgold": __version__,
    }  # fmt: skip
    model = labelling.labelling_model(fit, annotations, asked.confusion, made)
    terminal.make_way(output)
    labelling.write_labelling_model(model, asked.output)
    mean, error = fit.theta.mean(axis=(0, 1)), fit.theta.std(axis=(0, 1))
    lines = [
        f"prevalence of {name}: {value:.4f} (posterior standard deviation {spread:.4f})"
        for name, value, spread in zip(annotations.category, mean, error, strict=True)
    ]
    terminal.tell("\n".join([*lines, f"written: {asked.output}"]))
    terminal.warn_of_failed_gate(model)
    return 0
