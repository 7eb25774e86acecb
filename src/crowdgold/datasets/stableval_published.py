"""The posteriors that STABLEVAL's authors published, to hold ours against (tables 8 to 29)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from crowdgold.types.errors import InputError

OWNER = "dataset stableval_published"
NAMES = {"qags": "qags", "convabuse": "convabuse", "mslr": "mslr", "mtbench": "mt_bench"}
"""The authors' name of a dataset -> ours."""


def prepare(folder: Path) -> pd.DataFrame:
    """One table of the posteriors: dataset, item (a response), level and probability."""
    frames = []
    for theirs, ours in NAMES.items():
        table = pd.read_csv(folder / theirs / "item_scores_pec.csv")
        levels = [column for column in table if str(column).startswith("p_class_")]
        if not levels or "item_id" not in table:
            raise InputError(
                f"{OWNER}: {theirs}/item_scores_pec.csv: expected item_id and p_class_0 and so on; "
                f"found {', '.join(map(str, table.columns))}"
            )
        long = table.melt("item_id", levels, "level", "probability")
        long = long.rename(columns={"item_id": "item"})
        long["level"] = long["level"].str.removeprefix("p_class_")
        frames.append(long.assign(dataset=ours))
    joined: pd.DataFrame = pd.concat(frames, ignore_index=True)
    return joined[["dataset", "item", "level", "probability"]]


def draw_task(
    frame: pd.DataFrame, parameters: Mapping[str, Any], rng: np.random.Generator
) -> NoReturn:
    """No task is drawn from results: `InputError`."""
    raise InputError(f"{OWNER} holds results, not labels; name qags, convabuse, mslr or mt_bench")
