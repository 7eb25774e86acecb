"""How abusive is what a user says to a chatbot? Two bots, eight annotators (STABLEVAL, 5.1).

The scale from 1 (not abusive) to -3 becomes three levels: 1 and 0 give 0, -1 gives 1, -2 and -3
give 2. Of several judgements of an annotator on a conversation the first counts.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from crowdgold.datasets.dataset import drawn_as_it_is, responses
from crowdgold.types.errors import InputError

OWNER = "dataset convabuse"
FILE = "ConvAbuseEMNLPfull.csv"
LEVEL = {
    "is_abuse.1": "0", "is_abuse.0": "0", "is_abuse.-1": "1", "is_abuse.-2": "2", "is_abuse.-3": "2"
}  # fmt: skip
PRINTED = {
    "labels": 9_571, "responses": 2_894, "agents": 2, "annotators": 8, "unanimous": 0.784,
    "pairwise": 0.844,
}  # fmt: skip
"""What STABLEVAL's table 2 prints."""

draw_task = drawn_as_it_is(OWNER, ("0", "1", "2"))


def prepare(folder: Path) -> pd.DataFrame:
    """The prepared table of ConvAbuseEMNLPfull.csv."""
    columns = ["annotator_id", "conv_id", "bot", *LEVEL]
    # An id such as 298297.0 is a text.
    full = pd.read_csv(folder / FILE, usecols=columns, dtype=str, keep_default_na=False)
    given = (full[list(LEVEL)] == "1").to_numpy()
    wrong = np.flatnonzero(given.sum(axis=1) != 1)
    if len(wrong):
        raise InputError(
            f"{OWNER}: {FILE}, row {wrong[0] + 2}: found {given[wrong[0]].sum()} severities, "
            "expected exactly one"
        )
    labels = np.array(list(LEVEL.values()))[given.argmax(axis=1)]
    first = full.assign(label=labels).drop_duplicates(["annotator_id", "conv_id"])
    named = first.rename(columns={"bot": "agent", "annotator_id": "annotator"})
    return responses(OWNER, named.assign(item="convabuse_" + first["conv_id"]), PRINTED)
