"""Functions that claims of the tests name."""

from crowdgold.documents.cells import cells_of
from crowdgold.documents.verdicts import HOLDS, Judgement


def cells(tables, value):
    return cells_of("made", [""], [value * len(tables)])


def one(tables, value):
    return cells_of("one", [""], [value], [0.1])


def judge(tables, said):
    return Judgement(f"{said} of {', '.join(tables)}", HOLDS)
