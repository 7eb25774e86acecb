"""The scale on which models of raw scores see them: probabilities as logits, others unchanged."""

import numpy as np

FAR = 5.0
"""Scores whose centre or spread exceeds this are far from what the models' priors expect."""


def _describe(count: int, end: int, distance: float) -> str:
    place = f"{distance:.3g}" if end == 0 else f"1 - {distance:.3g}"
    return f"{count} at {end} moved to {place}"


def _smallest(distances: np.ndarray) -> float:
    """The smallest distance to an end that occurs, at most a half."""
    return float(distances.min(initial=0.5))


def model_scores(scores: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    """Put scores on the scale of the score models (MAVEN, appendix C.2 and C.3).

    Scores that all lie in [0, 1] are taken for probabilities and logit-transformed. The logit of
    exactly 0 or 1 is infinite: such scores are moved inwards by half the smallest distance to that
    end that occurs among the others (at most 1/4). That keeps their rank, and puts them log 2 on
    the logit scale beyond the nearest of the others, where it is near the end.

    Args:
        scores: (n,) finite scores.

    Returns:
        (n,) finite scores on the real line, in the same order, and notes that say what was done.
    """
    scores = np.asarray(scores, float)
    if scores.min() < 0 or scores.max() > 1:
        centre, spread = float(np.median(scores)), float(np.std(scores))
        if max(abs(centre), spread) <= FAR:
            return scores, ()
        return scores, (
            f"scores with median {centre:.3g} and deviation {spread:.3g}: the priors expect both "
            "to be of order 1",
        )
    at_0, at_1 = scores == 0, scores == 1
    inside = scores[~(at_0 | at_1)]
    low, high = _smallest(inside), _smallest(1 - inside)
    with np.errstate(divide="ignore"):
        logit = np.log(scores) - np.log1p(-scores)
    # By logs of distances: half the smallest may round to 0, and 1 less it to 1.
    logit[at_0] = np.log(low) - np.log(2) - np.log1p(-low / 2)
    logit[at_1] = np.log1p(-high / 2) + np.log(2) - np.log(high)
    moved = [
        _describe(int(at.sum()), end, nearest / 2)
        for at, end, nearest in ((at_0, 0, low), (at_1, 1, high))
        if at.any()
    ]
    return logit, ("; ".join(["scores in [0, 1] are logit-transformed", *moved]),)
