"""Table 3 of the MAVEN paper, each cell against ours.

The cause of MAVEN-C's bias (docs/coverage.md): one suspect removed at a time.

The tables that hold nested fits against the exact cut, and MAVEN against gold labels alone.

Two models compared by labels that are shared, or not (docs/coverage.md).

What some of MAVEN's claims are about: cells that no common quantity gives (`claims.yaml`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

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
from crowdgold.papers.maven.labelling_savings import Study, study_labelling
from crowdgold.papers.maven.relative_bias import relative_bias
from crowdgold.types.parameters import LEVEL

__all__ = ["METRIC"]
"""What the page calls by this module's name and others make."""

SUBJECT = CALIBRATED.name
PROCESSES = {"Algorithm 1": "MAVEN's process", "Algorithm 2": "IRT"}
"""How MAVEN's paper names a generator -> its name on all pages."""
JUDGED = ("AUC", "precision")
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

Change = tuple[float, float]


def _errors(table: pd.DataFrame, metric: str, version: str) -> pd.Series:
    """The errors of a version by replicate."""
    named = table["metric"].str.partition("@")[0] == metric
    rows = table[named & (table["version"] == version)].set_index("replicate")
    return rows["estimate"] - rows["truth"]


def _mean(values: pd.Series) -> Change:
    known = values.dropna()
    return float(known.mean()), float(known.std(ddof=1) / np.sqrt(len(known)))


def _change(table: pd.DataFrame, version: str, metric: str) -> Change:
    """The mean change of the error that a version makes on the same data, and its error."""
    return _mean(_errors(table, metric, version) - _errors(table, metric, SUBJECT))


def _takes_away(bias: Change, change: Change) -> bool:
    """Say whether a change, or what is left, is clear and of the other sign than the bias."""
    return abs(change[0]) > CLEAR * change[1] and change[0] * bias[0] < 0


def changes(tables: Mapping[str, pd.DataFrame]) -> str:
    """The table of the change that removing each suspect makes, in each setting."""
    rows = []
    for name, table in tables.items():
        for version in dict.fromkeys(table["version"]):
            if version.startswith(SUBJECT) and version != SUBJECT:
                found = [with_error(*_change(table, version, metric)) for metric in JUDGED]
                rows.append([name, version, *found])
    return markdown_table(["setting", "version", *JUDGED], rows)


def conclusion(tables: Mapping[str, pd.DataFrame]) -> str:
    """Which suspects' removal clearly takes from the bias, in how many settings, as lists."""
    guilty, cleared = [], []
    for version, why in SUSPECTS.items():
        cases = [
            (_mean(_errors(table, metric, SUBJECT)), _change(table, version, metric),
             _mean(_errors(table, metric, version)))
            for table in tables.values()
            if version in set(table["version"])
            for metric in JUDGED
        ]  # fmt: skip
        judged = [_takes_away(bias, change) for bias, change, _ in cases]
        beyond = sum(_takes_away(bias, left) for bias, _, left in cases)
        if any(judged):
            other_way = f", with a clear bias the other way in {beyond}" if beyond else ""
            removed = f"removed in `{version}`: {sum(judged)} of {len(judged)}{other_way}"
            guilty.append(f"- {why}. *It is {removed}.*")
        elif judged:
            cleared.append(f"- {why} (`{version}`: none of {len(judged)}).")
    said = [
        "What clearly takes from the bias when it is removed, by two standard errors of the change "
        f"on the same data (counted over settings, {' and '.join(JUDGED)}):",
        "\n".join(guilty) or "- nothing.",
        *(["What does not:", "\n".join(cleared)] if cleared else []),
    ]
    return "\n\n".join(said)


def by_setting(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Setting, in words -> its rows.

    Args:
        table: rows of `maven.bias_causes`, of all experiments.
    """
    return {
        f"{_named(str(world))}, {own['replicate'].nunique()} studies": own
        for (_, world), own in table.groupby(["experiment", "world"], sort=False)
    }


def _named(setting: str) -> str:
    process, comma, rest = setting.partition(",")
    return PROCESSES.get(process, process) + comma + rest


def gates(tables: Mapping[str, pd.DataFrame]) -> str:
    """How many fits failed their gate, in a sentence without its full stop."""
    fits = [own.drop_duplicates(["version", "replicate"]) for own in tables.values()]
    passed = [own["diagnostics_passed"].astype(bool) for own in fits]
    return gate_sentence(sum(int((~one).sum()) for one in passed), sum(map(len, passed)))


def biases(tables: Mapping[str, pd.DataFrame]) -> str:
    """The table of each version's bias in each setting, by metric."""
    plain = [
        name.partition("@")[0] for name in dict.fromkeys(next(iter(tables.values()))["metric"])
    ]
    rows = [
        [
            name,
            str(version),
            *(with_error(*_mean(_errors(own, metric, version))) for metric in plain),
        ]
        for name, own in tables.items()
        for version in dict.fromkeys(own["version"])
    ]
    return markdown_table(["setting", "version", *plain], rows)


NESTED, DIRECT = PUBLISHED.name, EXACT.name
SPREAD, SHIFT = 0.2, 0.25
"""Nested draws may spread so much less or more than exact ones, as a share, and their median may
lie so far off, in standard deviations, to pass for the same. The claim on footnote 5 has the same
margins (claims.yaml). A distance of distribution functions would not do: of 200 draws each two sets
of one distribution lie .08 apart, and a fifth less spread adds little to that."""


def _covers(rows: pd.DataFrame) -> pd.Series:
    """1 where an interval holds the truth, 0 where not; unknown where there is no interval."""
    held = (rows["lower"] <= rows["truth"]) & (rows["truth"] <= rows["upper"])
    return held.astype(float).where(rows[["lower", "upper", "truth"]].notna().all(axis=1))


def ratios(results: pd.DataFrame, times: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Error and width of nested fits over those of the exact cut, by setting and metric.

    Args:
        results: the long results table of an experiment with both.
        times: the seconds of every fit, of this experiment among others.

    Returns:
        `error_ratio` and `width_ratio` with standard errors that use the pairing, and `coverage`
        and median `seconds` of both.
    """
    table = compare(results, [axis], NESTED, DIRECT)
    own_times = times[times["experiment"].isin(results["experiment"])]
    for name, method in (("nested", NESTED), ("exact", DIRECT)):
        own = results[results["method"] == method]
        covered = own.assign(coverage=_covers(own)).groupby([axis, "metric"])["coverage"].mean()
        seconds = own_times[own_times["method"] == method].groupby(axis)["seconds"].median()
        table = table.merge(covered.rename(f"coverage_{name}"), on=[axis, "metric"])
        table = table.merge(seconds.rename(f"seconds_{name}"), on=axis)
    return table


def ratio_table(table: pd.DataFrame, axis: str, title: str) -> str:
    """`ratios` as Markdown; of a curve, the mean over its points, and that of their errors."""
    table = table.assign(metric=table["metric"].str.partition("@")[0])
    header = [title, "metric", "error", "width", "coverage, nested", "exact", "s, nested", "exact"]
    rows = []
    for (value, metric), own in table.groupby([axis, "metric"], sort=False):
        known = own.drop(columns=[axis, "metric"]).mean(numeric_only=True)
        rows.append([
            f"{value:g}" if isinstance(value, float) else str(value).replace("_", " "),
            str(metric),
            with_error(known["error_ratio"], known["error_ratio_se"]),
            with_error(known["width_ratio"], known["width_ratio_se"]),
            *(f"{known[f'coverage_{name}']:.2f}" for name in ("nested", "exact")),
            *(f"{known[f'seconds_{name}']:.1f}" for name in ("nested", "exact")),
        ])  # fmt: skip
    return markdown_table(header, rows)


def _named_nested_and_exact(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value).replace("_", " ")


def by_length(table: pd.DataFrame, axis: str, title: str, column: str = "distance") -> str:
    """Distance of nested fits from the exact cut by their length, and of two exact cuts.

    Args:
        table: what the check nested_lengths gives.
        title: its name.
        column: `distance`, or `spread`, their standard deviations over the exact cut's.
    """
    keys = [axis, "quantity"]
    mean = table.groupby([*keys, "length"], sort=False)[column].mean().to_dict()
    lengths = sorted(set(table["length"]) - {EXACT_AGAIN})
    header = [title, "of", *(f"b = {length}" for length in lengths), "exact, again"]
    rows = [
        [_named_nested_and_exact(value), quantity,
         *(f"{mean[value, quantity, length]:.3f}" for length in (*lengths, EXACT_AGAIN))]
        for value, quantity in table[keys].drop_duplicates().itertuples(index=False)
    ]  # fmt: skip
    return markdown_table(header, rows)


def shapes(table: pd.DataFrame, axis: str, title: str) -> str:
    """Modes of the draws and the share of them in tails, by setting: of nested fits as printed, of
    the longest, and exact.

    Args:
        table: what the check nested_lengths gives.
        title: its name.
    """
    lengths = [PRINTED, int(table["length"].max())]
    names = [*(f"b = {length}" for length in lengths), "exact"]
    header = [title, "of", *(f"{what}, {one}" for what in ("modes", "in tails") for one in names)]
    rows = []
    for (value, quantity), group in table.groupby([axis, "quantity"], sort=False):
        own = [group[group["length"] == length] for length in lengths]
        tails = [*(one["far"] for one in own), own[0]["exact_far"]]
        rows.append([
            _named_nested_and_exact(value), str(quantity),
            *(f"{one['modes'].mean():.1f}" for one in own), f"{own[0]['exact_modes'].mean():.1f}",
            *(with_error(float(one.mean()), standard_error(one.to_numpy())) for one in tails),
        ])  # fmt: skip
    return markdown_table(header, rows)


@dataclass(frozen=True)
class Comparison:
    """How nested fits of b iterations compare with the exact cut, in one setting.

    Attributes:
        words: the setting and the quantity.
        spread: mean over studies of the ratio of standard deviations, nested over exact, and half
            the width of its 95 % interval, by Student's t; infinite with one study.
        shift: the same of the shift of the median, in standard deviations.
    """

    words: str
    spread: tuple[float, float]
    shift: tuple[float, float]

    @property
    def _off(self) -> tuple[tuple[float, float, float], ...]:
        """How far each is off, its reach, and its margin."""
        (spread, reach), (shift, of_shift) = self.spread, self.shift
        return (abs(spread - 1), reach, SPREAD), (abs(shift), of_shift, SHIFT)

    @property
    def same(self) -> bool:
        """Whether both whole intervals lie within the margins."""
        return all(off + reach <= margin for off, reach, margin in self._off)

    @property
    def parted(self) -> bool:
        """Whether a whole interval lies beyond its margin."""
        return any(off - reach > margin for off, reach, margin in self._off)

    @property
    def differs(self) -> bool:
        """Whether the interval of the spread leaves out 1, however little it is off."""
        (off, reach, _), _ = self._off
        return off > reach

    def __str__(self) -> str:
        spread, shift = ("{:.2f} ± {:.2f}".format(*one) for one in (self.spread, self.shift))
        return f"{self.words}: spread {spread} of the exact cut's, shift {shift}"


def _with_reach(values: np.ndarray) -> tuple[float, float]:
    """A mean, and half the width of its 95 % interval."""
    size = len(values)
    reach = standard_error(values) * stdtrit(size - 1, 0.975) if size > 1 else np.inf
    return float(values.mean()), float(reach)


def comparisons(
    tables: Mapping[str, pd.DataFrame], axes: Mapping[str, str], length: int = PRINTED
) -> list[Comparison]:
    """Those of every setting and quantity.

    Args:
        tables: experiment -> what the check nested_lengths gives.
        axes: experiment -> the column that varies.
        length: iterations of the nested fits.
    """
    found = []
    for name in (one for one in axes if one in tables):
        axis, table = axes[name], tables[name]
        own = table[table["length"] == length]
        for (value, quantity), rows in own.groupby([axis, "quantity"], sort=False):
            words = f"{axis.removeprefix('study.').replace('_', ' ')} {value}, {quantity}"
            both = [_with_reach(rows[column].to_numpy(float)) for column in ("spread", "shift")]
            found.append(Comparison(words, *both))
    return found


def longest(tables: Mapping[str, pd.DataFrame], axes: Mapping[str, str]) -> int:
    """The most iterations that every experiment has; 0 where none has more than are printed."""
    most = min((int(tables[one]["length"].max()) for one in axes if one in tables), default=0)
    return most if most > PRINTED else 0


def beyond_chance(table: pd.DataFrame) -> str:
    """How many ratios of error and of width differ from 1, and coverage of both ways, in words.

    Args:
        table: `ratios`.
    """
    told = []
    for name in ("error", "width"):
        ratio, error = table[f"{name}_ratio"], table[f"{name}_ratio_se"]
        reach = error * stdtrit(table["replicates"] - 1, 0.975)
        told.append(f"{int(((ratio - 1).abs() > reach).sum())} of {len(table)} ratios of {name}")
    nested, exact = table["coverage_nested"].mean(), table["coverage_exact"].mean()
    return (
        f"{told[0]} and {told[1]} differ from 1 by more than their 95 % intervals; by chance one "
        f"in 20 would. Over all settings and metrics nested intervals contain the truth in "
        f"{100 * nested:.0f} % of cases and those of the exact cut in {100 * exact:.0f} %."
    )


AXIS = "gold_fraction"
LABELS = {
    "error": "Mean absolute error",
    "width": "Width of the interval",
    "finite": "Width of the interval about these items",
}


def gain(results: pd.DataFrame) -> dict[str, float]:
    """MAVEN over GT: the `narrowest` and `widest` width, and the mean `error`, over all settings.

    Args:
        results: as for `ratio_tables`.
    """
    table = compare(results, [AXIS], PUBLISHED.name, GOLD_ALONE.name)
    width, error = table["width_ratio"], table["error_ratio"]
    return {"narrowest": width.min(), "widest": width.max(), "error": error.mean()}


def ratio_tables(results: pd.DataFrame) -> dict[str, str]:
    """Title -> ratios of error and width, MAVEN over GT, by metric and share of gold labels.

    Args:
        results: the long results table of an experiment.
    """
    table = compare(results, [AXIS], PUBLISHED.name, GOLD_ALONE.name)
    finite = (1 - table[AXIS]) ** 0.5
    table = table.assign(
        finite_ratio=table["width_ratio"] / finite,
        finite_ratio_se=table["width_ratio_se"] / finite,
    )
    return {
        label: pivot(table, f"{name}_ratio", f"{name}_ratio_se", AXIS, "metric")
        for name, label in LABELS.items()
    }


BASELINE_SHARED_LABELS = "independent"


def gates_of_labels(table: pd.DataFrame) -> str:
    """How many fits failed their gate, in a sentence without its full stop."""
    fits = table.drop_duplicates(["score_likelihood", "replicate"])
    return gate_sentence(int((~fits["diagnostics_passed"].astype(bool)).sum()), len(fits))


def by_way(table: pd.DataFrame) -> str:
    """The table of width, bias and coverage of a difference by each way of imputing labels.

    Args:
        table: rows of `maven.shared_labels`, of all score likelihoods.
    """
    rows = []
    for likelihood, group in table.groupby("score_likelihood", sort=False):
        wide = group.assign(width=group["upper"] - group["lower"])
        widths = wide.pivot_table(index="replicate", columns="labels", values="width")
        for way, own in group.groupby("labels", sort=False):
            error = own["estimate"] - own["truth"]
            inside = (own["lower"] <= own["truth"]) & (own["truth"] <= own["upper"])
            ratio = widths[way] / widths[BASELINE_SHARED_LABELS]
            size = len(own)
            rows.append(
                [
                    str(likelihood),
                    str(way),
                    with_error(ratio.mean(), ratio.std(ddof=1) / np.sqrt(size)),
                    with_error(error.mean(), error.std(ddof=1) / np.sqrt(size)),
                    with_error(inside.mean(), share_error(float(inside.mean()), size)),
                ]
            )
    head = ["score likelihood", "labels", f"width / {BASELINE_SHARED_LABELS}", "bias", "coverage"]
    return markdown_table(head, rows)


SLOW = ("DS+S", "H-AI")
"""Methods whose likelihood has a term for each item's scores."""
CENTRAL_95 = 3.92
"""Standard deviations between the ends of a normal distribution's central 95 %."""
FEWEST = 40
"""Data sets below which a mean has no normal error."""


def _curves(tables: Tables) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """What distances between precision-recall curves are of."""
    return tables["maven_fig7"], tables["maven_fig7_exact"], ["shape"]


def curves_by_replicate(tables: Tables) -> pd.DataFrame:
    """How far each method's precision-recall curve is from the items' own, by replicate."""
    return distances_by_replicate(*_curves(tables))


def curves_beside_gold(tables: Tables) -> pd.DataFrame:
    """The same over all replicates, beside the curve of gold labels alone."""
    return curve_distances(*_curves(tables))


def exponents(tables: Tables, methods: Sequence[str]) -> Cells:
    """The power of n that each method's run time grows with, by least squares over its runs."""
    table = tables["model_scaling"]
    texts, rows = [], []
    for name in methods:
        own = table[table["method"] == name]
        if own["n"].nunique() < 2:
            texts.append(f"{name} not timed")
            rows.append((f"{name}, not timed", 0.0, np.nan, np.nan))
            continue
        power, error = (float(own[column].iloc[0]) for column in ("exponent", "exponent_se"))
        texts.append(f"{name} {with_error(power, error)}")
        rows.append((name, power, error, len(own) - 2.0))
    names, values, errors, degrees = zip(*rows, strict=True)
    return cells_of(f"power of n: {', '.join(texts)}", names, values, errors, degrees=degrees)


def times_beyond_maven(tables: Tables, every: bool = False) -> Cells:
    """The seconds that others that see scores take more than MAVEN, at the largest n of both.

    The title says at which smaller n they take less. Of a single run the error is not known.

    Args:
        every: at each n instead.
    """
    table = tables["model_scaling"]
    runs = table.groupby(["method", "n"])["inference"].agg(["mean", "sem", "size"])
    texts, rows = [], []
    for name in SLOW:
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
    table = table.assign(
        mean_se=(table["upper"] - table["lower"]) / CENTRAL_95 / np.sqrt(table["datasets"])
    )
    keys = ["n", "percentile", "votes_positive"]
    sides = [table[table["source"] == name] for name in ("rank", "score")]
    both = sides[0].merge(sides[1], on=keys, suffixes=("_rank", "_score"))
    both = both[both["datasets_score"] >= FEWEST]
    both = both.assign(difference=both["mean_rank"] - both["mean_score"])
    worst = both["difference"].abs().groupby(both["n"]).max()
    text = ", ".join(f"n = {n:,}: {value:.3f}" for n, value in worst.items())
    large = both[both["n"] >= least]
    names = [
        f"n = {row['n']:,}, percentile {row['percentile']:g}, {row['votes_positive']} votes"
        for row in large.to_dict("records")
    ]
    error = np.hypot(large["mean_se_rank"], large["mean_se_score"])
    title = f"largest difference of mean log odds, of {FEWEST} data sets or more, {text}"
    sizes = np.minimum(large["datasets_rank"], large["datasets_score"])
    return cells_of(title, names, large["difference"], error, None, sizes)


def _stretch(table: pd.DataFrame, method: str) -> tuple[pd.DataFrame, float]:
    """The table with a method's intervals as many times as wide as makes them hold the truth.

    So many of all of them do as their level says; the number is the second value.
    """
    own = table["method"] == method
    error = table["truth"] - table["estimate"]
    above, below = table["upper"] - table["estimate"], table["estimate"] - table["lower"]
    times = float((error.abs() / above.where(error > 0, below))[own].quantile(LEVEL))
    wider = pd.Series(np.where(own, times, 1.0), index=table.index)
    ends = {"lower": table["estimate"] - wider * below, "upper": table["estimate"] + wider * above}
    return table.assign(**ends), times


def savings(tables: Tables, options: Mapping[str, Any], aim: str, covering: bool = False) -> Cells:
    """The share of labelling that equal widths save at the paper's n and the price it implies.

    Args:
        tables: the table `labelling_efficiency`.
        options: those of the figure, which are the attributes of `labelling_savings.Study`.
        aim: what the intervals are about, `items` or `population`.
        covering: whether MAVEN's intervals are stretched until they hold the truth.
    """
    table, times = tables["labelling_efficiency"], 1.0
    if covering:
        table, times = _stretch(table, "MAVEN")
    asked = Study(**options)
    price = asked.costs.ratio_for(asked.n, asked.n_gold, asked.saving)
    study = replace(asked, cost_ratios=[price])
    _, rows = study_labelling(table, study)
    found = rows[(rows["part"] == "saving") & (rows["where"] == "paper") & (rows["aim"] == aim)]
    if found.empty:
        title = (
            f"intervals about the {aim} not as narrow as all gold labels alone at this n: saving"
        )
        return cells_of(title, [""], [0.0], [np.nan])
    (row,) = found.to_dict("records")
    said = f"{times:.1f} times as wide " if covering else ""
    title = (
        f"intervals {said}about the {aim} at a price of {price:.1f} votes for a gold label: "
        f"{with_error(row['n_gold'], row['n_gold_se'])} gold labels, saving"
    )
    return cells_of(title, [""], [row["value"]], [row["value_se"]], degrees=row["degrees"])


MARGIN = 0.5
"""Of a relative bias: half of gold's own error more or less counts as the printed number."""
BASELINE = "GT"

TESTS = "tests it"
"""What a cell of a private task's table is to its stand-in, where it did not set it."""

Printed = Sequence[Any]
"""A printed cell: its value, its standard error, and whether it is bold."""


def table_3_rows(
    results: pd.DataFrame,
    printed: Mapping[str, Any],
    task: str,
    metrics: Sequence[str],
    stand_in: Mapping[str, Any] | None = None,
    limits: pd.DataFrame | None = None,
) -> list[list[str]]:
    """Hold each cell of table 3 against ours: method, metric, printed, ours, verdict, replicates,
    reason; and whether it set the stand-in or tests it, where the task has one. There is no verdict
    on the baseline's own cells, which are 1 by what they are, nor on those that set the stand-in.

    Args:
        printed: `table_3` of config/printed/maven.yaml.
        task: the task, as printed.
        metrics: its columns.
        stand_in: the task's entry of `stand_ins` there.
        limits: the stand-in's cells in the limit of much data (benchmarks/maven_stand_in.py).
    """
    cells = {name: row for name, row in printed["tasks"][task].items() if name != "source"}
    ours = relative_bias(results, list(cells), metrics, BASELINE).set_index(["method", "metric"])
    sets = {} if stand_in is None else stand_in["cells"]
    suspects = {} if stand_in is None else stand_in.get("suspects", {})
    rows = []
    for method, row in cells.items():
        for metric, cell, gold in zip(metrics, row, cells[BASELINE], strict=True):
            found = ours.loc[(method, metric)] if (method, metric) in ours.index else None
            set_it = metric in sets.get(method, ())
            told = Judgement("", "")
            if found is not None and method != BASELINE and not set_it:
                told = _judged(cell, gold, found)
            reason = suspects.get(method, NO_CAUSE) if told.verdict == FAILS else ""
            role = _limit(limits, method, metric, cell) if set_it else TESTS
            rows.append(
                [
                    method,
                    metric,
                    *_numbers(method, cell, found),
                    told.verdict,
                    told.replicates,
                    reason,
                ]
                + [role] * (stand_in is not None)
            )
    return rows


def _numbers(method: str, cell: Printed, found: pd.Series | None) -> list[str]:
    """A printed cell and ours, with stars; the error of ours is the ratio's, or the baseline's."""
    value, error, bold = cell
    if found is None:
        return [with_error(value, error), "not made here"]
    ours = with_error(
        found["relative"], found["baseline_se" if method == BASELINE else "paired_se"]
    )
    return [with_error(value, error) + " *" * bold, ours + " *" * bool(found["within"])]


def _judged(cell: Printed, gold: Printed, found: pd.Series) -> Judgement:
    """The judgement on a printed cell. Ours is a ratio, whose error counts the baseline's as well;
    so does that of the printed cell, whose own leaves it out.

    Args:
        cell, gold: the printed cell and the baseline's.
        found: ours (`relative_bias`).
    """
    value, error, _ = cell
    printed_error = np.hypot(error, value * gold[1] / gold[0])
    joint = float(np.hypot(found["paired_se"], printed_error))
    cells = cells_of(
        "", [""], [found["relative"]], [joint], None, [found["replicates"]], fixed=printed_error
    )
    return within(cells, MARGIN, value)


def _limit(limits: pd.DataFrame | None, method: str, metric: str, cell: Printed) -> str:
    """Whether a cell that set the stand-in is met in the limit of much data, and what it is."""
    if limits is None:
        return "set"
    (found,) = limits[(limits["method"] == method) & (limits["metric"] == metric)]["cell"].abs()
    met = "met" if abs(found - cell[0]) <= MARGIN else "not met"
    return f"set, {met} in the limit: {found:.2f}"


def table_3(
    results: pd.DataFrame,
    printed: Mapping[str, Any],
    task: str,
    stand_in: Mapping[str, Any] | None = None,
    limits: pd.DataFrame | None = None,
) -> str:
    """The table of `table_3_rows`, over all printed columns."""
    rows = table_3_rows(results, printed, task, printed["columns"], stand_in, limits)
    head = ["method", "metric", "printed", "ours", "verdict", "replicates", "reason"]
    return markdown_table([*head, *(["stand-in"] if stand_in is not None else [])], rows)
