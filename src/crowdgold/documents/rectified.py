"""The page on what to trust whatever the truth is: docs/rectified.md."""

from collections.abc import Sequence

import pandas as pd

from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.evaluation.fits import count_gate_failures, gate_sentence
from crowdgold.inference.samples import FEWEST

RECTIFIED = "MAVEN-R"

SHOWN = 10
"""Rows of the table of what the flag does not find."""
ERRORS = 3.5
"""Standard errors beyond which intervals are called wider than the baseline's."""


def _is_wider(rows: pd.DataFrame) -> pd.Series:
    """Say where intervals are wider than the baseline's beyond Monte Carlo error."""
    # Widths of two methods on the same data move together: this error is too large, if anything.
    error = rows["width_ratio"] * rows["width_se"] / rows["width"]
    return rows["width_ratio"] - 1 > ERRORS * error


def _method_row(method: str, rows: pd.DataFrame) -> list[str]:
    worst = min(rows.to_dict("records"), key=lambda row: float(row["coverage"]))
    flagged = rows["misfit"].dropna()
    # Metrics of a world share their data, so that its replicates count once.
    error = (float((rows["coverage_se"] ** 2).mean()) / rows["world"].nunique()) ** 0.5
    return [
        method,
        with_error(float(rows["coverage"].mean()), error),
        f"{int((rows['coverage'] >= rows['band_low']).sum())} of {len(rows)}",
        f"{worst['coverage']:.2f} ({worst['metric']}, {worst['world']})",
        f"{rows['width_ratio'].mean():.2f}",
        str(int(_is_wider(rows).sum())),
        f"{100 * flagged.mean():.0f} %" if len(flagged) else "",
    ]


def _by_world(table: pd.DataFrame, methods: Sequence[str]) -> str:
    rows = []
    for world, group in table.groupby("world", sort=False):
        means = group.groupby("method")[["coverage", "width_ratio"]].mean().to_dict("index")
        cells = [
            f"{means[name]['coverage']:.2f}, {means[name]['width_ratio']:.2f}"
            if name in means
            else ""
            for name in methods
        ]
        rows.append([str(world), str(int(group["replicates"].max())), *cells])
    return markdown_table(["world", "replicates", *methods], rows)


def _shortfalls(table: pd.DataFrame) -> list[str]:
    """List where the rectified intervals cover less often than the band allows, beside GT's."""
    short = table[(table["method"] == RECTIFIED) & (table["coverage"] < table["band_low"])]
    lines = []
    for row in short.to_dict("records"):
        same = (table["world"] == row["world"]) & (table["metric"] == row["metric"])
        gold = table[same & (table["method"] == "GT")]["coverage"]
        beside = f"; GT {gold.iloc[0]:.2f}" if len(gold) else ""
        lines.append(
            f"- {row['world']}, {row['metric']}: {row['coverage']:.2f}, below the band from "
            f"{row['band_low']:.2f}{beside}\n"
        )
    return lines


def _without_interval(table: pd.DataFrame) -> list[str]:
    """List the metrics that have no rectified interval in some replicates."""
    rows = table[(table["method"] == RECTIFIED) & (table["intervals"] < table["replicates"])]
    return [
        f"- {world}: "
        + ", ".join(
            f"{row['metric']} in {row['replicates'] - row['intervals']} of {row['replicates']}"
            for row in group.to_dict("records")
        )
        + "\n"
        for world, group in rows.groupby("world", sort=False)
    ]


def _unnoticed(table: pd.DataFrame) -> str:
    """Lay out where intervals cover too seldom, with how often that is flagged."""
    short = table[table["misfit"].notna() & (table["coverage"] < table["band_low"])]
    shown = short.sort_values("coverage").head(SHOWN)
    rows = [
        [row["method"], row["world"], row["metric"], f"{row['coverage']:.2f}",
         f"{100 * row['misfit']:.0f} %"]
        for row in shown.to_dict("records")
    ]  # fmt: skip
    return markdown_table(["method", "world", "metric", "coverage", "flagged"], rows)


def rectified_page(worlds: Sequence[tuple[str, pd.DataFrame]], baseline: str = "GT") -> str:
    """Write the page on coverage and width of all versions in all worlds.

    Args:
        worlds: name and summary of each, with `width_ratio` to the baseline
            (`evaluation.ratios.relative_to`); every metric of a method that has intervals.
        baseline: the method whose widths are 1.
    """
    table = pd.concat([rows.assign(world=name) for name, rows in worlds], ignore_index=True)
    methods = list(dict.fromkeys(table["method"]))
    failures, fits = count_gate_failures(table)
    rows = [_method_row(name, table[table["method"] == name]) for name in methods]
    head = ["method", "coverage", "in the band or above", "worst", f"width / {baseline}"]
    head += [f"wider than {baseline}", "flagged"]
    short, without = _shortfalls(table), _without_interval(table)
    return "\n".join(
        [
            "# What to trust, whatever the truth is\n",
            f"`{baseline}` uses the gold labels alone. `MAVEN` and `MAVEN-C` believe their model. "
            f"The methods that end in -R predict every label, and let the gold labels, a simple "
            f"random sample of the items, correct the prediction: a wrong model makes their "
            "intervals wide, not wrong. This page is made from the results by `make docs`.\n",
            f"Nominal {float(table['level'].iloc[0]):.0%} intervals in {len(worlds)} worlds; "
            f"{gate_sentence(failures, fits)}. `in the band "
            "or above` counts the metrics of all worlds whose coverage is at least the lower end "
            f"of its binomial band at 3.5 deviations; `wider than {baseline}` those whose mean "
            f"width is so by {ERRORS} standard errors; `flagged` is the share of estimates that "
            f"`{RECTIFIED}` contradicts by two of its standard errors.\n",
            markdown_table(head, rows) + "\n",
            "![Coverage against width in every world](gallery/rectified.svg)\n",
            f"## Where `{RECTIFIED}` falls short\n",
            *(short or ["- nowhere here\n"]),
            "It needs gold labels of both classes. A metric with fewer than "
            f"{FEWEST} gold items in a denominator gets no interval, and coverage is that of the "
            "intervals that there are. Without one:\n",
            *(without or ["- nowhere here\n"]),
            "## What the flag does not find\n",
            "No flag does not mean that a model fits: it compares two estimates, each with its own "
            f"error. The {SHOWN} lowest coverages below their band, with how often they were "
            "flagged:\n",
            _unnoticed(table) + "\n",
            "## World by world\n",
            f"Coverage, then width over that of `{baseline}`, each the mean over metrics.\n",
            _by_world(table, methods) + "\n",
        ]
    )
