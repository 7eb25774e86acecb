"""`crowdgold plan`: how many items, votes and gold labels an interval of some width takes.

With --more: how many more gold labels of a study's own items do.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from crowdgold.cli import terminal
from crowdgold.metrics.binary import parse_metric
from crowdgold.metrics.metric import Asked
from crowdgold.planning import pilot, study_size
from crowdgold.reading.outputs import plain
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items
from crowdgold.types.notes import Note
from crowdgold.types.parameters import LEVEL, check_level

if TYPE_CHECKING:
    from crowdgold.reading.study import Study

PREVALENCE = "prevalence"  # the metric that is planned for where none is asked for

Planned = tuple[Mapping[str, Any], str, bool]
"""What comes out, as of --json and in words; whether some study reaches a width that is wanted."""


def planned_more(asked: argparse.Namespace) -> Planned:
    """What more labels of a study do, simulated: those that a width takes, or what widths some more
    of them give.
    """
    from crowdgold.checking.gold_sample import assess_gold_sample
    from crowdgold.checking.next_labels import next_labels
    from crowdgold.checking.study import find_open_strata
    from crowdgold.evaluation.questions import check_anytime
    from crowdgold.planning import more_labels

    if not asked.pilot:
        raise InputError("--more: expected --pilot FILES, the study with the labels that there are")
    for name in ("items", "gold", *NEEDED, *GUESSES):
        if getattr(asked, name) is not None:
            raise InputError(f"{_option(name)}: not with --more, which is of the study's own items")
    if asked.width is not None:
        _between(asked, 0.0, np.inf, "width")
    check_level(asked.level, "--level")
    check_anytime(asked.anytime)
    wanted, tried = [asked.metric], [0]
    if asked.width is None:
        wanted = [*dict.fromkeys([PREVALENCE, asked.metric])]
    metrics = [parse_metric(one) for one in wanted]
    for metric in metrics:
        if metric.is_parameter:
            raise InputError(f"--metric {metric.text}: gold labels say nothing about a parameter")
    with terminal.progress(
        lambda: f"simulating {tried[-1]:,} labels more" if tried[-1] else "reading"
    ):
        study = _pilot(asked)
        of_metrics = [_items_for(metric, study.items, asked.model) for metric in metrics]
        sample = assess_gold_sample(study.items, np.random.default_rng(asked.seed))
        left_open = find_open_strata(study.items, asked.level) if PREVALENCE in wanted else ()
        if why := next_labels(study.items, sample, left_open).no_plan:
            raise InputError(f"--more: {why}")
        values, texts, notes, reached = list[dict[str, Any]](), list[str](), [*study.notes], True
        for metric, items in of_metrics:
            planned = more_labels.IntervalPlan(metric, asked.level, anytime=asked.anytime)
            more = more_labels.more_labels(items, planned, asked.width, asked.seed, tried.append)
            wider = more_labels.wider_where_experts_err(items, planned)
            notes += pilot.cluster_notes(items, of_labels=True)
            notes += more_labels.expert_notes(wider)
            found = {"metric": metric.text, **plain(asdict(more))}
            if asked.width is not None:
                needed = {name: more.needed(name, asked.width) for name in more_labels.DESIGNS}
                found["needed"], reached = needed, set(needed.values()) != {None}
                found["needed_between"] = {
                    name: more.between(name, asked.width) for name in more_labels.DESIGNS
                }
            if isfinite(wider):
                found["times_as_wide_where_experts_err"] = wider
            values.append(found)
            texts.append(more_labels.describe(more, metric.text, asked.width))
    if asked.anytime is not None and more.labels > asked.anytime:
        notes.append(Note("more_than_planned", {"planned": asked.anytime}))
    terminal.say_notes(notes)
    shown = {"metrics": values} if asked.width is None else values[0]
    return shown, "\n\n".join(texts), reached


def _items_for(metric: Asked, items: Items, model: str | None) -> tuple[Asked, Items]:
    """A metric with its model, and the items that it is planned for."""
    from crowdgold.checking.scores import of_complete_scores, scored, why_nothing
    from crowdgold.planning.more_labels import of_model

    if metric.known.needs_scores and not (metric.is_difference or metric.predictor):
        chosen = pilot.choose_model(items, model)
        metric = of_model(metric, chosen) if chosen else metric
    named = metric.predictors(items)
    models = named if metric.known.needs_scores else []
    if why := why_nothing(items, models, by_gold=True):
        raise InputError(f"--metric {metric.text}: {why.text}")
    return metric, of_complete_scores(items.take(scored(items, models)))


def _pilot(asked: argparse.Namespace) -> "Study":
    """The study that is learnt from, which is read where it is given by files."""
    from crowdgold.reading.study import Study

    files = asked.pilot
    return files if isinstance(files, Study) else terminal.study_of(asked, files)


ABOUT = """\
Before votes and gold labels are bought: say what is believed about the voters and the model's
scores, or give the files of a pilot study, and read which study reaches a wanted interval width at
the lowest price, or how wide the interval of a given study will be. Widths are those of the answer
of `crowdgold evaluate` (logistic-R) about the population that the items come from, with gold items
drawn at random among them, and are computed from simulated items (MAVEN, Algorithm 1). From a pilot
they are computed at 40 draws of its posterior (MAVEN-C), and come with the pilot's own uncertainty.
With --more, the files are the study itself: read how many more gold labels of its own items reach
the width, drawn by `crowdgold sample` or at random, given those that there are. Without --width,
read how wide intervals of prevalence and of the metric are with 1.5 to 8 times as many labels.
The intervals of `crowdgold evaluate` are about the same population; with --about items they are
about the items at hand, and narrower where many of these have a gold label."""
EXAMPLE = """\
example:
  $ crowdgold plan --prevalence 0.1 --tpr 0.7 --tnr 0.95 --auc 0.85 --metric prevalence \\
      --width 0.04 --vote-price 0.05 --gold-price 4
  $ crowdgold plan --pilot votes.csv gold.csv scores.csv --model large --metric AUC --width 0.04
  $ crowdgold plan --more --pilot study.csv batch1.csv --metric prevalence --width 0.04

  How wide will it be with 2,000 items, 200 of them with a gold label? Replace --width by
  --items 2000 --gold 200. A pilot's files are as of `crowdgold check`; 300 items with three votes
  each and 100 gold labels tell much.

exit codes: 0, done; 1, no study reaches the width; 2, guesses or a pilot that cannot be used."""

NEEDED = ("prevalence", "tpr", "tnr")
GUESSES = {"vote_correlation": 0.3, "auc": 0.8, "delta": 0.0}
"""Guesses with a default, beside those that are `NEEDED`."""
MOST_VOTES, MOST_ITEMS = 1_000, 10**12


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    # fmt: off
    guessed = command.add_argument_group("guesses")
    share = partial(guessed.add_argument, type=float, metavar="SHARE")
    share("--prevalence", help="share of positive items")
    share("--tpr", help="of a single vote on a positive item")
    share("--tnr", help="of a single vote on a negative item")
    default = f"(default: {GUESSES['vote_correlation']:g})"
    share("--vote-correlation", help=f"of two votes on an item, given its label {default}")
    share("--auc", help=f"of the scores (default: {GUESSES['auc']:g})")
    guessed.add_argument("--delta", type=float,
        help="how far the scores follow the voters beyond the truth, in standard deviations "
        f"(default: {GUESSES['delta']:g})")
    group = command.add_argument_group("a pilot, in place of guesses")
    group.add_argument("--pilot", nargs="+", type=Path, metavar="FILE",
        help="votes, gold labels, scores; or one study file, .yaml, that names them as `files`")
    group.add_argument("--model", help="the model that is planned for, where there are several")
    terminal.add_reading_options(group)
    terminal.takes_study_file(command, "pilot")
    command.add_argument("--metric", default=PREVALENCE, help="default: %(default)s")
    command.add_argument("--width", type=float,
        help="find the cheapest study of this interval width")
    command.add_argument("--more", action="store_true",
        help="how many more gold labels of the pilot's own items reach --width, or what widths "
        "more of them give: drawn by `crowdgold sample`, and at random; no model is fitted")
    command.add_argument("--anytime", type=int, metavar="LABELS",
        help="with --more: intervals that hold over all looks, as `crowdgold evaluate --anytime`")
    command.add_argument("--items", type=int, help="items that there are, or of the given study")
    command.add_argument("--gold", type=int,
        help="gold labels of the given study, in place of --width")
    command.add_argument("--votes", default="1,3,5,7,9", metavar="C,C,...",
        help="votes on an item that are compared (default: %(default)s)")
    command.add_argument("--vote-price", type=float, default=0.05, help="default: %(default)g")
    command.add_argument("--gold-price", type=float, default=2.0, help="default: %(default)g")
    command.add_argument("--level", type=float, default=LEVEL, help="default: %(default)g")
    command.add_argument("--seed", type=int, default=1,
        help="of the simulated items, and of the fit")
    command.add_argument("--json", action="store_true", help="write one JSON object")
    # fmt: on


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _between(asked: argparse.Namespace, low: float, high: float, *names: str) -> None:
    """Raise `InputError` for the first of some options that is not between two numbers."""
    for name in names:
        if not low < (value := getattr(asked, name)) < high:
            raise InputError(
                f"{_option(name)}: found {value:g}, expected above {low:g} and below {high:g}"
            )


def check_options(asked: argparse.Namespace) -> None:
    """Raise an `InputError` for options that cannot be used (together); fill in default guesses."""
    if asked.anytime is not None:
        raise InputError("--anytime: expected with --more, or left out")
    given = [name for name in (*NEEDED, *GUESSES) if getattr(asked, name) is not None]
    if asked.pilot and given:
        raise InputError(
            f"{_option(given[0])}: not with --pilot, which says it; leave one of them out"
        )
    if not asked.pilot:
        if asked.model is not None:
            raise InputError("--model: it is one of a pilot's, expected with --pilot")
        if lacking := ", ".join(f"--{name}" for name in NEEDED if name not in given):
            raise InputError(f"expected --pilot FILES, or guesses: {lacking} not given")
        for name in GUESSES.keys() - set(given):
            setattr(asked, name, GUESSES[name])
        _between(asked, 0.0, 1.0, *NEEDED, "vote_correlation", "auc")
        if not np.isfinite(asked.delta):
            raise InputError(f"--delta: found {asked.delta:g}, expected a number")
        if asked.tpr + asked.tnr <= 1:
            raise InputError(
                f"--tpr {asked.tpr:g} and --tnr {asked.tnr:g}: voters who guess have TPR + TNR = "
                "1; expected more"
            )
    check_level(asked.level, "--level")
    _between(asked, 0.0, np.inf, "vote_price", "gold_price")
    if asked.items is not None and asked.items > MOST_ITEMS:
        raise InputError(f"--items: found more than {MOST_ITEMS:,}, expected at most as many")
    if (asked.width is None) == (asked.gold is None):
        raise InputError("expected --width, or --items and --gold for a given study")
    fewest = study_size.FEWEST_GOLD
    if asked.width is not None:
        _between(asked, 0.0, np.inf, "width")
        if asked.items is not None and asked.items < fewest:
            raise InputError(f"--items: found {asked.items}, expected at least {fewest}")
    elif asked.items is None or not fewest <= asked.gold <= asked.items:
        raise InputError(
            f"--gold: found {asked.gold}, expected {fewest} or more (an interval from fewer is not "
            "promised) and not more than --items"
        )


def guesses_of(asked: argparse.Namespace) -> tuple[list[pilot.Guess], np.ndarray | None]:
    """The guess, or those that a pilot leaves possible; and the pilot's scores, None without any.

    A pilot is read and fitted. Notes say what was read, and what speaks against planning from it.
    """
    if not asked.pilot:
        guess = pilot.Guess(
            asked.prevalence, asked.tpr, asked.tnr, asked.vote_correlation, asked.vote_correlation,
            float(np.sqrt(2) * ndtri(asked.auc)), asked.delta,
        )  # fmt: skip
        return [guess], None
    from crowdgold.models.stan import StanModels

    rng = np.random.default_rng(asked.seed)
    with terminal.progress(lambda: "reading and fitting the pilot"):
        study = _pilot(asked)
        model = pilot.choose_model(study.items, asked.model)
        metric = parse_metric(asked.metric).metric
        if model is None and (metric is None or metric.needs_scores):
            raise InputError(f"--metric {asked.metric}: it is of scores, and the pilot has none")
        items = study.items if model is None else study.items.with_score(model)
        fitted = pilot.fit_pilot(items, rng, StanModels(), model)
        notes = [*study.notes, *pilot.check_pilot(study, fitted, rng)]
    terminal.say_notes(notes)
    return list(fitted.guesses), fitted.scores


def information_by_votes(asked: argparse.Namespace) -> list[Sequence[study_size.Information]]:
    """What an item tells: a list for each number of votes, in it an entry for each guess."""
    try:
        numbers = sorted({int(part) for part in asked.votes.split(",")})
    except ValueError:
        numbers = []
    if not numbers or numbers[0] < 1 or numbers[-1] > MOST_VOTES:
        raise InputError(
            f"--votes: found {asked.votes!r}, expected whole numbers from 1 to {MOST_VOTES:,}, as "
            "1,3,5"
        )
    guesses, scale = guesses_of(asked)
    known: list[list[study_size.Information]] = []

    def progress_text() -> str:
        of = f", {len(known[-1])} of {len(guesses)} draws" if len(guesses) > 1 else ""
        return f"Simulating items with {study_size.votes_each(numbers[len(known) - 1])}{of}"

    for votes in numbers:
        known.append([])
        with terminal.progress(progress_text):
            for guess in guesses:
                rng = np.random.default_rng(asked.seed)
                by_metric = pilot.expected_information(guess, [asked.metric], votes, rng, scale)
                if (information := by_metric[asked.metric]) is None:
                    raise InputError(
                        f"--metric {asked.metric}: the simulated items leave it without a value; a "
                        "threshold beyond all scores does"
                    )
                known[-1].append(information)
    return [*known]


def planned_studies(asked: argparse.Namespace) -> Planned:
    """A study for each number of votes on an item, or more labels of the one that there is."""
    if asked.more:
        return planned_more(asked)
    check_options(asked)
    prices = study_size.Prices(asked.vote_price, asked.gold_price)
    wanted = study_size.StudyGoal(asked.width, asked.items, asked.gold, prices, asked.level)
    learnt = information_by_votes(asked)  # it refuses metrics that are none of labels
    needs_votes = parse_metric(asked.metric).known.needs_votes
    options = study_size.study_options(learnt, wanted, needs_votes)
    shown = options, wanted, asked.metric
    reached = any(one.design is not None for one in options)
    return study_size.as_values(*shown), study_size.describe(*shown), reached


def run(asked: argparse.Namespace) -> int:
    """Plan the study, and say what comes out."""
    values, text, reached = planned_studies(asked)
    terminal.tell(json.dumps(values) if asked.json else text)
    if not reached and not asked.more:
        terminal.say("No study reaches the width: take a wider one, or more items.")
    return 0 if reached else 1
