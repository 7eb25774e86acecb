"""Exact curves of simulated scores, and how far estimated ones are from them (MAVEN, figure 7).

The curves are the population's: the calibration curve, the density of the scores in each class and
the precision-recall curve of the generator copula, by quadrature and not from a sample.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from crowdgold.declared import Above, AtLeast
from crowdgold.experiments.check import Check
from crowdgold.given import Given
from crowdgold.methods.votes_and_gold import GOLD_ALONE
from crowdgold.metrics import parse_metric
from crowdgold.simulate.score_shapes import ShapeGiven, read_shape

COLUMNS = ("curve", "at", "value", "m")
CALIBRATION, PRECISION = "calibration", "precision"
DENSITIES = ("density_0", "density_1")
"""Values of the column `curve`."""

METRIC = "precision_at_recall"
ITEMS = "true labels"
"""Stands in the place of a method for the curve of the items' own true labels."""

BASELINE = GOLD_ALONE.name
"""Gold labels alone, against whose distances the others' are held."""

SUMMARISED = ("distance", "from_items", "width", "coverage")


@dataclass(frozen=True, kw_only=True)
class ScoreCurvesParameters(ShapeGiven):
    """The exact curves of a shape of scores, by quadrature (MAVEN, appendix D): calibration
    curve, density of the scores in each class, and precision against recall.
    """

    phi: Annotated[float, Above(0, 1), "Probability of a positive label."]
    points: Annotated[int, AtLeast(2), "Points of each curve."] = 200


def check_score_curves(parameters: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Tabulate the exact curves of a shape of scores.

    Args:
        parameters: as `ScoreCurvesParameters` declares them.
        rng: not used; the curves are exact.

    Returns:
        rows with the columns `COLUMNS`: the curve, where it is taken (a score at the middle of
        `points` equal parts of (0, 1), or a recall k / points), its value, and the m of the
        calibration curve.
    """
    given = Given("check score_curves", parameters, ScoreCurvesParameters)
    given.check_names()
    shape = read_shape(given, given.real("phi"))
    points = given.whole("points")
    score = (np.arange(points) + 0.5) / points
    recall = np.arange(1, points + 1) / points
    curves = {
        CALIBRATION: (score, shape.calibration(score)),
        **{name: (score, shape.density(label, score)) for label, name in enumerate(DENSITIES)},
        PRECISION: (recall, shape.precision_at_recall(recall)),
    }
    return pd.concat(
        [
            pd.DataFrame({"curve": name, "at": at, "value": value, "m": shape.m})
            for name, (at, value) in curves.items()
        ],
        ignore_index=True,
    )[list(COLUMNS)]


def precision_rows(results: pd.DataFrame) -> pd.DataFrame:
    """The rows of a results table that are points of a precision-recall curve.

    Returns:
        these rows, with their recall in the column `at`.
    """
    rows = results[results["metric"].str.startswith(METRIC, na=False)]
    recall = [parse_metric(metric).threshold for metric in rows["metric"]]
    return rows.assign(at=recall)


def distances_by_replicate(
    results: pd.DataFrame, curves: pd.DataFrame, settings: Sequence[str]
) -> pd.DataFrame:
    """How far each estimated precision-recall curve is from the exact one, and from the items' own.

    Args:
        results: the long results table, with the metric precision_at_recall at several recalls.
        curves: rows of `check_score_curves` in the same settings.
        settings: columns that tell the settings apart.

    Returns:
        one row for each setting, method and `replicate`, and for the items' own labels (`ITEMS`):
        `distance`, the integral of |estimate - exact| over the recalls of the table by the
        trapezoidal rule; `from_items`, the same of |estimate - curve of the items' own labels|, and
        `from_items_gold`, that of gold labels alone in the same replicate; `width`, the integral of
        the interval's width; `coverage`, the share of these recalls at which the interval holds the
        exact curve.
    """
    rows = precision_rows(results)
    exact = curves[curves["curve"] == PRECISION]
    labels = rows.drop_duplicates([*settings, "replicate", "at"])
    own = labels.assign(method=ITEMS, estimate=labels["truth"], lower=np.nan, upper=np.nan)
    fitted = [
        {**dict(zip(settings, key, strict=True)), **one}
        for key, group in pd.concat([rows, own]).groupby([*settings], sort=False)
        for one in _distances(group, _of_setting(exact, settings, key))
    ]
    table = pd.DataFrame(fitted)
    alone = table.loc[table["method"] == BASELINE, [*settings, "replicate", "from_items"]]
    return table.merge(alone, how="left", on=[*settings, "replicate"], suffixes=("", "_gold"))


def curve_distances(
    results: pd.DataFrame, curves: pd.DataFrame, settings: Sequence[str]
) -> pd.DataFrame:
    """The distances of `distances_by_replicate`, which has the arguments, over all replicates.

    Returns:
        one row for each setting and method: the means of its columns over `replicates`, with their
        standard errors (`_se`; missing where there is one replicate); `of_gold`, the mean of
        `from_items` over that of gold labels alone, whose error takes replicates as pairs.
        Curves that are undefined at some recall are left out, and counted in `undefined`.
    """
    table = distances_by_replicate(results, curves, settings)
    return pd.DataFrame(
        [
            {**dict(zip((*settings, "method"), key, strict=True)), **_over_replicates(group)}
            for key, group in table.groupby([*settings, "method"], sort=False)
        ]
    )


def _of_setting(
    exact: pd.DataFrame, settings: Sequence[str], values: Sequence[Any]
) -> pd.DataFrame:
    """The exact precision-recall curve of a setting.

    Raises:
        ValueError: where the table has none.
    """
    for name, value in zip(settings, values, strict=True):
        exact = exact[exact[name] == value]
    if exact.empty:
        raise ValueError(f"there is no exact curve for {dict(zip(settings, values, strict=True))}")
    return exact.sort_values("at")


def _distances(group: pd.DataFrame, exact: pd.DataFrame) -> list[dict[str, Any]]:
    """Distance, width and coverage of each method's curve in each replicate of a setting."""
    found = []
    for (method, replicate), one in group.groupby(["method", "replicate"], sort=False):
        curve = one.sort_values("at")
        at, estimate, lower, upper, items = (
            curve[name].to_numpy(float) for name in ("at", "estimate", "lower", "upper", "truth")
        )
        truth = np.interp(at, exact["at"], exact["value"])
        inside = (lower <= truth) & (truth <= upper)
        found.append(
            {
                "method": method,
                "replicate": replicate,
                "distance": float(np.trapezoid(np.abs(estimate - truth), at)),
                "from_items": float(np.trapezoid(np.abs(estimate - items), at)),
                "width": float(np.trapezoid(upper - lower, at)),
                "coverage": float("nan") if method == ITEMS else float(inside.mean()),
            }
        )
    return found


def _over_replicates(group: pd.DataFrame) -> dict[str, float]:
    known = group[np.isfinite(group["distance"])]
    size = len(known)
    summary: dict[str, float] = {"replicates": size, "undefined": len(group) - size}
    for name in SUMMARISED:
        values = known[name]
        summary[name] = float(values.mean())
        summary[f"{name}_se"] = float(values.sem()) if size > 1 else float("nan")
    both = known[["from_items", "from_items_gold"]].dropna()
    own, alone = both["from_items"], both["from_items_gold"]
    if len(both) == 0 or alone.mean() == 0:
        return summary | dict.fromkeys(("of_gold", "of_gold_se"), float("nan"))
    ratio = own.mean() / alone.mean()
    error = (own - ratio * alone).sem() / alone.mean() if len(both) > 1 else float("nan")
    return summary | {"of_gold": float(ratio), "of_gold_se": float(error)}


CHECK = Check("score_curves", check_score_curves, ScoreCurvesParameters)
