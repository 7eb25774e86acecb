"""votes-R, score-R and AutoEval: vote shares or scores as they stand, which gold labels correct."""

import numpy as np

from crowdgold.inference.labels import Fit, LabelPrediction, MeanPrediction
from crowdgold.methods.method import CORRECTED, OF_MEANS, Method, Offer, Style
from crowdgold.methods.needs import GOLD, OF_GOLD, SCORES, VOTES, WITH_GOLD
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
VOTE_SHARES = Method(
    name="votes-R", title="vote shares, rectified by the gold labels",
    of_items=lambda items, rng, settings, run: Fit(
        "", LabelPrediction.of_all(items, items.vote_share)
    ),
    needs=(GOLD, VOTES), style=Style("#888822", "8"),
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
