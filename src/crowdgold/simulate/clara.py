"""Labels of reviewers as CLARA's simulations draw them (CLARA, sections 4.1 to 4.3 and 7.3).

    Y_i ~ Bernoulli(prevalence)                                 true label of item i
    r_ij ~ Bernoulli(TPR_a) on positives, Bernoulli(1 - TNR_a) on negatives     a = a_ij

with labels "0" and "1", and scores of a classifier where they are asked for
(`crowdgold.simulate.clara`). The design says who labels an item:

- `tie_break`: two random reviewers, and a random third where they differ.
- `all`: `n_labels` random reviewers.
- `audit`: one random reviewer, and auditors by tie-breaking: the groups "reviewers", "auditors".

Reviewers' rates are the same for all (`tpr`, `tnr`); or each one's own, drawn from a normal
distribution around these means with deviation `quality_sd`, anew while it is outside [0, 1], which
truncates it there (the paper does not say what happens above 1; at 0.9 and 0.05 it is 2.3 % of the
draws, and the mean is 0.897); or by type, TPR = TNR, reviewers taking turns through `rater_types`.
In an audit precision is recall, p, so that TPR = p and 1 - TNR = prevalence (1 - p) /
(1 - prevalence). With `tpr_drop`, the mean TPR is another from some `day` on (figure 7's stand-in).

A classifier's scores as CLARA simulates them (CLARA, section 7.3).

    x_i ~ Normal(negative_mean, sd) on negatives, Normal(positive_mean, sd) on positives
    s_i = sigmoid(x_i)

The score vector of an item is (1 - s_i, s_i). `separation: m` stands for the means -m and m, and
`separation: none` for no scores, so that an experiment can vary how well the classes separate.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
from scipy.special import expit

from crowdgold.simulate.design import SHARE, Prevalence
from crowdgold.simulate.generator import Generator, Replicate
from crowdgold.simulate.irt import draw_voters
from crowdgold.types.annotations import NO_GROUP, Annotations
from crowdgold.types.errors import InputError
from crowdgold.types.items import ANNOTATIONS
from crowdgold.types.parameters import (
    Above,
    AtLeast,
    Each,
    Given,
    Json,
    Part,
    Range,
    Settings,
    is_number,
)

NAMES = ("scores", "separation")
NO_SCORES = "none"


@dataclass(frozen=True, kw_only=True)
class ScoresGiven(Settings):
    """A classifier's scores: the sigmoid of a normal by class."""

    negative_mean: Annotated[float, "Mean of the raw scores of negatives."]
    positive_mean: Annotated[float, "Mean of the raw scores of positives."]
    sd: Annotated[float, Above(0), "Standard deviation of the raw scores."]


@dataclass(frozen=True, kw_only=True)
class LawGiven(Settings):
    """The distribution of a classifier's scores."""

    scores: Annotated[
        object,
        Part(ScoresGiven, ["sd"]),
        "A classifier's scores: the sigmoid of a normal by class; none where not given.",
    ]
    separation: Annotated[
        object,
        Json({"type": ["number", "string"]}),
        'm for means of -m and m, in the place of those in `scores`; "none" for no scores. '
        'Write numbers as text where "none" is among them.',
    ]


@dataclass(frozen=True)
class ScoreLaw:
    """Means of the raw scores of negatives and positives, and their standard deviation."""

    negative_mean: float
    positive_mean: float
    sd: float


def _read_separation(parameters: Given) -> float | None:
    """The separation, a number above 0; None where there are to be no scores."""
    found = parameters.values["separation"]
    if found == NO_SCORES:
        return None
    try:
        value = float(found)
    except (TypeError, ValueError):
        value = float("nan")
    if isinstance(found, bool) or not (is_number(value) and value > 0):
        raise parameters.fault("separation", f"a number above 0, or {NO_SCORES!r}")
    return value


def read_score_law(parameters: Given) -> ScoreLaw | None:
    """The law of the scores; None where there are none.

    Args:
        parameters: of a generator: `scores`, {negative_mean, positive_mean, sd}, and `separation`,
            which stands for both means where it is given. Without either there are no scores.
    """
    given, named = parameters.values.get("scores"), "separation" in parameters
    separation = _read_separation(parameters) if named else None
    if (named and separation is None) or (given is None and not named):
        return None
    own = parameters.part("scores", ScoresGiven)
    sd = own.real("sd")
    if separation is not None:
        return ScoreLaw(-separation, separation, sd)
    law = ScoreLaw(own.real("negative_mean"), own.real("positive_mean"), sd)
    if law.negative_mean == law.positive_mean:
        raise InputError(f"{own.owner}: both means are {law.positive_mean:g}; expected two")
    return law


def draw_score_vectors(law: ScoreLaw, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw the score vectors (I, 2) of items with true labels (I,), 0 or 1."""
    raw = rng.normal(np.where(truth == 1, law.positive_mean, law.negative_mean), law.sd)
    return np.stack([expit(-raw), expit(raw)], axis=1)


TIE_BREAK, ALL, AUDIT = "tie_break", "all", "audit"
REVIEWERS, AUDITORS = "reviewers", "auditors"
CATEGORIES = ("0", "1")

SHARED = ("n", "prevalence", "design", "n_reviewers", "day", *NAMES)
RATES = ("tpr", "tnr", "quality_sd", "tpr_drop")
AUDITED = ("n_auditors", "reviewer_precision", "auditor_precision")


@dataclass(frozen=True, kw_only=True)
class TprDropGiven(Settings):
    """From this day on, the reviewers' mean TPR is another."""

    day: Annotated[int, AtLeast(1), "First day of the other TPR."]
    tpr: Annotated[
        float,
        SHARE,
        "The reviewers' (mean) probability of a positive label on a positive item.",
    ]


@dataclass(frozen=True, kw_only=True)
class ClaraParameters(LawGiven):
    """Labels of reviewers as in the simulations of the CLARA paper (sections 4 and 7.3), "0" or
    "1", with who gave them.
    """

    n: Annotated[int, AtLeast(2), "Items."]
    prevalence: Prevalence
    design: Annotated[
        Literal["tie_break", "all", "audit"],
        "Who labels an item: two random reviewers and a third where they differ "
        "(`tie_break`), `n_labels` reviewers (`all`), or one reviewer and auditors by "
        'tie-breaking (`audit`, groups "reviewers" and "auditors").',
    ] = "tie_break"
    n_reviewers: Annotated[int, AtLeast(1), "Reviewers."]
    n_labels: Annotated[int, AtLeast(1), "Labels on each item, design `all`."]
    tpr: Annotated[
        float,
        SHARE,
        "The reviewers' (mean) probability of a positive label on a positive item.",
    ]
    tnr: Annotated[
        float,
        SHARE,
        "The reviewers' (mean) probability of a negative label on a negative item.",
    ]
    quality_sd: Annotated[
        float,
        SHARE,
        "Standard deviation of each reviewer's TPR and TNR around the means, normal, drawn "
        "anew while outside 0 to 1; all are alike where it is not given.",
    ]
    rater_types: Annotated[
        object,
        Each(float, SHARE, least=1),
        "TPR = TNR by type, in the place of `tpr` and `tnr`; reviewers take turns.",
    ]
    n_auditors: Annotated[int, AtLeast(3), "Auditors."]
    reviewer_precision: Annotated[
        float,
        Range(most=1, above=0),
        "Precision of the reviewers, and their recall; design `audit`.",
    ]
    auditor_precision: Annotated[
        float,
        Range(most=1, above=0),
        "Precision of each auditor, and recall; design `audit`.",
    ]
    day: Annotated[int, AtLeast(1), "The day, for `tpr_drop`; else it only makes other data."]
    tpr_drop: Annotated[
        object,
        Part(TprDropGiven, ["day", "tpr"]),
        "From this day on, the reviewers' mean TPR is another.",
    ]


@dataclass(frozen=True)
class Annotators:
    """All who can label.

    Attributes:
        name: (A,) identifiers.
        group: (G,) names of the groups.
        group_of: (A,) position of each one's group.
        tpr, tnr: (A,) true rates.
    """

    name: np.ndarray
    group: np.ndarray
    group_of: np.ndarray
    tpr: np.ndarray
    tnr: np.ndarray


def draw_clara(values: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Annotations]:
    """Draw a replicate.

    Args:
        values: as `ClaraParameters` declares them; which of them there are goes by the
            design.
    """
    parameters = _read(values)
    n, prevalence = parameters.whole("n"), parameters.real("prevalence")
    law = read_score_law(parameters)
    annotators = _annotators(parameters, prevalence, rng)
    truth = (rng.random(n) < prevalence).astype(np.int64)
    who, tie = _draw_who(parameters, n, rng)
    chance = np.where(truth[:, None] == 1, annotators.tpr[who], 1 - annotators.tnr[who])
    label = (rng.random(who.shape) < chance).astype(np.int64)
    asked = np.ones(who.shape, dtype=bool)
    if tie is not None:
        first, second, third = tie
        asked[:, third] = label[:, first] != label[:, second]
    scores = {} if law is None else {"score": draw_score_vectors(law, truth, rng)}
    table = _assemble(annotators, truth, who, label, asked, scores)
    return Replicate(table, table, {"prevalence": prevalence} | true_rates(annotators))


def _read(values: Mapping[str, Any]) -> Given:
    """Check which parameters there are: those that the design uses, and no others."""
    given = Given("generator clara", values, ClaraParameters)
    chosen = given.choice("design")
    typed = "rater_types" in given
    rates = AUDITED if chosen == AUDIT else ("rater_types",) if typed else RATES
    labels = ("n_labels",) if chosen == ALL else ()
    used = replace(given, owner=f"{given.owner}, design {chosen}")
    used.check_names((*SHARED, *labels, *rates))
    return used


def _n_reviewers(parameters: Given) -> int:
    """The number of reviewers: at least as many as an item needs."""
    chosen = parameters.values["design"]
    most = {TIE_BREAK: 3, AUDIT: 1}.get(chosen) or parameters.whole("n_labels")
    return parameters.whole("n_reviewers", at_least=most)


def _annotators(parameters: Given, prevalence: float, rng: np.random.Generator) -> Annotators:
    size = _n_reviewers(parameters)
    names = np.array([f"R{i + 1}" for i in range(size)], dtype=object)
    if parameters.values["design"] == AUDIT:
        auditors = parameters.whole("n_auditors")
        names = np.append(names, [f"A{i + 1}" for i in range(auditors)])
        rates = [
            np.tile(audited_rates(parameters, name, prevalence), (count, 1))
            for name, count in (("reviewer_precision", size), ("auditor_precision", auditors))
        ]
        tpr, tnr = np.concatenate(rates).T
        group_of = np.repeat([0, 1], [size, auditors])
        return Annotators(names, np.array([REVIEWERS, AUDITORS], object), group_of, tpr, tnr)
    tpr, tnr = _reviewer_rates(parameters, size, rng)
    return Annotators(names, np.array([NO_GROUP], object), np.zeros(size, np.int64), tpr, tnr)


def audited_rates(parameters: Given, name: str, prevalence: float) -> tuple[float, float]:
    """The TPR and TNR of those whose precision and recall are both p.

    Raises:
        InputError: where p is no share, or so small that no TNR gives that precision.
    """
    precision = parameters.real(name)
    positive = prevalence * (1 - precision) / (1 - prevalence)
    if positive > 1:
        least = 2 - 1 / prevalence
        raise parameters.fault(name, f"more than {least:g}, at this prevalence, and at most 1")
    return precision, 1 - positive


def _reviewer_rates(
    parameters: Given, size: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The reviewers' TPR and TNR: (A,) each."""
    if "rater_types" in parameters:
        rates = np.resize(np.array(parameters.numbers("rater_types", SHARE)), size)
        return rates, rates
    sd = parameters.real("quality_sd") if "quality_sd" in parameters else 0.0
    means = _mean_tpr(parameters), parameters.real("tnr")
    tpr, tnr = (draw_rates(mean, sd, size, rng) for mean in means)
    return tpr, tnr


def _mean_tpr(parameters: Given) -> float:
    """The mean TPR, that of the day."""
    if "tpr_drop" in parameters:
        drop = parameters.part("tpr_drop", TprDropGiven)
        since, later = drop.whole("day"), drop.real("tpr")
        if parameters.whole("day") >= since:
            return later
    return parameters.real("tpr")


def draw_rates(mean: float, sd: float, size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw rates (size,) from Normal(mean, sd), anew while outside [0, 1]; all alike where sd is 0.

    Args:
        mean: from 0 to 1, so that at least a third of the draws are inside.
        sd: from 0 to 1.
    """
    rates = rng.normal(mean, sd, size)
    while (outside := (rates < 0) | (rates > 1)).any():
        rates[outside] = rng.normal(mean, sd, int(outside.sum()))
    return np.asarray(rates)


def _draw_who(
    parameters: Given, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, tuple[int, int, int] | None]:
    """Draw who may label each item, in order: (n, J); and which three break ties, if any do."""
    chosen, size = parameters.values["design"], _n_reviewers(parameters)
    if chosen == AUDIT:
        reviewer = rng.integers(0, size, (n, 1))
        auditors = size + _distinct(n, 3, parameters.whole("n_auditors"), rng)
        return np.hstack([reviewer, auditors]), (1, 2, 3)
    if chosen == ALL:
        return _distinct(n, parameters.whole("n_labels"), size, rng), None
    return _distinct(n, 3, size, rng), (0, 1, 2)


def _distinct(n: int, count: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw distinct annotators of `size`, every ordered set equally likely: (n, count)."""
    drawn = draw_voters(np.full(n, count), size, rng)
    return rng.permuted(drawn, axis=1)


def _assemble(
    annotators: Annotators,
    truth: np.ndarray,
    who: np.ndarray,
    label: np.ndarray,
    asked: np.ndarray,
    scores: Mapping[str, np.ndarray],
) -> Annotations:
    """Make the table of the labels that were asked for; who gave none is not in it."""
    item_of, place = np.nonzero(asked)
    present, annotator_of = np.unique(who[item_of, place], return_inverse=True)
    return Annotations(
        item=np.arange(len(truth)).astype(str).astype(object),
        annotator=annotators.name[present],
        group=annotators.group,
        category=np.array(CATEGORIES, dtype=object),
        item_of=item_of,
        annotator_of=annotator_of,
        group_of=annotators.group_of[present][annotator_of],
        label=label[item_of, place],
        scores=scores,
        truth=truth,
    )


def true_rates(annotators: Annotators) -> dict[str, float]:
    """Name the true rates of each annotator, and of each group whose members are all alike."""
    named: dict[str, float] = {}
    for rate, values in (("TPR", annotators.tpr), ("TNR", annotators.tnr)):
        for position, group in enumerate(annotators.group):
            own = values[annotators.group_of == position]
            if (own == own[0]).all():
                named[f"{rate}:{group}" if group else rate] = float(own[0])
        for name, value in zip(annotators.name, values, strict=True):
            named[f"{rate}:{name}"] = float(value)
    return named


GENERATOR = Generator("clara", draw_clara, ANNOTATIONS, parameters=ClaraParameters)
