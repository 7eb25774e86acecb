"""Tables and numbers of docs/answer.md, and what it says of peers.

Peers see the same samples as the methods, where these are simple random samples. A value of each
item has its mean estimated: for the prevalence the label, for the accuracy at a threshold whether
the label is on the score's side. A peer sees the values of gold items, and a prediction of each
item's value: the share of positive votes, or of votes on the score's side.

- Wilson's interval is of gold alone, as scipy has it.
- ppi_py (Angelopoulos et al., 2023), glide and truescore correct the prediction by the gold items,
  with a weight that is tuned (PPI++). They take the population for endless.
"""

import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from crowdgold.claims.cells import markdown_table, with_error
from crowdgold.experiment.data_tables import DataTable
from crowdgold.experiment.estimating import true_values
from crowdgold.experiment.settings import parse_setting
from crowdgold.experiment.summaries import share_error
from crowdgold.methods.method import OF_MEANS
from crowdgold.methods.registry import METHODS
from crowdgold.metrics.binary import parse_metric
from crowdgold.papers.answer.cells import (
    AT,
    CELL,
    ENOUGH,
    OF_CELL,
    Answers,
    Bar,
    answer_cells,
    answers_of,
    bars_of,
    mean_ratios,
    pooled_coverage,
)
from crowdgold.types.items import NO_GOLD, Items

__all__ = ["AT", "ENOUGH", "OF_CELL", "answers_of", "bars_of"]
"""Made in other modules; the page's template calls them by the name of this one."""

Array = np.ndarray
Interval = tuple[float, float, float]
"""An estimate and the ends of its interval."""


def _wilson(value: Array, predicted: Array, known: Array, level: float) -> Interval:
    found = binomtest(int(value[known].sum()), int(known.sum())).proportion_ci(level, "wilson")
    return float(value[known].mean()), float(found.low), float(found.high)


def _ppi_py(value: Array, predicted: Array, known: Array, level: float) -> Interval:
    import ppi_py  # type: ignore[import-untyped]

    data = value[known], predicted[known], predicted[~known]
    centre = float(np.squeeze(ppi_py.ppi_mean_pointestimate(*data)))
    lower, upper = ppi_py.ppi_mean_ci(*data, alpha=1 - level)
    return centre, float(np.squeeze(lower)), float(np.squeeze(upper))


def _glide(value: Array, predicted: Array, known: Array, level: float) -> Interval:
    from glide.estimators import PPIMeanEstimator  # type: ignore[import-not-found]

    seen = np.where(known, value, np.nan)
    found = PPIMeanEstimator().estimate(seen, predicted, confidence_level=level)
    one = found.confidence_interval
    return float(one.mean), float(one.lower_bound), float(one.upper_bound)


def _truescore(value: Array, predicted: Array, known: Array, level: float) -> Interval:
    from truescore import correct  # type: ignore[import-not-found]

    rows = np.flatnonzero(known)
    found = correct.ppi_estimate(predicted, value[rows], rows, alpha=1 - level)
    return found.point, found.low, found.high


PEERS: Mapping[str, tuple[str, Callable[[Array, Array, Array, float], Interval]]] = {
    "Wilson": ("scipy", _wilson),
    "ppi_py": ("ppi_py", _ppi_py),
    "glide": ("glide", _glide),
    "truescore": ("truescore", _truescore),
}
"""Name -> the package that it needs, and (value, predicted, gold or not, level) -> an interval."""


def installed() -> list[str]:
    """The peers whose package is there."""
    return [name for name, (package, _) in PEERS.items() if importlib.util.find_spec(package)]


def peer_interval(items: Items, metric: str, level: float, peer: str) -> Interval:
    """Estimate and interval of a mean by a peer that is installed; NaN where it gives none."""
    known, nothing, parsed = items.gold != NO_GOLD, (np.nan,) * 3, parse_metric(metric)
    if known.sum() < 2 or known.all():
        return nothing
    # Each item's own value, where there is gold, and its prediction.
    value, predicted = items.gold.astype(float), items.votes_positive / items.votes_total
    if parsed.name != "prevalence":
        (predictor,) = parsed.predictors(items)
        flagged = items.scores[predictor] >= parsed.threshold
        value = np.where(flagged, value, 1 - value)
        predicted = np.where(flagged, predicted, 1 - predicted)
    try:
        with np.errstate(all="ignore"):
            interval = PEERS[peer][1](value, predicted, known, level)
    except ValueError:  # how glide refuses gold labels that are all alike
        return nothing
    return interval if np.isfinite(interval).all() else nothing


ROWS = ["experiment", "n_gold", "replicate", "method", "metric", "truth", "estimate", "lower",
        "upper"]  # fmt: skip
TRUTHS = ["experiment", "n_gold", "metric", "truth", "truth_se"]


def read_samples(
    files: Iterable[tuple[str, Path]], metrics: dict[str, Sequence[str]], level: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Estimates by the peers that are installed (`ROWS`), and the population's metrics (`TRUTHS`).

    `files` are the (experiment, data table) of all blocks, `metrics` those of each experiment. A
    truth that is a population's has a Monte Carlo error, `truth_se`.
    """
    rows, truths = [], {}
    peers = installed()
    for experiment, path in files:
        table = DataTable(path)
        # Means over items, which peers can estimate.
        means = [one for one in metrics[experiment] if parse_metric(one).name in OF_MEANS]
        for setting, replicate in table.replicates:
            drawn = table.replicate(setting, replicate)
            n_gold = parse_setting(setting)["n_gold"]
            for metric, known in drawn.population.items():
                truths[experiment, n_gold, metric] = known
            if not isinstance(drawn.table, Items) or drawn.table.draw is not None:
                continue
            true = true_values(means, drawn)
            for metric, peer in product(means, peers):
                found = peer_interval(drawn.table, metric, level, peer)
                rows.append((experiment, n_gold, replicate, peer, metric, true[metric, ""], *found))
    named = [(*key, *value) for key, value in truths.items()]
    return pd.DataFrame(rows, columns=ROWS), pd.DataFrame(named, columns=TRUTHS)


CELLS_FILE = "answer-cells.csv"
LISTED = 30
"""Cells that are listed on the page; the file has all."""


def cells_table(answers: Answers, labels: Mapping[str, str]) -> pd.DataFrame:
    """Every cell, with those judged again below: what docs/answer-cells.csv holds."""
    again = answers.again.assign(judged="again")
    parts = [answers.cells.assign(judged="first"), *([again] if len(again) else [])]
    table = pd.concat(parts, ignore_index=True)
    without = (table["replicates"] - table["intervals"]) / table["replicates"]
    table = table.assign(world=_worlds(table, labels), without_interval=without)
    first = ["world", "n_gold", "metric", "judged", "replicates", "intervals", "without_interval"]
    rest = [name for name in table.columns if name not in (*first, "experiment")]
    return table[[*first, *rest]].sort_values(["world", "metric", "n_gold"], kind="stable")


def _worlds(table: pd.DataFrame, labels: Mapping[str, str]) -> pd.Series:
    """The words for each row's experiment."""
    return table["experiment"].map(lambda name: labels.get(name, name))


def pooled_ends(answers: Answers) -> dict[str, Any]:
    """The coverage over all that was judged, `whole`, and the rows of its `low` and `high` end."""
    by_gold = answers.by_gold
    ends = {name: by_gold.loc[by_gold["coverage"].agg(f"idx{which}")]
            for name, which in (("low", "min"), ("high", "max"))}  # fmt: skip
    return {"whole": by_gold["covered"].sum() / by_gold["intervals"].sum(), **ends}


def lowest_cells(answers: Answers, labels: Mapping[str, str]) -> pd.DataFrame:
    """The ten judged cells that cover least, with more replicates where there are: a row each."""
    cells = answers.judged
    if len(answers.again):
        keys = cells[CELL].apply(tuple, axis=1).isin(answers.again[CELL].apply(tuple, axis=1))
        cells = pd.concat([cells[~keys], answers.again], ignore_index=True)
    rows = cells.nsmallest(10, "coverage")
    errors = [share_error(*pair) for pair in rows[["coverage", "intervals"]].to_numpy()]
    return pd.DataFrame(
        {
            "setting": _worlds(rows, labels),
            "metric": rows["metric"],
            "gold labels": rows["n_gold"].astype(str),
            "intervals": rows["intervals"].astype(str),
            "coverage": [*map(with_error, rows["coverage"], errors)],
            f"coverage of {answers.baseline}": rows["coverage_baseline"].map("{:.3f}".format),
        }
    )


def known_width(answers: Answers) -> pd.Series:
    """The row of `AT` gold labels; where that has no width, the last that has one."""
    known = answers.by_gold.dropna(subset=["width_ratio"])
    at = known[known["n_gold"] == AT]
    return at.iloc[0] if len(at) else known.iloc[-1]


def bars_table(bars: Sequence[Bar]) -> str:
    """The table of the targets, whether they are met, and what was found."""
    said = {True: "yes", None: "not decided", False: "**no**"}
    rows = [[bar.asked, said[bar.holds], bar.found] for bar in bars]
    return markdown_table(["target", "met", "found"], rows)


def least_widths(
    answers: Answers, least: pd.DataFrame, labels: Mapping[str, str]
) -> dict[str, Any]:
    """The least width that there can be beside what was found: `rows` by world, and over all."""
    worlds = set(least["experiment"])
    at = answers.cells[(answers.cells["n_gold"] == AT) & answers.cells["experiment"].isin(worlds)]
    possible = least.groupby("experiment", sort=False)["least_ratio"].mean()
    measured = at.groupby("experiment")["width_ratio"].mean()
    rows = [
        [labels.get(str(world), str(world)), f"{measured.get(world, np.nan):.2f}", f"{value:.2f}"]
        for world, value in possible.items()
    ]
    own, floor = f"{measured.mean():.3f}", f"{possible.mean():.3f}"
    rows.append(["all of these", own, floor])
    metrics = least["metric"].str.partition("@")[0].nunique()
    return {"worlds": len(possible), "metrics": metrics, "own": own, "floor": floor, "rows": rows}


def by_gold(answers: Answers, results: pd.DataFrame) -> str:
    """The table of coverage, width and error by number of gold labels."""
    base = answers.baseline
    alone = pooled_coverage(_not_repeated(answers, results), base, ["n_gold"]).set_index("n_gold")
    rows = []
    for row in answers.by_gold.to_dict("records"):
        coverage, width, error = (
            with_error(row[name], row[f"{name}_se"])
            for name in ("coverage", "width_ratio", "error_ratio")
        )
        of_base = f"{alone['coverage'].get(row['n_gold'], np.nan):.3f}"
        without = f"{100 * (1 - row['intervals'] / row['replicates']):.1f} %"
        over_all = f"{row['over_all']:.3f}"
        rows.append([f"{row['n_gold']:.0f}", coverage, of_base, width, error, without, over_all])
    head = ["gold labels", "coverage", f"coverage of {base}", f"width / {base}", f"error / {base}",
            "without an interval", "coverage over all"]  # fmt: skip
    return markdown_table(head, rows)


def _not_repeated(answers: Answers, results: pd.DataFrame) -> pd.DataFrame:
    """The replicates that were drawn first, not those of cells judged again."""
    return results[results["experiment"].isin(set(answers.cells["experiment"]))]


def grid(table: pd.DataFrame, by: str, value: str, digits: int) -> str:
    """The table of a value: a line for each `by`, a column for each number of gold labels."""
    wide = table.pivot_table(value, by, "n_gold", dropna=False).reindex(table[by].unique())
    rows = [
        [str(name), *("" if np.isnan(one) else f"{one:.{digits}f}" for one in cells)]
        for name, *cells in wide.itertuples()
    ]
    return markdown_table([by, *map(str, wide)], rows)


def by_setting(answers: Answers, results: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """Pooled coverage and mean ratios by setting and number of gold labels."""
    keys = ["experiment", "n_gold"]
    worlds = pooled_coverage(_not_repeated(answers, results), answers.answer, keys)
    worlds = worlds.merge(mean_ratios(answers.cells, keys), on=keys, how="left")
    return worlds.assign(setting=_worlds(worlds, labels))


def too_low(below: pd.DataFrame, baseline: str, labels: Mapping[str, str]) -> str:
    """The table of the cells whose coverage misses its bar."""
    rows = [
        [world, row["metric"], str(row["n_gold"]), f"{row['covered']} of {row['intervals']}",
         f"{row['upper_limit']:.3f}", f"{row['coverage_baseline']:.3f}",
         "not yet" if np.isnan(row["coverage_again"])
         else f"{row['coverage_again']:.3f} of {row['intervals_again']:.0f}"]
        for world, row in zip(_worlds(below, labels), below.to_dict("records"), strict=True)
    ]  # fmt: skip
    head = ["setting", "metric", "gold labels", "with the truth", "upper limit"]
    return _first_rows([*head, f"coverage of {baseline}", "again"], rows)


def too_wide(wide: pd.DataFrame, baseline: str, labels: Mapping[str, str]) -> str:
    """The table of the cells whose width misses its bar."""
    wider = wide.sort_values("width_ratio", ascending=False)
    rows = [
        [world, row["metric"], str(row["n_gold"]),
         with_error(row["width_ratio"], row["width_ratio_se"])]
        for world, row in zip(_worlds(wider, labels), wider.to_dict("records"), strict=True)
    ]  # fmt: skip
    return _first_rows(["setting", "metric", "gold labels", f"width / {baseline}"], rows)


def _first_rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return "- none"
    more = len(rows) - LISTED
    rest = f"\n\nAnd {more} more, in [{CELLS_FILE}]({CELLS_FILE})." if more > 0 else ""
    return markdown_table(head, rows[:LISTED]) + rest


def beside_peers(answers: Answers, results: pd.DataFrame, peers: pd.DataFrame) -> str:
    """The table of coverage and width of means beside those of peers on the same samples."""
    first = _not_repeated(answers, results)
    means = first[first["metric"].str.partition("@")[0].isin(OF_MEANS)]
    same = ["experiment", "n_gold", "replicate"]
    means = means.merge(peers[same].drop_duplicates(), on=same)
    joined = pd.concat([means, _not_repeated(answers, peers)], ignore_index=True)
    joined = joined.assign(metric=joined["metric"].str.partition("@")[0])
    peers_shown, rows = [name for name in PEERS if name in set(peers["method"])], []
    for metric in OF_MEANS:
        own = joined[joined["metric"] == metric]
        for method in dict.fromkeys((*peers_shown, answers.answer, answers.baseline)):
            cells = pooled_coverage(own, method, ["n_gold"]).sort_values("n_gold")
            width = (own["upper"] - own["lower"])[own["method"] == method].groupby(own["n_gold"])
            pairs = zip(cells["coverage"], width.mean()[cells["n_gold"]], strict=True)
            shown = [f"{coverage:.3f}, {wide:.3f}" for coverage, wide in pairs]
            rows.append([metric, method, *shown])
    sizes = sorted(set(means["n_gold"]))
    return markdown_table(["metric", "method", *map(str, sizes)], rows)


def worlds_without_truth(
    answers: Answers, truths: pd.DataFrame, labels: Mapping[str, str]
) -> list[str]:
    """The worlds whose truth is that of a replicate's own items."""
    own = sorted(set(answers.cells["experiment"]) - set(truths["experiment"]))
    return [labels.get(name, name) for name in own]


def largest_error(answers: Answers, truths: pd.DataFrame) -> float | None:
    """The largest Monte Carlo error of a truth, as a share of half the mean width of its cell."""
    if truths.empty:
        return None
    named = truths.assign(metric=truths["metric"].str.partition("@")[0])
    joined = answers.cells.merge(named[[*CELL, "truth_se"]], on=CELL)
    share = float((joined["truth_se"] / (joined["width"] / 2)).max())
    return share if np.isfinite(share) else None


def predictions_table(results: pd.DataFrame, baseline: str) -> str:
    """The table of coverage and width of each method that is compared, by number of gold labels."""
    sizes = sorted(set(results["n_gold"]))
    rows = []
    for method in dict.fromkeys(results["method"]):
        covered = pooled_coverage(results, method, ["n_gold"]).set_index("n_gold")["coverage"]
        ratios = dict.fromkeys(sizes, "1.000")
        if method != baseline:
            means = mean_ratios(answer_cells(results, method, baseline), ["n_gold"])
            columns = means[["n_gold", "width_ratio", "width_ratio_se"]].to_numpy()
            ratios |= {int(one): f"{ratio:.3f} ± {error:.3f}" for one, ratio, error in columns}
        cells_of = [f"{covered[size]:.3f}, {ratios[size]}" for size in sizes]
        rows.append([f"`{method}`", METHODS[method].title, *cells_of])
    return markdown_table(["method", "what it is", *map(str, sizes)], rows)
