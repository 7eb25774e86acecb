"""Claims on training methods (HLV, sections 5.2 and 6) that need code of their own."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.cells import Cells, Tables, cells_of
from crowdgold.documents.verdicts import FAILS, HOLDS, Judgement
from crowdgold.evaluation.summaries import standard_error
from crowdgold.studies.label_variation.people import ONE
from crowdgold.studies.label_variation.ranks import (
    BASELINE,
    SETTING,
    against_objective,
    compare_with_baseline,
    judged_share,
    mean_ranks,
    printed_settings,
)

RUNS = "label_variation"
"""The joined table of all experiments of the study."""
CHOICES = "human_ranking"
"""That of `human_ranking`: what people choose, and how metrics agree with it."""
TUNED = "label_variation_tuned"
"""That of a dataset with its encoder frozen, and trained too."""
SIMPLE = ("ReL", "SL")


def _of_simple(tables: Tables, what: str) -> pd.DataFrame:
    """A column of `compare_with_baseline` by setting, a column for each of `SIMPLE`."""
    found = compare_with_baseline(tables[RUNS]).set_index(SETTING)
    return pd.DataFrame({name: found.loc[found["method"] == name, what] for name in SIMPLE})


def beat_baseline(
    tables: Tables, methods: list[str], section: Mapping[str, Any], margin: float
) -> Judgement:
    """In how many settings all of these methods, of ReL and SL, beat MV substantially."""
    found = _of_simple(tables, "beats")[methods].all(axis=1)
    return judged_share(found, printed_settings(section, "beats_baseline", *methods), margin)


def among_the_best(tables: Tables, section: Mapping[str, Any], margin: float) -> Judgement:
    """In how many settings ReL or SL is among the best."""
    found = _of_simple(tables, "among_best").any(axis=1)
    best = _of_simple(tables, "best")[SIMPLE[0]][~found].value_counts()
    names = ", ".join(f"{name} {count}" for name, count in best.items())
    printed = printed_settings(section, "among_best", "ReL or SL")
    return judged_share(found, printed, margin, f"; elsewhere the best: {names}" if names else "")


def on_par_with_objective(tables: Tables, section: Mapping[str, Any], margin: float) -> Judgement:
    """In how many settings ReL and SL are both on par with the method trained for it."""
    found = against_objective(tables[RUNS], SIMPLE)
    counts = [f"{name} {int(found[name].sum())}" for name in SIMPLE]
    more = f"; alone: {', '.join(counts)}, either {int(found.any(axis=1).sum())}"
    printed = printed_settings(section, "on_par", "ReL and SL")
    return judged_share(found.all(axis=1), printed, margin, more)


def metric_methods_follow(tables: Tables) -> Cells:
    """How far JSD and SMF1 rank behind ReL and SL, and MV behind them, in the mean over datasets.

    Settings of one dataset share its items, so that datasets are what replicates the comparison.
    """
    table, others = tables[RUNS], ("JSD", "SMF1")
    rank = mean_ranks(table)
    text = ", ".join(f"{name} {rank[name]:.1f}" for name in (*SIMPLE, *others, BASELINE))
    ranks = pd.DataFrame({name: mean_ranks(own) for name, own in table.groupby("dataset")}).T
    pairs = [(other, name) for other in others for name in SIMPLE]
    pairs += [(BASELINE, other) for other in others]
    names, gaps = [], []
    for later, earlier in pairs:
        names.append(f"{later} after {earlier}")
        gaps.append((ranks[later] - ranks[earlier]).dropna().to_numpy(float))
    values, errors = [own.mean() for own in gaps], [standard_error(own) for own in gaps]
    return cells_of(f"mean ranks: {text}", names, values, errors, None, [len(own) for own in gaps])


def _trained_too(table: pd.DataFrame, method: str, dataset: str) -> str:
    """A method's means over runs where the encoder is trained too; nothing where there are none."""
    own = table[(table["method"] == method) & (table["dataset"] == dataset)]
    own = own[own["encoder"].str.endswith("fine-tuned")]
    means = own.groupby("metric")["value"].mean()
    told = [f"{name} {means[name]:.3f}" for name in ("macro F1", "entropy correlation")
            if name in means]  # fmt: skip
    text = ", ".join(told).replace("nan", "undefined")
    return f"; where the encoder is trained too, {text}" if told else ""


def degenerates(tables: Tables, method: str, dataset: str) -> Judgement:
    """In which runs a method's entropy correlation is undefined on a dataset."""
    table = tables[RUNS]
    own = table[(table["method"] == method) & table["value"].isna()]
    places = own.groupby("dataset", sort=False)["replicate"].nunique()
    f1 = table[(table["dataset"] == dataset) & (table["metric"] == "soft macro F1")]
    means = f1.groupby("method")[["value", "share_error"]].mean()
    text = (
        f"soft macro F1 {means['value'].get(method, np.nan):.3f}, MV {means['value'][BASELINE]:.3f}"
    )
    runs = str(table.loc[table["dataset"] == dataset, "replicate"].nunique())
    if dataset in places:
        return Judgement(f"undefined in {places[dataset]} runs; {text}", HOLDS, "", runs)
    elsewhere = f"undefined on {', '.join(places.index)}; " if len(places) else ""
    named = [name for name in (method, "SMF1", BASELINE) if name in means.index]
    shown = ", ".join(f"{name} {means['share_error'][name]:.3f}" for name in named)
    why = f"predictions differ, but class shares are lost: off by {shown}"
    why += _trained_too(tables[TUNED], method, dataset)
    return Judgement(f"{elsewhere}defined in all runs there; {text}", FAILS, why, runs)


def _correlations(tables: Tables) -> pd.DataFrame:
    """Pearson's r of each metric (columns) with the scores of one person's choices, by dataset."""
    table = tables[CHOICES]
    own = table[table["judge"] == ONE].drop_duplicates(["dataset", "metric"])
    return own.pivot_table(values="correlation", index="dataset", columns="metric")


def correlations_with_people(tables: Tables) -> pd.DataFrame:
    """Each metric's correlation with people's choices, a row for each dataset and metric."""
    return _correlations(tables).melt()


def lead_in_correlation(tables: Tables, first: list[str], last: list[str]) -> pd.DataFrame:
    """How much higher correlations of some metrics are than others', by dataset.

    Args:
        tables: the joined table of choices.
        first: metrics that are to lead; empty for all but `last`.
        last: those that are to follow; empty for all but `first`.
    """
    found = _correlations(tables)
    lead = [name for name in found if (name in first if first else name not in last)]
    rest = [name for name in found if (name in last if last else name not in first)]
    gaps = {f"{a} over {b}": found[a] - found[b] for a in lead for b in rest}
    return pd.DataFrame(gaps).melt(var_name="metric")


def ranks_by_people(tables: Tables) -> pd.DataFrame:
    """How far above the middle people rank methods: 0 the middle, 1 the top, by dataset."""
    table = tables[CHOICES]
    own = table[table["judge"] == ONE].drop_duplicates(["dataset", "method"])
    scores = own.pivot_table(values="score", index="dataset", columns="method")
    count = scores.notna().sum(axis=1)
    return (2 * scores.rank(axis=1).sub(1).div(count - 1, axis=0) - 1).melt()
