"""Labels of reviewers as CLARA's simulations draw them (CLARA, sections 4.1 to 4.3 and 7.3).

    Y_i ~ Bernoulli(prevalence)                                 true label of item i
    r_ij ~ Bernoulli(TPR_a) on positives, Bernoulli(1 - TNR_a) on negatives     a = a_ij

with labels "0" and "1". The `design` says who labels an item (`ClaraParameters`).

Rates of each one's own are drawn anew while outside [0, 1] (the paper does not say what happens
above 1; at 0.9 and 0.05 it is 2.3 % of the draws, and the mean is 0.897). In an audit precision is
recall, p, so that TPR = p and 1 - TNR = prevalence (1 - p) / (1 - prevalence). `tpr_drop` is figure
7's stand-in.

A classifier's score vectors are (1 - s_i, s_i) with s_i = sigmoid(x_i) (section 7.3), x_i ~
Normal(negative_mean, sd) on negatives, Normal(positive_mean, sd) on positives.
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

NO_SCORES = "none"
TIE_BREAK, ALL, AUDIT = "tie_break", "all", "audit"
REVIEWERS, AUDITORS = "reviewers", "auditors"
CATEGORIES = ("0", "1")
SHARED = ("n", "prevalence", "design", "n_reviewers", "day", "scores", "separation")
RATES = ("tpr", "tnr", "quality_sd", "tpr_drop")
AUDITED = ("n_auditors", "reviewer_precision", "auditor_precision")


@dataclass(frozen=True, kw_only=True)
class ScoresGiven(Settings):
    """A classifier's scores: the sigmoid of a normal by class."""

    negative_mean: Annotated[float, "Mean of the raw scores of negatives."]
    positive_mean: Annotated[float, "Mean of the raw scores of positives."]
    sd: Annotated[float, Above(0), "Standard deviation of the raw scores."]


def _score_law(parameters: Given) -> tuple[float, float, float] | None:
    """Means of the raw scores of negatives and positives, and their deviation; None for none."""
    given, separation = parameters.values.get("scores"), None
    if "separation" in parameters:
        found = parameters.values["separation"]
        if found == NO_SCORES:
            return None
        try:
            separation = float(found)
        except (TypeError, ValueError):
            separation = float("nan")
        if isinstance(found, bool) or not (is_number(separation) and separation > 0):
            raise parameters.fault("separation", f"a number above 0, or {NO_SCORES!r}")
    elif given is None:
        return None
    own = parameters.part("scores", ScoresGiven)
    sd = own.real("sd")
    if separation is not None:
        return -separation, separation, sd
    negative, positive = own.real("negative_mean"), own.real("positive_mean")
    if negative == positive:
        raise InputError(f"{own.owner}: both means are {positive:g}; expected two")
    return negative, positive, sd


@dataclass(frozen=True, kw_only=True)
class TprDropGiven(Settings):
    """From this day on, the reviewers' mean TPR is another."""

    day: Annotated[int, AtLeast(1), "First day of the other TPR."]
    tpr: Annotated[float, SHARE,
        "The reviewers' (mean) probability of a positive label on a positive item."]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ClaraParameters(Settings):
    """Labels of reviewers as in the simulations of the CLARA paper (sections 4 and 7.3), "0" or
    "1", with who gave them.
    """

    scores: Annotated[object, Part(ScoresGiven, ["sd"]),
        "A classifier's scores: the sigmoid of a normal by class; none where not "
        "given."]  # fmt: skip
    separation: Annotated[object, Json({"type": ["number", "string"]}),
        'm for means of -m and m, in the place of those in `scores`; "none" for no scores. Write '
        'numbers as text where "none" is among them.']  # fmt: skip
    n: Annotated[int, AtLeast(2), "Items."]
    prevalence: Prevalence
    design: Annotated[Literal["tie_break", "all", "audit"],
        'Who labels an item: two random reviewers and a third where they differ (`tie_break`), '
        '`n_labels` reviewers (`all`), or one reviewer and auditors by tie-breaking (`audit`, '
        'groups "reviewers" and "auditors").'] = "tie_break"  # fmt: skip
    n_reviewers: Annotated[int, AtLeast(1), "Reviewers."]
    n_labels: Annotated[int, AtLeast(1), "Labels on each item, design `all`."]
    tpr: Annotated[float, SHARE,
        "The reviewers' (mean) probability of a positive label on a positive item."]  # fmt: skip
    tnr: Annotated[float, SHARE,
        "The reviewers' (mean) probability of a negative label on a negative item."]  # fmt: skip
    quality_sd: Annotated[float, SHARE,
        "Standard deviation of each reviewer's TPR and TNR around the means, normal, drawn anew "
        "while outside 0 to 1; all are alike where it is not given."]  # fmt: skip
    rater_types: Annotated[object, Each(float, SHARE, least=1),
        "TPR = TNR by type, in the place of `tpr` and `tnr`; reviewers take turns."]  # fmt: skip
    n_auditors: Annotated[int, AtLeast(3), "Auditors."]
    reviewer_precision: Annotated[float, Range(most=1, above=0),
        "Precision of the reviewers, and their recall; design `audit`."]  # fmt: skip
    auditor_precision: Annotated[float, Range(most=1, above=0),
        "Precision of each auditor, and recall; design `audit`."]  # fmt: skip
    day: Annotated[int, AtLeast(1), "The day, for `tpr_drop`; else it only makes other data."]
    tpr_drop: Annotated[object, Part(TprDropGiven, ["day", "tpr"]),
        "From this day on, the reviewers' mean TPR is another."]  # fmt: skip


def draw_clara(values: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Annotations]:
    """Draw a replicate; which parameters there are goes by the design, with no others."""
    given = Given("generator clara", values, ClaraParameters)
    chosen = given.choice("design")
    rates = ("rater_types",) if "rater_types" in given else RATES
    labels = ("n_labels",) if chosen == ALL else ()
    parameters = replace(given, owner=f"{given.owner}, design {chosen}")
    parameters.check_names((*SHARED, *labels, *(AUDITED if chosen == AUDIT else rates)))
    n, prevalence = parameters.whole("n"), parameters.real("prevalence")
    law = _score_law(parameters)
    # At least as many reviewers as an item needs.
    needed = {TIE_BREAK: 3, AUDIT: 1}.get(chosen) or parameters.whole("n_labels")
    size = parameters.whole("n_reviewers", at_least=needed)
    name, groups, group_of, tpr, tnr = _annotators(parameters, size, prevalence, rng)
    truth = (rng.random(n) < prevalence).astype(np.int64)

    def distinct(count: int, among: int) -> np.ndarray:
        """Draw distinct annotators, every ordered set equally likely: (n, count)."""
        return rng.permuted(draw_voters(np.full(n, count), among, rng), axis=1)

    # Who may label each item, in order; where ties are broken, the third of three does so.
    first = 0
    if chosen == AUDIT:
        reviewer, first = rng.integers(0, size, (n, 1)), 1
        who = np.hstack([reviewer, size + distinct(3, parameters.whole("n_auditors"))])
    else:
        who = distinct(parameters.whole("n_labels") if chosen == ALL else 3, size)
    chance = np.where(truth[:, None] == 1, tpr[who], 1 - tnr[who])
    label = (rng.random(who.shape) < chance).astype(np.int64)
    asked = np.ones(who.shape, dtype=bool)
    if chosen != ALL:
        asked[:, first + 2] = label[:, first] != label[:, first + 1]
    scores = {}
    if law is not None:
        raw = rng.normal(np.where(truth == 1, law[1], law[0]), law[2])
        scores = {"score": np.stack([expit(-raw), expit(raw)], axis=1)}
    item_of, place = np.nonzero(asked)  # who gave no label is not in the table
    present, annotator_of = np.unique(who[item_of, place], return_inverse=True)
    table = Annotations(
        item=np.arange(n).astype(str).astype(object), annotator=name[present],
        group=groups, category=np.array(CATEGORIES, dtype=object), item_of=item_of,
        annotator_of=annotator_of, group_of=group_of[present][annotator_of],
        label=label[item_of, place], scores=scores, truth=truth,
    )  # fmt: skip
    known = {"prevalence": prevalence}
    for rate, every in (("TPR", tpr), ("TNR", tnr)):
        for position, group in enumerate(groups):  # whose members are all alike
            own = every[group_of == position]
            if (own == own[0]).all():
                known[f"{rate}:{group}" if group else rate] = float(own[0])
        known |= {f"{rate}:{who}": float(value) for who, value in zip(name, every, strict=True)}
    return Replicate(table, table, known)


def _annotators(
    parameters: Given, size: int, prevalence: float, rng: np.random.Generator
) -> tuple[np.ndarray, ...]:
    """Names of so many reviewers and an audit's auditors, groups, each one's, true TPR and TNR."""
    names = np.array([f"R{i + 1}" for i in range(size)], dtype=object)
    if parameters.values["design"] == AUDIT:
        auditors = parameters.whole("n_auditors")
        names = np.append(names, [f"A{i + 1}" for i in range(auditors)])
        rates = []
        for name, count in (("reviewer_precision", size), ("auditor_precision", auditors)):
            precision = parameters.real(name)
            positive = prevalence * (1 - precision) / (1 - prevalence)
            if positive > 1:  # no TNR gives that precision
                least = 2 - 1 / prevalence
                expected = f"more than {least:g}, at this prevalence, and at most 1"
                raise parameters.fault(name, expected)
            rates.append(np.tile((precision, 1 - positive), (count, 1)))
        tpr, tnr = np.concatenate(rates).T
        group_of = np.repeat([0, 1], [size, auditors])
        return names, np.array([REVIEWERS, AUDITORS], object), group_of, tpr, tnr
    if "rater_types" in parameters:
        tpr = tnr = np.resize(np.array(parameters.numbers("rater_types", SHARE)), size)
    else:
        sd = parameters.real("quality_sd") if "quality_sd" in parameters else 0.0
        mean = None
        if "tpr_drop" in parameters:
            drop = parameters.part("tpr_drop", TprDropGiven)
            since, later = drop.whole("day"), drop.real("tpr")
            mean = later if parameters.whole("day") >= since else None
        means = parameters.real("tpr") if mean is None else mean, parameters.real("tnr")
        tpr, tnr = (draw_rates(mean, sd, size, rng) for mean in means)
    return names, np.array([NO_GROUP], object), np.zeros(size, np.int64), tpr, tnr


def draw_rates(mean: float, sd: float, size: int, rng: np.random.Generator) -> np.ndarray:
    """Rates (size,) from Normal(mean, sd), drawn anew while outside [0, 1]; all alike for sd 0."""
    rates = rng.normal(mean, sd, size)
    while (outside := (rates < 0) | (rates > 1)).any():
        rates[outside] = rng.normal(mean, sd, int(outside.sum()))
    return np.asarray(rates)


GENERATOR = Generator("clara", draw_clara, ANNOTATIONS, parameters=ClaraParameters)
