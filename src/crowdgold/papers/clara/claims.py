"""Tables and cells for CLARA's claims that no common quantity gives, and the mean cost and accuracy
of labelling policies (CLARA, section 4.3).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.claims.cells import Cells, Tables, cells_of, choose, only, with_error
from crowdgold.experiment.summaries import share_error, standard_error, summarise
from crowdgold.methods.clara import PUBLISHED
from crowdgold.planning.labelling import CLARA as POLICY
from crowdgold.planning.labelling import RANDOM, items_of_class

SHARE = "share_of_labels"
SETTING = "threshold_or_share"  # of confidence, or of items at random, by policy
TRUTH = "prevalence_truth"


def policy_curves(table: pd.DataFrame) -> pd.DataFrame:
    """The means over replicates of `share_of_labels`, `accuracy` and `prevalence_error` (estimate
    less truth), a row for each policy and setting.

    Columns `_se` are standard errors over replicates; with a single one that of the accuracy is
    over items, the others NaN. A row of `table`: a policy, threshold or share, and replicate.
    """
    needed = (
        "policy", SETTING, SHARE, "accuracy", "prevalence_estimate", TRUTH, "replicate", "items",
    )  # fmt: skip
    missing = [name for name in needed if name not in table]
    if missing:
        raise ValueError(f"the table of the policies has no columns {missing}")
    rows = table.assign(prevalence_error=table["prevalence_estimate"] - table[TRUTH])
    curves = []
    for (policy, setting), group in rows.groupby(["policy", SETTING], sort=False, dropna=False):
        row = {"policy": policy, SETTING: setting, "replicates": len(group)}
        for name in (SHARE, "accuracy", "prevalence_error"):
            values = group[name].to_numpy(dtype=float)
            row |= {name: float(np.mean(values)), f"{name}_se": standard_error(values)}
        if len(group) == 1:
            (accuracy,), (items,) = group["accuracy"], group["items"]
            row["accuracy_se"] = share_error(float(accuracy), int(items))
        curves.append(row)
    return pd.DataFrame(curves)


def at_share(table: pd.DataFrame, policy: str, shares: pd.Series, value: str) -> pd.Series:
    """A policy's `value` at a share of the labels in each replicate (`shares`, by `replicate`): by
    a line between the two settings nearest to the share, NaN beyond them.

    Not on the curve of means: one threshold may use half of the labels in one replicate and none in
    the next, so that its mean accuracy belongs to no share.
    """
    values = {}
    for replicate, rows in table[table["policy"] == policy].groupby("replicate"):
        x, y = rows.sort_values(SHARE, kind="stable")[[SHARE, value]].to_numpy(dtype=float).T
        values[replicate] = np.interp(shares[replicate], x, y, left=np.nan, right=np.nan)
    return pd.Series(values, dtype=float)


CLARA = PUBLISHED.name
"""The paper's claims are about its own sampler."""


def all_replicates(tables: Tables) -> pd.DataFrame:
    """The rows of all tables as one experiment, which has the replicates of each of them."""
    rows = pd.concat(tables.values(), ignore_index=True)
    numbers = rows.groupby(["experiment", "replicate"], sort=False).ngroup()
    return rows.assign(experiment=rows["experiment"].iloc[0], replicate=numbers)


def rises_from_least(tables: Tables, method: str) -> Cells:
    """How much larger a method's bias is at both ends of the prevalences than at its least."""
    where = {"metric": "prevalence", "method": method, "tpr": "smallest"}
    rows = summarise(choose(only(tables), where), ["prevalence"]).sort_values("prevalence")
    if len(rows) < 3:
        return cells_of("fewer than three prevalences", [], [])
    size, error, ends = rows["bias"].abs().to_numpy(), rows["bias_se"].to_numpy(), [0, -1]
    least = 1 + int(np.argmin(size[1:-1]))
    names = [f"prevalence {at:g}" for at in rows["prevalence"].iloc[ends]]
    rise, joint = size[ends] - size[least], np.hypot(error[ends], error[least])
    return cells_of("", names, rise, joint, None, rows["replicates"].min())


def recovery(tables: Tables, printed: Mapping[str, Any]) -> pd.DataFrame:
    """CLARA's mean absolute error of reviewers' TPR and TNR in each setting.

    `items` are the expected ones of the class that a reviewer labelled; `error_se` is over
    `replicates` or, where there is one only, over its reviewers.
    """
    chosen = choose(only(tables), {"metric": ["TPR:each", "TNR:each"], "method": CLARA})
    keys, rows = ["metric", "n_reviewers", "prevalence"], []
    for _, group in chosen.groupby(keys, sort=False):
        name, reviewers, prevalence = (group[key].iloc[0] for key in keys)
        metric = name.partition(":")[0]
        off = (group["estimate"] - group["truth"]).abs().dropna()
        means = off.groupby(group["replicate"]).mean()
        n = float(group["n"].iloc[0]) if "n" in group else float(printed["items"])
        share = prevalence if metric == "TPR" else 1 - prevalence
        items = items_of_class(n, share, float(printed["quality"]), reviewers)
        over = means if len(means) > 1 else off
        error = standard_error(over.to_numpy())
        rows.append([metric, reviewers, prevalence, items, float(means.mean()), error, len(over)])
    columns = [*keys, "items", "error", "error_se", "replicates"]
    return pd.DataFrame(rows, columns=columns).sort_values("items", kind="stable")


def audited(tables: Tables) -> pd.DataFrame:
    """The rows of precision and recall, of any group, by these names."""
    table = only(tables)
    named = table.assign(metric=table["metric"].str.partition(":")[0])
    return named[named["metric"].isin(["precision", "recall"])]


def audit_gains(tables: Tables) -> pd.DataFrame:
    """How much smaller CLARA's errors are than majority votes', by the auditors' precision.

    Replicates are paired; the mean over the reviewers' precisions, whose data are independent.
    """
    rows = audited(tables)
    off = rows.assign(error=(rows["estimate"] - rows["truth"]).abs())
    keys = ["metric", "auditor_precision", "reviewer_precision"]
    error = off.pivot_table(index=[*keys, "replicate"], columns="method", values="error")
    gain = (error["MV"] - error[CLARA]).dropna().groupby(keys).agg(["mean", "sem", "size"])
    by_precision = gain.groupby(level=keys[:2]).agg(
        gain=("mean", "mean"),
        se=("sem", lambda se: np.sqrt((se**2).sum()) / len(se)),
        replicates=("size", "min"),
    )
    return by_precision.reset_index()


def by_day(tables: Tables) -> pd.DataFrame:
    """The rows of all tables, by its name in `table`, with each day, which are independent, as a
    replicate.
    """
    table = pd.concat([rows.assign(table=name) for name, rows in tables.items()])
    day = table["day"].astype(str) + " " + table["replicate"].astype(str)
    named = table.assign(replicate=day, metric=table["metric"].str.partition(":")[0])
    return named.reset_index(drop=True)


def _daily(table: pd.DataFrame, metric: str, column: str = "estimate") -> pd.DataFrame:
    """A column of a metric's rows, days in the index and methods in columns."""
    rows = table[table["metric"] == metric]
    return rows.pivot_table(index="day", columns="method", values=column)


def _mean(values: pd.Series) -> tuple[float, float]:
    return float(values.mean()), standard_error(values.to_numpy())


def beyond_interval(tables: Tables) -> Cells:
    """How far majority votes' prevalence is from CLARA's beyond half of CLARA's mean interval."""
    table = only(tables)
    daily = _daily(table, "prevalence")
    difference, error = _mean(daily["MV"] - daily[CLARA])
    width = table.assign(width=table["upper"] - table["lower"])
    half = float(_daily(width, "prevalence", "width")[CLARA].mean()) / 2
    beyond = abs(difference) - half
    title = (
        f"MV less CLARA {with_error(difference, error)}, mean over the days; CLARA's interval "
        f"reaches {half:.4f} to each side, so that MV is {with_error(beyond, error)} beyond it"
    )
    return cells_of(title, [""], [beyond], [error], None, len(daily))


def change(
    tables: Tables, day: int, metric: str, less_clara: str = "", size: bool = False
) -> Cells:
    """How much larger the mean of a daily metric is from a day on than before it (first table).

    The metric is CLARA's, or a method's (`less_clara`) less CLARA's; with `size`, the means count
    without their signs.
    """
    daily = _daily(next(iter(tables.values())), metric)
    values = daily[less_clara] - daily[CLARA] if less_clara else daily[CLARA]
    early = values.index < day
    before, after = _mean(values[early]), _mean(values[~early])
    means = [abs(mean) if size else mean for mean, _ in (before, after)]
    title = (
        f"{f'{less_clara} less CLARA' if less_clara else metric} before day {day} "
        f"{with_error(*before)}, from then on {with_error(*after)}, change"
    )
    joint, fewest = float(np.hypot(before[1], after[1])), min(early.sum(), (~early).sum())
    return cells_of(title, [""], [means[1] - means[0]], [joint], None, fewest)


def policies(tables: Tables) -> pd.DataFrame:
    """`policy_curves`, with the share of the labels that is `left`."""
    curves = policy_curves(only(tables))
    return curves.assign(left=1 - curves[SHARE])


def slopes(tables: Tables, policy: str) -> pd.DataFrame:
    """How the size of the prevalence's error changes with the share of labels, by replicate.

    A line without both ends: with one label of each item, or with all, a policy has no choice.
    """
    table, rows = only(tables), []
    for _, own in table[table["policy"] == policy].groupby("replicate"):
        inner = own[(own[SHARE] > own[SHARE].min()) & (own[SHARE] < own[SHARE].max())]
        if inner[SHARE].min() < inner[SHARE].max():
            size = (inner["prevalence_estimate"] - inner[TRUTH]).abs()
            rows.append(float(np.polyfit(inner[SHARE], size, 1)[0]))
    return pd.DataFrame({"slope": rows}, dtype=float)


def at_equal_shares(
    tables: Tables, share: float | None = None, policy: str = POLICY, against: str = RANDOM
) -> pd.DataFrame:
    """A policy's accuracy, `loss` (1 less it) and `gain` over the policy `against`, at the same
    share of the labels in each replicate.

    The shares are `share`, or else those of `against`; one that any replicate lacks has no row.
    """
    table, rows = only(tables), []
    replicates = pd.Index(table["replicate"].unique())
    others = [pd.DataFrame({SHARE: share, "accuracy": 0.0}, index=replicates)]
    if share is None:
        own = table[table["policy"] == against].set_index("replicate")
        others = [at for _, at in own.groupby(SETTING)]
    for other in others:
        values = at_share(table, policy, other[SHARE], "accuracy")
        row: dict[str, str | float] = {"share": f"{other[SHARE].mean():.0%}"}
        columns = {"accuracy": values, "loss": 1 - values, "gain": values - other["accuracy"]}
        for name, column in columns.items():
            row[name] = float(column.mean(skipna=False))
            row[f"{name}_se"] = standard_error(column.to_numpy())
        rows.append(row)
    names = [f"{name}{end}" for name in ("accuracy", "loss", "gain") for end in ("", "_se")]
    found = pd.DataFrame(rows, columns=["share", *names]).dropna(subset=["accuracy"])
    return found.assign(replicates=len(replicates))
