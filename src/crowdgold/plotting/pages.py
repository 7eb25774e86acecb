"""Pages of the documentation whose numbers come from results: Markdown tables with errors."""

from collections.abc import Sequence

import pandas as pd


def with_error(value: float, error: float) -> str:
    """Write a value and its standard error to the error's second digit at most."""
    if not error > 0:
        return f"{value:.3g}"
    digits = max(0, min(6, 1 - int(f"{error:e}".split("e")[1])))
    return f"{value:.{digits}f} ± {error:.{digits}f}"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def _pivot(table: pd.DataFrame, value: str, error: str, rows: str, columns: str) -> str:
    """Lay out a value with its error, a line for each `rows` and a column for each `columns`."""
    heads = list(dict.fromkeys(table[columns]))
    lines = []
    for key, group in table.groupby(rows, sort=False):
        cells = group.set_index(columns)
        lines.append(
            [str(key)]
            + [
                with_error(float(cells.loc[head, value]), float(cells.loc[head, error]))
                if head in cells.index
                else ""
                for head in heads
            ]
        )
    return markdown_table([rows, *heads], lines)


def comparison_page(comparisons: dict[str, pd.DataFrame], axis: str) -> str:
    """Write the page that holds MAVEN's error and width against those of gold labels alone.

    Args:
        comparisons: title -> what `evaluation.compare` gives for an experiment.
        axis: the setting that varies.
    """
    parts = [
        "# MAVEN against gold labels alone\n",
        "Ratios of mean absolute error and of mean interval width, MAVEN over GT, on the same "
        "simulated data sets; below 1 MAVEN is better. Errors are standard errors over "
        "replicates that use the pairing. This page is made from the results by `make docs`.\n",
        "The paper says of predictor A that MAVEN's error tracks that of GT and that its intervals "
        "are substantially narrower. What MAVEN can do depends on the predictor: see the stress "
        "case, and ΔAUC in both.\n",
    ]
    for title, table in comparisons.items():
        replicates = int(table["replicates"].max())
        parts.append(f"## {title}\n\n{replicates} replicates in each setting.\n")
        for name, label in (("error", "Mean absolute error"), ("width", "Interval width")):
            pivot = _pivot(table, f"{name}_ratio", f"{name}_ratio_se", axis, "metric")
            parts.append(f"{label}, MAVEN / GT:\n\n{pivot}\n")
    return "\n".join(parts)


def coverage_page(summary: pd.DataFrame, level: float) -> str:
    """Write the page on coverage of the intervals where MAVEN's model is true.

    Args:
        summary: of the coverage experiment.
        level: nominal coverage.
    """
    shown = summary[summary["replicates"] > 0]
    low, high = float(shown["band_low"].min()), float(shown["band_high"].max())
    outside = shown[
        (shown["method"] == "MAVEN")
        & ~shown["coverage"].between(shown["band_low"], shown["band_high"])
    ]
    names = ", ".join(outside["metric"]) or "none"
    failures = int(shown.groupby("method")["gate_failures"].max().sum())
    fits = int(shown.groupby("method")["replicates"].max().sum())
    table = _pivot(shown, "coverage", "coverage_se", "method", "metric")
    return "\n".join(
        [
            "# Do the intervals cover?\n",
            f"Coverage of nominal {level:.0%} intervals on data from MAVEN's own generative "
            f"process (Algorithm 1), {int(shown['replicates'].max())} replicates. A calibrated "
            f"method stays within [{low:.3f}, {high:.3f}], the binomial band at 3.5 deviations. "
            f"{failures} of {fits} fits failed a diagnostics gate and are included. This page is "
            "made from the results by `make docs`.\n",
            f"{table}\n",
            f"MAVEN outside the band: {names}. Its score likelihood treats the comparisons "
            "between pairs of vote sets as independent, though each vote set takes part in many; "
            "the information is counted several times, and intervals of what depends on the "
            "scores come out too narrow. What depends on votes and gold labels only covers. "
            "Majority vote is a control that must fail.\n",
        ]
    )


def scaling_page(table: pd.DataFrame) -> str:
    """Write the page on time and memory against the number of items."""
    parts = ["summary", "vote model", "score model", "inference", "imputation", "total", "peak MB"]
    rows = [
        [
            f"{int(row['n']):,}",
            *(f"{row[part]:.2f}" for part in parts[:-1]),
            f"{row['peak MB']:.0f}",
        ]
        for _, row in table.iterrows()
    ]
    first = table.iloc[0]
    return "\n".join(
        [
            "# Time and memory\n",
            "One MAVEN estimate on one core: seconds by part, 500 imputed data sets, 17 metrics. "
            "Inference is the vote model (4 chains of 500 draws by Stan) and the score model (the "
            "exact cut); the summary and the imputation go with n. Made by `make docs`.\n",
            markdown_table(["n", *parts], rows) + "\n",
            f"Inference grows like n to the power {first['inference_exponent']:.2f}. At n = "
            f"{int(first['n']):,} the paper's way, nested fits by Stan, takes "
            f"{first['nested_over_exact']:.0f} times as long for the score model as the exact "
            "cut, in the same run.\n",
        ]
    )
