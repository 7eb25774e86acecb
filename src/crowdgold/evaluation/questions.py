"""What is asked of a study: methods, metrics, thresholds, and what their numbers rest on."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, starmap

import numpy as np

from crowdgold.inference.estimate import Questions
from crowdgold.inference.rectified import POPULATION, TARGETS
from crowdgold.methods.method import IMPUTATIONS
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
from crowdgold.types.annotations import read_expert_error
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_PREDICTOR, Items
from crowdgold.types.parameters import ESTIMATE, LEVEL, SEED, check_level, did_you_mean

METRICS = STUDY_METRICS
STANDARD = tuple(name for name in METRICS if not KNOWN[name].on_request)

FEWEST_PLANNED = 20  # least gold labels at which intervals over all looks can be narrowest
HUMANS = "humans"  # what delta_TPR of a single model is against
MINUS = " - "  # between the names of two models, of their difference


@dataclass(frozen=True)
class Settings:
    """How a study is evaluated."""

    methods: tuple[str, ...] = field(default_factory=offered)  # some of `offered`, in any order
    metrics: tuple[str, ...] = STANDARD  # some of `METRICS`
    # Model -> scores at and above which it flags an item; those of `NO_PREDICTOR` are of every
    # model that has none of its own. Where nothing is given it is 0.5 of scores all in [0, 1].
    thresholds: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    level: float = LEVEL  # of the intervals
    about: str = POPULATION  # what they are about, one of `TARGETS`
    seed: int = SEED  # of every random number
    imputations: int = IMPUTATIONS  # label sets imputed for each fit with posterior draws
    # Gold labels at which intervals that hold over all looks are to be narrowest
    # (`inference.interval`); None for intervals of one look.
    anytime: int | None = None
    expert_error: str = ESTIMATE  # how often experts err (`types.annotations.read_expert_error`)
    one_look: float | None = None  # level of this look by itself; None where it is `level`

    @property
    def interval_level(self) -> float:
        """The level that each interval is made at."""
        return self.level if self.one_look is None else self.one_look


def difference_of(model: str, against: str) -> str:
    """The name of the difference of two models."""
    return f"{model}{MINUS}{against}"


def plain_metric(text: str) -> tuple[str, str]:
    """The metric that a text of it, or of a difference of it, is of; and where it is taken.

    `delta_accuracy@0.5` is of accuracy, taken at 0.5.
    """
    name, _, at = text.partition("@")
    return name if name in KNOWN else name.removeprefix(DELTA), at


def read_thresholds(texts: Sequence[str | float]) -> dict[str, tuple[float, ...]]:
    """Read thresholds: model -> values, in the order given; the empty name is of every model.

    Raises an `InputError` where a value is not a number.
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


def _check_names(given: Sequence[str], known: Collection[str], what: str) -> None:
    if not given:
        raise InputError(f"{what}s: none asked for; there are {', '.join(known)}")
    for name in given:
        if name in known:
            continue
        metric, _, threshold = name.partition("@")
        base, colon, model = metric.partition(":")
        aside = ""
        if what == "metric" and name.startswith("delta_"):
            aside = " (differences between models come with each metric of a model)"
        elif what == "metric" and threshold and base in THRESHOLD_METRICS:
            at = f"--metrics {base} --threshold {model}{'=' * bool(colon)}{threshold}"
            raise InputError(f"{what}s: no {what} {name!r}; ask for the two apart: {at}")
        meant = did_you_mean(name, known, always=True)
        raise InputError(f"{what}s: no {what} {name!r}; {meant} ({', '.join(known)}){aside}")


def check_anytime(planned: int | None) -> None:
    """Raise an `InputError` where intervals over all looks cannot be planned for a number."""
    if planned is not None and planned < FEWEST_PLANNED:
        raise InputError(
            f"anytime: found {planned}, expected the gold labels at which you mean to stop, "
            f"{FEWEST_PLANNED} or more, the same number at every look"
        )


def check_settings(settings: Settings, models: Collection[str]) -> None:
    """Raise an `InputError` where a setting is unknown or impossible for a study's models."""
    if HUMANS in models:
        raise InputError(
            f"model {HUMANS!r}: in comparisons this name stands for the voters; give the model "
            f"another, for instance by --column score_{HUMANS}=score_NAME"
        )
    shown = Counter([*models, *starmap(difference_of, permutations(models, 2))])
    if twice := next((name for name, times in shown.items() if times > 1), ""):
        named = next(name for name in models if MINUS in name)
        raise InputError(
            f"model {named!r}: tables would have {twice!r} twice, since this is how they write a "
            f"difference; give the model another name, for instance by --column "
            f"'score_{named}=score_NAME'"
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
    """Whether a method's intervals are about the population, and not the items at hand."""
    offer = METHODS[method].offer
    return about == POPULATION or (offer is not None and offer.population_only)


def what_intervals_are_about(about: str, n_items: int) -> str:
    """What the intervals of a table with so many items are about, in a sentence."""
    if about == POPULATION:
        return f"Intervals are about the population that these {n_items:,} items were drawn from."
    *others, last = (name for name in offered() if is_of_population(name, about))
    return (
        f"Intervals are about these {n_items:,} items, not new ones (those of {', '.join(others)} "
        f"and {last} about the population that the items were drawn from)."
    )


def _written(threshold: float) -> str:
    return f"{threshold + 0.0:.10g}"


def thresholds_of(settings: Settings, items: Items, model: str) -> tuple[float, ...]:
    """The thresholds of a model; none where none are given and its scores are not in [0, 1].

    Those that are written alike are one.
    """
    for name in (model, NO_PREDICTOR):
        if name in settings.thresholds:
            return tuple({_written(value): value for value in settings.thresholds[name]}.values())
    scores = items.with_score(model).scores[model]
    return (0.5,) if np.nanmin(scores) >= 0 and np.nanmax(scores) <= 1 else ()


def questions_of(settings: Settings, items: Items, model: str) -> Questions:
    """What is asked of a model, or of labels alone where it is `NO_PREDICTOR`.

    `items` are all of the study, so that a stratum is asked the same.
    """
    names = [name for name in METRICS if name in settings.metrics]
    names = [name for name in names if items.has_votes or not KNOWN[name].needs_votes]
    texts = [name for name in names if name in LABEL_METRICS]
    if model != NO_PREDICTOR:
        texts += [name for name in names if name in MODEL_METRICS]
        at_threshold = [name for name in names if name in THRESHOLD_METRICS]
        for value in thresholds_of(settings, items, model):
            texts += [f"{name}@{_written(value)}" for name in at_threshold]
    return Questions(tuple(map(parse_metric, texts)), model != NO_PREDICTOR)
