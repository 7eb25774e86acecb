"""Figures and tables of docs/gold-designs.md: labels of designed samples, and their coverage.

Labels are given as a share of those of a random sample, by metric.
"""

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.claims.cells import markdown_table, with_error
from crowdgold.claims.verdicts import CLEAR
from crowdgold.experiment.summaries import share_error, standard_error
from crowdgold.papers.gold_designs.experiments import (
    BATCHES,
    COLUMNS,
    DESIGNS,
    FOR_ONE_METRIC,
    LEAST,
    ONE_BATCH,
    RANDOM,
    RIGHT,
)
from crowdgold.plots.style import COLOURS, Plot, new_figure, require

SHARES = [f"{name}{error}" for name in ("share", "population_share", "error_share")
          for error in ("", "_se")]  # fmt: skip
BY = ["experiment", "positive", "metric", "prediction"]


def _with_settings(table: pd.DataFrame) -> pd.DataFrame:
    """The table with `positive`, the mean share of positive items of each setting, rounded.

    Metrics are without their thresholds, which are on scales of their own in each study.
    """
    axes = [name for name in table.columns if name.startswith("study.")]
    keys = ["experiment", *axes]
    shares = table[table["metric"] == "prevalence"].groupby(keys, dropna=False)["truth"].mean()
    found = shares.rename("positive").round(3).reset_index()
    named = table.assign(metric=table["metric"].str.partition("@")[0])
    return named.merge(found, on=keys, how="left")


def samples(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """All samples of several experiments in one table."""
    return _with_settings(pd.concat(list(tables.values()), ignore_index=True))


def _ratio(own: pd.DataFrame, design: str, values: str) -> tuple[float, float]:
    """The ratio of means of a column to a random sample's, and its standard error."""
    wide = own.pivot_table(index="replicate", columns="design", values=values)
    if not {RANDOM, design} <= set(wide):
        return np.nan, np.nan
    pairs = wide[[RANDOM, design]].dropna().to_numpy()
    if not pairs[:, 0].mean() > 0:
        return np.nan, np.nan
    ratio = pairs[:, 1].mean() / pairs[:, 0].mean()
    spread = (pairs[:, 1] - ratio * pairs[:, 0]).std(ddof=1) / pairs[:, 0].mean()
    return ratio, spread / np.sqrt(len(pairs))


def shares(table: pd.DataFrame) -> pd.DataFrame:
    """How many labels each design of `gold_designs` needs, as a share of random ones.

    For the same width it is `share`, the squared ratio of the mean widths, and `population_share`,
    that of intervals about the population; for the same error `error_share`, the ratio of the mean
    squared errors. The standard errors are of ratios of paired means. `coverage` is of all
    replicates: one without an interval does not hold the truth.
    """
    require(table, ["experiment", "replicate", *COLUMNS])
    table = table.assign(
        width=table["upper"] - table["lower"], squared=(table["estimate"] - table["truth"]) ** 2
    )
    rows = []
    for key, own in _with_settings(table).groupby(BY, sort=False):
        inside = (own["lower"] <= own["truth"]) & (own["truth"] <= own["upper"])
        for design in (RANDOM, *DESIGNS):
            chosen = own["design"] == design
            if not chosen.any():
                continue
            covered = inside[chosen].mean() if design != LEAST else np.nan
            ratios = [_ratio(own, design, width) for width in ("width", "population_width")]
            # The square of a ratio, and its standard error.
            found = [(ratio**2, 2 * ratio * error) for ratio, error in ratios]
            if design == LEAST:
                least = own.loc[chosen, "estimate"].to_numpy(float)
                found[0] = float(least.mean()), standard_error(least)
            numbers = [*found, _ratio(own, design, "squared")]
            rows.append((*key, design, *sum(numbers, ()), covered, int(chosen.sum())))
    names = [*BY, "design", *SHARES, "coverage", "replicates"]
    return pd.DataFrame(rows, columns=names).fillna(dict.fromkeys(SHARES[1::2], 0.0))


LOOKS = {
    ONE_BATCH: (COLOURS[5], "s", "-", "in one batch"),
    BATCHES: (COLOURS[0], "o", "-", "in two batches"),
    FOR_ONE_METRIC: (COLOURS[2], "v", "-", "two, for it alone"),
    LEAST: (COLOURS[7], "_", "none", "the least that could do"),
}
"""Design -> its colour, marker, line, and words."""
MARKERS = "^vDPX"
PANELS = 4
TICKS = (0.1, 0.25, 0.5, 1, 2, 4)


def _draw(panel: Axes, own: pd.DataFrame, worlds: Mapping[str, str]) -> None:
    """The shares of one metric: lines of the main experiment, marks of the other worlds."""
    main = own[~own["experiment"].isin(list(worlds))]
    for number, (design, (colour, marker, line, words)) in enumerate(LOOKS.items()):
        rows = main[main["design"] == design]
        panel.errorbar(
            rows["positive"] * 1.06 ** (number - 1.5), rows["share"], rows["share_se"],
            color=colour, marker=marker, label=words, linewidth=0.9, linestyle=line,
            markersize=8 if marker == "_" else 4,
        )  # fmt: skip
    for marker, (world, words) in zip(MARKERS, worlds.items(), strict=False):
        rows = own[(own["experiment"] == world) & (own["design"] == BATCHES)]
        panel.errorbar(
            rows["positive"], rows["share"], rows["share_se"], color=COLOURS[1], marker=marker,
            markerfacecolor="white", linestyle="none", linewidth=0.9, markersize=4.5,
            label=f"two batches: {words}",
        )  # fmt: skip


def draw_gold_designs(
    table: pd.DataFrame, *, label: str, titles: Mapping[str, str] | None = None,
    worlds: Mapping[str, str] | None = None,
) -> tuple[Figure, pd.DataFrame]:  # fmt: skip
    """Draw a panel for each metric: the share of labels for equal width against that of positives.

    `titles` are words for metrics, `worlds` for the experiments beside the main one.
    """
    found = shares(table)
    shown = found[(found["prediction"] == RIGHT) & found["design"].isin(list(LOOKS))]
    metrics = list(dict.fromkeys(shown["metric"]))
    rows = -(-(len(metrics) + 1) // PANELS)
    figure, axes = new_figure(rows, PANELS, 0.3 + 1.9 * rows)
    panels = [panel for row in axes for panel in row]
    lowest = float(shown["share"].min())
    highest = max(1.0, float((shown["share"] + shown["share_se"]).max()))
    for panel, metric in zip(panels, metrics, strict=False):
        panel.axhline(1, color="#666666", linewidth=0.7)
        _draw(panel, shown[shown["metric"] == metric], worlds or {})
        panel.set_title((titles or {}).get(metric, metric))
        panel.set_xscale("log")
        panel.set_xticks([0.01, 0.03, 0.1, 0.4], ["0.01", "0.03", "0.1", "0.4"])
        panel.set_yscale("log")
        panel.set_ylim(0.8 * lowest, 1.2 * highest)
        panel.set_yticks(TICKS, [f"{one:g}" for one in TICKS])
        panel.minorticks_off()
        panel.set_ylim(0.8 * lowest, 1.2 * highest)
        panel.set_xlabel(label)
    for panel in panels[::PANELS]:
        panel.set_ylabel("Share of random labels")
    for panel in panels[len(metrics) :]:
        panel.axis("off")
    handles, labels = panels[0].get_legend_handles_labels()
    panels[len(metrics)].legend(
        handles, [one.replace(": ", ":\n") for one in labels], loc="center left", frameon=False
    )
    return figure, found


PLOT = Plot("gold_designs", draw_gold_designs)


MAIN, OTHERWISE = "gold_designs", "Algorithm 2"
"""The main experiment, and the words for an experiment that the page gives none."""
STUDY_KEYS = ["experiment", "positive"]
DESIGNS_IN_WORDS = {
    ONE_BATCH: "one batch", BATCHES: "two batches", FOR_ONE_METRIC: "two batches, for it alone",
    LEAST: "least possible",
}  # fmt: skip


def found_of(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Shares and coverage of every cell (`shares`) of these experiments."""
    return shares(pd.concat(list(tables.values()), ignore_index=True))


def _by_metric(
    found: pd.DataFrame, keys: list[str], heads: list[str], words: Mapping[str, str], value: str
) -> str:
    """The table of a value, a line for each pair of keys, in these words, a column a metric."""
    metrics = list(dict.fromkeys(found["metric"]))
    rows = []
    for key, group in found.groupby(keys, sort=False):
        known = group.set_index("metric").reindex(metrics)
        errors = known.get(f"{value}_se", pd.Series(0.0, known.index))
        cells = [
            with_error(one, error) if error > 0 else f"{one:.3f}"
            for one, error in zip(known[value], errors, strict=True)
        ]
        names = [
            f"{one:g}" if isinstance(one, float) else words.get(str(one), OTHERWISE) for one in key
        ]
        rows.append([*names, *cells])
    return markdown_table([*heads, *metrics], rows)


def _with_and(parts: list[str]) -> str:
    """Parts as words list them: a, b and c."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def answer(found: pd.DataFrame, metrics: Mapping[str, str]) -> str:
    """What two batches need where a random sample needs 100 labels, in words.

    It is of the metrics that have words, at the middle one of the shares of positive items.
    """
    own = found[(found["experiment"] == MAIN) & (found["prediction"] == RIGHT)]
    positive = sorted(own["positive"].unique())[own["positive"].nunique() // 2]
    own = own[(own["positive"] == positive) & (own["design"] == BATCHES)].set_index("metric")
    by_width, by_error = (
        _with_and([f"{100 * own[column][one]:.0f} for {words}" for one, words in metrics.items()])
        for column in ("share", "error_share")
    )
    error = np.hypot(own["share_se"], own["error_share_se"])
    clear = own["share"] - own["error_share"] > CLEAR * error
    long = [words for one, words in metrics.items() if clear[one]]
    of_long = f" Intervals of {_with_and(long)} are longer than errors call for." if long else ""
    return (
        f"Where {100 * positive:g} % of items are positive, fewer labels do than the 100 of a "
        f"random sample. For intervals of the same width a sample in two batches needs {by_width}. "
        f"For the same error it needs {by_error}.{of_long}"
    )


def shares_table(found: pd.DataFrame, value: str = "share") -> str:
    """The share of random labels by share of positive items and design, a column a metric.

    `value` is `share`, of labels for equal widths, `population_share`, for those of intervals about
    the population, or `error_share`, for equal errors.
    """
    own = found[(found["experiment"] == MAIN) & (found["prediction"] == RIGHT)]
    own = own[own[value].notna() & own["design"].isin(list(DESIGNS))]
    return _by_metric(own, ["positive", "design"], ["positive", "sample"], DESIGNS_IN_WORDS, value)


def largest_by_error(found: pd.DataFrame, metrics: Collection[str], positive: float) -> str:
    """The largest share of labels that two batches need for the same error, with its metric.

    Not known where no study has such a share of positive items.
    """
    own = found[(found["experiment"] == MAIN) & (found["prediction"] == RIGHT)]
    own = own[(own["design"] == BATCHES) & own["metric"].isin(metrics)]
    own = own[(own["positive"] - positive).abs() < 0.005]
    if own.empty:
        return "not known here"
    row = own.iloc[int(own["error_share"].to_numpy().argmax())]
    return f"{with_error(row['error_share'], row['error_share_se'])} ({row['metric']})"


def coverage_table(
    found: pd.DataFrame, labels: Mapping[str, str], prediction: str, design: str
) -> str:
    """Coverage of a design by study and share of positive items, a column a metric."""
    own = found[(found["prediction"] == prediction) & (found["design"] == design)]
    return _by_metric(own, STUDY_KEYS, ["study", "positive"], labels, "coverage")


def least_coverage(found: pd.DataFrame, labels: Mapping[str, str]) -> str:
    """The setting, metric, prediction and design in which a designed sample covers least."""
    own = found[found["design"].isin([ONE_BATCH, BATCHES, FOR_ONE_METRIC])]
    row = own.iloc[int(own["coverage"].to_numpy().argmin())]
    where = labels.get(str(row["experiment"]), OTHERWISE)
    error = share_error(float(row["coverage"]), int(row["replicates"]))
    return (
        f"{with_error(float(row['coverage']), error)} ({row['metric']}, {where}, "
        f"{row['positive']:g} positive, {row['prediction']} prediction, "
        f"{DESIGNS_IN_WORDS[str(row['design'])]})"
    )


def other_shares(found: pd.DataFrame, labels: Mapping[str, str]) -> str:
    """The share of random labels of two batches in the other studies."""
    chosen = (found["experiment"] != MAIN) & found["design"].eq(BATCHES)
    own = found[chosen & found["prediction"].eq(RIGHT)]
    return _by_metric(own, STUDY_KEYS, ["study", "positive"], labels, "share")
