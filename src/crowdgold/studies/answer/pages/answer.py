"""The page on the recommended answer: docs/answer.md, and the table of its cells."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.studies.answer.bars import AT, OF_CELL, WIDEST, Answers, bars_of
from crowdgold.studies.answer.cells import CELL, mean_ratios, pooled_coverage
from crowdgold.studies.answer.peer_means import MEANS, PEER

CELLS_FILE = "answer-cells.csv"
LISTED = 30
"""Cells that are listed on the page; the file has all."""
FEW = 0.5
"""Cells in which fewer replicates than this share have an interval are counted."""


def cells_table(found: Answers, labels: Mapping[str, str]) -> pd.DataFrame:
    """Every cell, with those judged again below: what docs/answer-cells.csv holds.

    Args:
        found: what is known of the answer.
        labels: experiment -> the words that stand for it.
    """
    again = found.again.assign(judged="again")
    parts = [found.cells.assign(judged="first"), *([again] if len(again) else [])]
    table = pd.concat(parts, ignore_index=True)
    without = table["replicates"] - table["intervals"]
    table = table.assign(
        world=_worlds(table, labels),
        without_interval=without / table["replicates"],
    )
    first = ["world", "n_gold", "metric", "judged", "replicates", "intervals", "without_interval"]
    rest = [name for name in table.columns if name not in (*first, "experiment")]
    return table[[*first, *rest]].sort_values(["world", "metric", "n_gold"], kind="stable")


def _worlds(table: pd.DataFrame, labels: Mapping[str, str]) -> pd.Series:
    return table["experiment"].map(lambda name: labels.get(name, name))


def _opening(found: Answers) -> list[str]:
    """The answer to the title, in three sentences."""
    by_gold, cells = found.by_gold, found.cells
    low, high = (by_gold.loc[by_gold["coverage"].agg(which)] for which in ("idxmin", "idxmax"))
    whole = by_gold["covered"].sum() / by_gold["intervals"].sum()
    first = (
        f"Of the 95 % intervals of the recommended answer, `{found.answer}`, {100 * whole:.1f} % "
        f"hold the truth over {cells['experiment'].nunique()} worlds and "
        f"{cells['metric'].nunique()} metrics. It is {100 * low['coverage']:.1f} % at the least, "
        f"with {low['n_gold']:.0f} gold labels, and {100 * high['coverage']:.1f} % at the most, "
        f"with {high['n_gold']:.0f}."
    )
    known = by_gold.dropna(subset=["width_ratio"])
    at = known[known["n_gold"] == AT]
    row = at.iloc[0] if len(at) else known.iloc[-1]
    second = (
        f"With {row['n_gold']:.0f} gold labels they are {row['width_ratio']:.2f} times as wide as "
        f"those of the gold labels alone (`{found.baseline}`), and the answer errs "
        f"{row['error_ratio']:.2f} times as much."
    )
    return [f"{first} {second}\n"]


def _bars(found: Answers) -> list[str]:
    bars = bars_of(found)
    held = sum(bar.holds for bar in bars)
    rows = [[bar.asked, "yes" if bar.holds else "**no**", bar.found] for bar in bars]
    return [
        "## Is that what was asked for?\n",
        f"{held} of {len(bars)} bars hold. Beyond chance is what chance alone would do in less "
        "than one of a thousand such comparisons.\n",
        markdown_table(["asked", "holds", "found"], rows) + "\n",
    ]


def _least(found: Answers, least: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
    """The least width that there can be, where it is known, beside what was found."""
    if least.empty:
        return []
    worlds = set(least["experiment"])
    at = found.cells[(found.cells["n_gold"] == AT) & found.cells["experiment"].isin(worlds)]
    possible = least.groupby("experiment", sort=False)["least_ratio"].mean()
    measured = at.groupby("experiment")["width_ratio"].mean()
    rows = [
        [labels.get(str(world), str(world)), f"{measured.get(world, np.nan):.2f}", f"{value:.2f}"]
        for world, value in possible.items()
    ]
    metrics = least["metric"].str.partition("@")[0].nunique()
    own, floor = f"{measured.mean():.3f}", f"{possible.mean():.3f}"
    rows.append(["all of these", own, floor])
    return [
        "## How narrow could it be?\n",
        f"At {AT} gold labels no use of votes and scores makes the mean width over the "
        f"{len(possible)} simulated worlds and {metrics} metrics much less than {floor} of that of "
        f"`{found.baseline}`. The true probability of a positive label, given votes and scores, "
        "would reach it in large samples. Here it is learnt from many items whose labels are all "
        f"known. `{found.answer}`, which learns from {AT} labels, has {own}. The mean over "
        "metrics:\n",
        markdown_table(["world", f"`{found.answer}`", "least possible"], rows) + "\n",
    ]


def _by_gold(found: Answers, results: pd.DataFrame) -> list[str]:
    alone = pooled_coverage(_first(found, results), found.baseline, ["n_gold"])
    coverage = alone.set_index("n_gold")["coverage"]
    rows = [
        [
            f"{row['n_gold']:.0f}",
            with_error(row["coverage"], row["coverage_se"]),
            f"{coverage.get(row['n_gold'], np.nan):.3f}",
            with_error(row["width_ratio"], row["width_ratio_se"]),
            with_error(row["error_ratio"], row["error_ratio_se"]),
            f"{100 * (1 - row['intervals'] / row['replicates']):.1f} %",
        ]
        for row in found.by_gold.to_dict("records")
    ]
    head = ["gold labels", "coverage", f"coverage of {found.baseline}"]
    head += [f"width / {found.baseline}", f"error / {found.baseline}", "without an interval"]
    return ["## By number of gold labels\n", markdown_table(head, rows) + "\n"]


def _first(found: Answers, results: pd.DataFrame) -> pd.DataFrame:
    """The replicates that were drawn first, not those of cells judged again."""
    return results[results["experiment"].isin(set(found.cells["experiment"]))]


def _grid(table: pd.DataFrame, by: str, value: str, digits: int) -> str:
    """A line for each `by`, a column for each number of gold labels."""
    sizes = sorted(set(table["n_gold"]))
    rows = []
    for name, group in table.groupby(by, sort=False):
        known = group.set_index("n_gold")[value].to_dict()
        cells = [known.get(size, np.nan) for size in sizes]
        rows.append([str(name), *("" if np.isnan(one) else f"{one:.{digits}f}" for one in cells)])
    return markdown_table([by, *map(str, sizes)], rows) + "\n"


def _by_metric_and_world(
    found: Answers, results: pd.DataFrame, labels: Mapping[str, str]
) -> list[str]:
    worlds = pooled_coverage(_first(found, results), found.answer, ["experiment", "n_gold"])
    worlds = worlds.merge(
        mean_ratios(found.cells, ["experiment", "n_gold"]), on=["experiment", "n_gold"], how="left"
    )
    worlds = worlds.assign(world=_worlds(worlds, labels))
    return [
        "## By metric\n",
        "Coverage over all worlds, a column for each number of gold labels:\n",
        _grid(found.by_metric, "metric", "coverage", 3),
        f"Width over that of `{found.baseline}`, the mean over worlds:\n",
        _grid(found.by_metric, "metric", "width_ratio", 2),
        "## By world\n",
        "Coverage over all metrics:\n",
        _grid(worlds, "world", "coverage", 3),
        f"Width over that of `{found.baseline}`, the mean over metrics:\n",
        _grid(worlds, "world", "width_ratio", 2),
    ]


def _failing(found: Answers, labels: Mapping[str, str]) -> list[str]:
    """The cells that miss a bar of cells."""
    bars = bars_of(found)
    below, wide = bars[2].missing, bars[3].missing
    rows = [
        [world, row["metric"], str(row["n_gold"]), f"{row['covered']} of {row['intervals']}",
         f"{row['upper_limit']:.3f}", f"{row['coverage_baseline']:.3f}", _judged_again(row)]
        for world, row in zip(_worlds(below, labels), below.to_dict("records"), strict=True)
    ]  # fmt: skip
    head = ["world", "metric", "gold labels", "intervals that hold", "upper limit"]
    head += [f"coverage of {found.baseline}", "again"]
    wider = wide.sort_values("width_ratio", ascending=False)
    wide_rows = [
        [world, row["metric"], str(row["n_gold"]),
         with_error(row["width_ratio"], row["width_ratio_se"])]
        for world, row in zip(_worlds(wider, labels), wider.to_dict("records"), strict=True)
    ]  # fmt: skip
    return [
        "## Cells that fail\n",
        f"Coverage too low, the 99.9 % upper limit below {OF_CELL}:\n",
        _listed(head, rows),
        f"Wider than `{found.baseline}`, more than {WIDEST:g} times its width:\n",
        _listed(["world", "metric", "gold labels", f"width / {found.baseline}"], wide_rows),
    ]


def _judged_again(row: Mapping[Hashable, Any]) -> str:
    if np.isnan(row["coverage_again"]):
        return "not yet"
    return f"{row['coverage_again']:.3f} of {row['intervals_again']:.0f}"


def _listed(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return "- none\n"
    more = len(rows) - LISTED
    rest = f"\n\nAnd {more} more, in [{CELLS_FILE}]({CELLS_FILE})." if more > 0 else ""
    return markdown_table(head, rows[:LISTED]) + rest + "\n"


def _peers(found: Answers, results: pd.DataFrame, peers: pd.DataFrame) -> list[str]:
    head = "## Beside ppi_py\n"
    if peers.empty:
        return [head, "The package ppi-python was not installed when this page was made.\n"]
    first = _first(found, results)
    means = first[first["metric"].str.partition("@")[0].isin(MEANS)]
    rows = []
    joined = pd.concat([means, _first(found, peers)], ignore_index=True)
    joined = joined.assign(metric=joined["metric"].str.partition("@")[0])
    for metric in MEANS:
        own = joined[joined["metric"] == metric]
        for method in dict.fromkeys((PEER, found.answer, found.baseline)):
            cells = pooled_coverage(own, method, ["n_gold"]).sort_values("n_gold")
            widths = _widths(own, method)
            rows.append(
                [metric, method]
                + [
                    f"{row['coverage']:.3f}, {widths[row['n_gold']]:.3f}"
                    for row in cells.to_dict("records")
                ]
            )
    sizes = sorted(set(means["n_gold"]))
    return [
        head,
        "ppi_py corrects the shares of positive votes on the same samples, and tunes its weight. "
        "It estimates means only: of the metrics here, prevalence and accuracy. Coverage, then the "
        "mean width, over all worlds; a column for each number of gold labels:\n",
        markdown_table(["metric", "method", *map(str, sizes)], rows) + "\n",
    ]


def _widths(rows: pd.DataFrame, method: str) -> dict[int, float]:
    own = rows[rows["method"] == method]
    width = (own["upper"] - own["lower"]).groupby(own["n_gold"]).mean()
    return dict(zip(width.index.astype(int), width.to_numpy(), strict=True))


def _truth(found: Answers, truths: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
    cells = found.cells
    few = cells[cells["intervals"] < FEW * cells["replicates"]]
    own = sorted(set(cells["experiment"]) - set(truths["experiment"]))
    lines = [
        "A cell is a metric in a world at a number of gold labels. Its coverage counts the "
        "replicates that have an interval: with too few gold labels of a class there is none. In "
        f"{len(few)} of {len(cells)} cells most replicates have none. Pooled coverage counts every "
        "interval once; mean ratios count every cell once. Width and error are compared on the "
        f"replicates where `{found.baseline}` has an interval too.\n",
        "The truth is the metric in the population that the items are drawn from.",
    ]
    if own:
        named = ", ".join(labels.get(name, name) for name in own)
        lines[-1] += f" In {named} it is that of the replicate's own items."
    if (share := _largest_error(cells, truths)) is not None:
        lines[-1] += (
            " A simulator's is known from a million other items: its Monte Carlo error is at most "
            f"{100 * share:.1f} % of half the mean width of an interval."
        )
    lines[-1] += "\n"
    return ["## How it is counted\n", *lines, f"All cells: [{CELLS_FILE}]({CELLS_FILE}).\n"]


def _largest_error(cells: pd.DataFrame, truths: pd.DataFrame) -> float | None:
    """The largest Monte Carlo error of a truth, as a share of half the mean width of its cell."""
    if truths.empty:
        return None
    named = truths.assign(metric=truths["metric"].str.partition("@")[0])
    joined = cells.merge(named[[*CELL, "truth_se"]], on=CELL)
    share = float((joined["truth_se"] / (joined["width"] / 2)).max())
    return share if np.isfinite(share) else None


def answer_page(
    found: Answers,
    results: pd.DataFrame,
    peers: pd.DataFrame,
    truths: pd.DataFrame,
    least: pd.DataFrame,
    labels: Mapping[str, str],
    predictions: str,
) -> str:
    """The page on how often the recommended interval is right.

    Args:
        found: what is known of the answer.
        results: the long results table that it was found from.
        peers: rows of ppi_py on the same samples; none where it was not installed.
        truths: Monte Carlo errors of the populations' metrics.
        least: the least ratio of widths that there can be (`experiments.least_width`).
        labels: experiment -> the words that stand for it.
        predictions: the section on which prediction gold labels correct.
    """
    return "\n".join(
        [
            "# How often is the recommended interval right?\n",
            *_opening(found),
            "![Coverage and width against the number of gold labels](gallery/answer.svg)\n",
            *_bars(found),
            *_least(found, least, labels),
            *_by_gold(found, results),
            *_by_metric_and_world(found, results, labels),
            *_failing(found, labels),
            predictions,
            *_peers(found, results, peers),
            *_truth(found, truths, labels),
            "This page is made from the results by `make answer`.\n",
        ]
    )
