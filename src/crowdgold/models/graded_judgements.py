"""Ratings by judges who err, corrected: shares of grades, mean gain, DCG (judge error, "The second
formula": what the post says extends to ratings of relevance and to DCG, and does not print).

A judge's grade J of an item of true grade y has the chances C[y, .], the same wherever the item
stands, and grade y is worth the gain g_y. A function h of the judged grade with

    C h = g,  so that  E[h(J) | Y = y] = g_y  for every y,

gives any sum of weighted gains the right mean: sum_i w_i h(J_i) has the mean sum_i w_i g(Y_i),
whatever the true grades are. Weights are 1 / n for a mean gain, with g the indicator of a grade for
its share, and 1 / log2(i + 1) at rank i of a list for DCG. With two grades, g = (0, 1), this is the
binary formula (`judge_error.corrected_rate`).

C is estimated from m_y gold items of each grade y, which are none of the judged ones; this leaves
a bias of order 1 / m. With W = mean over queries of the weight of each judged grade, T = W' h, and
v = C^-T W, the weight of each true grade, an error dC moves T by -v' dC h; the rows of C are
independent multinomials:

    var T = (variance of a query's sum) / Q + sum_y v_y^2 var(h(J) | Y = y) / m_y

which with two grades and one item a query is the printed variance. Few gold items may show no error
at all, and then this says that C is known. So the second part is that of C with two labels more in
each row, spread over the grades, as in the binary interval of Lang and Reiczigel (2014). The
interval is that of Student's t with the degrees of freedom of Welch and Satterthwaite. It is about
the population that the queries are a random sample of.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from crowdgold.models.judge_error import GOLD_ADDED
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import LEVEL, check_level

WORST = 1e3
"""The condition number of C above which its grades cannot be told apart."""


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
    outside = ~np.isin(grades, np.arange(categories))
    if outside.any():
        found = np.asarray(grades)[outside][0]
        raise InputError(f"a judged grade: found {found}, expected 0 to {categories - 1}")
    return np.stack([(grades == grade) @ weights for grade in range(categories)], axis=1)


def corrected_gains(confusion: np.ndarray, gains: np.ndarray) -> np.ndarray:
    """What each judged grade counts, h (K,), so that its mean is the gain of the true one."""
    swapped = len(confusion) == 2 and np.linalg.det(confusion) <= 0
    if swapped or not np.linalg.cond(confusion) < WORST:
        raise InputError(
            "the judges' grades: by the gold labels judges are no better than chance, or some true "
            "grades get the same judged ones, so that these cannot tell them apart. Look whether "
            "grades are swapped, join these grades, or have more gold labels made"
        )
    return np.asarray(np.linalg.solve(confusion, gains))


def correct_gain(
    weights: np.ndarray, gold: np.ndarray, gains: np.ndarray, level: float = LEVEL
) -> CorrectedGain:
    """A mean over queries of weighted gains, and its interval, estimate +- t standard errors.

    `weights` (Q, K) are those of each judged grade in each query (`grade_weights`); `gold` (K, K)
    counts gold items of other queries by true grade (rows) and judged one; `gains` (K,). What lies
    outside of what such weights can give is moved to its end. `InputError` where shapes do not
    agree, a number is none, a grade has no two gold items, or grades cannot be told apart.
    """
    check_level(level)
    weights, gold, gains = (np.asarray(one, dtype=float) for one in (weights, gold, gains))
    grades = len(gains)
    for name, values, shape in (
        ("weights", weights, (len(weights), grades)), ("gold", gold, (grades, grades)),
        ("gains", gains, (grades,)),
    ):  # fmt: skip
        if values.shape != shape:
            raise InputError(f"{name}: found shape {values.shape}, expected {shape}")
        if not np.isfinite(values).all() or (name != "gains" and (values < 0).any()):
            raise InputError(f"{name}: expected numbers" + ", 0 or more" * (name != "gains"))
    sizes = gold.sum(axis=1)
    if sizes.min() < 2:
        few = int(np.argmin(sizes))
        raise InputError(
            f"gold labels of grade {few}: found {sizes[few]:g}, expected 2 or more; without them "
            "nothing says how judges grade its items"
        )
    if len(weights) < 2:
        raise InputError(f"queries: found {len(weights)}, expected 2 or more")
    counted = corrected_gains(gold / sizes[:, None], gains)
    of_queries, judged, mean = weights @ counted, weights @ gains, weights.mean(axis=0)
    more = sizes + GOLD_ADDED
    confusion = (gold + GOLD_ADDED / grades) / more[:, None]
    worth, true_weight = np.linalg.solve(confusion, gains), np.linalg.solve(confusion.T, mean)
    spread = np.maximum(confusion @ worth**2 - (confusion @ worth) ** 2, 0.0)
    parts = np.append(true_weight**2 * spread / (more - 1), of_queries.var(ddof=1) / len(weights))
    degrees = np.append(sizes, len(weights)) - 1
    error = float(np.sqrt(parts.sum()))
    freedom = parts.sum() ** 2 / (parts**2 / degrees).sum() if error else 1.0
    estimate = float(of_queries.mean())
    reach = float(stdtrit(freedom, (1 + level) / 2)) * error
    ends = float(mean.sum()) * np.array([gains.min(), gains.max()])
    lower, middle, upper = np.clip([estimate - reach, estimate, estimate + reach], *ends)
    return CorrectedGain(
        float(middle), error, float(lower), float(upper), float(judged.mean()),
        float(judged.std(ddof=1) / np.sqrt(len(judged))),
    )  # fmt: skip
