"""What equally wide intervals save in labelling costs (MAVEN, section 6).

Costs are in crowd votes: c an item for its c votes, r for an expert's label. Against gold labels
alone on N items, n items of which n_e are labelled save

    1 - (r n_e + c n) / (r N + c N)

where the votes on the N items are counted because the metric needs them, as delta_TPR does. The
saving grows with r. r is not printed; it follows from the paper's (n, n_e), N and 42 %.

An interval about the n items themselves can be made as narrow as one likes by labelling all of a
few. So with this aim n is at least N: then it is about no fewer items than what it is held against.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from crowdgold.studies.maven.labelling_efficiency import AIMS, Widths, fit_widths, mean_log_widths

COLUMNS = (
    "part", "method", "aim", "where", "n", "n_gold", "n_gold_se", "gold_only", "cost_ratio",
    "value", "value_se", "degrees", "replicates",
)  # fmt: skip

SIZES = 241
"""Numbers of items between which the best is looked for: 1 % apart over a range of ten."""


Number = TypeVar("Number", float, np.ndarray)


@dataclass(frozen=True)
class Costs:
    """What labels cost, in crowd votes.

    Attributes:
        votes: votes on each item.
        gold_only: items N that gold labels alone need.
        gold_needs_votes: whether these have votes too, as a metric of the voters needs.
    """

    votes: float
    gold_only: float
    gold_needs_votes: bool = True

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
    """The (n, n_gold) whose intervals are as wide as those of gold labels alone.

    Args:
        widths: the fitted widths.
        gold_only: gold labels alone.
        sizes: n at which the contour is wanted.
        aim: what the method's interval is about.

    Returns:
        columns n, n_gold; without the n that do not reach the width.
    """
    target = widths.gold_only(gold_only)
    rows = [(n, widths.gold_needed(n, target, aim)) for n in sizes]
    return pd.DataFrame(rows, columns=["n", "n_gold"]).dropna().reset_index(drop=True)


def reach(widths: Widths, costs: Costs, aim: str) -> pd.DataFrame:
    """The (n, n_gold) that are as good as gold labels alone, n from the measured range."""
    low, high = widths.sizes
    if aim == "items":
        low = max(low, costs.gold_only)
    if low > high:
        return pd.DataFrame({"n": [], "n_gold": []})
    return contour(widths, costs.gold_only, np.geomspace(low, high, SIZES).tolist(), aim)


def best_n(reached: pd.DataFrame, costs: Costs, ratio: float) -> float:
    """The n of `reach` that saves most; NaN where there is none."""
    if reached.empty:
        return float("nan")
    savings = costs.saving(reached["n"].to_numpy(), reached["n_gold"].to_numpy(), ratio)
    return float(reached["n"].iloc[int(np.argmax(savings))])


@dataclass(frozen=True, kw_only=True)
class Study:
    """What is asked of a labelling study: the options of its figure.

    Attributes:
        method, baseline: the method, and gold labels alone, by their names in the results.
        metric: whose intervals are to be equally wide.
        n, n_gold, saving: what the paper prints.
        contours: numbers of gold labels alone whose width is wanted as contours.
        cost_ratios: at which savings are wanted.
        votes, gold_only, gold_needs_votes: as in `Costs`.
    """

    method: str
    baseline: str
    metric: str
    n: float
    n_gold: float
    saving: float
    contours: Sequence[float]
    cost_ratios: Sequence[float]
    votes: float
    gold_only: float
    gold_needs_votes: bool = True

    @property
    def costs(self) -> Costs:
        """What its labels cost."""
        return Costs(self.votes, self.gold_only, self.gold_needs_votes)


def study_labelling(results: pd.DataFrame, study: Study) -> tuple[Widths, pd.DataFrame]:
    """Fit the widths of a method and of gold labels alone, and work out what is saved.

    Args:
        results: long results of both, with the setting column n, and n_gold or gold_fraction.
        study: what is asked.

    Returns:
        the fitted widths, and a table whose column `part` says what a row is: `measured` (a mean
        width), `fit` (residual standard deviation and leave-one-out error of the log width),
        `contour` (an equal-width point), `saving` (with its error and degrees of freedom, at the
        paper's n and at the best n, for intervals about the items and the population), `ratio` (the
        cost ratio that gives the printed saving: by the paper's own numbers, at the paper's n, at
        the best n).
    """
    frames = {
        name: mean_log_widths(results, name, study.metric)
        for name in (study.method, study.baseline)
    }
    widths = fit_widths(frames[study.method], frames[study.baseline])
    rows = [row for name, frame in frames.items() for row in _measured(frame, name)]
    for name, fit in ((study.method, widths.method), (study.baseline, widths.gold)):
        rows.append({"part": "fit", "method": name, "value": fit.residual_sd})
        rows.append({"part": "left out", "method": name, "value": fit.left_out})
    reached = {aim: reach(widths, study.costs, aim) for aim in AIMS}
    rows += _contours(widths, study) + _savings(widths, study, reached)
    rows += _ratios(widths, study, reached)
    return widths, pd.DataFrame(rows, columns=list(COLUMNS))


def _measured(frame: pd.DataFrame, method: str) -> list[dict[str, Any]]:
    width = np.exp(frame["log_width"])
    columns = frame[["n", "n_gold", "replicates"]]
    named = columns.assign(part="measured", method=method, value=width)
    return _records(named.assign(value_se=width * frame["log_width_se"]))


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _contours(widths: Widths, study: Study) -> list[dict[str, Any]]:
    """The contours for intervals about the items, and the last one's about the population."""
    grid = np.geomspace(*widths.sizes, 60).tolist()
    wanted = [("items", count) for count in study.contours]
    wanted += [(aim, study.costs.gold_only) for aim in AIMS]
    return [
        {"part": "contour", "aim": aim, "gold_only": count, **point}
        for aim, count in dict.fromkeys(wanted)
        for point in _records(contour(widths, count, grid, aim))
    ]


def _savings(
    widths: Widths, study: Study, reached: Mapping[str, pd.DataFrame]
) -> list[dict[str, Any]]:
    rows = []
    for aim in AIMS:
        for ratio in study.cost_ratios:
            sizes = {"paper": study.n, "best": best_n(reached[aim], study.costs, ratio)}
            rows += [
                {"where": where} | _saving(widths, study.costs, n, ratio, aim)
                for where, n in sizes.items()
                if np.isfinite(n)
            ]
    return [row for row in rows if np.isfinite(row["value"])]


def _saving(widths: Widths, costs: Costs, n: float, ratio: float, aim: str) -> dict[str, Any]:
    """A row of the table: a saving, its standard error, and the gold labels it takes."""

    def n_gold(fit: Widths) -> float:
        return fit.gold_needed(n, fit.gold_only(costs.gold_only), aim)

    def saving(fit: Widths) -> float:
        return costs.saving(n, n_gold(fit), ratio)

    return {
        "part": "saving",
        "aim": aim,
        "cost_ratio": ratio,
        "gold_only": costs.gold_only,
        "n": n,
        "n_gold": n_gold(widths),
        "n_gold_se": widths.standard_error(n_gold),
        "value": saving(widths),
        "value_se": widths.standard_error(saving),
        # Of the fit that is the less known.
        "degrees": min(widths.method.degrees, widths.gold.degrees),
    }


def _ratios(
    widths: Widths, study: Study, reached: Mapping[str, pd.DataFrame]
) -> list[dict[str, Any]]:
    """The cost ratios at which the printed share is saved; infinite where it never is."""
    costs, saving = study.costs, study.saving
    points = [({"where": "printed numbers"}, study.n, float(study.n_gold))]
    for aim in AIMS:
        needed = widths.gold_needed(study.n, widths.gold_only(costs.gold_only), aim)
        points.append(({"where": "paper", "aim": aim}, study.n, needed))
        pairs = [(float(n), float(n_gold)) for n, n_gold in reached[aim].to_numpy()]
        if pairs:
            ratios = [costs.ratio_for(n, n_gold, saving) for n, n_gold in pairs]
            points.append(({"where": "best", "aim": aim}, *pairs[int(np.argmin(ratios))]))
    return [
        {"part": "ratio", **named, "n": n, "n_gold": n_gold}
        | {"value": costs.ratio_for(n, n_gold, saving)}
        for named, n, n_gold in points
        if np.isfinite(n_gold)
    ]
