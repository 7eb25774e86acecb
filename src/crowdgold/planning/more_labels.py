"""How wide an interval will be with more gold labels, drawn by `crowdgold sample` or at random.

Unknown labels are drawn from a prediction that rests on the known ones (`planning.batch`), the next
batch is drawn from the items, and the interval is made as `crowdgold evaluate` makes it. The mean
width over some such simulated studies is what to expect, as far as the prediction is right. It
counts what the labels so far say, their design, and how they combine with new ones. More labels
widen no interval on average, so that the means, which are over few studies, are made to fall with
the labels (isotonic regression). Their standard errors stand beside them.
"""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import stdtrit

from crowdgold.checking.next_labels import FEWEST_LEFT, next_labels
from crowdgold.evaluation.questions import Settings, questions_of
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.interval import level_of_look
from crowdgold.inference.labels import evaluate
from crowdgold.inference.rectified import POPULATION
from crowdgold.methods.registry import METHODS, answering, answering_experts, fit
from crowdgold.metrics.binary import parse_metric
from crowdgold.metrics.metric import Asked
from crowdgold.planning.batch import next_batch, predictions, random_batch, with_labels
from crowdgold.types.display import WIDTH
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items
from crowdgold.types.notes import Note
from crowdgold.types.parameters import LEVEL


def of_model(metric: Asked, model: str) -> Asked:
    """A metric that names no model, of a model."""
    name, at, threshold = metric.text.partition("@")
    return replace(metric, text=f"{name}:{model}{at}{threshold}", predictor=model)


def metrics_for(items: Items, texts: Sequence[str]) -> list[Asked]:
    """The metrics that labels are drawn for, each of one model, or a difference of the first two.

    `texts` are as users write them (AUC, recall@0.5, recall:large@0.5); one that names no model is
    of each. Without any, what `crowdgold evaluate` gives where nothing else is asked for.
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


DESIGNS = ("designed", "at_random")
ANSWER = answering()  # the method that gives the answer
STUDIES = 8  # simulated studies of each size and design
AWAY = float(stdtrit(STUDIES - 1, 0.975))  # Student's t
"""Standard errors from the mean of so many studies to either end of its 95 % interval."""
FIRST, MOST = FEWEST_LEFT, 6_400
"""Labels more that are tried first, and at most, for a width; each size is twice the one before."""
TIMES = 1.5, 2, 4, 8  # as many labels as there are, which are tried where no width is wanted


@dataclass(frozen=True)
class MoreLabels:
    """What more labels are expected to do to one interval."""

    labels: int  # that there are
    width: float  # now
    more: np.ndarray  # (S,) labels more with which all simulated studies have an interval
    designed: np.ndarray  # (S,) expected widths with these, drawn by `crowdgold sample`
    at_random: np.ndarray  # (S,) or at random
    designed_error: np.ndarray  # (S,) standard errors over simulated studies
    at_random_error: np.ndarray

    def needed(self, design: str, wanted: float, away: float = 0.0) -> int | None:
        """Labels more until the width is as wanted; None where it is not reached.

        `design` is "designed" or "at_random"; widths are `away` standard errors larger than their
        means. Between the sizes tried, the logarithm of the width falls evenly with that of the
        labels.
        """
        if self.width <= wanted:
            return 0
        widths = falling(getattr(self, design) + away * getattr(self, f"{design}_error"))
        reached = np.flatnonzero(widths <= wanted)
        if not len(reached):
            return None
        if (place := int(reached[0])) == 0:
            return int(self.more[0])
        more, near = np.log(self.more[place - 1 : place + 1]), np.log(widths[place - 1 : place + 1])
        return int(np.ceil(np.exp(np.interp(-np.log(wanted), -near, more))))

    def between(self, design: str, wanted: float) -> tuple[int | None, int | None]:
        """The 95 % interval of `needed`, over simulated studies; None for an end not reached."""
        return self.needed(design, wanted, -AWAY), self.needed(design, wanted, AWAY)


def describe(found: MoreLabels, metric: str, wanted: float | None) -> str:
    """A table of widths, and how many labels more reach the wanted one, if one is wanted."""
    lines = [
        f"Interval of {metric}: {found.width:.4f} wide with {found.labels:,} gold labels",
        f"{'more labels':>11}{'by crowdgold sample':>21}{'at random':>11}",
    ]
    rows = zip(found.more, found.designed, found.at_random, strict=True)
    lines += [f"{more:>11,}{one:>21.4f}{other:>11.4f}" for more, one, other in rows]
    if wanted is None:
        return "\n".join(lines)
    says = f"It is {wanted:g} wide already."
    if found.width > wanted:
        labels, simulated = dict[str, str](), False
        for design in DESIGNS:
            number, (low, high) = found.needed(design, wanted), found.between(design, wanted)
            simulated |= number is not None or low is not None
            if number is None:
                or_from = "" if low is None else f" (or from {low:,} on)"
                labels[design] = f"more than {found.more[-1]:,}{or_from}"
            else:
                ends = f"{low:,} or more" if high is None else f"{low:,} to {high:,}"
                labels[design] = f"about {number:,} ({ends})"
        says = (
            f"For a width of {wanted:g}: {labels['designed']} labels more where `crowdgold sample` "
            f"draws the items, {labels['at_random']} at random."
        )
        if simulated:
            says += f" In parentheses: 95 %, as far as {STUDIES} simulated studies tell."
    return "\n".join([*lines, "", textwrap.fill(says, WIDTH)])


def falling(widths: np.ndarray) -> np.ndarray:
    """The nearest widths (S,) that do not rise with the labels."""
    return np.asarray(isotonic_regression(widths, increasing=False).x)


@dataclass(frozen=True)
class IntervalPlan:
    """The interval that is planned."""

    metric: Asked  # of one model, or a difference of two
    level: float = LEVEL
    anytime: int | None = None
    """Labels at which it is narrowest where it holds over all looks; None where there is one."""


def _interval(items: Items, planned: IntervalPlan, method: str = ANSWER) -> Estimate:
    """The interval of a method; by default of the one that answers where experts do not err."""
    level, rng = planned.level, np.random.default_rng(0)
    if planned.anytime is not None:
        level = level_of_look(level, int((items.gold != NO_GOLD).sum()), planned.anytime)
    fitted = fit(method, items, rng)
    # What is of labels ranks no items, of which a few may lack a score.
    asked = items if planned.metric.known.needs_scores else replace(items, scores={})
    (found,) = evaluate(fitted, asked, [planned.metric.text], rng, level, target=POPULATION)
    return found


def wider_where_experts_err(items: Items, planned: IntervalPlan) -> float:
    """How many times as wide the interval is, corrected for experts' errors; NaN without one."""
    method = answering_experts()
    if METHODS[method].lacks(items):
        return float("nan")
    corrected, taken = (_interval(items, planned, one) for one in (method, ANSWER))
    return float((corrected.upper - corrected.lower) / (taken.upper - taken.lower))


def expert_notes(wider: float) -> list[Note]:
    """A note that widths do not count experts' errors; none where `wider`, of
    `wider_where_experts_err`, is NaN.
    """
    if np.isnan(wider):
        return []
    told = {"method": ANSWER, "correcting": answering_experts(), "wider": wider}
    return [
        Note("errors_take_more" if wider > 1 else "errors_not_planned", told | {"times": wider**2})
    ]


def more_labels(
    items: Items, planned: IntervalPlan, wanted: float | None, seed: int,
    told: Callable[[int], None] = lambda more: None,
) -> MoreLabels:  # fmt: skip
    """What more labels do, simulated with more and more of them until both designs surely reach the
    width `wanted`; without one, with `TIMES` as many as there are, or as many as there are items
    for. `told` is called with each number of labels more before it is tried.
    """
    after = next_labels(items)
    if after.no_plan:
        raise InputError(f"--more: {after.no_plan}")
    rest, labels = after.left, int((items.gold != NO_GOLD).sum())
    now = _interval(items, planned)
    if not np.isfinite([now.lower, now.upper]).all():
        raise InputError(f"--metric {planned.metric.text}: no interval so far ({now.note})")
    guess = np.mean(predictions(items), axis=0)
    sizes: list[int] = []
    found: list[np.ndarray] = []
    for more in _sizes(labels, rest, wanted is None):
        told(more)
        mean, error = _simulated_widths(items, planned, guess, more, seed)
        sizes.append(more)
        found.append(np.array([mean, error]))
        # Whether means of both are below what is wanted by more than their errors.
        if wanted is not None and (mean + AWAY * error <= wanted).all():
            break
    each = np.array(found)
    shown = np.isfinite(each).all(axis=(1, 2))
    if not shown.any():
        raise InputError(
            f"--metric {planned.metric.text}: no interval in some simulated studies with "
            f"{sizes[0]:,} to {sizes[-1]:,} labels more; expected one in all {STUDIES}. Label some "
            "items more, or take another threshold"
        )
    (designed, at_random), errors = each[shown].transpose(1, 2, 0)
    return MoreLabels(
        labels, float(now.upper - now.lower), np.array(sizes)[shown],
        falling(designed), falling(at_random), *errors,
    )  # fmt: skip


def _sizes(labels: int, rest: int, by_times: bool) -> list[int]:
    """Numbers of labels more that are tried, up to the `rest`: `by_times` of those that there are,
    or each twice the one before.
    """
    if by_times:
        return sorted({min(round((times - 1) * labels), rest) for times in TIMES})
    sizes = [FIRST]
    while sizes[-1] < min(rest, MOST):
        sizes.append(min(2 * sizes[-1], rest))
    return sizes


def _simulated_widths(
    items: Items, planned: IntervalPlan, guess: np.ndarray, more: int, seed: int
) -> np.ndarray:
    """Mean widths with so many labels more, and their standard errors: (2, 2), (mean, error) by
    (`crowdgold sample`, at random). NaN where a simulated study has no interval: the mean of the
    others would be too narrow.
    """
    found = np.empty((STUDIES, 2))
    for study in range(STUDIES):
        rng = np.random.default_rng([seed, study])
        truth = np.where(items.gold == NO_GOLD, rng.random(len(items)) < guess, items.gold)
        known = replace(items, truth=truth.astype(np.int8))
        batches = next_batch(known, [planned.metric], more, study), random_batch(known, more, study)
        for place, batch in enumerate(batches):
            one = _interval(with_labels(known, batch), planned)
            found[study, place] = one.upper - one.lower
    return np.array([found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(STUDIES)])
