"""score-R and AutoEval: a model's scores, taken for probabilities that gold labels correct."""

import numpy as np

from crowdgold.inference.labels import Fit, LabelPrediction, MeanPrediction
from crowdgold.methods.doubts import OF_GOLD
from crowdgold.methods.method import CORRECTED, OF_MEANS, Method, Offer, Style
from crowdgold.methods.needs import GOLD, SCORES
from crowdgold.types.items import Items


def predictions(items: Items) -> dict[str, np.ndarray]:
    """Scores as probabilities, predictor -> (n,): as they are where all lie in [0, 1]; in the place
    of others the share of items ranked below (`rank_share`).
    """
    from crowdgold.models.logistic import rank_share

    return {
        name: scores.astype(float)
        if scores.min() >= 0 and scores.max() <= 1
        else rank_share(scores)
        for name, scores in items.scores.items()
    }


RECTIFIED = Method(
    name="score-R", title="raw scores, rectified by the gold labels",
    of_items=lambda items, rng, settings, run: Fit("", LabelPrediction(predictions(items))),
    needs=(GOLD, SCORES), variant_of="MAVEN-R", style=Style("#882277", "X"),
)  # fmt: skip
AUTO_EVAL = Method(
    name="AutoEval", title="AutoEval from raw scores", needs=(GOLD, SCORES),
    of_items=lambda items, rng, settings, run: Fit("", MeanPrediction(predictions(items))),
    estimates=OF_MEANS, takes_weights=False, style=Style("#661100", "h", ":"),
    offer=Offer(
        use="scores corrected by gold, for prevalence and accuracy",
        assumes=(
            "Takes the model's scores as probabilities that an item is positive, and lets the gold "
            "labels correct what follows. Right as long as the gold items are a random sample."
        ),
        roles=(CORRECTED,), doubts=OF_GOLD, stream=6, population_only=True,
    ),
)  # fmt: skip
