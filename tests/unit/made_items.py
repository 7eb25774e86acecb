"""Items by Algorithm 1 (`simulate.maven`), and the file that a user has of them."""

import numpy as np

from crowdgold.simulate import simulate
from crowdgold.types.items import NO_GOLD

WORLD = {
    "n": 1000, "n_gold": 0, "votes_total": 3, "phi": 0.15, "a0": 0.1, "a1": 0.8, "d0": 1.5,
    "d1": 1.5, "predictors": {"A": {"mu": 1.0, "delta": 1.0}, "B": {"mu": 0.5, "delta": 2.0}},
}  # fmt: skip


def draw_items(seed, **changed):
    return simulate("maven", WORLD | changed, np.random.default_rng(seed)).table


def write_items(items, path):
    """Without the truth, and without a column for gold where there is none."""
    hidden = ["gold"] if (items.gold == NO_GOLD).all() else []
    frame = items.to_frame().drop(columns=["truth", "oracle", "tie_break", *hidden])
    frame.to_csv(path, index=False)
    return frame
