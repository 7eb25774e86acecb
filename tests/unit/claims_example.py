"""Functions that claims of the tests name."""

import numpy as np

from crowdgold.claims.cells import cells_of
from crowdgold.claims.verdicts import HOLDS, Judgement


def cells(tables, value):
    return cells_of("made", [""], [value * len(tables)])


def one(tables, value):
    return cells_of("one", [""], [value], [0.1], degrees=np.inf)


def judge(tables, said):
    return Judgement(f"{said} of {', '.join(tables)}", HOLDS)
