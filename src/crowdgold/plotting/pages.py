"""Pages of the documentation whose numbers come from results: Markdown tables with errors."""

from collections.abc import Sequence

import pandas as pd

from crowdgold.evaluation.summaries import coverage_band

SETTING = ("experiment", "n", "gold_fraction", "n_gold")
"""Columns that say which setting a row of coverage is of."""


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
        axis: the setting that varies, a share of gold labels.
    """
    parts = [
        "# MAVEN against gold labels alone\n",
        "Ratios of mean absolute error and of mean interval width, MAVEN over GT, on the same "
        "simulated data sets; below 1 MAVEN is better. Errors are standard errors over "
        "replicates that use the pairing. This page is made from the results by `make docs`.\n",
        "The truth is the metric on the same items. MAVEN takes gold labels for known; the "
        "bootstrap of GT aims at a population of items, and ignores that a share f of these items "
        "has gold. The last table of each part holds MAVEN's width against GT's times the square "
        "root of 1 - f, which is what GT needs for these items.\n",
        "The paper says of its predictor that MAVEN's error tracks that of GT and that its "
        "intervals are substantially narrower; it does not print the predictor's parameters.\n",
    ]
    for title, table in comparisons.items():
        replicates = int(table["replicates"].max())
        parts.append(f"## {title}\n\n{replicates} replicates in each setting.\n")
        finite = (1 - table[axis]) ** 0.5
        table = table.assign(
            finite_ratio=table["width_ratio"] / finite,
            finite_ratio_se=table["width_ratio_se"] / finite,
        )
        for name, label in (
            ("error", "Mean absolute error"),
            ("width", "Interval width"),
            ("finite", "Interval width, GT corrected for the finite number of items"),
        ):
            pivot = _pivot(table, f"{name}_ratio", f"{name}_ratio_se", axis, "metric")
            parts.append(f"{label}, MAVEN / GT:\n\n{pivot}\n")
    return "\n".join(parts)


def _choice_rows(settings: pd.DataFrame) -> list[list[str]]:
    """Pool coverage and relative width over settings and replicates: a line a method and metric."""
    rows = []
    for (method, metric), group in settings.groupby(["method", "metric"], sort=False):
        size = float(group["replicates"].sum())
        covered = float((group["coverage"] * group["replicates"]).sum())
        shrunk = (covered + 0.5) / (size + 1)
        rows.append(
            [
                str(method),
                str(metric),
                with_error(covered / size, (shrunk * (1 - shrunk) / size) ** 0.5),
                f"{group['coverage'].min():.2f}",
                f"{group['width_ratio'].mean():.2f}",
            ]
        )
    return rows


def _recommended(settings: pd.DataFrame) -> str:
    """Say which version of MAVEN to use: the narrowest whose pooled coverage is in the band."""
    judged = settings[settings["metric"].isin(["AUC", "delta_TPR"])]
    level, inside, best = float(judged["level"].iloc[0]), {}, ("", 0.0)
    for method, group in judged[judged["method"] != "GT"].groupby("method", sort=False):
        size = int(group["replicates"].sum())
        coverage = float((group["coverage"] * group["replicates"]).sum()) / size
        best = max(best, (str(method), coverage), key=lambda one: one[1])
        if coverage >= coverage_band(size, level)[0]:
            inside[str(method)] = float(group["width_ratio"].mean())
    if not inside:
        return (
            "No version covers AUC and delta_TPR as often as it says, pooled over these settings; "
            f"`{best[0]}` comes nearest ({best[1]:.3f}). Prefer `GT` where that matters.\n"
        )
    chosen = min(inside, key=lambda name: inside[name])
    return (
        f"For an interval of AUC or delta_TPR that you mean to rely on, take `{chosen}`: of the "
        "versions whose coverage, pooled over these settings, is in the binomial band it has the "
        f"narrowest intervals, {inside[chosen]:.2f} times as wide as those of `GT`. Take `MAVEN` "
        "to compare with the paper.\n"
    )


def choice_section(settings: pd.DataFrame) -> str:
    """Write the part that helps to choose between the versions of MAVEN.

    Args:
        settings: summaries with `width_ratio`, from `coverage_and_width.relative_to`.
    """
    count = len(settings.drop_duplicates([name for name in SETTING if name in settings]))
    head = ["method", "metric", "coverage", "worst setting", "width / GT"]
    return "\n".join(
        [
            "## Which version to use\n",
            "`GT` uses the gold labels alone: it assumes nothing, and uses nothing else. `MAVEN` "
            "is the printed model. `MAVEN-C` reads the same ranking by a likelihood that counts "
            "nothing twice. `MAVEN-CS` also lets positives scatter more or less than negatives, "
            "for scores with a heavy tail; it takes longer.\n",
            _recommended(settings),
            "All of them trust their model: votes as its beta-binomials have them, scores that "
            "rank items as normal utilities do. Compare with `GT` on your own data: a difference "
            "that its interval does not allow speaks against the model.\n",
            f"Pooled over {count} settings; `worst setting` is the lowest coverage in any.\n",
            markdown_table(head, _choice_rows(settings)) + "\n",
            "![Coverage against width](gallery/maven_intervals.svg)\n",
        ]
    )


def coverage_page(summary: pd.DataFrame, verdict: str, settings: pd.DataFrame | None = None) -> str:
    """Write the page on coverage of the intervals where MAVEN's model is true.

    Args:
        summary: of the coverage experiment.
        verdict: the sentences of the verdict, a line each.
        settings: summaries of coverage over settings with `width_ratio`, for the part on choosing.
    """
    shown = summary[summary["replicates"] > 0]
    level = float(shown["level"].iloc[0])
    maven = shown[shown["method"] == "MAVEN"]
    below = maven[maven["coverage"] < maven["band_low"]]
    failures = int(shown.groupby("method")["gate_failures"].max().sum())
    fits = int(shown.groupby("method")["replicates"].max().sum())
    table = _pivot(shown, "coverage", "coverage_se", "method", "metric")
    expected = "".join(f"- {line}\n" for line in verdict.splitlines())
    explained = (
        "The printed score likelihood treats the comparisons between pairs of vote sets as "
        "independent, though each vote set takes part in many: it counts information several "
        "times, and what depends on the scores gets intervals that are too narrow.\n"
    )
    return "\n".join(
        [
            "# Do the intervals cover?\n",
            f"Coverage of nominal {level:.0%} intervals on data from MAVEN's own generative "
            f"process (Algorithm 1), {int(shown['replicates'].max())} replicates. {failures} of "
            f"{fits} fits failed a diagnostics gate and are included. This page is made from the "
            "results by `make docs`.\n",
            f"{table}\n",
            "What `make validate` holds against the binomial band at 3.5 deviations:\n",
            expected,
            f"MAVEN below the band: {', '.join(below['metric']) or 'nothing'}.\n",
            *([explained] if len(below) else []),
            *([] if settings is None else [choice_section(settings)]),
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
    first, ratio = table.iloc[0], table["nested score model"] / table["score model"]
    return "\n".join(
        [
            "# Time and memory\n",
            "One MAVEN estimate on one core: seconds by part, 500 imputed data sets, 17 metrics. "
            "Inference is the vote model (4 chains of 500 draws by Stan) and the score model (the "
            "exact cut); the summary and the imputation go with n. Made by `make docs`.\n",
            markdown_table(["n", *parts], rows) + "\n",
            f"Inference takes {table['inference'].min():.2f} to {table['inference'].max():.2f} s "
            f"over this range, and grows like n to the power {first['inference_exponent']:.2f}. "
            "The paper's way, nested fits by Stan, takes "
            f"{ratio.min():.0f} to {ratio.max():.0f} times as long for the score model as the "
            "exact cut, in the same run.\n",
            "![Seconds by part against the number of items](gallery/maven_scaling.svg)\n",
        ]
    )
