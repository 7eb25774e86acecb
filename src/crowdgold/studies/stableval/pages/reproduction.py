"""The page that holds the tables of the STABLEVAL paper against ours, cell by cell."""

from collections.abc import Sequence

import pandas as pd

from crowdgold.documents.markdown import markdown_table
from crowdgold.documents.verdicts import Tables
from crowdgold.studies.stableval.pages.cells import our_values
from crowdgold.studies.stableval.pages.printed_cells import SAME, Cell, compare_cells
from crowdgold.studies.stableval.pages.slips import slips

TITLES = {
    1: "MT-Bench, statistics", 2: "ConvAbuse, statistics", 3: "MT-Bench, six mappings of ties",
    8: "MT-Bench, agent scores", 9: "MT-Bench, ranking stability (rank spread)",
    10: "MT-Bench, annotators", 11: "MT-Bench, most ambiguous responses",
    12: "MT-Bench, key findings", 13: "ConvAbuse, agent scores",
    14: "ConvAbuse, ranking stability (rank spread)", 15: "ConvAbuse, annotators",
    16: "ConvAbuse, most ambiguous responses", 17: "ConvAbuse, key findings",
    18: "QAGS, statistics", 19: "QAGS, agent scores", 20: "QAGS, ranking stability (rank spread)",
    21: "QAGS, annotators", 22: "QAGS, most ambiguous responses", 23: "QAGS, key findings",
    24: "MSLR, statistics", 25: "MSLR, agent scores", 26: "MSLR, ranking stability (rank spread)",
    27: "MSLR, annotators", 28: "MSLR, most ambiguous responses", 29: "MSLR, key findings",
}  # fmt: skip

OF_ANOTHER = "the printed per cent is of 960 responses, which are MT-Bench's; QAGS has 953"
REASONS = {(23, "highly ambiguous"): OF_ANOTHER}
"""Why a printed cell cannot come out: (table, row) -> reason."""
NOTES = {
    25: "The gain of AQ85CE is just below 0; the paper prints it with a plus.",
    26: "With one annotator alone 8FWF5T and JB6Z8F are tied under PEC: its cells come out where "
    "scores within 1e-12 are equal. Rounding errors, which depend on the order of the items, would "
    "break the tie.",
    28: "The last three share their ambiguity with others; which three stand there is a matter of "
    "the order of the rows.",
}
"""What else there is to say of a table."""


def _line(cell: Cell) -> list[str]:
    reason = REASONS.get((cell.table, cell.row), "") if cell.verdict != SAME else ""
    verdict = f"{cell.verdict}: {reason}" if reason else cell.verdict
    return [cell.row, cell.column, cell.printed, cell.ours, verdict]


def _table(number: int, cells: Sequence[Cell]) -> list[str]:
    own = [cell for cell in cells if cell.table == number]
    same = sum(cell.verdict == SAME for cell in own)
    return [
        f"### Table {number}: {TITLES[number]}\n",
        f"{same} of {len(own)} cells as printed. {NOTES.get(number, '')}".rstrip() + "\n",
        markdown_table(["row", "column", "printed", "ours", "verdict"], [_line(c) for c in own])
        + "\n",
    ]


def stableval_page(tables: Tables, printed: pd.DataFrame, claims: str) -> str:
    """Write the page.

    Args:
        tables: results tables by the name of their experiment, and those of
            `experiments.published_stableval`.
        printed: what the paper prints (config/printed/stableval.csv).
        claims: the table of what the text says.
    """
    cells = compare_cells(printed, our_values(tables))
    same = sum(cell.verdict == SAME for cell in cells)
    numbers = list(dict.fromkeys(cell.table for cell in cells))
    others = [f"table {c.table}, {c.row}" for c in cells if c.verdict != SAME]
    return "\n".join(
        [
            "# STABLEVAL: the paper's tables on real data and ours\n",
            "Made from the results by `make docs`. Each printed number of tables 1 to 3 and 8 to "
            "29 stands beside ours, recomputed from the sources of the data and written with as "
            f"many digits: {same} of {len(cells)} are the same"
            + (f"; not {', '.join(others)}" if others else "")
            + ". Settings: those recovered from the published results (`em: published`, ties to "
            "the label met first, 50 draws of 70 % of the annotators, NumPy's legacy seed 42).\n",
            *slips(tables),
            "## What the text says\n",
            f"{claims}\n",
            "## Cell by cell\n",
            *(part for number in numbers for part in _table(number, cells)),
        ]
    )
