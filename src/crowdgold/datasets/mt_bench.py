"""Which of two chatbots answers better? 65 judges, six agents (STABLEVAL, section 5.1, appendix C).

A judgement of two responses gives each a label: 2 to the winner, 0 to the loser, 1 in a tie. The
mappings of table 3 take ties otherwise: drop them, count them as won or as lost (two levels),
or give them another credit than 1/2.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from crowdgold.datasets.dataset import responses
from crowdgold.types.annotations import Annotations, annotations_from_frame
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import Parameters

OWNER = "dataset mt_bench"
FILE = "formatted_mtbench.csv"
LOST, TIED, WON = "0", "1", "2"
NAMES = ("mapping",)
PRINTED = {
    "labels": 6_710, "responses": 960, "agents": 6, "annotators": 65, "unanimous": 0.166,
    "pairwise": 0.530,
}  # fmt: skip
"""What STABLEVAL's table 1 prints."""


class TieMapping(NamedTuple):
    """What a mapping of table 3 makes of outcomes, ties above all."""

    level: Mapping[str, str]  # by outcome; one without a level is dropped
    credit: Mapping[str, float]  # by level


TWO_LEVELS = {"0": 0.0, "1": 1.0}  # level -> credit


def _three_levels(tie: float) -> TieMapping:
    return TieMapping({LOST: "0", TIED: "1", WON: "2"}, {"0": 0.0, "1": tie, "2": 1.0})


MAPPINGS: Mapping[str, TieMapping] = {
    "baseline": _three_levels(0.5),
    "drop_ties": TieMapping({LOST: "0", WON: "1"}, TWO_LEVELS),
    "tie_win": TieMapping({LOST: "0", TIED: "1", WON: "1"}, TWO_LEVELS),
    "tie_loss": TieMapping({LOST: "0", TIED: "0", WON: "1"}, TWO_LEVELS),
    "tie_025": _three_levels(0.25),
    "tie_075": _three_levels(0.75),
}
"""The mappings of table 3 in its order."""


def prepare(folder: Path) -> pd.DataFrame:
    """The prepared table of formatted_mtbench.csv; a label is an outcome."""
    table = pd.read_csv(folder / FILE, dtype=str)
    won = table["label"].astype(int).to_numpy()
    odd = np.flatnonzero(won[::2] + won[1::2] != 2) if len(won) % 2 == 0 else np.array([0])
    if len(odd):
        raise InputError(
            f"{OWNER}: {FILE}, rows {2 * odd[0] + 2} and {2 * odd[0] + 3}: expected a judgement a "
            "pair of rows, whose labels add to 2"
        )
    named = {"item_id": "item", "agent_id": "agent", "annotator_id": "annotator"}
    return responses(OWNER, table.rename(columns=named), PRINTED)


def draw_task(
    frame: pd.DataFrame, parameters: Mapping[str, Any], rng: np.random.Generator
) -> Annotations:
    """All labels; a judge's labels of a response against several opponents all count.

    Parameters: `mapping`, one of `MAPPINGS`; "baseline" where not given.
    """
    given = Parameters(OWNER, {"mapping": "baseline"} | dict(parameters))
    given.check_names(NAMES)
    level, credit = MAPPINGS[given.choice("mapping", MAPPINGS)]
    mapped = frame.assign(label=frame["label"].map(level)).dropna(subset=["label"])
    return annotations_from_frame(
        mapped, list(credit), repeated="keep", source=OWNER, credit=credit
    )
