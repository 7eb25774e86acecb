"""How good is a summary of medical studies? Six systems, two experts (STABLEVAL, section 5.1).

A label is the mean of the facets fluency, population, intervention and outcome (0 to 2, those that
were judged): from 1.5 it is 2, from 0.75 it is 1, else 0. Kept are summaries that both judged.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from crowdgold.datasets.dataset import drawn_as_it_is, responses
from crowdgold.types.errors import InputError

OWNER = "dataset mslr"
FILES = {"annotator_0": "cochrane_A1.tsv", "annotator_1": "cochrane_A2.tsv"}
FACETS = slice(4, 8)
"""The columns of the four facets, after system, review and the two summaries."""
CUTS = (0.75, 1.5)
PRINTED = {
    "labels": 78, "responses": 39, "agents": 6, "annotators": 2, "unanimous": 0.692,
    "pairwise": 0.692,
}  # fmt: skip
"""What STABLEVAL's table 24 prints."""

draw_task = drawn_as_it_is(OWNER, ("0", "1", "2"))


def prepare(folder: Path) -> pd.DataFrame:
    """The prepared table of cochrane_A1.tsv and cochrane_A2.tsv."""
    first, second = (_labels(folder / name, who) for who, name in FILES.items())
    pair = ["item", "agent"]
    shared = first[pair].merge(second[pair])
    both = pd.concat([shared.merge(one, on=pair, how="left") for one in (first, second)])
    # A response's two labels stand together, in the order of the first annotator's file.
    return responses(OWNER, both.sort_index(kind="stable"), PRINTED)


def _labels(path: Path, annotator: str) -> pd.DataFrame:
    """The labels of a file: item, agent, annotator, label."""
    table = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)
    facets = list(table.columns[FACETS])
    if not {"ExpID", "ReviewID"} <= set(table.columns) or "fluent" not in " ".join(facets):
        raise InputError(
            f"{OWNER}: {path.name}: expected the columns ExpID, ReviewID, two summaries, then four "
            f"facets from fluency on; the file has {', '.join(map(str, table.columns))}"
        )
    digits = table[facets].apply(lambda column: column.str.extract("^([012])", expand=False))
    mean = digits.astype(float).mean(axis=1)
    labels = pd.DataFrame(
        {
            "item": "mslr_Cochrane_" + table["ReviewID"],
            "agent": table["ExpID"].str[-6:],  # the end of its system's id
            "annotator": annotator,
            "label": np.searchsorted(CUTS, mean, side="right").astype(str),
        }
    )
    return labels[mean.notna()].reset_index(drop=True)
