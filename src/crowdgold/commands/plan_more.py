"""`crowdgold plan --more`: how many more gold labels of a study's own items reach a width."""

import argparse
import json
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING

from crowdgold.commands.terminal import progress, renamed, say, tell
from crowdgold.data import InputError
from crowdgold.data.json_shapes import plain
from crowdgold.data.shown import WIDTH

if TYPE_CHECKING:
    from crowdgold.own.plan.more_labels import MoreLabels

NOT_WITH = ("items", "gold", "prevalence", "tpr", "tnr", "vote_correlation", "auc", "delta")


def _check(asked: argparse.Namespace) -> None:
    """Raise `InputError` for options that do not go together."""
    if not asked.pilot:
        raise InputError("--more: expected --pilot FILES, the study with the labels that there are")
    for name in NOT_WITH:
        if getattr(asked, name) is not None:
            option = "--" + name.replace("_", "-")
            raise InputError(f"{option}: not with --more, which is of the study's own items")
    if asked.width is None or not 0 < asked.width < float("inf"):
        raise InputError("--more: expected --width, above 0")
    if not 0 < asked.level < 1:
        raise InputError(f"--level: found {asked.level:g}, expected above 0 and below 1")


def _labels(number: int | None, most: int) -> str:
    return f"more than {most:,}" if number is None else f"{number:,}"


def describe(found: "MoreLabels", metric: str, wanted: float) -> str:
    """Write a table of widths, and how many labels reach the wanted one."""
    lines = [
        f"Interval of {metric}: {found.width:.4f} wide with {found.labels:,} gold labels",
        f"{'more labels':>11}{'by crowdgold sample':>21}{'at random':>11}",
    ]
    rows = zip(found.more, found.designed, found.at_random, strict=True)
    lines += [f"{more:>11,}{one:>21.4f}{other:>11.4f}" for more, one, other in rows]
    most = int(found.more[-1])
    designed, at_random = (
        found.needed(widths, wanted) for widths in (found.designed, found.at_random)
    )
    says = f"It is {wanted:g} wide already."
    if designed != 0:
        says = (
            f"For a width of {wanted:g}: about {_labels(designed, most)} labels more where "
            f"`crowdgold sample` draws the items, {_labels(at_random, most)} at random."
        )
    return "\n".join([*lines, "", textwrap.fill(says, WIDTH)])


def run_more(asked: argparse.Namespace) -> int:
    """Read the study, simulate more labels, and say what they do; 1 where none reach the width."""
    from crowdgold.data.own import read_study
    from crowdgold.metrics import parse_metric
    from crowdgold.own.plan.metrics_asked import of_model
    from crowdgold.own.plan.more_labels import LABELS_APART, more_labels
    from crowdgold.own.plan.pilot import choose_model, of_clusters

    _check(asked)
    metric, tried = parse_metric(asked.metric), [0]
    if metric.is_parameter:
        raise InputError(f"--metric {metric.text}: gold labels say nothing about a parameter")
    with progress(lambda: f"simulating {tried[-1]:,} labels more" if tried[-1] else "reading"):
        study = read_study(asked.pilot, renamed(asked), asked.positive, asked.repeated)
        if metric.known.needs_scores and not (metric.is_difference or metric.predictor):
            model = choose_model(study.items, asked.model)
            metric = of_model(metric, model) if model else metric
        metric.predictors(study.items)
        found = more_labels(
            study.items, metric, asked.width, asked.seed, asked.level, told=tried.append
        )
    for note in (*study.notes, *of_clusters(study.items, LABELS_APART)):
        say(textwrap.fill(f"Note: {note}", WIDTH, subsequent_indent="  "))
    needed = {
        name: found.needed(getattr(found, name), asked.width) for name in ("designed", "at_random")
    }
    if asked.json:
        tell(json.dumps({"metric": metric.text, **plain(asdict(found)), "needed": needed}))
    else:
        tell(describe(found, metric.text, asked.width))
    return 0 if needed["designed"] is not None or needed["at_random"] is not None else 1
