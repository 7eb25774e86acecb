"""Competitors ranked by pairwise comparisons, and metrics by how they rank methods (HLV, 6).

Negahban, Oh and Shah (2012): a random walk goes from i to j with the chance that j wins over i,

    T_ij = w_ij / d  (j other than i)     w_ij = wins of j over i / comparisons of the pair
    T_ii = 1 - sum_j T_ij                 d: the most that any i is compared with others

and a competitor's score is its share of the walk's stationary distribution. In the paper j wins
over i where a judge selects j and not i; a judge who selects both or neither decides nothing. A
metric is as good as its values of methods correlate with their scores (Pearson), and the p-value is
that of a permutation test: how often values dealt out at random correlate as much, either way.
"""

from collections.abc import Sequence

import numpy as np
from scipy.sparse.csgraph import connected_components

from crowdgold.types.errors import InputError

DECIDED, ALL = COMPARED = ("decided", "all")
"""What a share of wins is of: the comparisons that were decided, or all that were made."""


def _check(wins: np.ndarray, undecided: np.ndarray) -> None:
    for name, values in {"wins": wins, "undecided": undecided}.items():
        if values.ndim != 2 or values.shape[0] != values.shape[1] or values.shape != wins.shape:
            raise InputError(f"{name}: found shape {values.shape}, expected (methods, methods)")
        if not (np.isfinite(values).all() and (values >= 0).all()):
            raise InputError(f"{name}: found numbers below 0 or none, expected counts")
    if len(wins) < 2:
        raise InputError(f"wins: found {len(wins)} competitor, expected 2 or more")
    if not np.array_equal(undecided, undecided.T):
        raise InputError("undecided: expected the same number for (i, j) and (j, i)")


def rank_centrality(
    wins: np.ndarray, undecided: np.ndarray | None = None, compared: str = DECIDED,
    prior: float = 0.0, names: Sequence[str] | None = None,
) -> np.ndarray:  # fmt: skip
    """Competitors' scores: (M,) positive numbers that add to 1, more is better. `wins` (M, M) count
    how often the column won over the row, `undecided` (M, M), symmetric, comparisons that neither
    won. Shares of wins are of the "decided" comparisons, as in Negahban et al., or of "all";
    `prior` wins are added to both sides of every pair that was compared; `names` are for messages.
    An `InputError` where some cannot be ranked with others.
    """
    wins = np.asarray(wins, dtype=float)
    ties = np.zeros_like(wins) if undecided is None else np.asarray(undecided, dtype=float)
    if compared not in COMPARED:
        raise InputError(f"compared: found {compared!r}, expected one of {', '.join(COMPARED)}")
    if not (np.isfinite(prior) and prior >= 0):
        raise InputError(f"prior: found {prior!r}, expected 0 or more")
    _check(wins, ties)
    other = ~np.eye(len(wins), dtype=bool)
    met = other & (wins + wins.T + ties > 0)
    won = np.where(met, wins + prior, 0.0)
    total = won + won.T + (ties if compared == ALL else 0.0)
    weight = np.divide(won, total, out=np.zeros_like(won), where=met & (total > 0))
    # Some may never win, or never meet the others.
    parts, part = connected_components(weight > 0, directed=True, connection="strong")
    if parts > 1:
        names = names or [str(i) for i in range(len(wins))]
        groups = [", ".join(names[i] for i in np.flatnonzero(part == p)[:4]) for p in range(2)]
        raise InputError(
            f"the comparisons do not rank all: between {groups[0]} ... and {groups[1]} ... no side "
            "both wins and loses, directly or through others. Have more pairs compared, or give "
            "each pair some wins of both by `prior`"
        )
    # The distribution that a chain with these chances of leaving keeps.
    size, transition = len(weight), weight / max(int(met.sum(axis=1).max()), 1)
    leaving = transition - np.diag(transition.sum(axis=1))
    system = np.vstack([leaving.T, np.ones(size)])
    found, *_ = np.linalg.lstsq(system, np.append(np.zeros(size), 1.0), rcond=None)
    return np.asarray(found / found.sum())


def _standardised(values: np.ndarray) -> np.ndarray:
    centred = values - values.mean()
    norm = float(np.sqrt((centred**2).sum()))
    if norm <= 1e-12 * max(1.0, float(np.abs(values).max())):
        raise InputError("found values that are all the same, which correlate with nothing")
    return np.asarray(centred / norm)


def permutation_test(
    first: np.ndarray, second: np.ndarray, permutations: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Pearson's r of values (M,) of methods, M at least 3, and its two-sided p-value by
    permutations, (1 + those with |r| as large) / (1 + permutations).
    """
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if first.shape != second.shape or first.ndim != 1 or len(first) < 3:
        raise InputError(
            f"found shapes {first.shape} and {second.shape}, expected two of the same (methods,), "
            "3 or more"
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise InputError("found a value that is not finite; leave such methods out")
    if permutations < 1:
        raise InputError(f"permutations: found {permutations}, expected 1 or more")
    x, y = _standardised(first), _standardised(second)
    found, larger = float(x @ y), 0
    for start in range(0, permutations, 1000):
        dealt = np.tile(y, (min(1000, permutations - start), 1))
        # Equal correlations differ by rounding.
        larger += int((np.abs(rng.permuted(dealt, axis=1) @ x) >= abs(found) - 1e-12).sum())
    return found, (1 + larger) / (1 + permutations)
