"""Judges whose votes go against those of the others, as where one has read a question wrongly.

Whatever the labels are, two judges who are right more often than not agree more often than their
votes would at random, and errors that they share make that more. A judge whose votes have a
negative covariance with the share of positive votes of the others cannot be such a one.
"""

import numpy as np

from crowdgold.data.judge_table import MISSING

FAR = 4.0
"""Standard errors by which a covariance has to be below 0; by chance once in 30,000 judges."""
FEWEST = 3
"""Of two judges who contradict each other neither can be told to be the one."""


def _against(votes: np.ndarray, others: np.ndarray) -> float:
    """A judge's covariance with the other judges, in standard errors; NaN in a table: no vote."""
    seen = np.isfinite(others).any(axis=1) & np.isfinite(votes)
    if seen.sum() < FEWEST:
        return 0.0
    own, rest = votes[seen], np.nanmean(others[seen], axis=1)
    terms = (own - own.mean()) * (rest - rest.mean())
    spread = terms.std(ddof=1)
    if spread > 0:
        return float(terms.mean() / spread * np.sqrt(len(terms)))
    return float(np.sign(terms.mean())) * np.inf if terms.any() else 0.0


def contrary(table: np.ndarray) -> np.ndarray:
    """Which judges vote against the others, (m,), the clearest first left out of the others.

    Args:
        table: (n, m) labels by judge, `MISSING` where there is none.
    """
    votes = np.where(table == MISSING, np.nan, table)
    kept = np.ones(table.shape[1], dtype=bool)
    while kept.sum() >= FEWEST:
        places = np.flatnonzero(kept)
        found = [_against(votes[:, one], votes[:, places[places != one]]) for one in places]
        if min(found) > -FAR:
            break
        kept[places[int(np.argmin(found))]] = False
    return ~kept


def votes_of(table: np.ndarray, judges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The positive votes and all votes (n,) of some judges (m,) on each item."""
    own = table[:, judges]
    return (own == 1).sum(axis=1), (own != MISSING).sum(axis=1)
