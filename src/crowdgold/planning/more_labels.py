"""How wide an interval will be with more gold labels, drawn by `crowdgold sample` or at random.

Labels that are not there yet are drawn from a prediction that rests on those that are
(`planning.batch`), the next batch is drawn from the items, and the interval is made as
`crowdgold evaluate` makes it. The mean width over some such studies is what to expect, as far as
the prediction is right. So what the labels so far say, their design, and how they combine with new
ones are all in it.

More labels widen no interval on average, so that means over few studies are made to fall (isotonic
regression). Their standard errors stand beside them.

The metrics that labels are drawn for: those named, of each model, or all standard ones.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import stdtrit

from crowdgold.evaluation.questions import Settings, questions_of
from crowdgold.inference.engine import evaluate
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.interval import level_of_look
from crowdgold.inference.rectified import POPULATION
from crowdgold.methods.registry import METHODS, answering, answering_experts, fit
from crowdgold.metrics.binary import parse_metric
from crowdgold.metrics.metric import Asked
from crowdgold.planning.batch import ENOUGH, labelled, next_batch, predicted, random_batch
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items
from crowdgold.types.parameters import LEVEL


def of_model(metric: Asked, model: str) -> Asked:
    """A metric that no model is named of, of a model."""
    name, at, threshold = metric.text.partition("@")
    return replace(metric, text=f"{name}:{model}{at}{threshold}", predictor=model)


def metrics_for(items: Items, texts: Sequence[str]) -> list[Asked]:
    """The metrics, each of one model, or a difference of the first two.

    Args:
        items: of the study.
        texts: as users write them (AUC, recall@0.5, recall:large@0.5); of no model named, of each.
            Without any, what `crowdgold evaluate` gives where nothing else is asked for.

    Raises:
        InputError: where one is not known, is no metric of labels, or needs scores.
    """
    models = items.predictors or [NO_PREDICTOR]
    if not texts:
        standard = {model: questions_of(Settings(), items, model).asked for model in models}
        wanted = [(one, model) for model, own in standard.items() for one in own]
    else:
        parsed = [parse_metric(text) for text in texts]
        wanted = [(one, model) for one in parsed for model in models]
    found = {}
    for metric, model in wanted:
        if metric.is_parameter:
            raise InputError(f"--for {metric.text}: gold labels say nothing about a parameter")
        of_one = metric.known.needs_scores and not (metric.predictor or metric.is_difference)
        if of_one and len(models) > 1:
            metric = of_model(metric, model)
        metric.predictors(items)
        found[metric.text] = metric
    return list(found.values())


ANSWER = answering()
"""The method that gives the answer."""
STUDIES = 8
"""Simulated studies of each size and design."""
AWAY = float(stdtrit(STUDIES - 1, 0.975))
"""Standard errors from the mean of so many studies to either end of its 95 % interval."""
FIRST = 25
MOST = 6_400
"""Labels more that are tried first, and at most; each size is twice the one before."""
LABELS_APART = (
    "widths are of intervals that compare clusters. The labels to come are simulated as if items "
    "of a cluster were no more alike than their votes and scores make them, so that"
)
"""Of clusters, where the labels to come alone are simulated."""


@dataclass(frozen=True)
class MoreLabels:
    """What more labels are expected to do to one interval.

    Attributes:
        labels: gold labels that there are.
        width: of the interval now.
        more: (S,) numbers of labels more, with which all simulated studies have an interval.
        designed, at_random: (S,) expected widths with these, drawn by `crowdgold sample`, or at
            random.
        designed_error, at_random_error: (S,) standard errors of these, over simulated studies.
    """

    labels: int
    width: float
    more: np.ndarray
    designed: np.ndarray
    at_random: np.ndarray
    designed_error: np.ndarray
    at_random_error: np.ndarray

    def needed(self, design: str, wanted: float, away: float = 0.0) -> int | None:
        """Labels more until the width is as wanted; None where it is not reached.

        Between the sizes tried, the logarithm of the width falls evenly with that of the labels.

        Args:
            design: "designed" or "at_random".
            wanted: the width.
            away: standard errors that widths are larger than their means.
        """
        if self.width <= wanted:
            return 0
        widths = falling(getattr(self, design) + away * getattr(self, f"{design}_error"))
        reached = np.flatnonzero(widths <= wanted)
        if not len(reached):
            return None
        place = int(reached[0])
        if place == 0:
            return int(self.more[0])
        more, near = np.log(self.more[place - 1 : place + 1]), np.log(widths[place - 1 : place + 1])
        return int(np.ceil(np.exp(np.interp(-np.log(wanted), -near, more))))

    def between(self, design: str, wanted: float) -> tuple[int | None, int | None]:
        """The ends of 95 % of the labels needed, as far as the simulated studies tell."""
        return self.needed(design, wanted, -AWAY), self.needed(design, wanted, AWAY)


def falling(widths: np.ndarray) -> np.ndarray:
    """The nearest widths (S,) that do not rise with the labels."""
    found: np.ndarray = isotonic_regression(widths, increasing=False).x
    return found


@dataclass(frozen=True)
class Kind:
    """The interval that is planned.

    Attributes:
        metric: of one model, or a difference of two.
        level: of the interval.
        about: what it is about, one of `TARGETS`.
        anytime: labels at which it is to be narrowest where it holds over all looks; None where
            there is one.
    """

    metric: Asked
    level: float = LEVEL
    about: str = POPULATION
    anytime: int | None = None


def _interval(items: Items, kind: Kind, method: str = ANSWER) -> Estimate:
    """The interval of a method; of the one that gives the answer where experts are right."""
    level, rng = kind.level, np.random.default_rng(0)
    if kind.anytime is not None:
        level = level_of_look(level, int((items.gold != NO_GOLD).sum()), kind.anytime)
    fitted = fit(method, items, rng)
    (found,) = evaluate(fitted, items, [kind.metric.text], rng, level, target=kind.about)
    return found


def wider_where_experts_err(items: Items, kind: Kind) -> float:
    """How many times as wide the interval is now that is corrected for experts' errors.

    NaN where there is nothing to correct by, or no such interval.
    """
    method = answering_experts()
    if METHODS[method].lacks(items):
        return float("nan")
    corrected, taken = (_interval(items, kind, one) for one in (method, ANSWER))
    return float((corrected.upper - corrected.lower) / (taken.upper - taken.lower))


def of_experts(wider: float) -> list[str]:
    """What is to be said where experts' errors can be corrected: widths do not count them.

    Args:
        wider: of `wider_where_experts_err`.
    """
    if np.isnan(wider):
        return []
    more = (
        " Widths fall with the square root of the labels: it takes about "
        f"{wider**2:.2g} times as many in all"
        if wider > 1
        else ""
    )
    return [
        f"widths and labels are those of {ANSWER}, which takes gold labels for true. `crowdgold "
        f"evaluate` corrects experts' errors by {answering_experts()}, whose interval is now "
        f"{wider:.2g} times as wide.{more}"
    ]


def more_labels(
    items: Items,
    kind: Kind,
    wanted: float,
    seed: int,
    told: Callable[[int], None] = lambda more: None,
) -> MoreLabels:
    """Simulate what more labels do, with more and more of them until both surely reach a width.

    Args:
        items: with their votes, scores and gold labels.
        kind: the interval.
        wanted: its width.
        seed: of the labels that are drawn, and of the batches.
        told: the number of labels more that is tried.

    Raises:
        InputError: where there are too few gold labels, or the interval cannot be had.
    """
    rest = _unlabelled(items)
    now = _interval(items, kind)
    if not np.isfinite([now.lower, now.upper]).all():
        raise InputError(f"--metric {kind.metric.text}: no interval so far ({now.note})")
    guess = np.mean(predicted(items), axis=0)
    sizes: list[int] = []
    found: list[np.ndarray] = []
    while not sizes or (sizes[-1] < min(rest, MOST) and not _reached(found[-1], wanted)):
        sizes.append(min(2 * sizes[-1] if sizes else FIRST, rest))
        told(sizes[-1])
        found.append(_widths(items, kind, guess, sizes[-1], seed))
    return _joined(len(items) - rest, float(now.upper - now.lower), sizes, found, kind)


def _unlabelled(items: Items) -> int:
    """How many items have no gold label, where there are enough of these and of others."""
    known = items.gold != NO_GOLD
    rest, classes = int((~known).sum()), len(set(items.gold[known]))
    if known.sum() < ENOUGH or classes < 2 or rest < FIRST:
        raise InputError(
            f"--more: found {known.sum():,} gold labels of {classes} classes and {rest:,} items "
            f"without; expected {ENOUGH} or more labels of both classes, and {FIRST} items"
        )
    return rest


def _reached(widths: np.ndarray, wanted: float) -> bool:
    """Whether means (2,) of some widths are below another by more than their errors."""
    mean, error = widths
    return bool((mean + AWAY * error <= wanted).all())


def _joined(
    labels: int, width: float, sizes: Sequence[int], found: Sequence[np.ndarray], kind: Kind
) -> MoreLabels:
    """What was found with each number of labels; those without all intervals are left out."""
    more, each = np.array(sizes), np.array(found)
    shown = np.isfinite(each).all(axis=(1, 2))
    if not shown.any():
        raise InputError(
            f"--metric {kind.metric.text}: no interval in some simulated studies with {FIRST} to "
            f"{sizes[-1]:,} labels more; expected one in all {STUDIES}. Label some items more, or "
            "take another threshold"
        )
    (designed, at_random), errors = each[shown].transpose(1, 2, 0)
    return MoreLabels(labels, width, more[shown], falling(designed), falling(at_random), *errors)


def _widths(items: Items, kind: Kind, guess: np.ndarray, more: int, seed: int) -> np.ndarray:
    """The mean widths with so many labels more, drawn by `crowdgold sample` and at random, and
    their standard errors: (2, 2).

    NaN where a simulated study has no interval: the mean of the others would be too narrow.
    """
    found = np.empty((STUDIES, 2))
    for study in range(STUDIES):
        rng = np.random.default_rng([seed, study])
        truth = np.where(items.gold == NO_GOLD, rng.random(len(items)) < guess, items.gold)
        known = replace(items, truth=truth.astype(np.int8))
        batches = next_batch(known, [kind.metric], more, study), random_batch(known, more, study)
        for place, batch in enumerate(batches):
            one = _interval(labelled(known, batch), kind)
            found[study, place] = one.upper - one.lower
    return np.array([found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(STUDIES)])
