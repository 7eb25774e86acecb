"""The page on coverage, and on which version to choose: docs/coverage.md."""

from collections.abc import Sequence

import pandas as pd

from crowdgold.documents.markdown import markdown_table, pivot, with_error
from crowdgold.evaluation.fits import count_gate_failures, gate_sentence
from crowdgold.evaluation.summaries import coverage_band

SETTING = ("experiment", "n", "gold_fraction", "n_gold")
"""Columns that say which setting a row of coverage is of."""
VOTE_SIDE = ("prevalence", "TNR_H", "TPR_H")
"""Metrics that the scores hardly touch."""


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
    """Say which version to use, and which cover when pooled over the settings."""
    judged = settings[settings["metric"].isin(["AUC", "delta_TPR"])]
    level, inside, best = float(judged["level"].iloc[0]), [], ("", 0.0)
    for method, group in judged[judged["method"] != "GT"].groupby("method", sort=False):
        size = int(group["replicates"].sum())
        coverage = float((group["coverage"] * group["replicates"]).sum()) / size
        best = max(best, (str(method), coverage), key=lambda one: one[1])
        if coverage >= coverage_band(size, level)[0]:
            inside.append(str(method))
    judged_so = (
        f"Pooled over the settings below, of its versions `{', '.join(inside)}` covers AUC and "
        "delta_TPR as often as it says"
        if inside
        else "No version covers AUC and delta_TPR as often as it says, pooled over the settings "
        f"below; `{best[0]}` comes nearest ({best[1]:.3f})"
    )
    return (
        "The answer of `crowdgold evaluate` rests on none of these models: wherever there are gold "
        "labels, drawn at random, they correct it ([how often it is right](answer.md)). `MAVEN-C`, "
        "which is right where its model is, stands beside it; `MAVEN` is there to compare with the "
        "paper. "
        f"{judged_so}.\n"
    )


def _setting_cell(rows: pd.DataFrame, metric: str) -> str:
    """Write coverage, relative width and bias of a metric; coverage below its band is bold."""
    found = rows[rows["metric"].str.partition("@")[0] == metric].to_dict("records")
    if not found:
        return ""
    (row,) = found
    low, _ = coverage_band(int(row["replicates"]), float(row["level"]))
    covered = f"{row['coverage']:.3f}"
    covered = f"**{covered}**" if row["coverage"] < low else covered
    return f"{covered}, {row['width_ratio']:.2f}, {with_error(row['bias'], row['bias_se'])}"


def settings_section(settings: pd.DataFrame) -> str:
    """Write coverage, width, bias and failed fits of MAVEN's versions in each setting.

    Args:
        settings: summaries with `width_ratio`.
    """
    keys = [name for name in SETTING if name in settings]
    shown, rows = ["AUC", "delta_TPR", "precision", "recall"], []
    for _, group in settings[settings["method"] != "GT"].groupby(keys, sort=False, dropna=False):
        known = group.iloc[0][keys].dropna().to_dict()
        name = ", ".join(
            [str(known.pop("experiment")), *(f"{k} = {v:g}" for k, v in known.items())]
        )
        for method, own in group.groupby("method", sort=False):
            first = own.iloc[0]
            failed = f"{first['gate_failures']:.0f} of {first['replicates']:.0f}"
            cells = [_setting_cell(own, metric) for metric in shown]
            rows.append([name, str(method), *cells, failed])
    return "\n".join(
        [
            "## Setting by setting\n",
            "Coverage (bold below the binomial band of its replicates), width over that of `GT`, "
            "bias; and fits that failed a gate, which are included.\n",
            markdown_table(["setting", "method", *shown, "failed fits"], rows) + "\n",
        ]
    )


def choice_section(settings: pd.DataFrame) -> str:
    """Write the part that helps to choose between the versions of MAVEN.

    Args:
        settings: summaries with `width_ratio`, from `evaluation.relative_to`.
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


def _against(settings: pd.DataFrame, one: str, other: str) -> str:
    """Compare two methods shape by shape: mean coverage, and mean width relative to the other."""
    parts = []
    for shape, group in settings.groupby("shape", sort=False):
        covered, width = (
            group.groupby("method")[name].mean().to_dict() for name in ("coverage", "width_ratio")
        )
        if one in covered and other in covered:
            relative = width[one] / width[other]
            parts.append(
                f"{shape} {covered[one]:.3f} against {covered[other]:.3f}, {relative:.2f} times as "
                "wide"
            )
    return "; ".join(parts)


def shapes_section(settings: pd.DataFrame) -> str:
    """Write the part on scores that are no normal utilities.

    Args:
        settings: summaries with `width_ratio` and the column `shape`.
    """
    judged = settings[~settings["metric"].isin(VOTE_SIDE)]
    cells = {
        (row["shape"], row["metric"], row["method"]): (
            f"{row['coverage']:.2f}, {row['width_ratio']:.2f}"
        )
        for row in judged.to_dict("records")
    }
    methods = list(dict.fromkeys(judged["method"]))
    rows = [
        [shape, metric, *(cells.get((shape, metric, method), "") for method in methods)]
        for shape, metric in dict.fromkeys(zip(judged["shape"], judged["metric"], strict=True))
    ]
    size = int(judged["replicates"].max())
    error = (0.05 * 0.95 / size / judged["metric"].nunique()) ** 0.5
    compared = _against(judged, "MAVEN-CS", "MAVEN-C")
    said = (
        f"Mean coverage over these metrics of `MAVEN-CS` and of `MAVEN-C`: {compared}. At a true "
        f".95 such a mean has a standard error of at least {error:.3f}. `MAVEN-CS` finds a density "
        "of three parameters for each draw and takes several times as long.\n"
    )
    return "\n".join(
        [
            "## Scores of other shapes\n",
            "Scores that are no normal utilities (Algorithm 3): coverage, then width over that of "
            f"`GT`; {size} replicates.\n",
            *([said] if compared else []),
            markdown_table(["shape", "metric", *methods], rows) + "\n",
        ]
    )


def _sections(settings: pd.DataFrame) -> list[str]:
    """Write the parts on choosing: where scores are normal utilities, and where they are not."""
    if "shape" not in settings:
        return [choice_section(settings), settings_section(settings)]
    other = settings["shape"].notna()
    normal = settings[~other]
    return [choice_section(normal), settings_section(normal), shapes_section(settings[other])]


def coverage_page(
    summary: pd.DataFrame,
    verdict: str,
    settings: pd.DataFrame | None = None,
    further: Sequence[str] = (),
) -> str:
    """Write the page on coverage of the intervals where MAVEN's model is true.

    Args:
        summary: of the coverage experiment.
        verdict: the sentences of the verdict, a line each.
        settings: summaries of coverage over settings with `width_ratio`, for the parts on choosing;
            those with a `shape` are scores that are no normal utilities.
        further: parts that follow, as they stand.
    """
    shown = summary[summary["replicates"] > 0]
    level = float(shown["level"].iloc[0])
    maven = shown[shown["method"] == "MAVEN"]
    below = maven[maven["coverage"] < maven["band_low"]]
    failures, fits = count_gate_failures(summary)
    table = pivot(shown, "coverage", "coverage_se", "method", "metric")
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
            f"process (Algorithm 1), {int(shown['replicates'].max())} replicates. "
            f"{gate_sentence(failures, fits)}. This page is made from the "
            "results by `make docs`.\n",
            f"{table}\n",
            "What `make validate` holds against the binomial band at 3.5 deviations:\n",
            expected,
            f"MAVEN below the band: {', '.join(below['metric']) or 'nothing'}.\n",
            *([explained] if len(below) else []),
            *([] if settings is None else _sections(settings)),
            *further,
        ]
    )
