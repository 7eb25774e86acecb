"""votes-R: vote shares, rectified by the gold labels."""

import numpy as np

from crowdgold.inference.labels import Fit, LabelPrediction
from crowdgold.methods.doubts import OF_GOLD, WITH_GOLD
from crowdgold.methods.method import CORRECTED, Method, Offer, Run, Style
from crowdgold.methods.needs import GOLD
from crowdgold.types.items import NO_PREDICTOR, Items
from crowdgold.types.parameters import Settings


def predict(items: Items, rng: np.random.Generator, settings: Settings, run: Run) -> Fit:
    """The share of positive votes of each item, as a prediction of its label."""
    share = items.votes_positive / items.votes_total
    return Fit("votes-R", LabelPrediction(dict.fromkeys([NO_PREDICTOR, *items.predictors], share)))


METHOD = Method(
    name="votes-R", title="vote shares, rectified by the gold labels", of_items=predict,
    needs=(GOLD,), style=Style("#888822", "8"),
    offer=Offer(
        use="vote shares corrected by the gold labels; needs no scores",
        assumes=(
            "Takes the share of an item's positive votes as the prediction of its label, without "
            "scores or a model, and lets the gold labels correct it. Right whatever the votes are "
            "like, " + WITH_GOLD
        ),
        roles=(CORRECTED,), doubts=OF_GOLD, stream=2,
    ),
)  # fmt: skip
