"""Predictions of every label from votes, scores and a model, which gold labels then correct.

None uses an item's own gold label: a prediction that has seen the label it is corrected by would
look better on the gold items than on the others. With a fitted model the label of an item still
enters through the parameters, one label among all items, which is negligible.
"""

from collections.abc import Sequence

import numpy as np

from crowdgold.data import NO_GOLD, NO_PREDICTOR, InputError, Items
from crowdgold.inference.labels import Fit, LabelPosterior
from crowdgold.methods.dawid_skene import spread_draws
from crowdgold.methods.logistic import rank_share

PREDICTION_DRAWS = 100
"""Posterior draws behind a mean prediction; more do not make the intervals narrower."""


def require_gold(items: Items, method: str) -> None:
    """Raise `InputError` where there are fewer than two gold labels to correct a prediction by."""
    found = int((items.gold != NO_GOLD).sum())
    if found < 2:
        raise InputError(
            f"{method} corrects a prediction by gold labels; the table has {found}, expected at "
            "least 2 on items chosen at random"
        )


def predict_from_scores(items: Items) -> dict[str, np.ndarray]:
    """Take scores for probabilities: predictor -> (n,).

    Scores that all lie in [0, 1] are taken as they are; others are no probabilities, and the share
    of items ranked below (`rank_share`) stands in their place.
    """
    return {
        name: scores.astype(float)
        if scores.min() >= 0 and scores.max() <= 1
        else rank_share(scores, items.order(name))
        for name, scores in items.scores.items()
    }


def predict_from_votes(items: Items) -> dict[str, np.ndarray]:
    """Share of positive votes of each item: predictor -> (n,), the same for all.

    It stands under `NO_PREDICTOR` too, for what needs no scores.
    """
    share = items.votes_positive / items.votes_total
    return dict.fromkeys([NO_PREDICTOR, *items.predictors], share)


def predict_from_posterior(
    fit: Fit,
    items: Items,
    rng: np.random.Generator,
    predictors: Sequence[str] | None = None,
    draws: int | None = None,
) -> dict[str, np.ndarray]:
    """The posterior mean of P(Y_i = 1), without the item's own gold label.

    Args:
        fit: a fit whose posterior says what it would be without an item's own label.
        items: the table that was fitted.
        rng: source of what the posterior draws beside its parameters.
        predictors: those that it was fitted to; all of the table where not given.
        draws: how many of its draws, spread evenly; all where not given.

    Returns:
        predictor -> (n,) means over the draws.

    Raises:
        InputError: where the method cannot leave out an item's own label.
    """
    posterior = fit.labels
    if not isinstance(posterior, LabelPosterior) or posterior.without_own_gold is None:
        raise InputError(f"{fit.method} does not say what a label's probability is without it")
    chosen = spread_draws(posterior.draws, min(draws or posterior.draws, posterior.draws))
    means = {}
    for predictor in items.predictors if predictors is None else predictors:
        total = np.zeros(len(items))
        for draw in chosen.tolist():
            total += posterior.without_own_gold(draw, predictor, rng)
        means[predictor] = total / len(chosen)
    return means
