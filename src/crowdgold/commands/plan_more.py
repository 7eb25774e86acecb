"""`crowdgold plan --more`: how many more gold labels of a study's own items reach a width."""

import argparse
import json
import textwrap
from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING

from crowdgold.commands.terminal import progress, reading, say, tell
from crowdgold.data import InputError
from crowdgold.data.json_shapes import plain
from crowdgold.data.parameters import check_level
from crowdgold.data.shown import WIDTH

if TYPE_CHECKING:
    from crowdgold.own.plan.more_labels import MoreLabels

DESIGNS = ("designed", "at_random")
NOT_WITH = ("items", "gold", "prevalence", "tpr", "tnr", "vote_correlation", "auc", "delta")


def _check(asked: argparse.Namespace) -> None:
    """Raise `InputError` for options that do not go together."""
    from crowdgold.own.evaluation.questions import check_anytime

    if not asked.pilot:
        raise InputError("--more: expected --pilot FILES, the study with the labels that there are")
    for name in NOT_WITH:
        if getattr(asked, name) is not None:
            option = "--" + name.replace("_", "-")
            raise InputError(f"{option}: not with --more, which is of the study's own items")
    if asked.width is None or not 0 < asked.width < float("inf"):
        raise InputError("--more: expected --width, above 0")
    check_level(asked.level, "--level")
    check_anytime(asked.anytime)


def _labels(found: "MoreLabels", design: str, wanted: float) -> str:
    """The labels more that a width takes, and between which numbers they may lie."""
    number, (low, high) = found.needed(design, wanted), found.between(design, wanted)
    most = f"more than {found.more[-1]:,}"
    if number is None:
        return most if low is None else f"{most} (or from {low:,} on)"
    ends = f"{low:,} or more" if high is None else f"{low:,} to {high:,}"
    return f"about {number:,} ({ends})"


def describe(found: "MoreLabels", metric: str, wanted: float) -> str:
    """Write a table of widths, and how many labels reach the wanted one."""
    from crowdgold.own.plan.more_labels import STUDIES

    lines = [
        f"Interval of {metric}: {found.width:.4f} wide with {found.labels:,} gold labels",
        f"{'more labels':>11}{'by crowdgold sample':>21}{'at random':>11}",
    ]
    rows = zip(found.more, found.designed, found.at_random, strict=True)
    lines += [f"{more:>11,}{one:>21.4f}{other:>11.4f}" for more, one, other in rows]
    says = f"It is {wanted:g} wide already."
    if found.width > wanted:
        designed, at_random = (_labels(found, design, wanted) for design in DESIGNS)
        says = (
            f"For a width of {wanted:g}: {designed} labels more where `crowdgold sample` draws the "
            f"items, {at_random} at random."
        )
        if "(" in says:
            says += f" In parentheses: 95 %, as far as {STUDIES} simulated studies tell."
    return "\n".join([*lines, "", textwrap.fill(says, WIDTH)])


def run_more(asked: argparse.Namespace) -> int:
    """Read the study, simulate more labels, and say what they do; 1 where none reach the width."""
    from crowdgold.data.own import read_study
    from crowdgold.metrics import parse_metric
    from crowdgold.own.check.score_check import of_complete_scores, scored, why_nothing
    from crowdgold.own.plan.metrics_asked import of_model
    from crowdgold.own.plan.more_labels import (
        LABELS_APART,
        Kind,
        more_labels,
        of_experts,
        wider_where_experts_err,
    )
    from crowdgold.own.plan.pilot import choose_model, of_clusters

    _check(asked)
    metric, tried = parse_metric(asked.metric), [0]
    if metric.is_parameter:
        raise InputError(f"--metric {metric.text}: gold labels say nothing about a parameter")
    with progress(lambda: f"simulating {tried[-1]:,} labels more" if tried[-1] else "reading"):
        study = read_study(asked.pilot, **vars(reading(asked)))
        if metric.known.needs_scores and not (metric.is_difference or metric.predictor):
            model = choose_model(study.items, asked.model)
            metric = of_model(metric, model) if model else metric
        named = metric.predictors(study.items)
        models = named if metric.known.needs_scores else []
        if why := why_nothing(study.items, models, by_gold=True):
            raise InputError(f"--metric {metric.text}: {why}")
        items = of_complete_scores(study.items.take(scored(study.items, models)))
        kind = Kind(metric, asked.level, anytime=asked.anytime)
        found = more_labels(items, kind, asked.width, asked.seed, tried.append)
    wider = wider_where_experts_err(items, kind)
    of_labels = (*of_clusters(items, LABELS_APART), *of_experts(wider))
    for note in (*study.notes, *of_labels):
        say(textwrap.fill(f"Note: {note}", WIDTH, subsequent_indent="  "))
    if asked.anytime is not None and found.labels > asked.anytime:
        passed = (
            f"Note: there are more labels than --anytime {asked.anytime:,}, which is no harm: keep "
            "the number of the first look. Intervals still hold, and are little wider"
        )
        say(textwrap.fill(passed, WIDTH, subsequent_indent="  "))
    needed = {name: found.needed(name, asked.width) for name in DESIGNS}
    if asked.json:
        between = {name: found.between(name, asked.width) for name in DESIGNS}
        numbers = {**plain(asdict(found)), "needed": needed, "needed_between": between}
        if isfinite(wider):
            numbers["times_as_wide_where_experts_err"] = wider
        tell(json.dumps({"metric": metric.text, **numbers}))
    else:
        tell(describe(found, metric.text, asked.width))
    return 0 if needed["designed"] is not None or needed["at_random"] is not None else 1
