"""Files of small studies: tables of votes and gold, and the first items of the example."""

from pathlib import Path

import numpy as np
import pandas as pd

import crowdgold

EXAMPLE = Path(crowdgold.__file__).parent / "example"


def write_votes(folder, labels, gold=None, names=None):
    """Write votes.csv, of labels (n, m) by judge0, judge1... or `names`, and gold.csv; the paths.

    `gold` are labels of the first items, or a table.
    """
    names = names or [f"judge{j}" for j in range(labels.shape[1])]
    votes = pd.DataFrame(np.asarray(labels).astype(int), columns=names)
    votes = votes.assign(item=range(len(votes))).melt("item", names, "annotator", "label")
    frames = {"votes": votes.sort_values("item", kind="stable")}
    if gold is not None:
        gold = gold if isinstance(gold, pd.DataFrame) else pd.DataFrame({"gold": gold})
        frames["gold"] = pd.DataFrame({"item": range(len(gold))}) if "item" not in gold else gold
        frames["gold"] = frames["gold"].assign(**gold)
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    return [folder / f"{name}.csv" for name in frames]


def first_items(folder, number):
    """The files of the first items of the example, written into a folder."""
    kept = pd.read_csv(EXAMPLE / "scores.csv")["item"][:number]
    for name in ("votes", "gold", "scores"):
        table = pd.read_csv(EXAMPLE / f"{name}.csv")
        table[table["item"].isin(kept)].to_csv(folder / f"{name}.csv", index=False)
    return [str(folder / f"{name}.csv") for name in ("votes", "gold", "scores")]
