"""Tables and sentences on MAVEN for the pages of docs/, and cells for its claims (`claims.yaml`).

In this order: the cause of MAVEN-C's bias, one suspect removed at a time; nested fits against the
exact cut; MAVEN against gold labels alone; labels that two models share, or not; the claims' cells
that no common quantity gives; table 3, each cell against ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from crowdgold.claims.cells import Cells, Tables, cells_of, markdown_table, pivot, with_error
from crowdgold.claims.predicates import within
from crowdgold.claims.verdicts import CLEAR, FAILS, NO_CAUSE, Judgement
from crowdgold.experiment.summaries import compare, gate_sentence, share_error, standard_error
from crowdgold.methods.maven import CALIBRATED, EXACT, FREE_SD, PUBLISHED
from crowdgold.methods.votes_and_gold import GOLD_ALONE
from crowdgold.papers.maven.experiments import (
    EXACT_AGAIN,
    METRIC,
    PRINTED,
    VOTES_KNOWN,
    WIDER_PRIOR,
    curve_distances,
    distances_by_replicate,
)
from crowdgold.papers.maven.labelling_savings import SavingsOptions, study_labelling
from crowdgold.papers.maven.relative_bias import relative_bias
from crowdgold.types.parameters import LEVEL

__all__ = ["METRIC"]
"""Made in another module; the page's template calls it by the name of this one."""

SUBJECT = CALIBRATED.name
"""The version whose bias is explained."""
JUDGED = ("AUC", "precision")
"""The metrics whose bias is explained."""
SUSPECTS = {
    VOTES_KNOWN: (
        "The votes' parameters are uncertain. A draw of them that is off takes some labels for "
        "their opposite. Wrong labels pull the scores of the classes together, whichever way the "
        "draw is off"
    ),
    WIDER_PRIOR: (
        "The paper's prior of mu has its mode at a half, and draws mu towards it where the data "
        "say little"
    ),
    FREE_SD.name: "Both classes share a standard deviation",
}
"""Version with a suspect removed -> what it is suspected of."""


def _errors(table: pd.DataFrame, metric: str, version: str) -> pd.Series:
    """The errors of a version by replicate."""
    named = table["metric"].str.partition("@")[0] == metric
    rows = table[named & (table["version"] == version)].set_index("replicate")
    return rows["estimate"] - rows["truth"]


def _mean(values: pd.Series) -> tuple[float, float]:
    """A mean and its standard error."""
    return float(values.mean()), standard_error(values.dropna().to_numpy())


def _change(table: pd.DataFrame, version: str, metric: str) -> tuple[float, float]:
    """The mean change of the error from `SUBJECT` to a version on the same data, and its error."""
    return _mean(_errors(table, metric, version) - _errors(table, metric, SUBJECT))


def changes(tables: Mapping[str, pd.DataFrame]) -> str:
    """The table of the change that removing each suspect makes, in each setting."""
    rows = [
        [name, version, *(with_error(*_change(table, version, metric)) for metric in JUDGED)]
        for name, table in tables.items()
        for version in dict.fromkeys(table["version"])
        if version.startswith(SUBJECT) and version != SUBJECT
    ]
    return markdown_table(["setting", "version", *JUDGED], rows)


def conclusion(tables: Mapping[str, pd.DataFrame]) -> str:
    """The suspects whose removal clearly makes the bias smaller, and the others, as lists."""
    causes, no_causes = [], []
    for version, why in SUSPECTS.items():
        smaller, beyond = [], 0
        for table in (one for one in tables.values() if version in set(one["version"])):
            for metric in JUDGED:
                bias, _ = _mean(_errors(table, metric, SUBJECT))
                # The change, and what is left: clear, and of the other sign than the bias?
                change, left = (
                    abs(value) > CLEAR * error and value * bias < 0
                    for value, error in (
                        _change(table, version, metric), _mean(_errors(table, metric, version)),
                    )
                )  # fmt: skip
                smaller.append(change)
                beyond += left
        if any(smaller):
            other_way = f", with a clear bias the other way in {beyond}" if beyond else ""
            removed = f"removed in `{version}`: {sum(smaller)} of {len(smaller)}{other_way}"
            causes.append(f"- {why}. *It is {removed}.*")
        elif smaller:
            no_causes.append(f"- {why} (`{version}`: none of {len(smaller)}).")
    return "\n\n".join([
        "What clearly takes from the bias when it is removed, by two standard errors of the change "
        f"on the same data (counted over settings, {' and '.join(JUDGED)}):",
        "\n".join(causes) or "- nothing.",
        *(["What does not:", "\n".join(no_causes)] if no_causes else []),
    ])  # fmt: skip


def by_setting(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Setting in words -> its rows in a table of `compute_bias_causes` of several experiments."""
    # How MAVEN's paper names a generator -> its name on all pages.
    processes = {"Algorithm 1": "MAVEN's process", "Algorithm 2": "IRT"}
    tables = {}
    for (_, world), rows in table.groupby(["experiment", "world"], sort=False):
        process, comma, rest = str(world).partition(",")
        name = processes.get(process, process) + comma + rest
        tables[f"{name}, {rows['replicate'].nunique()} studies"] = rows
    return tables


def gates(*tables: pd.DataFrame, by: str = "version") -> str:
    """How many fits failed their gate, in a sentence without its full stop; `by` is the column
    that tells fits of a replicate apart.
    """
    fits = pd.concat([table.drop_duplicates([by, "replicate"]) for table in tables])
    return gate_sentence(int((~fits["diagnostics_passed"].astype(bool)).sum()), len(fits))


def biases(tables: Mapping[str, pd.DataFrame]) -> str:
    """The table of each version's bias in each setting, by metric."""
    named = dict.fromkeys(next(iter(tables.values()))["metric"])
    metrics = [name.partition("@")[0] for name in named]
    rows = [
        [name, str(version)]
        + [with_error(*_mean(_errors(table, metric, version))) for metric in metrics]
        for name, table in tables.items()
        for version in dict.fromkeys(table["version"])
    ]
    return markdown_table(["setting", "version", *metrics], rows)


SPREAD, SHIFT = 0.2, 0.25
"""Margins within which nested draws count as the same as exact ones: of the ratio of their spreads
from 1, and of their medians, in standard deviations. The claim on footnote 5 has the same margins
(claims.yaml). A distance of distribution functions would not do: two sets of 200 draws of one
distribution lie .08 apart, and a fifth less spread adds little to that."""


def ratios(results: pd.DataFrame, times: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Error and width of nested fits over those of the exact cut, by setting and metric, with the
    `coverage` and median `seconds` of both. `times` are of the fits of this experiment and others.
    """
    table = compare(results, [axis], PUBLISHED.name, EXACT.name)
    own_times = times[times["experiment"].isin(results["experiment"])]
    for name, method in (("nested", PUBLISHED.name), ("exact", EXACT.name)):
        rows = results[results["method"] == method]
        held = (rows["lower"] <= rows["truth"]) & (rows["truth"] <= rows["upper"])
        # Unknown where there is no interval.
        known = rows[["lower", "upper", "truth"]].notna().all(axis=1)
        covers = rows.assign(coverage=held.astype(float).where(known))
        coverage = covers.groupby([axis, "metric"])["coverage"].mean()
        seconds = own_times[own_times["method"] == method].groupby(axis)["seconds"].median()
        table = table.merge(coverage.rename(f"coverage_{name}"), on=[axis, "metric"])
        table = table.merge(seconds.rename(f"seconds_{name}"), on=axis)
    return table


def _setting(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value).replace("_", " ")


def ratio_table(table: pd.DataFrame, axis: str, title: str) -> str:
    """`ratios` as Markdown; of a curve, the mean over its points, and that of their errors."""
    table = table.assign(metric=table["metric"].str.partition("@")[0])
    header = [title, "metric", "error", "width", "coverage, nested", "exact", "s, nested", "exact"]
    rows = []
    for (value, metric), group in table.groupby([axis, "metric"], sort=False):
        mean = group.drop(columns=[axis, "metric"]).mean(numeric_only=True)
        ratios = [mean[[f"{name}_ratio", f"{name}_ratio_se"]] for name in ("error", "width")]
        rows.append([
            _setting(value), str(metric), *(with_error(*one) for one in ratios),
            *(f"{mean[f'coverage_{name}']:.2f}" for name in ("nested", "exact")),
            *(f"{mean[f'seconds_{name}']:.1f}" for name in ("nested", "exact")),
        ])  # fmt: skip
    return markdown_table(header, rows)


def by_length(table: pd.DataFrame, axis: str, title: str, column: str = "distance") -> str:
    """Distance of nested fits from the exact cut by their length, and of two exact cuts.

    `table` is what the computation nested_lengths gives; `column` is `distance`, or `spread`, their
    standard deviations over the exact cut's.
    """
    keys = [axis, "quantity"]
    mean = table.groupby([*keys, "length"], sort=False)[column].mean().to_dict()
    lengths = sorted(set(table["length"]) - {EXACT_AGAIN})
    header = [title, "of", *(f"b = {length}" for length in lengths), "exact, again"]
    rows = [
        [_setting(value), quantity,
         *(f"{mean[value, quantity, length]:.3f}" for length in (*lengths, EXACT_AGAIN))]
        for value, quantity in table[keys].drop_duplicates().itertuples(index=False)
    ]  # fmt: skip
    return markdown_table(header, rows)


def shapes(table: pd.DataFrame, axis: str, title: str) -> str:
    """Modes of the draws and the share of them in tails, by setting: of nested fits as printed, of
    the longest, and exact.
    """
    lengths = [PRINTED, int(table["length"].max())]
    names = [*(f"b = {length}" for length in lengths), "exact"]
    header = [title, "of", *(f"{what}, {one}" for what in ("modes", "in tails") for one in names)]
    rows = []
    for (value, quantity), group in table.groupby([axis, "quantity"], sort=False):
        printed, most = (group[group["length"] == length] for length in lengths)
        modes = [printed["modes"], most["modes"], printed["exact_modes"]]
        tails = [printed["far"], most["far"], printed["exact_far"]]
        rows.append([
            _setting(value), str(quantity), *(f"{one.mean():.1f}" for one in modes),
            *(with_error(float(one.mean()), standard_error(one.to_numpy())) for one in tails),
        ])  # fmt: skip
    return markdown_table(header, rows)


class Comparison(NamedTuple):
    """How nested fits of b iterations compare with the exact cut, in one setting: means over
    studies, and half the width of their 95 % intervals, by Student's t; infinite with one study.
    """

    words: str  # the setting and the quantity
    spread: tuple[float, float]  # the ratio of standard deviations, nested over exact
    shift: tuple[float, float]  # of the median, in standard deviations
    same: bool  # both whole intervals lie within the margins
    parted: bool  # a whole interval lies beyond its margin
    differs: bool  # the interval of the spread leaves out 1, however little it is off

    def __str__(self) -> str:
        spread, shift = ("{:.2f} ± {:.2f}".format(*one) for one in (self.spread, self.shift))
        return f"{self.words}: spread {spread} of the exact cut's, shift {shift}"


def comparisons(
    tables: Mapping[str, pd.DataFrame], axes: Mapping[str, str], length: int = PRINTED
) -> list[Comparison]:
    """The comparison of every setting and quantity, of nested fits of `length` iterations.

    `tables`: experiment -> what nested_lengths gives; `axes`: experiment -> the column
    that varies.
    """
    compared: list[Comparison] = []
    for name in (one for one in axes if one in tables):
        axis, table = axes[name], tables[name]
        rows = table[table["length"] == length]
        for (value, quantity), group in rows.groupby([axis, "quantity"], sort=False):
            words = f"{axis.removeprefix('study.').replace('_', ' ')} {value}, {quantity}"
            # What is undefined in one replicate leaves the comparison open.
            columns = group["spread"].to_numpy(float), group["shift"].to_numpy(float)
            spread, shift = (float(values.mean()) for values in columns)
            t = float(stdtrit(len(group) - 1, 0.975))
            of_spread, of_shift = (
                t * standard_error(values) if len(group) > 1 else np.inf for values in columns
            )
            off = abs(spread - 1)
            same = off + of_spread <= SPREAD and abs(shift) + of_shift <= SHIFT
            parted = off - of_spread > SPREAD or abs(shift) - of_shift > SHIFT
            both = (spread, of_spread), (shift, of_shift)
            compared.append(Comparison(words, *both, same, parted, differs=off > of_spread))
    return compared


def longest(tables: Mapping[str, pd.DataFrame], axes: Mapping[str, str]) -> int:
    """The most iterations that every experiment has; 0 where that is not more than is printed."""
    most = min((int(tables[one]["length"].max()) for one in axes if one in tables), default=0)
    return most if most > PRINTED else 0


def beyond_chance(table: pd.DataFrame) -> str:
    """How many `ratios` differ from 1 beyond chance, and both methods' coverage, in words."""
    differing = []
    for name in ("error", "width"):
        ratio, error = table[f"{name}_ratio"], table[f"{name}_ratio_se"]
        reach = error * stdtrit(table["replicates"] - 1, 0.975)
        count = int(((ratio - 1).abs() > reach).sum())
        differing.append(f"{count} of {len(table)} ratios of {name}")
    nested, exact = table["coverage_nested"].mean(), table["coverage_exact"].mean()
    return (
        f"{differing[0]} and {differing[1]} differ from 1 by more than their 95 % intervals; by "
        "chance one in 20 would. Over all settings and metrics nested intervals contain the truth "
        f"in {100 * nested:.0f} % of cases and those of the exact cut in {100 * exact:.0f} %."
    )


def gain(results: pd.DataFrame) -> dict[str, float]:
    """MAVEN over GT, of all settings: least and largest ratio of widths, mean ratio of errors."""
    table = compare(results, ["gold_fraction"], PUBLISHED.name, GOLD_ALONE.name)
    width, error = table["width_ratio"], table["error_ratio"]
    return {"narrowest": width.min(), "widest": width.max(), "error": error.mean()}


def ratio_tables(results: pd.DataFrame) -> dict[str, str]:
    """Title -> ratios of error and width, MAVEN over GT, by metric and share of gold labels."""
    table = compare(results, ["gold_fraction"], PUBLISHED.name, GOLD_ALONE.name)
    finite = (1 - table["gold_fraction"]) ** 0.5
    for end in ("ratio", "ratio_se"):
        table[f"finite_{end}"] = table[f"width_{end}"] / finite
    titles = {
        "error": "Mean absolute error",
        "width": "Width of the interval",
        "finite": "Width of the interval about these items",
    }
    return {
        title: pivot(table, f"{name}_ratio", f"{name}_ratio_se", "gold_fraction", "metric")
        for name, title in titles.items()
    }


def by_way(table: pd.DataFrame) -> str:
    """The table of width, bias and coverage of a difference by each way of imputing labels, of the
    rows of `compute_shared_labels` with all score likelihoods.
    """
    rows = []
    for likelihood, group in table.groupby("score_likelihood", sort=False):
        wide = group.assign(width=group["upper"] - group["lower"])
        widths = wide.pivot_table(index="replicate", columns="labels", values="width")
        for way, own in group.groupby("labels", sort=False):
            inside = (own["lower"] <= own["truth"]) & (own["truth"] <= own["upper"])
            means = [
                _mean(widths[way] / widths["independent"]),
                _mean(own["estimate"] - own["truth"]),
                (float(inside.mean()), share_error(float(inside.mean()), len(own))),
            ]
            rows.append([str(likelihood), str(way), *(with_error(*one) for one in means)])
    head = ["score likelihood", "labels", "width / independent", "bias", "coverage"]
    return markdown_table(head, rows)


FEWEST = 40
"""Data sets below which a mean has no normal error."""


def curves_by_replicate(tables: Tables) -> pd.DataFrame:
    """How far each method's precision-recall curve is from the items' own, by replicate."""
    return distances_by_replicate(tables["maven_fig7"], tables["maven_fig7_exact"], ["shape"])


def curves_beside_gold(tables: Tables) -> pd.DataFrame:
    """The same distances, as means over replicates, with those of gold labels alone (`of_gold`)."""
    return curve_distances(tables["maven_fig7"], tables["maven_fig7_exact"], ["shape"])


def curves_as_printed(tables: Tables) -> pd.DataFrame:
    """The same distances where every item has a gold label, and models draw labels all the same."""
    return curve_distances(tables["maven_fig7_all_gold"], tables["maven_fig7_exact"], ["shape"])


def exponents(tables: Tables, methods: Sequence[str]) -> Cells:
    """The power of n that each method's run time grows with, by least squares over its runs."""
    table = tables["model_scaling"]
    texts, rows = [], []
    for name in methods:
        runs = table[table["method"] == name]
        if runs["n"].nunique() < 2:
            texts.append(f"{name} not timed")
            rows.append((f"{name}, not timed", 0.0, np.nan, np.nan))
            continue
        power, error = (float(runs[column].iloc[0]) for column in ("exponent", "exponent_se"))
        texts.append(f"{name} {with_error(power, error)}")
        rows.append((name, power, error, len(runs) - 2.0))
    names, values, errors, degrees = zip(*rows, strict=True)
    return cells_of(f"power of n: {', '.join(texts)}", names, values, errors, degrees=degrees)


def times_beyond_maven(tables: Tables, every: bool = False) -> Cells:
    """How many seconds more than MAVEN the other methods of scores take, at the largest n that both
    have, or at `every` one. The error of a single run is not known.
    """
    table = tables["model_scaling"]
    runs = table.groupby(["method", "n"])["inference"].agg(["mean", "sem", "size"])
    texts, rows = [], []
    for name in ("DS+S", "H-AI"):  # their likelihood has a term for each item's scores
        timed = runs.index.unique("method")
        own, maven = (runs.loc[one] if one in timed else runs.loc[[]] for one in (name, "MAVEN"))
        sizes = own.index.intersection(maven.index).sort_values()
        if sizes.empty:
            texts.append(f"{name} not timed")
            rows.append((f"{name}, not timed", 0.0, np.nan, np.nan))
            continue
        own, maven, last = own.loc[sizes], maven.loc[sizes], sizes[-1]
        gap, error = own["mean"] - maven["mean"], np.hypot(own["sem"], maven["sem"])
        smaller = ", ".join(f"{n:,}" for n in sizes[:-1][gap.iloc[:-1] < 0])
        texts.append(
            f"at n = {last:,} {name} {own['mean'][last]:.1f} s, MAVEN {maven['mean'][last]:.1f} s"
            + (f", but {name} takes less at n = {smaller}" if smaller else "")
        )
        for n in sizes if every else [last]:
            place = f"{name}, n = {n:,}" if every else name
            rows.append((place, gap[n], error[n], min(own["size"][n], maven["size"][n])))
    names, values, errors, counts = zip(*rows, strict=True)
    return cells_of("; ".join(texts), names, values, errors, None, counts)


def ranks_less_scores(tables: Tables, least: int) -> Cells:
    """The mean log odds given ranks less those given scores, from a number of items on."""
    table = tables["maven_fig6"]
    # 3.92 standard deviations lie between the ends of a normal distribution's central 95 %.
    error = (table["upper"] - table["lower"]) / 3.92 / np.sqrt(table["datasets"])
    table = table.assign(mean_se=error)
    ranks, scores = (table[table["source"] == name] for name in ("rank", "score"))
    keys = ["n", "percentile", "votes_positive"]
    both = ranks.merge(scores, on=keys, suffixes=("_rank", "_score"))
    both = both[both["datasets_score"] >= FEWEST]
    both = both.assign(difference=both["mean_rank"] - both["mean_score"])
    worst = both["difference"].abs().groupby(both["n"]).max()
    text = ", ".join(f"n = {n:,}: {value:.3f}" for n, value in worst.items())
    large = both[both["n"] >= least]
    names = [
        f"n = {n:,}, percentile {percentile:g}, {votes} votes"
        for n, percentile, votes in large[keys].itertuples(index=False)
    ]
    return cells_of(
        f"largest difference of mean log odds, of {FEWEST} data sets or more, {text}",
        names,
        large["difference"],
        np.hypot(large["mean_se_rank"], large["mean_se_score"]),
        replicates=np.minimum(large["datasets_rank"], large["datasets_score"]),
    )


def savings(tables: Tables, options: Mapping[str, Any], aim: str, covering: bool = False) -> Cells:
    """The share of labelling that equal widths save at the paper's n and the price it implies.

    `options` are those of the figure (`labelling_savings.SavingsOptions`). With
    `covering` MAVEN's intervals are first made wider by one factor, until they cover as they say.
    """
    table, widened = tables["labelling_efficiency"], ""
    if covering:
        own = table["method"] == "MAVEN"
        error = table["truth"] - table["estimate"]
        above, below = table["upper"] - table["estimate"], table["estimate"] - table["lower"]
        times = float((error.abs() / above.where(error > 0, below))[own].quantile(LEVEL))
        wider = pd.Series(np.where(own, times, 1.0), index=table.index)
        table = table.assign(
            lower=table["estimate"] - wider * below, upper=table["estimate"] + wider * above
        )
        widened = f"{times:.1f} times as wide "
    study = SavingsOptions(**options)
    price = study.costs.ratio_for(study.n, study.n_gold, study.saving)
    _, rows = study_labelling(table, replace(study, cost_ratios=[price]))
    rows = rows[(rows["part"] == "saving") & (rows["where"] == "paper") & (rows["aim"] == aim)]
    if rows.empty:
        title = f"intervals about the {aim} not as narrow as all gold labels alone at this n"
        return cells_of(f"{title}: saving", [""], [0.0], [np.nan])
    (row,) = rows.to_dict("records")
    title = (
        f"intervals {widened}about the {aim} at a price of {price:.1f} votes for a gold label: "
        f"{with_error(row['n_gold'], row['n_gold_se'])} gold labels, saving"
    )
    return cells_of(title, [""], [row["value"]], [row["value_se"]], degrees=row["degrees"])


MARGIN = 0.5
"""A relative bias within this of the printed one counts as the same: half of gold's own error."""


def table_3_rows(
    results: pd.DataFrame, printed: Mapping[str, Any], task: str, metrics: Sequence[str],
    stand_in: Mapping[str, Any] | None = None, limits: pd.DataFrame | None = None,
) -> list[list[str]]:  # fmt: skip
    """Hold each cell of table 3 against ours: method, metric, printed, ours, verdict, replicates,
    reason; and, where the task has a stand-in for private data, whether the cell set its parameters
    or tests it. The baseline's own cells, always 1, and those that set it have no verdict.

    `printed` is `table_3` of config/printed/maven.yaml, whose cells are a value, its standard error
    and whether it is bold; `stand_in` the task's entry of `stand_ins` there; `limits` the
    stand-in's cells in the limit of much data (benchmarks/maven_stand_in.py).
    """
    baseline = GOLD_ALONE.name
    cells = {name: row for name, row in printed["tasks"][task].items() if name != "source"}
    ours = relative_bias(results, list(cells), metrics, baseline).set_index(["method", "metric"])
    sets = {} if stand_in is None else stand_in["cells"]
    suspects = {} if stand_in is None else stand_in.get("suspects", {})
    rows = []
    for method, line in cells.items():
        for metric, (value, error, bold), gold in zip(metrics, line, cells[baseline], strict=True):
            sets_it = metric in sets.get(method, ())
            words, judged = [with_error(value, error), "not made here"], Judgement("", "")
            if (method, metric) in ours.index:
                own = ours.loc[(method, metric)]
                own_error = own["baseline_se" if method == baseline else "paired_se"]
                made = with_error(own["relative"], own_error) + " *" * bool(own["within"])
                words = [words[0] + " *" * bold, made]
                if method != baseline and not sets_it:
                    # Ours is a ratio, whose error counts the baseline's as well; so does that of
                    # the printed cell, whose own leaves it out.
                    printed_error = np.hypot(error, value * gold[1] / gold[0])
                    joint = float(np.hypot(own["paired_se"], printed_error))
                    cell = cells_of(
                        "", [""], [own["relative"]], [joint],
                        replicates=[own["replicates"]], fixed=printed_error,
                    )  # fmt: skip
                    judged = within(cell, MARGIN, value)
            reason = suspects.get(method, NO_CAUSE) if judged.verdict == FAILS else ""
            role = "set" if sets_it else "tests it"
            if sets_it and limits is not None:
                own_limit = (limits["method"] == method) & (limits["metric"] == metric)
                (limit,) = limits[own_limit]["cell"].abs()
                met = "met" if abs(limit - value) <= MARGIN else "not met"
                role = f"set, {met} in the limit: {limit:.2f}"
            row = [method, metric, *words, judged.verdict, judged.replicates, reason]
            rows.append(row if stand_in is None else [*row, role])
    return rows


def table_3(
    results: pd.DataFrame, printed: Mapping[str, Any], task: str,
    stand_in: Mapping[str, Any] | None = None, limits: pd.DataFrame | None = None,
) -> str:  # fmt: skip
    """The table of `table_3_rows`, over all printed columns."""
    rows = table_3_rows(results, printed, task, printed["columns"], stand_in, limits)
    head = ["method", "metric", "printed", "ours", "verdict", "replicates", "reason"]
    return markdown_table([*head, *(["stand-in"] if stand_in is not None else [])], rows)
