"""What some of MAVEN's claims are about: cells that no common quantity gives (`claims.yaml`)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crowdgold.documents.cells import Cells, Tables, cells_of
from crowdgold.documents.markdown import with_error
from crowdgold.studies.maven.labelling_savings import Study, study_labelling
from crowdgold.studies.maven.score_curves import curve_distances

SLOW = ("DS+S", "H-AI")
"""Methods whose likelihood has a term for each item's scores."""
CENTRAL_95 = 3.92
"""Standard deviations between the ends of a normal distribution's central 95 %."""
FEWEST = 40
"""Data sets below which a mean has no normal error."""


def distances_beyond_maven(tables: Tables) -> Cells:
    """How much farther others' precision-recall curves are from the true ones than MAVEN's."""
    found = curve_distances(tables["maven_fig7"], tables["maven_fig7_exact"], ["shape"])
    texts, rows = [], []
    for shape, own in found.groupby("shape", sort=False):
        known = {
            row["method"]: (float(row["distance"]), float(row["distance_se"]), row["replicates"])
            for row in own.to_dict("records")
        }
        mean, error, _ = known["MAVEN"]
        others = [name for name in SLOW if name in known]
        shown = [f"{name} {with_error(*known[name][:2])}" for name in ("MAVEN", *others)]
        texts.append(f"{shape}: {', '.join(shown)}")
        for name in others:
            far, its, size = known[name]
            rows.append((f"{name} on {shape}", far - mean, float(np.hypot(its, error)), size))
    names, values, errors, sizes = zip(*rows, strict=True)
    title = f"distance to the true curve, {'; '.join(texts)}"
    return cells_of(title, names, values, errors, None, sizes)


def exponents(tables: Tables, methods: Sequence[str]) -> Cells:
    """The power of n that each method's run time grows with, by least squares over its runs."""
    table = tables["model_scaling"]
    runs = table[table["method"].isin(methods)].groupby("method", sort=False)
    found, degrees = runs[["exponent", "exponent_se"]].first(), runs.size() - 2
    values, errors = found["exponent"], found["exponent_se"]
    return cells_of("power of n", found.index.tolist(), values, errors, degrees=degrees)


def times_beyond_maven(tables: Tables) -> Cells:
    """The seconds that others that see scores take more than MAVEN, at the largest n of both."""
    table = tables["model_scaling"]
    reached = set(table.loc[table["method"] == "MAVEN", "n"])
    largest = int(max(reached & set(table.loc[table["method"].isin(SLOW), "n"])))
    found = table[table["n"] == largest].groupby("method")["inference"]
    seconds, sizes = found.mean(), found.size()
    slow = [name for name in SLOW if name in seconds]
    shown = ", ".join(f"{name} {seconds[name]:.1f} s" for name in ("MAVEN", *slow))
    # Of a single run the error is not known.
    error, its = found.sem()[slow].to_numpy(), float(found.sem()["MAVEN"])
    return cells_of(
        f"at n = {largest:,} {shown}",
        slow,
        seconds[slow] - seconds["MAVEN"],
        np.hypot(error, its),
        None,
        np.minimum(sizes[slow], sizes["MAVEN"]),
    )


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
    title = f"largest difference of mean log odds, {text}"
    sizes = np.minimum(large["datasets_rank"], large["datasets_score"])
    return cells_of(title, names, large["difference"], error, None, sizes)


def savings(tables: Tables, options: Mapping[str, Any], aim: str) -> Cells:
    """The share of labelling that equal widths save at the paper's n and the price it implies.

    Args:
        tables: the table `labelling_efficiency`.
        options: those of the figure, which are the attributes of `labelling_savings.Study`.
        aim: what the intervals are about, `items` or `population`.
    """
    asked = Study(**options)
    price = asked.costs.ratio_for(asked.n, asked.n_gold, asked.saving)
    study = replace(asked, cost_ratios=[price])
    _, rows = study_labelling(tables["labelling_efficiency"], study)
    found = rows[(rows["part"] == "saving") & (rows["where"] == "paper") & (rows["aim"] == aim)]
    if found.empty:
        title = (
            f"intervals about the {aim} not as narrow as all gold labels alone at this n: saving"
        )
        return cells_of(title, [""], [0.0], [np.nan])
    (row,) = found.to_dict("records")
    title = (
        f"intervals about the {aim} at a price of {price:.1f} votes for a gold label: "
        f"{with_error(row['n_gold'], row['n_gold_se'])} gold labels, saving"
    )
    return cells_of(title, [""], [row["value"]], [row["value_se"]], degrees=row["degrees"])
