"""What some of MAVEN's claims are about: cells that no common quantity gives (`claims.yaml`)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.declared import LEVEL
from crowdgold.documents.cells import Cells, Tables, cells_of
from crowdgold.documents.markdown import with_error
from crowdgold.studies.maven.labelling_savings import Study, study_labelling
from crowdgold.studies.maven.score_curves import curve_distances, distances_by_replicate

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
