"""What equally wide intervals save in labelling costs (MAVEN, section 6).

Costs are in crowd votes: c an item for its c votes, r for an expert's label. Against gold labels
alone on N items, n items of which n_e are labelled save

    1 - (r n_e + c n) / (r N + c N)

where the votes on the N items are counted because the metric needs them, as delta_TPR does. The
saving grows with r. r is not printed; it follows from the paper's (n, n_e), N and 42 %.

The widths w of a method's intervals on a grid of (n, f), f = n_e / n, are smoothed:

    log w(n, f) = 1/2 log(1 - f) + b . (1, x, y, x^2, x y, y^2)     x, y: log n, log f, centred
    log w_0(n_e) = c . (1, log n_e, centred)                        gold labels alone

by least squares on the settings' mean log widths, weighted by their replicates. The coefficients'
errors come from the residuals, so that they count lack of fit, or from the spread of the replicates
where that is larger. 1 - f is there because imputation takes gold labels for known: an interval
about the labels of these n items vanishes as f goes to 1. That is what MAVEN's interval is about
(aim `items`). GT's is about a population, and the paper compares the two. For an interval about the
population (aim `population`) w_pop^2 = w^2 + w_0(n)^2, since the variance of an estimate is that
about the items' own value plus that of this value.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from scipy.linalg import block_diag
from scipy.optimize import brentq

AIMS = ("items", "population")
"""What an interval is about: these items' own value, or the population's."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A least-squares fit and its errors."""

    coefficients: np.ndarray  # (k,)
    covariance: np.ndarray  # (k, k)
    residual_sd: float  # of the settings' residuals, or of their noise where that is larger
    left_out: float  # root mean square error of predicting each setting from the others
    degrees: int  # of freedom of the residuals


def least_squares(
    design: np.ndarray, values: np.ndarray, weights: np.ndarray, errors: np.ndarray
) -> Fit:
    """Fit values (m,) to a design (m, k), whose variances are in proportion to 1 / weights (m,).

    `errors` (m,) are the values' standard errors, NaN where not known. The residual variance is not
    taken to be less than theirs.
    """
    m, k = design.shape
    if m <= k or np.linalg.matrix_rank(design) < k:
        raise ValueError(f"found {m} settings for {k} coefficients; expected more, that differ")
    weights = weights / weights.mean()
    inverse = np.linalg.inv(design.T @ (weights[:, None] * design))
    coefficients = inverse @ design.T @ (weights * values)
    residuals = values - design @ coefficients
    noise = float(np.mean(weights * np.nan_to_num(errors) ** 2))
    variance = max(float(weights @ residuals**2) / (m - k), noise)
    leverage = weights * np.einsum("ij,jk,ik->i", design, inverse, design)
    left_out = float(np.sqrt(np.mean((residuals / (1 - leverage).clip(1e-12)) ** 2)))
    return Fit(coefficients, variance * inverse, float(np.sqrt(variance)), left_out, m - k)


def mean_log_widths(results: pd.DataFrame, method: str, metric: str) -> pd.DataFrame:
    """The mean log width of a method's intervals, but those without width, by n and n_gold.

    Where `results` has no column n_gold, it follows from gold_fraction, which is 1 where an
    experiment has none or its cell is empty.
    """
    rows = results[(results["method"] == method) & (results["metric"] == metric)]
    rows = rows[rows["upper"] > rows["lower"]]
    if "n_gold" in rows:
        n_gold = rows["n_gold"]
    else:
        fraction = rows["gold_fraction"].fillna(1.0) if "gold_fraction" in rows else 1
        n_gold = (rows["n"].astype(float) * fraction).round()
    log_width = np.log(rows["upper"] - rows["lower"])
    rows = rows.assign(n_gold=n_gold.astype(int), log_width=log_width)
    grouped = rows.groupby(["n", "n_gold"])["log_width"]
    named = {"log_width": "mean", "log_width_se": "sem", "replicates": "size"}
    return grouped.agg(**named).reset_index()  # type: ignore[call-overload]


@dataclass(frozen=True, eq=False)
class Widths:
    """The fitted widths of a method and of gold labels alone."""

    parameters: np.ndarray  # (8,): six coefficients of the method's log width, two of gold's
    covariance: np.ndarray  # (8, 8) theirs
    sizes: tuple[float, float]  # smallest and largest n of the method's settings
    fractions: tuple[float, float]  # of gold, at which the fit is used
    centres: tuple[float, float, float]  # of log n and log f, and of gold's log n_e
    method: Fit
    gold: Fit

    # Plain floats: these are called some ten thousand times, one at a time.
    def gold_only(self, n_gold: float) -> float:
        """The width with n_gold gold labels alone."""
        level, slope = self.parameters[6:].tolist()
        return math.exp(level + slope * (math.log(n_gold) - self.centres[2]))

    def width(self, n: float, n_gold: float, aim: str = "items") -> float:
        """The method's width with n items, n_gold of them labelled, n_gold < n."""
        fraction = n_gold / n
        x, y = math.log(n) - self.centres[0], math.log(fraction) - self.centres[1]
        terms = (1.0, x, y, x * x, x * y, y * y)
        coefficients = self.parameters[:6].tolist()
        own = sum(b * term for b, term in zip(coefficients, terms, strict=True))
        width = math.exp(0.5 * math.log1p(-fraction) + own)
        return math.hypot(width, self.gold_only(n)) if aim == "population" else width

    def gold_needed(self, n: float, width: float, aim: str = "items") -> float:
        """The gold labels with which the method's intervals on n items have a width; NaN where it
        is not reached at the fractions of gold that the fit is for.
        """

        def missing(n_gold: float) -> float:
            return self.width(n, n_gold, aim) - width

        few, many = (fraction * n for fraction in self.fractions)
        if missing(few) < 0 or missing(many) > 0:
            return float("nan")
        return float(brentq(missing, few, many))

    def standard_error(self, number: Callable[["Widths"], float]) -> float:
        """The standard error of a number that depends on the fits (delta method)."""
        step = 1e-4
        above, below = (
            [number(replace(self, parameters=self.parameters + off)) for off in side * step]
            for side in (np.eye(len(self.parameters)), -np.eye(len(self.parameters)))
        )
        gradient = np.subtract(above, below) / (2 * step)
        return float(np.sqrt(gradient @ self.covariance @ gradient))


def fit_widths(method: pd.DataFrame, gold: pd.DataFrame) -> Widths:
    """Fit both widths to `mean_log_widths`, of 7 settings or more with n_gold below n, and of 3.

    The fit is used from half the smallest fraction of gold to twice the largest, below 1: with all
    of the items labelled nothing is left to impute.
    """
    fraction = (method["n_gold"] / method["n"]).to_numpy(float)
    log_n, log_f = np.log(method["n"].to_numpy(float)), np.log(fraction)
    log_gold = np.log(gold["n_gold"].to_numpy(float))
    centres = (float(log_n.mean()), float(log_f.mean()), float(log_gold.mean()))
    values = method["log_width"].to_numpy() - 0.5 * np.log1p(-fraction)
    columns = ["replicates", "log_width_se"]
    x, y = log_n - centres[0], log_f - centres[1]
    terms = np.column_stack([np.ones_like(x), x, y, x**2, x * y, y**2])
    surface = least_squares(terms, values, *method[columns].to_numpy(float).T)
    terms = np.column_stack([np.ones_like(log_gold), log_gold - centres[2]])
    line = least_squares(terms, gold["log_width"].to_numpy(), *gold[columns].to_numpy(float).T)
    return Widths(
        np.concatenate([surface.coefficients, line.coefficients]),
        block_diag(surface.covariance, line.covariance),
        (float(method["n"].min()), float(method["n"].max())),
        (float(fraction.min()) / 2, min(float(fraction.max()) * 2, 1 - 1e-6)),
        centres,
        surface,
        line,
    )


Number = TypeVar("Number", float, np.ndarray)


@dataclass(frozen=True)
class Costs:
    """What labels cost, in crowd votes."""

    votes: float  # on each item
    gold_only: float  # items N that gold labels alone need
    gold_needs_votes: bool = True  # these have votes too, as a metric of the voters needs

    def saving(self, n: Number, n_gold: Number, ratio: float) -> Number:
        """The share of the cost that is saved; `ratio`: an expert's label, in votes."""
        votes = self.votes * self.gold_only * self.gold_needs_votes
        return 1 - (ratio * n_gold + self.votes * n) / (ratio * self.gold_only + votes)

    def ratio_for(self, n: float, n_gold: float, saving: float) -> float:
        """The cost ratio at which (n, n_gold) saves a share; infinite where none does."""
        left = (1 - saving) * self.gold_only
        if n_gold >= left:
            return float("inf")
        votes = self.votes * (n - left * self.gold_needs_votes)
        return max(votes, 0.0) / (left - n_gold)


def contour(
    widths: Widths, gold_only: float, sizes: Sequence[float], aim: str = "items"
) -> pd.DataFrame:
    """The (n, n_gold) whose intervals are as wide as those of so many gold labels alone, without
    the n of `sizes` that do not reach the width.
    """
    target = widths.gold_only(gold_only)
    rows = [(n, widths.gold_needed(n, target, aim)) for n in sizes]
    return pd.DataFrame(rows, columns=["n", "n_gold"]).dropna().reset_index(drop=True)


def equal_widths(widths: Widths, costs: Costs, aim: str) -> pd.DataFrame:
    """The (n, n_gold) whose intervals are as wide as those of gold labels alone, n as measured.

    An interval about the n items themselves can be made as narrow as one likes by labelling all of
    a few. So with the aim `items` n is at least N, the number of items of gold labels alone.
    """
    low, high = widths.sizes
    if aim == "items":
        low = max(low, costs.gold_only)
    if low > high:
        return pd.DataFrame({"n": [], "n_gold": []})
    # The n are 1 % apart over a range of ten.
    return contour(widths, costs.gold_only, np.geomspace(low, high, 241).tolist(), aim)


def best_n(reached: pd.DataFrame, costs: Costs, ratio: float) -> float:
    """The n of `equal_widths` that saves most; NaN where there is none."""
    if reached.empty:
        return float("nan")
    savings = costs.saving(reached["n"].to_numpy(), reached["n_gold"].to_numpy(), ratio)
    return float(reached["n"].iloc[int(np.argmax(savings))])


@dataclass(frozen=True, kw_only=True)
class SavingsOptions:
    """What a study of labelling costs compares and at which costs: the options of its figure."""

    method: str
    baseline: str  # gold labels alone, by their name in the results
    metric: str  # whose intervals are to be equally wide
    n: float  # this, n_gold and saving are what the paper prints
    n_gold: float
    saving: float
    contours: Sequence[float]  # gold labels alone whose width is wanted as contours
    cost_ratios: Sequence[float]  # at which savings are wanted
    votes: float  # this and the rest as in `Costs`
    gold_only: float
    gold_needs_votes: bool = True

    @property
    def costs(self) -> Costs:
        """What its labels cost."""
        return Costs(self.votes, self.gold_only, self.gold_needs_votes)


def study_labelling(results: pd.DataFrame, study: SavingsOptions) -> tuple[Widths, pd.DataFrame]:
    """Fit the widths of a method and of gold labels alone, of long results of both, and work out
    what is saved.

    The column `part` of the table says what a row is: `measured` (a mean width), `fit` and `left
    out` (residual standard deviation and leave-one-out error of the log width), `contour` (an
    equal-width point), `saving` (at the paper's n and at the best n, for intervals about the items
    and the population), `ratio` (the cost ratio that gives the printed saving, infinite where none
    does: by the paper's own numbers, at the paper's n, at the best n).
    """
    measured = {
        name: mean_log_widths(results, name, study.metric)
        for name in (study.method, study.baseline)
    }
    widths = fit_widths(measured[study.method], measured[study.baseline])
    costs = study.costs
    rows: list[dict[Any, Any]] = []
    for name, frame in measured.items():
        width = np.exp(frame["log_width"])
        named = frame[["n", "n_gold", "replicates"]].assign(
            part="measured", method=name, value=width, value_se=width * frame["log_width_se"]
        )
        rows += named.to_dict("records")
    for name, fit in ((study.method, widths.method), (study.baseline, widths.gold)):
        rows.append({"part": "fit", "method": name, "value": fit.residual_sd})
        rows.append({"part": "left out", "method": name, "value": fit.left_out})
    # Contours for intervals about the items, and the last one's about the population.
    grid = np.geomspace(*widths.sizes, 60).tolist()
    wanted = [("items", count) for count in study.contours]
    for aim, count in dict.fromkeys(wanted + [(aim, costs.gold_only) for aim in AIMS]):
        points = contour(widths, count, grid, aim).to_dict("records")
        rows += [{"part": "contour", "aim": aim, "gold_only": count, **point} for point in points]
    ratios: list[dict[str, Any]] = [
        {"where": "printed numbers", "n": study.n, "n_gold": float(study.n_gold)}
    ]
    for aim in AIMS:
        reached = equal_widths(widths, costs, aim)
        for cost_ratio in study.cost_ratios:
            sizes = {"paper": study.n, "best": best_n(reached, costs, cost_ratio)}
            for where, n in sizes.items():
                row = _saving(widths, costs, n, cost_ratio, aim) if np.isfinite(n) else {}
                if np.isfinite(row.get("value", np.nan)):
                    rows.append({"where": where, **row})
        needed = widths.gold_needed(study.n, widths.gold_only(costs.gold_only), aim)
        ratios.append({"where": "paper", "aim": aim, "n": study.n, "n_gold": needed})
        pairs = [(float(n), float(n_gold)) for n, n_gold in reached.to_numpy()]
        if pairs:
            n, n_gold = min(pairs, key=lambda pair: costs.ratio_for(pair[0], pair[1], study.saving))
            ratios.append({"where": "best", "aim": aim, "n": n, "n_gold": n_gold})
    rows += [
        {"part": "ratio", **row, "value": costs.ratio_for(row["n"], row["n_gold"], study.saving)}
        for row in ratios
        if np.isfinite(row["n_gold"])
    ]
    columns = [
        "part", "method", "aim", "where", "n", "n_gold", "n_gold_se", "gold_only", "cost_ratio",
        "value", "value_se", "degrees", "replicates",
    ]  # fmt: skip
    return widths, pd.DataFrame(rows, columns=columns)


def _saving(widths: Widths, costs: Costs, n: float, ratio: float, aim: str) -> dict[str, Any]:
    """A row of the table: a saving, its standard error, and the gold labels it takes."""

    def n_gold(fit: Widths) -> float:
        return fit.gold_needed(n, fit.gold_only(costs.gold_only), aim)

    def saving(fit: Widths) -> float:
        return costs.saving(n, n_gold(fit), ratio)

    return {
        "part": "saving", "aim": aim, "cost_ratio": ratio, "gold_only": costs.gold_only,
        "n": n, "n_gold": n_gold(widths), "n_gold_se": widths.standard_error(n_gold),
        "value": saving(widths), "value_se": widths.standard_error(saving),
        # Of the fit that is the less known.
        "degrees": min(widths.method.degrees, widths.gold.degrees),
    }  # fmt: skip
