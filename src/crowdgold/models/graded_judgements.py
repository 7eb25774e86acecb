"""Ratings by judges who err, corrected: shares of grades, mean gain, DCG (judge error, "The second
formula": what the post says extends to ratings of relevance and to DCG, and does not print).

A judge's grade J of an item of true grade y has the chances C[y, .], the same wherever the item
stands, and grade y is worth the gain g_y. A function h of the judged grade with

    C h = g,  so that  E[h(J) | Y = y] = g_y  for every y,

makes any sum of weighted gains unbiased: sum_i w_i h(J_i) has the mean sum_i w_i g(Y_i), whatever
the true grades are. Weights are 1 / n for a mean gain, with g the indicator of a grade for its
share, and 1 / log2(i + 1) at rank i of a list for DCG. With two grades, g = (0, 1), this is the
binary formula (`judge_error.corrected_rate`).

C is estimated from m_y gold items of each grade y, which are none of the judged ones. With
W = mean over queries of the weight of each judged grade, T = W' h, and v = C^-T W, the weight of
each true grade, an error dC moves T by -v' dC h; the rows of C are independent multinomials:

    var T = (variance of a query's sum) / Q + sum_y v_y^2 var(h(J) | Y = y) / m_y

which with two grades and one item a query is the printed variance. The interval is that of
Student's t with the degrees of freedom of Welch and Satterthwaite, where the printed one has z.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from crowdgold.types.errors import InputError
from crowdgold.types.parameters import LEVEL, check_level


@dataclass(frozen=True)
class CorrectedGain:
    """A mean gain of queries, as the judges' grades give it and corrected for their errors."""

    estimate: float
    standard_error: float
    lower: float
    upper: float
    judged: float  # what the judges' grades give as they stand
    judged_error: float  # its standard error, which takes them for true


def discounts(length: int) -> np.ndarray:
    """The weights 1 / log2(i + 1) of the ranks 1 to `length`, by which DCG sums gains."""
    return np.asarray(1 / np.log2(np.arange(2, length + 2)))


def grade_weights(grades: np.ndarray, weights: np.ndarray, categories: int) -> np.ndarray:
    """The weight of each grade in each query, (Q, K): of grades (Q, L), weights (L,) of ranks."""
    return np.stack([(grades == grade) @ weights for grade in range(categories)], axis=1)


def corrected_gains(confusion: np.ndarray, gains: np.ndarray) -> np.ndarray:
    """What each judged grade counts, h (K,), so that its mean is the gain of the true one."""
    if np.linalg.matrix_rank(confusion) < len(confusion):
        raise InputError(
            "the judges' grades: by the gold labels some true grades get the same judged ones, so "
            "that the judged grades cannot tell them apart. Join these grades, or have more gold "
            "labels made"
        )
    return np.asarray(np.linalg.solve(confusion, gains))


def correct_gain(
    weights: np.ndarray, gold: np.ndarray, gains: np.ndarray, level: float = LEVEL
) -> CorrectedGain:
    """A mean over queries of weighted gains, and its interval, estimate +- t standard errors.

    `weights` (Q, K) are those of each judged grade in each query (`grade_weights`); `gold` (K, K)
    counts gold items of other queries by true grade (rows) and judged one; `gains` (K,).
    `InputError` where a grade has no two gold items, or grades cannot be told apart.
    """
    check_level(level)
    sizes = gold.sum(axis=1)
    if sizes.min() < 2:
        few = int(np.argmin(sizes))
        raise InputError(
            f"gold labels of grade {few}: found {sizes[few]:g}, expected 2 or more; without them "
            "nothing says how judges grade its items"
        )
    if len(weights) < 2:
        raise InputError(f"queries: found {len(weights)}, expected 2 or more")
    confusion = gold / sizes[:, None]
    counted = corrected_gains(confusion, gains)
    of_queries, judged = weights @ counted, weights @ gains
    estimate = float(of_queries.mean())
    true_weight = np.linalg.solve(confusion.T, weights.mean(axis=0))
    spread = np.maximum(confusion @ counted**2 - (confusion @ counted) ** 2, 0.0)
    parts = np.append(true_weight**2 * spread / (sizes - 1), of_queries.var(ddof=1) / len(weights))
    degrees = np.append(sizes, len(weights)) - 1
    error = float(np.sqrt(parts.sum()))
    freedom = parts.sum() ** 2 / (parts**2 / degrees).sum() if error else 1.0
    reach = float(stdtrit(freedom, (1 + level) / 2)) * error
    return CorrectedGain(
        estimate, error, estimate - reach, estimate + reach, float(judged.mean()),
        float(judged.std(ddof=1) / np.sqrt(len(judged))),
    )  # fmt: skip
