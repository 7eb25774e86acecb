"""What some of STABLEVAL's claims are about: tables and cells that no quantity gives."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.cells import Cells, Tables, cells_of, choose, only
from crowdgold.documents.markdown import with_error
from crowdgold.documents.verdicts import FAILS, HOLDS, Judgement
from crowdgold.studies.stableval import agent_tables
from crowdgold.studies.stableval.pages.printed_cells import PEC, both_runs, scores
from crowdgold.studies.stableval.pages.synthetic_tables import CONFIGURATION, OWN, PUBLISHED, STUDY
from crowdgold.studies.stableval.ranking_recovery import recovery


def score_changes(tables: Tables) -> Cells:
    """The largest change of a PEC score on each data set where the EM runs until it converged."""
    changes = {
        title: float((scores(published, PEC) - scores(converged, PEC)).abs().max())
        for title, published, converged in both_runs(tables)
    }
    title = "largest change of a score where the EM runs on until it has converged"
    return cells_of(title, list(changes), list(changes.values()))


def lead(tables: Tables, best: str, draws: int) -> Cells:
    """How much larger a method's expected tau-b is than that of each other.

    Args:
        best: the method.
        draws: subsets of annotators that each is over.
    """
    frame = agent_tables.stability(only(tables))
    tau, error = frame["stability"], frame["stability_se"]
    text = ", ".join(f"{name} {with_error(tau[name], error[name])}" for name in frame.index)
    others = tau.index.drop(best)
    # Each method is fitted to subsets of its own, so that errors are independent.
    apart = np.hypot(error[others], error[best])
    names = [f"{best} less {name}" for name in others]
    return cells_of(text, names, tau[best] - tau[others], apart, None, draws)


def one_exchange(tables: Tables, mapping: str, agents: list[str]) -> Judgement:
    """Whether these agents change places under a mapping of ties, and no others under any."""
    _, ranked = agent_tables.mappings(only(tables))
    moved = ranked.ne(ranked["baseline"], axis=0)
    changed = {str(name): list(moved.index[moved[name]]) for name in moved if moved[name].any()}
    text = "; ".join(f"{name}: {', '.join(map(str, own))}" for name, own in changed.items())
    alone = list(changed) == [mapping] and set(changed[mapping]) == set(agents)
    return Judgement(text or "none", HOLDS if alone else FAILS, "", "exact")


def recovered(tables: Tables, study: str = "") -> pd.DataFrame:
    """How well scores recover the true ranking in each replicate of each configuration.

    Args:
        study: whose table is meant; without it there is one.
    """
    return recovery(tables[study] if study else only(tables), ["configuration"])


def caption(
    tables: Tables, said: Mapping[str, Mapping[str, float]], seeds: int, quantity: str = "mse"
) -> Cells:
    """Means of a quantity less what a caption says of them: configuration -> method -> value.

    The first of the tables is meant. Of all the published seeds they are exact; of some of them
    their error is not known.
    """
    rows = recovered(tables, next(iter(tables)))
    means = rows.groupby(["configuration", "method"])[quantity].mean()
    keys = [(name, method) for name, row in said.items() for method in row]
    ours = [float(means[key]) for key in keys]
    text = ", ".join(f"{key[1]} {one:.5f}" for key, one in zip(keys, ours, strict=True))
    names = [f"{method} ({name})" for name, method in keys]
    less = [one - said[name][method] for one, (name, method) in zip(ours, keys, strict=True)]
    return _of_seeds(text, names, less, rows, seeds)


def _of_seeds(
    title: str, names: list[str], values: list[float], rows: pd.DataFrame, seeds: int
) -> Cells:
    """Cells of means over the published seeds: exact where all are there, else not known."""
    size = rows["replicate"].nunique()
    errors = None if size == seeds else [np.nan] * len(values)
    return cells_of(title, names, values, errors, None, np.nan if size == seeds else size)


def accuracies(
    tables: Tables, where: Mapping[str, Any], seeds: int = 0, less: Mapping[str, Any] | None = None
) -> Cells:
    """Mean ranking accuracy by configuration and method, less that of one of them where it is so.

    Args:
        where: which are meant (`choose`).
        seeds: of the published labels, of all of which means are exact; 0 for our own draws.
        less: the one.
    """
    rows = recovery(tables[STUDY[PUBLISHED if seeds else OWN]], [CONFIGURATION])
    keys, quantity = [CONFIGURATION, "method"], "ranking_accuracy"
    found = choose(rows, where).groupby(keys, sort=False)[quantity].agg(["mean", "sem"])
    values, errors = found["mean"].to_numpy(), found["sem"].to_numpy()
    if less:
        base = choose(rows, less)[quantity]
        values, errors = values - base.mean(), np.hypot(errors, np.asarray(base.sem()))
    names = [f"{method} {configuration}" for configuration, method in found.index]
    title = "on the published labels" if seeds else "on our own draws"
    if seeds:
        return _of_seeds(title, names, list(values), rows, seeds)
    return cells_of(title, names, values, errors, None, rows["replicate"].nunique())


def hours(tables: Tables) -> Cells:
    """The hours that all fits of the study take, one after the other."""
    spent = only(tables)["seconds"].sum() / 3600
    return cells_of("hours of all fits, one after the other", [""], [spent])


def nearer_to_narrow(tables: Tables, said: float) -> Cells:
    """How much nearer the MSE of the narrow qualities is to a caption's than that of the wide."""
    means = recovered(tables).groupby(["configuration", "method"])["mse"].mean()
    narrow, wide = means["gaps_tight", "DS"], means["gaps_wide", "DS"]
    title = (
        f"MSE of DS {narrow:.5f} for qualities .75 to .50, {wide:.5f} for .85 to .20; the caption "
        f"gives {said} to the latter"
    )
    return cells_of(title, [""], [abs(wide - said) - abs(narrow - said)])


def table_5(
    tables: Tables, block: Mapping[str, Any], methods: list[str], seeds: int
) -> pd.DataFrame:
    """What is printed of table 5: `mean` and `se` by configuration and method, over the seeds."""
    rows = [
        [name, *one]
        for name, means in block["rows"].items()
        for one in zip(methods, means, block["standard_errors"][name], strict=True)
    ]
    found = pd.DataFrame(rows, columns=["configuration", "method", "mean", "se"])
    return found.assign(replicates=seeds)


def settings_named(tables: Tables) -> pd.DataFrame:
    """A table of intervals, with the name of its `setting` and whether each is `inside`."""
    table = only(tables)
    found = table.assign(inside=table["truth"].between(table["lower"], table["upper"]) * 1.0)
    if "copying" in table:
        copied = table["copying"].map("{:.0%} copied".format)
        found["setting"] = table["difficulty"] + " difficulty, " + copied
    return found
