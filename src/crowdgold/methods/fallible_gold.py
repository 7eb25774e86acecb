"""logistic-E and GT-E: gold labels of experts who err, corrected for that."""

from typing import TYPE_CHECKING

import numpy as np

from crowdgold.declared import Settings
from crowdgold.methods.doubts import OF_GOLD, RANDOM_SAMPLE
from crowdgold.methods.method import CORRECTED, REFERENCE, Method, Offer, Run, Style
from crowdgold.methods.needs import EXPERTS_ERRORS, GOLD

if TYPE_CHECKING:
    from crowdgold.data import Items
    from crowdgold.inference.labels import Fit

OF_EXPERTS = (
    f"as long as the gold items {RANDOM_SAMPLE} and experts err alike, each independently of the "
    "others and of votes and scores given the truth. Errors that experts share cannot be seen in "
    "their labels."
)


def predict(items: "Items", rng: np.random.Generator, settings: Settings, run: Run) -> "Fit":
    """P(Y_i = 1) of each item, as logistic-R has it, from the likelier label of each gold item."""
    from crowdgold.data import NO_PREDICTOR
    from crowdgold.inference.expert_errors import expert_errors, judged
    from crowdgold.inference.fallible import FalliblePrediction
    from crowdgold.inference.labels import Fit
    from crowdgold.models.logistic import cross_fit, features

    found = cross_fit(features(items), judged(items, expert_errors(items).verdict))
    names = [NO_PREDICTOR, *items.predictors]
    return Fit("logistic-E", FalliblePrediction(dict.fromkeys(names, found)))


def gold(items: "Items", rng: np.random.Generator, settings: Settings, run: Run) -> "Fit":
    """The experts' opinions, and nothing of the other items."""
    from crowdgold.inference.fallible import FallibleGold
    from crowdgold.inference.labels import Fit

    return Fit("GT-E", FallibleGold())


PREDICTED = Method(
    name="logistic-E",
    title="cross-fitted logistic regression, rectified by gold labels of experts who err",
    of_items=predict,
    needs=(GOLD, EXPERTS_ERRORS),
    style=Style("#AA3377", "P"),
    offer=Offer(
        use="the answer: as logistic-R, corrected for the experts' errors",
        assumes=(
            "Predicts labels as logistic-R does, and lets the experts' opinions correct the "
            "prediction, each for what it is worth: how often experts err follows from items that "
            f"several of them judged, or is given. Right {OF_EXPERTS}"
        ),
        roles=(CORRECTED, REFERENCE),
        doubts=OF_GOLD,
        stream=17,
        population_only=True,
    ),
)
ALONE = Method(
    name="GT-E",
    title="gold labels only, of experts who err",
    of_items=gold,
    needs=(GOLD, EXPERTS_ERRORS),
    variant_of="GT",
    style=Style("#555555", "x"),
    offer=Offer(
        use="gold labels alone, corrected for the experts' errors",
        assumes=(
            "Uses the items that experts judged and nothing else, each opinion for what it is "
            f"worth. Right {OF_EXPERTS}"
        ),
        roles=(CORRECTED,),
        doubts=OF_GOLD,
        stream=18,
        population_only=True,
    ),
)
