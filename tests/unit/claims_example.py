"""Functions that claims of the tests name."""

from crowdgold.documents.cells import cells_of
from crowdgold.documents.verdicts import HOLDS, Judgement


def cells(tables, value):
    return cells_of("made", [""], [value * len(tables)])


def judge(tables, said):
    return Judgement(f"{said} of {', '.join(tables)}", HOLDS)
