"""The fits behind a table, and how many of them failed their diagnostics gate."""

from collections.abc import Iterable

import pandas as pd

from crowdgold.methods import METHODS
from crowdgold.methods.order import FIGURES, in_order
from crowdgold.models.continuation import MOST
from crowdgold.models.stan_fit import RHAT_LIMIT

VALUES = {
    # Of the long results table.
    "annotator", "agent", "item", "truth", "estimate", "lower", "upper", "standard_error",
    "undefined", "note", "diagnostics_passed", "diagnostics_message", "seed",
    "code_version",
    # Of a summary.
    "replicates", "gate_failures", "bias", "bias_se", "error", "error_se", "error_sd",
    "error_sd_se", "intervals", "width", "width_se", "width_ratio", "coverage", "coverage_se",
    "level", "band_low", "band_high", "misfit", "misfit_se",
}  # fmt: skip
"""Columns that hold what was found."""
EM = "EM"
"""The message of a fit by EM begins with it (`models.confusion_em`)."""
STOPPED = r"EM not converged: in step (\d+)"
"""Where the message says after how many steps one stopped that had not converged."""
OFTEN = 0.05
"""The share of failed fits from which on a caption names the method that has most."""
NOT_A_SETTING = VALUES | {"replicate", "method", "metric"}


def setting_keys(table: pd.DataFrame) -> list[str]:
    """The columns that say which experiment and setting a row is of."""
    return [str(name) for name in table.columns if name not in NOT_A_SETTING]


def count_gate_failures(table: pd.DataFrame) -> tuple[int, int]:
    """Count the fits by Markov chains that failed their diagnostics gate, and all fits by them.

    Args:
        table: rows of the long results table, or of a summary of it. Rows that differ in their
            metric alone are of one fit.
    """
    return _count(with_chains(table[~fitted_by_em(table)]))


def _count(table: pd.DataFrame) -> tuple[int, int]:
    """How many fits failed, by chains or not, and how many there are."""
    keys = [*setting_keys(table), "method"]
    if "gate_failures" in table:
        # A fit without a value of the metric is one of the `undefined`.
        counts = table.assign(fits=table["replicates"] + table["undefined"])
        most = counts.groupby(keys, dropna=False)[["gate_failures", "fits"]].max().sum()
        return int(most["gate_failures"]), int(most["fits"])
    failed = ~table["diagnostics_passed"].astype(bool)
    fits = table.assign(failed=failed).groupby([*keys, "replicate"], dropna=False)["failed"].any()
    return int(fits.sum()), len(fits)


def samples(method: str) -> bool:
    """Whether a method draws from a posterior by Markov chains."""
    known = METHODS[method]
    return bool(known.models_with({}) or (known.offer and known.offer.work))


def fits_by_method(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """How many fits of each method that samples there are, and how many of them passed their gate.

    Args:
        tables: rows of the long results table.

    Returns:
        columns method, fits, passed, in the order of figures.
    """
    counts: dict[str, tuple[int, int]] = {}
    for table in tables:
        for name, own in table.groupby("method", sort=False):
            failed, fits = _count(own)
            before = counts.get(str(name), (0, 0))
            counts[str(name)] = (before[0] + fits, before[1] + fits - failed)
    sampled = in_order(filter(samples, counts), FIGURES)
    rows = [(name, *counts[name]) for name in sampled]
    return pd.DataFrame(rows, columns=["method", "fits", "passed"])


def fitted_by_em(table: pd.DataFrame) -> pd.Series:
    """Whether each row is of a fit by EM, which has no Markov chains.

    Its message says so; a summary has none, and of its methods those count that have no other fit.
    """
    if "diagnostics_message" in table:
        return table["diagnostics_message"].fillna("").astype(str).str.startswith(EM)
    by_em = {name: _has(name, "em") and not samples(name) for name in set(table["method"])}
    return table["method"].map(by_em).astype(bool)


def _has(method: str, setting: str) -> bool:
    """Whether a method has a setting of its own of this name."""
    known = METHODS.get(method)
    return known is not None and any(one.name == setting for one in known.settings.declared())


def with_chains(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of methods that may have Markov chains: that draw by them, or failed a gate."""
    failed = (
        table["gate_failures"] > 0
        if "gate_failures" in table
        else ~table["diagnostics_passed"].astype(bool)
    )
    names = pd.Series(
        {name: name not in METHODS or samples(name) or _has(name, "chains")
         for name in set(map(str, table["method"]))}, dtype=bool
    )  # fmt: skip
    drawing = table["method"].map(names).astype(bool)
    return table[drawing | failed.groupby(table["method"]).transform("any")]


def gate_sentence(failed: int, fits: int, longest: int = MOST, called: str = "fits") -> str:
    """What a caption or a page says of fits that missed their gate, without its full stop.

    It begins with a number, so that it can follow a full stop or a semicolon, where there are fits.

    Args:
        failed: fits that missed it.
        fits: all fits.
        longest: times the draws asked for that their chains grew to, first; 1 where they did not.
        called: what the fits are called.
    """
    if not fits:
        return f"none of these {called} has Markov chains"
    said = f"{failed:,} of {fits:,} {called} had Markov chains that had not converged"
    if not failed:
        return said
    after = f" after {longest} times the draws" if longest > 1 else ""
    return f"{said} (R-hat above {RHAT_LIMIT}, or another check){after}, and are included"


def em_sentence(table: pd.DataFrame) -> str:
    """The same of fits by EM; it says after how many steps they stopped, where all took as many."""
    failed, fits = _count(table)
    said = f"{failed:,} of {fits:,} fits by EM had not converged when they stopped"
    if not failed:
        return said
    messages = table.get("diagnostics_message", pd.Series(dtype=str))
    steps = set(messages.str.extract(STOPPED)[0].dropna())
    after = f", after {steps.pop()} steps," if len(steps) == 1 else ""
    return f"{said}{after} and are included"


def _most_often(table: pd.DataFrame) -> str:
    """Which of several methods' fits failed most often, where that is often; otherwise empty."""
    counts = {name: _count(own) for name, own in with_chains(table).groupby("method")}
    shares = {str(name): failed / fits for name, (failed, fits) in counts.items()}
    worst = max(shares, key=shares.__getitem__, default="")
    if len(shares) < 2 or shares[worst] < OFTEN:
        return ""
    return f"; most often those of {worst}, {shares[worst]:.0%}"


def gate_note(table: pd.DataFrame, longest: int = MOST) -> str:
    """What a figure's caption says of the fits behind it that missed their gate."""
    by_em = fitted_by_em(table)
    others = table[~by_em]
    if not by_em.any():
        return gate_sentence(*count_gate_failures(table), longest) + _most_often(table)
    said = em_sentence(table[by_em])
    if with_chains(others).empty:
        return said
    counted = gate_sentence(*count_gate_failures(others), longest, "other fits")
    return f"{said}; {counted}{_most_often(others)}"
