"""What is asked of a study: methods, metrics, thresholds, and what their numbers rest on."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from crowdgold.inference.questions import Questions
from crowdgold.inference.rectified import POPULATION, TARGETS
from crowdgold.methods.method import DRAWS
from crowdgold.methods.registry import METHODS, offered
from crowdgold.metrics.binary import (
    LABEL_METRICS,
    MODEL_METRICS,
    STUDY_METRICS,
    THRESHOLD_METRICS,
    parse_metric,
)
from crowdgold.metrics.binary import METRICS as KNOWN
from crowdgold.metrics.metric import DELTA
from crowdgold.types.choices import ESTIMATE
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_PREDICTOR, Items
from crowdgold.types.opinions import read_expert_error
from crowdgold.types.parameters import LEVEL, SEED, check_level, did_you_mean

METRICS = STUDY_METRICS
STANDARD = tuple(name for name in METRICS if not KNOWN[name].on_request)
"""Those of a study where nothing else is asked for."""

FEWEST_PLANNED = 20
"""Gold labels that intervals over all looks can be planned for."""
HUMANS = "humans"
"""What delta_TPR of a single model is against."""


@dataclass(frozen=True)
class Settings:
    """How a study is evaluated.

    Attributes:
        methods: some of `registry.offered()`, in any order.
        metrics: some of `METRICS`.
        thresholds: model -> scores at and above which it flags an item; those of `NO_PREDICTOR` are
            of every model that has none of its own. Where nothing is given it is 0.5 of scores that
            all lie in [0, 1].
        level: of the intervals.
        about: what intervals are about, one of `TARGETS`: the population that the items were drawn
            from, or the items at hand and no new ones.
        seed: of every random number.
        imputations: label sets imputed for each fit with posterior draws.
        anytime: gold labels at which intervals that hold over all looks are to be narrowest
            (`inference.interval`); None for intervals of one look.
        expert_error: how often experts err (`types.opinions.read_expert_error`).
        one_look: level of this look's intervals by themselves, which follows from the study's gold
            labels; None where it is `level`.
    """

    methods: tuple[str, ...] = field(default_factory=offered)
    metrics: tuple[str, ...] = STANDARD
    thresholds: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    level: float = LEVEL
    about: str = POPULATION
    seed: int = SEED
    imputations: int = DRAWS
    anytime: int | None = None
    expert_error: str = ESTIMATE
    one_look: float | None = None

    @property
    def interval_level(self) -> float:
        """The level that each interval is made at."""
        return self.level if self.one_look is None else self.one_look


def plain_metric(text: str) -> tuple[str, str]:
    """The metric that a text of it, or of a difference of it, is of; and where it is taken.

    `delta_accuracy@0.5` is of accuracy, taken at 0.5.
    """
    name, _, at = text.partition("@")
    return name if name in KNOWN else name.removeprefix(DELTA), at


def read_thresholds(texts: Sequence[str | float]) -> dict[str, tuple[float, ...]]:
    """Read thresholds: model -> values, in the order given; the empty name is of every model.

    Raises:
        InputError: where a value is not a number.
    """
    found: dict[str, tuple[float, ...]] = {}
    for text in texts:
        model, equals, value = str(text).rpartition("=")
        try:
            if equals and not model:
                raise ValueError("no model")
            found[model] = (*found.get(model, ()), float(value))
        except ValueError:
            raise InputError(
                f"threshold: found {text!r}, expected a number, or MODEL=NUMBER"
            ) from None
    return found


def _at_threshold(text: str) -> str:
    """How a metric at a threshold, as tables name it, is asked for; empty for other names."""
    metric, _, threshold = text.partition("@")
    name, colon, model = metric.partition(":")
    if not threshold or name not in THRESHOLD_METRICS:
        return ""
    return f"--metrics {name} --threshold {model}{'=' * bool(colon)}{threshold}"


def _check_names(given: Sequence[str], known: Collection[str], what: str) -> None:
    if not given:
        raise InputError(f"{what}s: none asked for; there are {', '.join(known)}")
    for name in given:
        if name not in known:
            meant = did_you_mean(name, known, always=True)
            aside = ""
            if name.startswith("delta_") and what == "metric":
                aside = " (differences between models come with each metric of a model)"
            elif what == "metric" and (at := _at_threshold(name)):
                raise InputError(f"{what}s: no {what} {name!r}; ask for the two apart: {at}")
            raise InputError(f"{what}s: no {what} {name!r}; {meant} ({', '.join(known)}){aside}")


def check_anytime(planned: int | None) -> None:
    """Raise an `InputError` where intervals over all looks cannot be planned for a number."""
    if planned is not None and planned < FEWEST_PLANNED:
        raise InputError(
            f"anytime: found {planned}, expected the gold labels at which you mean to stop, "
            f"{FEWEST_PLANNED} or more, the same number at every look"
        )


def check_settings(settings: Settings, models: Collection[str]) -> None:
    """Raise an `InputError` where a setting is unknown or impossible.

    Args:
        settings: to be checked.
        models: the models of the study.
    """
    if HUMANS in models:
        raise InputError(
            f"model {HUMANS!r}: in comparisons this name stands for the voters; give the model "
            f"another, for instance by --column score_{HUMANS}=score_NAME"
        )
    _check_names(settings.methods, offered(), "method")
    _check_names(settings.metrics, METRICS, "metric")
    check_level(settings.level)
    if settings.about not in TARGETS:
        expected = " or ".join(map(repr, TARGETS))
        raise InputError(f"about: found {settings.about!r}, expected {expected}")
    check_anytime(settings.anytime)
    read_expert_error(settings.expert_error)
    if settings.seed < 0:
        raise InputError(f"seed: found {settings.seed}, expected 0 or more")
    for model, values in settings.thresholds.items():
        if model not in (NO_PREDICTOR, *models):
            have = ", ".join(map(repr, models)) or "none"
            raise InputError(f"threshold: no model {model!r}; the study has {have}")
        for value in values:
            if not np.isfinite(value):
                raise InputError(f"threshold: found {value:g}, expected a number")


def is_of_population(method: str, about: str) -> bool:
    """Say whether a method's intervals are about the population, and not the items at hand."""
    offer = METHODS[method].offer
    return about == POPULATION or (offer is not None and offer.population_only)


def what_intervals_are_about(about: str, n_items: int) -> str:
    """Say what the intervals of a table with so many items are about."""
    if about == POPULATION:
        return f"Intervals are about the population that these {n_items:,} items were drawn from."
    *others, last = (name for name in offered() if is_of_population(name, about))
    return (
        f"Intervals are about these {n_items:,} items, not new ones (those of {', '.join(others)} "
        f"and {last} about the population that the items were drawn from)."
    )


def _written(threshold: float) -> str:
    """Write a threshold as the names of metrics have it."""
    return f"{threshold + 0.0:.10g}"


def thresholds_of(settings: Settings, items: Items, model: str) -> tuple[float, ...]:
    """The thresholds at which a model is looked at; none where its scores give no hint.

    Those that are written alike are one.
    """
    for name in (model, NO_PREDICTOR):
        if name in settings.thresholds:
            return tuple({_written(value): value for value in settings.thresholds[name]}.values())
    scores = items.with_score(model).scores[model]
    return (0.5,) if np.nanmin(scores) >= 0 and np.nanmax(scores) <= 1 else ()


def questions_of(settings: Settings, items: Items, model: str) -> Questions:
    """Say what is asked of a model of some items; of labels alone where it is `NO_PREDICTOR`.

    Args:
        settings: the metrics and thresholds.
        items: all items of the study, so that a stratum is asked the same.
        model: one of its models.
    """
    names = [name for name in METRICS if name in settings.metrics]
    texts = [name for name in names if name in LABEL_METRICS]
    if model != NO_PREDICTOR:
        texts += [name for name in names if name in MODEL_METRICS]
        at = thresholds_of(settings, items, model)
        texts += [
            f"{name}@{_written(value)}"
            for value in at
            for name in names
            if name in THRESHOLD_METRICS
        ]
    return Questions(tuple(map(parse_metric, texts)), model != NO_PREDICTOR)
