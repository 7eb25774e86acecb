"""Labels of two values from texts: which of them is positive."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from crowdgold.data.errors import InputError

PAIRS = (
    ("0", "1"), ("false", "true"), ("f", "t"), ("no", "yes"), ("n", "y"),
    ("negative", "positive"), ("neg", "pos"), ("incorrect", "correct"), ("fail", "pass"),
    ("failed", "passed"),
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


def positive_labels(given: Sequence[str], known: Collection[str]) -> dict[str, str]:
    """The positive labels, each with how the user wrote it.

    Args:
        given: labels, or several in one text with commas between them. A text that is itself a
            label is one, whatever commas it holds.
        known: the labels that there are, as `plain` writes them.
    """
    found: dict[str, str] = {}
    for text in given:
        parts = [text] if plain(text) in known else text.split(",")
        found |= {plain(part): part.strip() for part in parts}
    return found


def binary_labels(
    labels: Mapping[str, pd.Series],
    rows: Mapping[str, np.ndarray],
    positive: Sequence[str],
    notes: list[str],
) -> dict[str, np.ndarray]:
    """Read columns of labels as 0 and 1, the votes and the gold labels together.

    Args:
        labels: how messages name a column -> its texts, none missing.
        rows: the same -> what messages call its rows.
        positive: the positive labels, as for `positive_labels`; all others are then negative.
            Needed where the labels are no known pair (0/1, false/true, no/yes, negative/positive).
        notes: what was decided is added to them.

    Returns:
        the same names -> 0 or 1 of each row, int8.

    Raises:
        InputError: where nothing says which label is positive.
    """
    values = {name: {plain(str(one)) for one in texts.unique()} for name, texts in labels.items()}
    everything = set().union(*values.values()) if values else set()
    wanted = positive_labels(positive, everything)
    if wanted and not labels:
        raise InputError(
            f"--positive {', '.join(positive)}: votes are counts, and there are no gold labels"
        )
    for one, text in wanted.items():
        if one not in everything:
            listed = "; ".join(f"{name} has {_listed(labels[name], rows[name])}" for name in labels)
            raise InputError(f"--positive {text}: no label has this value; {listed}")
    found = {}
    for name, texts in labels.items():
        positives = _positives(name, values, set(wanted))
        if positives is None:
            raise InputError(
                f"{name}: found the labels {_listed(texts, rows[name])}; expected two, 0 and 1, "
                "false and true, no and yes, or negative and positive. Correct them; say which one "
                "is positive by --positive VALUE, and all others are negative; or say by --missing "
                "VALUE which one stands for no label"
            )
        if positives and positives <= wanted.keys():
            rest = sorted(values[name] - positives)
            if len(positives) + len(rest) > 2:
                are = ", ".join(repr(wanted[one]) for one in wanted if one in positives)
                is_or_are = "is" if len(positives) == 1 else "are"
                some = ", ".join(map(repr, rest[:SHOWN])) + (" ..." if len(rest) > SHOWN else "")
                notes.append(f"{name}: {are} {is_or_are} positive, all others negative: {some}")
        codes, unique = pd.factorize(texts)
        known = np.array([plain(str(text)) in positives for text in unique], dtype=np.int8)
        found[name] = known[codes] if len(unique) else np.zeros(0, dtype=np.int8)
    return found


def _positives(name: str, values: Mapping[str, set[str]], wanted: set[str]) -> set[str] | None:
    """The positive ones among the values of a column, None where nothing says which."""
    own = values[name]
    if wanted & own:
        return wanted & own
    # Labels that stand beside a positive one elsewhere are negative here too.
    if any(own <= one for one in values.values() if wanted & one):
        return set()
    for negative, positive in PAIRS:
        if own <= {negative, positive}:
            return {positive}
    return None
