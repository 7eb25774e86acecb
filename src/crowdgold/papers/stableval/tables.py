"""The tables of STABLEVAL from the long results table of an experiment (tables 1 to 3, 8 to 29).

Rows of a results table are those of one experiment and setting; MV, DS and PEC are its methods.
Tables 4, 6 and 7 say how well estimated scores recover the true ranking of agents, in each
replicate over its agents:

- `mse`: mean squared difference of estimated and true scores;
- `kendall_tau`: Kendall's tau-b between the two;
- `ranking_accuracy`: share of pairs of agents in the right order, of which a pair that is tied in
  either counts half.

`stability` is a metric of its own (`inference.agents`), not of the truth.
"""

import numpy as np
import pandas as pd

from crowdgold.experiment.summaries import standard_error
from crowdgold.methods import dawid_skene
from crowdgold.methods.pec import EXPECTED_CREDIT
from crowdgold.methods.votes_and_gold import MAJORITY
from crowdgold.metrics.agents import ANNOTATORS, SPREAD, STABILITY, TABLE, ranks

SCORE = "score:each"
QUANTITIES = ("mse", "kendall_tau", "ranking_accuracy")


def _signs(scores: np.ndarray) -> np.ndarray:
    """The sign of the difference of each pair of agents: (n, S (S - 1) / 2) of (n, S)."""
    first, second = np.triu_indices(scores.shape[1], 1)
    return np.sign(scores[:, first] - scores[:, second])


def tau_b(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Kendall's tau-b of each row (n,) of scores (n, S); NaN where all of a row are tied."""
    one, other = _signs(first), _signs(second)
    untied = np.abs(one).sum(axis=1) * np.abs(other).sum(axis=1)
    total = (one * other).sum(axis=1)
    return np.divide(total, np.sqrt(untied), out=np.full(len(total), np.nan), where=untied > 0)


def ranking_accuracy(estimated: np.ndarray, true: np.ndarray) -> np.ndarray:
    """The share of pairs in the right order in each row (n,) of scores (n, S)."""
    return np.asarray((1 + _signs(estimated) * _signs(true)).mean(axis=1) / 2)


def recovery(results: pd.DataFrame, settings: list[str]) -> pd.DataFrame:
    """The `QUANTITIES` of each replicate, a row for each experiment, setting, method and replicate.

    `settings` are the setting columns of the long results table.
    """
    rows = results[results["metric"] == SCORE]
    if rows.empty:
        raise ValueError(f"the table has no metric {SCORE!r}")
    keys = ["experiment", *settings, "method", "replicate"]
    wide = rows.pivot_table(index=keys, columns="agent", values=["truth", "estimate"], sort=False)
    if wide.isna().to_numpy().any():
        raise ValueError(
            "the table lacks scores, or true scores, of some agents in some replicates"
        )
    estimated, true = wide["estimate"].to_numpy(), wide["truth"].to_numpy()
    mse = ((estimated - true) ** 2).mean(axis=1)
    values = mse, tau_b(estimated, true), ranking_accuracy(estimated, true)
    return wide.index.to_frame(index=False).assign(**dict(zip(QUANTITIES, values, strict=True)))


def recovery_values(results: pd.DataFrame, settings: list[str]) -> pd.DataFrame:
    """The quantities, and `stability` metrics, of each replicate, one a row.

    Columns: experiment, the settings, method, replicate, `quantity` and `value`.
    """
    keys = ["experiment", *settings, "method"]
    found = recovery(results, settings)
    parts = [found.melt([*keys, "replicate"], list(QUANTITIES), "quantity")]
    stability = results[results["metric"].str.startswith("stability")]
    if len(stability):
        own = stability.rename(columns={"metric": "quantity", "estimate": "value"})
        parts.append(own[[*keys, "replicate", "quantity", "value"]])
    return pd.concat(parts, ignore_index=True)


def summarise_recovery(results: pd.DataFrame, settings: list[str]) -> pd.DataFrame:
    """`mean`, `se` and `replicates` of the values of `recovery_values`, by setting and quantity."""
    keys = ["experiment", *settings, "method", "quantity"]
    groups = recovery_values(results, settings).groupby(keys, sort=False)
    return (
        groups["value"]
        .agg(mean="mean", se=lambda values: standard_error(values.to_numpy()), replicates="size")
        .reset_index()
    )


MV, DS, PEC = METHODS = (MAJORITY.name, dawid_skene.METHOD.name, EXPECTED_CREDIT.name)
GAIN = "PEC - MV"


def _metric(rows: pd.DataFrame, metric: str, method: str) -> pd.DataFrame:
    """A method's rows of a metric, of which there has to be one."""
    found = rows[(rows["metric"] == metric) & (rows["method"] == method)]
    if found.empty:
        raise ValueError(f"the table has no {metric!r} of {method!r}")
    return found


def _value(rows: pd.DataFrame, metric: str, method: str, column: str = "estimate") -> float:
    return float(_metric(rows, metric, method)[column].iloc[0])


def statistics(rows: pd.DataFrame) -> pd.DataFrame:
    """Counts and agreement of the labels: column `value`, by metric (tables 1, 2, 18, 24)."""
    rest = [name for name in TABLE if name not in ("labels", "ambiguous")]
    names = ["labels", "responses", *rest]
    return pd.DataFrame({"value": {name: _value(rows, name, METHODS[0]) for name in names}})


def scores(rows: pd.DataFrame) -> pd.DataFrame:
    """Scores by agent, the highest PEC first: a column a method, the gain, and responses.

    Columns `METHOD lower` and `METHOD upper` hold the intervals (tables 8, 13, 19 and 25).
    """
    columns = {}
    for method in METHODS:
        own = _metric(rows, "score:each", method).set_index("agent")
        columns[method] = own["estimate"]
        columns[f"{method} lower"], columns[f"{method} upper"] = own["lower"], own["upper"]
    frame = pd.DataFrame(columns)
    frame[GAIN] = frame[PEC] - frame[MV]
    number = _metric(rows, "responses:each", METHODS[0]).set_index("agent")["estimate"]
    return frame.assign(responses=number).sort_values(PEC, ascending=False, kind="stable")


def stability(rows: pd.DataFrame) -> pd.DataFrame:
    """Rank spread and expected tau-b by method (tables 9, 14, 20 and 26, and section 4.1)."""
    frame = pd.DataFrame(
        {name: {m: _value(rows, name, m) for m in METHODS} for name in (*SPREAD, STABILITY)}
    )
    errors = {method: _value(rows, STABILITY, method, "standard_error") for method in METHODS}
    return frame.assign(stability_se=pd.Series(errors))


def quality(rows: pd.DataFrame) -> pd.DataFrame:
    """Accuracy, leniency and strictness by annotator, the most accurate first."""
    columns = {
        name: _metric(rows, f"{name}:each", PEC).set_index("annotator")["estimate"]
        for name in ANNOTATORS
    }
    return pd.DataFrame(columns).sort_values("accuracy", ascending=False, kind="stable")


def ambiguous(rows: pd.DataFrame) -> pd.DataFrame:
    """The most ambiguous responses: ambiguity, confidence, level and entropy by response."""
    columns = {
        name: _metric(rows, f"{name}:top", PEC).set_index("item")["estimate"]
        for name in ("ambiguity", "level", "entropy")
    }
    frame = pd.DataFrame(columns)
    return frame.assign(confidence=1 - frame["ambiguity"])


def findings(rows: pd.DataFrame) -> pd.DataFrame:
    """What tables 12, 17, 23 and 29 call key findings: column `value`, by name."""
    table = scores(rows)
    responses = _value(rows, "responses", PEC)
    moved = ranks(table[MV].to_numpy()) != ranks(table[PEC].to_numpy())
    share = _value(rows, "ambiguous", PEC)
    values = {
        "score correlation": float(np.corrcoef(table[MV], table[PEC])[0, 1]),
        "largest score change": float(table[GAIN].abs().max()),
        "agents with another rank": float(moved.sum()),
        "agents": float(len(table)),
        "mean ambiguity": _value(rows, "ambiguity", PEC),
        "highly ambiguous": float(round(share * responses)),
        "share highly ambiguous": share,
        "mean entropy": _value(rows, "entropy", PEC),
    }
    return pd.DataFrame({"value": values})


def mappings(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """PEC scores and their ranks by agent and mapping (table 3)."""
    found = []
    for metric in ("score:each", "rank:each"):
        own = rows[rows["metric"] == metric]
        wide = own.pivot_table("estimate", "agent", "mapping", sort=False)
        found.append(wide.reindex(columns=list(dict.fromkeys(own["mapping"]))))
    return found[0], found[1]
