"""votes-R: vote shares, rectified by the gold labels."""

from crowdgold.inference.labels import Fit, LabelPrediction
from crowdgold.methods.doubts import OF_GOLD, WITH_GOLD
from crowdgold.methods.method import CORRECTED, Method, Offer, Style
from crowdgold.methods.needs import GOLD, VOTES

METHOD = Method(
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
