"""How well estimated scores recover the true ranking of agents (STABLEVAL, tables 4, 6 and 7).

Of each replicate, over its agents:

- `mse`: mean squared difference of estimated and true scores;
- `kendall_tau`: Kendall's tau-b between the two;
- `ranking_accuracy`: share of pairs of agents in the right order, of which a pair that is tied in
  either counts half.

`stability` is a metric of its own (`evaluation.ranking_stability`), not of the truth.
"""

import numpy as np
import pandas as pd

from crowdgold.evaluation.summaries import standard_error

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
    """The quantities of each replicate.

    Args:
        results: rows of the long results table.
        settings: its setting columns.

    Returns:
        a row for each experiment, setting, method and replicate, with columns `QUANTITIES`.

    Raises:
        ValueError: where the table has no scores of agents, or not each agent's in each replicate.
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
    values = (
        ((estimated - true) ** 2).mean(axis=1),
        tau_b(estimated, true),
        ranking_accuracy(estimated, true),
    )
    return wide.index.to_frame(index=False).assign(**dict(zip(QUANTITIES, values, strict=True)))


def recovery_values(results: pd.DataFrame, settings: list[str]) -> pd.DataFrame:
    """The quantities, and `stability` metrics, of each replicate, one a row.

    Args are those of `recovery`.

    Returns:
        columns experiment, the settings, method, replicate, `quantity` and `value`.
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
    """Summarise the values of `recovery_values` over replicates.

    Args are those of `recovery`.

    Returns:
        a row for each experiment, setting, method and quantity: `mean`, `se`, `replicates`.
    """
    keys = ["experiment", *settings, "method", "quantity"]
    groups = recovery_values(results, settings).groupby(keys, sort=False)
    return (
        groups["value"]
        .agg(mean="mean", se=lambda values: standard_error(values.to_numpy()), replicates="size")
        .reset_index()
    )
