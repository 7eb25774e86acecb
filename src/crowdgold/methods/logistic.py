"""logistic-R: a cross-fitted logistic regression (`models.logistic`), rectified by gold labels."""

import numpy as np

from crowdgold.inference.labels import Fit, LabelPrediction
from crowdgold.methods.doubts import OF_GOLD, WITH_GOLD
from crowdgold.methods.method import CORRECTED, REFERENCE, Method, Offer, Run, Style
from crowdgold.methods.needs import FEW_ANNOTATORS, GOLD, Has
from crowdgold.types.annotations import labels_by_judge
from crowdgold.types.items import Items
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
