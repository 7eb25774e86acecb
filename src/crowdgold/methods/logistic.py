"""logistic-R: a cross-fitted logistic regression (`models.logistic`), rectified by gold labels.

logistic-E is the same where experts err, and GT-E their gold labels alone. Errors are found anew
for each model, from the gold items that it has a score of.
"""

from dataclasses import dataclass, replace

import numpy as np

from crowdgold.inference.design import drawn_from
from crowdgold.inference.estimate import Questions, Sample, View
from crowdgold.inference.expert_errors import ExpertErrors, expert_errors, judged
from crowdgold.inference.labels import Fit, LabelPrediction, Labels
from crowdgold.inference.rectified import POPULATION, Request, of_labels, rectify
from crowdgold.methods.method import CORRECTED, REFERENCE, Method, Offer, Run, Style
from crowdgold.methods.needs import (
    EXPERTS_ERRORS,
    FEW_ANNOTATORS,
    GOLD,
    OF_GOLD,
    RANDOM_SAMPLE,
    WITH_GOLD,
    Has,
)
from crowdgold.types.annotations import labels_by_judge
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.parameters import Settings


def predict(items: Items, rng: np.random.Generator, settings: Settings, run: Run) -> Fit:
    """P(Y_i = 1) of each item from votes, by judge where these are known and few, and all scores,
    by regressions on other items' gold; the same for all predictors.
    """
    from crowdgold.models.logistic import cross_fit, features

    judged = None
    if items.labels is not None and not FEW_ANNOTATORS.lacks(Has.of(items)):
        judged = labels_by_judge(items.labels)
    found = cross_fit(features(items, judged=judged), items)
    return Fit("logistic-R", LabelPrediction.of_all(items, found))


METHOD = Method(
    name="logistic-R", title="cross-fitted logistic regression, rectified by the gold labels",
    of_items=predict, needs=(GOLD,), style=Style("#339988", "p"),
    offer=Offer(
        use="votes and scores, corrected by the gold labels",
        assumes=(
            "Predicts every label from the votes, by who gave them where annotators are few, and "
            "all models' scores, by a logistic regression that never sees the item's own gold "
            "label, and lets the gold labels correct the prediction. Right whatever the votes and "
            f"scores are like, {WITH_GOLD} A bad prediction makes intervals wider, not wrong."
        ),
        roles=(CORRECTED, REFERENCE), doubts=OF_GOLD, stream=1,
        use_unvoted="scores, corrected by the gold labels",
    ),
)  # fmt: skip

OF_EXPERTS = (
    f"as long as the gold items {RANDOM_SAMPLE} and experts err alike, each independently of the "
    "others and of votes and scores given the truth. Errors that experts share cannot be seen in "
    "their labels."
)


def _with_labels(view: View) -> tuple[View, ExpertErrors]:
    """Items with the likelier label of each that an expert has looked at, and the errors."""
    errors = expert_errors(view.items)
    if errors.unknown:
        raise InputError(errors.unknown)
    return replace(view, items=judged(view.items, errors.verdict)), errors


@dataclass(frozen=True)
class FallibleGold(Labels):
    """Gold labels alone, corrected for the experts' errors."""

    def take(self, rows: np.ndarray) -> "FallibleGold":
        """The same: the labels are those of the items."""
        return self

    def sample(self, view: View, questions: Questions, request: Request) -> Sample:
        """What the opinions say."""
        view, errors = _with_labels(view)
        rows = np.flatnonzero(view.items.gold != NO_GOLD)
        known, design = drawn_from(view, rows)
        return of_labels(known.items.gold, known, questions, POPULATION, design, errors)

    def probabilities(self, view: View, rng: np.random.Generator) -> np.ndarray:
        """P(Y_i = 1) given an item's opinions."""
        errors, found = expert_errors(view.items), np.full(len(view), np.nan)
        assert view.items.opinions is not None
        found[view.items.opinions.number > 0] = errors.probability
        return found


@dataclass(frozen=True)
class FalliblePrediction(LabelPrediction):
    """A prediction of every label, corrected by gold labels of experts who err."""

    def sample(self, view: View, questions: Questions, request: Request) -> Sample:
        """The prediction, and what the opinions make of it."""
        prediction = np.asarray(self.probability[view.predictor], dtype=float)
        view, errors = _with_labels(view)
        return rectify(prediction, view, questions, POPULATION, errors)


def predict_erring(items: Items, rng: np.random.Generator, settings: Settings, run: Run) -> Fit:
    """P(Y_i = 1) of each item, as logistic-R has it, from the likelier label of each gold item."""
    from crowdgold.models.logistic import cross_fit, features

    found = cross_fit(features(items), judged(items, expert_errors(items).verdict))
    return Fit("logistic-E", FalliblePrediction.of_all(items, found))


OF_EXPERTS_WHO_ERR = Method(
    name="logistic-E",
    title="cross-fitted logistic regression, rectified by gold labels of experts who err",
    of_items=predict_erring, needs=(GOLD, EXPERTS_ERRORS), style=Style("#AA3377", "P"),
    offer=Offer(
        use="as logistic-R, corrected for the experts' errors",
        assumes=(
            "Predicts labels as logistic-R does, and lets the experts' opinions correct the "
            "prediction, each for what it is worth: how often experts err follows from items that "
            f"several of them judged, or is given. Right {OF_EXPERTS}"
        ),
        roles=(CORRECTED, REFERENCE), doubts=OF_GOLD, stream=17, population_only=True,
    ),
)  # fmt: skip
GOLD_OF_EXPERTS_WHO_ERR = Method(
    name="GT-E", title="gold labels only, of experts who err",
    of_items=lambda items, rng, settings, run: Fit("GT-E", FallibleGold()),
    needs=(GOLD, EXPERTS_ERRORS), variant_of="GT", style=Style("#555555", "x"),
    offer=Offer(
        use="gold labels alone, corrected for the experts' errors",
        assumes=(
            "Uses the items that experts judged and nothing else, each opinion for what it is "
            f"worth. Right {OF_EXPERTS}"
        ),
        roles=(CORRECTED,), doubts=OF_GOLD, stream=18, population_only=True,
    ),
)  # fmt: skip
