"""Labels of two values from texts: which of them is positive."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from crowdgold.data.checks import InputError

PAIRS = (
    ("0", "1"), ("false", "true"), ("f", "t"), ("no", "yes"), ("n", "y"),
    ("negative", "positive"), ("neg", "pos"),
)  # fmt: skip
"""Pairs of labels, the second positive, that need no word from the user."""
SHOWN = 6


def plain(text: str) -> str:
    """Write a label so that equal ones are equal texts: case aside, whole numbers without point."""
    text = text.strip().casefold()
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    whole, point, rest = digits.partition(".")
    if point and whole.isdecimal() and set(rest) <= {"0"}:
        return sign + whole
    return text


def _listed(labels: pd.Series, rows: np.ndarray) -> str:
    """List the values of a column, the commonest first, and where rare ones stand."""
    counts = labels.value_counts()
    shown = []
    for text, count in counts.head(SHOWN).items():
        first = rows[np.flatnonzero((labels == text).to_numpy(dtype=bool))[0]]
        shown.append(f"{str(text)!r} ({count} times, first in row {first})")
    more = f" and {len(counts) - SHOWN} more" if len(counts) > SHOWN else ""
    return ", ".join(shown) + more


def binary_labels(
    labels: Mapping[str, pd.Series],
    rows: Mapping[str, np.ndarray],
    positive: str | None,
    notes: list[str],
) -> dict[str, np.ndarray]:
    """Read columns of labels as 0 and 1, the votes and the gold labels together.

    Args:
        labels: how messages name a column -> its texts, none missing.
        rows: the same -> what messages call its rows.
        positive: the positive label; all others are then negative. Needed where the labels are no
            known pair (0/1, false/true, no/yes, negative/positive).
        notes: what was decided is added to them.

    Returns:
        the same names -> 0 or 1 of each row, int8.

    Raises:
        InputError: where nothing says which label is positive.
    """
    values = {name: {plain(str(one)) for one in texts.unique()} for name, texts in labels.items()}
    wanted = None if positive is None else plain(positive)
    everything = set().union(*values.values()) if values else set()
    if wanted is not None and not labels:
        raise InputError(f"--positive {positive}: votes are counts, and there are no gold labels")
    if wanted is not None and wanted not in everything:
        listed = "; ".join(f"{name} has {_listed(labels[name], rows[name])}" for name in labels)
        raise InputError(f"--positive {positive}: no label has this value; {listed}")
    found = {}
    for name, texts in labels.items():
        positives = _positives(name, values, wanted)
        if positives is None:
            raise InputError(
                f"{name}: found the labels {_listed(texts, rows[name])}; expected two, 0 and 1, "
                "false and true, no and yes, or negative and positive. Correct them, or say which "
                "one is positive by --positive VALUE; all others are then negative"
            )
        if wanted is not None and positives == {wanted}:
            rest = sorted(values[name] - positives)
            if len(rest) > 1:
                some = ", ".join(map(repr, rest[:SHOWN])) + (" ..." if len(rest) > SHOWN else "")
                notes.append(f"{name}: {positive!r} is positive, all others negative: {some}")
        codes, unique = pd.factorize(texts)
        known = np.array([plain(str(text)) in positives for text in unique], dtype=np.int8)
        found[name] = known[codes] if len(unique) else np.zeros(0, dtype=np.int8)
    return found


def _positives(name: str, values: Mapping[str, set[str]], wanted: str | None) -> set[str] | None:
    """Give the positive ones among the values of a column, None where nothing says which."""
    own = values[name]
    if wanted is not None:
        if wanted in own:
            return {wanted}
        others = [one for one in values.values() if wanted in one]
        if any(own <= one for one in others):
            return {wanted}
    for negative, positive in PAIRS:
        if own <= {negative, positive}:
            return {positive}
    return None
