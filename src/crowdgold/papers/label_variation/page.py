"""Claims on training methods (HLV, sections 5.2 and 6) that need code of their own, and the larger
tables of the page on training with human label variation (HLV, section 5).
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.claims.cells import Cells, Tables, cells_of, markdown_table
from crowdgold.claims.verdicts import HOLDS, NOT_DECIDED, Judgement
from crowdgold.experiment.summaries import standard_error
from crowdgold.papers.label_variation.judgements import ONE
from crowdgold.papers.label_variation.ranks import (
    BASELINE,
    SETTING,
    against_objective,
    compare_with_baseline,
    judged_share,
    mean_ranks,
    over_runs,
    printed_settings,
)


def named_places(table: pd.DataFrame) -> pd.Series:
    """The name of each row's dataset, with its encoder where the dataset has more than one."""
    several = table.groupby("dataset")["encoder"].transform("nunique") > 1
    named: pd.Series = table["dataset"].mask(several, table["dataset"] + ", " + table["encoder"])
    return named.rename("place")


def _by_method(texts: Mapping[tuple[str, str], str], methods: Iterable[str]) -> str:
    """The texts of (method, column) laid out, a line a method in this order."""
    heads = list(dict.fromkeys(head for _, head in texts))
    known = {name for name, _ in texts}
    rows = [
        [name, *(texts.get((name, head), "-") for head in heads)]
        for name in methods
        if name in known
    ]
    return markdown_table(["method", *heads], rows)


def difference_table(table: pd.DataFrame, place: str) -> str:
    """The mean differences to MV in a place (`named_places`), a line a method, by rank."""
    own = over_runs(table[named_places(table) == place]).set_index(["method", "metric"])
    base = own.loc[BASELINE].reindex(own.index.get_level_values("metric"))
    gain = own["mean"] - base["mean"].to_numpy()
    error = np.hypot(own["se"], base["se"].to_numpy())
    pairs = zip(gain, error, strict=True)
    texts = ["undefined" if np.isnan(one) else f"{one:+z.3f} ± {its:.3f}" for one, its in pairs]
    methods = [name for name in mean_ranks(table).index if name != BASELINE]
    return _by_method(dict(zip(own.index, texts, strict=True)), methods)


def share_table(table: pd.DataFrame) -> str:
    """How far class shares are off, of items tested and trained on, by place and rank."""
    groups = table.groupby(["method", named_places(table)], sort=False)
    mean = groups[["share_error", "train_share_error"]].mean()
    texts = [f"{test:.3f} / {train:.3f}" for test, train in mean.to_numpy()]
    return _by_method(dict(zip(mean.index, texts, strict=True)), mean_ranks(table).index)


def dataset_table(table: pd.DataFrame, printed: Iterable[Mapping[str, Any]]) -> str:
    """Table 4: what `label_variation` counts of each dataset, and in brackets what is
    printed (`table_4` of config/printed/label_variation.yaml).
    """
    lines = []
    for row in printed:
        name = row["dataset"]
        own = table["dataset"].eq(name) | table["dataset"].str.startswith(f"{name} (")
        parts = table[own].drop_duplicates("dataset")
        numbers = [f"({row[key]})" for key in ("thousands", "each", "classes")]
        people, several = "", "private" if row.get("private") else "not had here"
        if len(parts):
            items, annotations = parts["all_items"].sum(), parts["all_annotations"].sum()
            ours = f"{items:,}", f"{annotations / items:.1f}", f"{parts['classes'].iloc[0]}"
            numbers = [f"{one} {its}" for one, its in zip(ours, numbers, strict=True)]
            count = parts["all_annotators"].max()
            people, several = f"{count:,}" if count else "not known", ""
        about = [row[key] for key in ("task", "language", "annotators")]
        marks = ["✓" if row[key] else "✗" for key in ("annotators_known", "multilabel")]
        lines.append([name, *about, *numbers, people, *marks, several])
    heads = ["dataset", "task", "L", "O", "items N (thousands)", "annotations an item J",
             "classes K", "annotators", "I", "M", ""]  # fmt: skip
    return markdown_table(heads, lines)


def correlation_table(table: pd.DataFrame, judge: str) -> str:
    """Table 5 on our runs: a line a dataset, each metric's correlation r with a judge's scores,
    with a star where p is below 5 %, and p.
    """
    own = table[table["judge"] == judge].drop_duplicates(["dataset", "encoder", "metric"])
    metrics = list(dict.fromkeys(own["metric"]))
    lines = []
    for (dataset, encoder), rows in own.groupby(["dataset", "encoder"], sort=False):
        of, cells = rows.set_index("metric"), []
        for name in metrics:
            r, p = of.loc[name, "correlation"], of.loc[name, "p_value"]
            star = "*" if p < 0.05 else ""
            cells.append("undefined" if np.isnan(r) else f"{r:+.2f}{star} ({p:.3f})")
        lines.append([str(dataset), str(encoder), f"{of['methods'].max()}", *cells])
    return markdown_table(["dataset", "encoder", "methods", *metrics], lines)


def ranking_table(table: pd.DataFrame, judge: str) -> str:
    """Table 6 on our runs: a line a dataset, its methods by a judge's scores, the best first."""
    own = table[table["judge"] == judge].drop_duplicates(["dataset", "encoder", "method"])
    lines = []
    for dataset, rows in own.groupby("dataset", sort=False):
        best = rows.set_index("method")["score"].sort_values(ascending=False, kind="stable")
        named = ", ".join(f"{name} {value:.3f}" for name, value in best.items())
        lines.append([str(dataset), named])
    return markdown_table(["dataset", "methods and their scores"], lines)


RUNS = "label_variation"
"""The joined table of all experiments of the study."""
CHOICES = "human_ranking"
"""The table of `human_ranking`: what people choose, and how metrics agree with it."""
TUNED = "label_variation_tuned"
"""The table of a dataset with its encoder frozen, and with it trained too."""
SIMPLE = ("ReL", "SL")
"""The two simple methods that the paper's claims are about."""


def _for_simple(tables: Tables, what: str) -> pd.DataFrame:
    """A column of `compare_with_baseline` by setting, a column for each of `SIMPLE`."""
    found = compare_with_baseline(tables[RUNS]).set_index(SETTING)
    return pd.DataFrame({name: found.loc[found["method"] == name, what] for name in SIMPLE})


def beat_baseline(
    tables: Tables, methods: list[str], section: Mapping[str, Any], margin: float
) -> Judgement:
    """In how many settings all of these methods, of ReL and SL, beat MV substantially."""
    found = _for_simple(tables, "beats")[methods].all(axis=1)
    return judged_share(found, printed_settings(section, "beats_baseline", *methods), margin)


def among_the_best(tables: Tables, section: Mapping[str, Any], margin: float) -> Judgement:
    """In how many settings ReL or SL is among the best."""
    found = _for_simple(tables, "among_best").any(axis=1)
    best = _for_simple(tables, "best")[SIMPLE[0]][~found].value_counts()
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


def degenerates(tables: Tables, method: str, dataset: str) -> Judgement:
    """In which runs a method's entropy correlation is undefined on a dataset."""
    table = tables[RUNS]
    undefined = table[(table["method"] == method) & table["value"].isna()]
    places = undefined.groupby("dataset", sort=False)["replicate"].nunique()
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
    tuned = tables[TUNED]
    own = tuned[(tuned["method"] == method) & (tuned["dataset"] == dataset)]
    by_metric = own[own["encoder"].str.endswith("fine-tuned")].groupby("metric")["value"].mean()
    values = [f"{name} {by_metric[name]:.3f}" for name in ("macro F1", "entropy correlation")
            if name in by_metric]  # fmt: skip
    if values:
        trained = ", ".join(values).replace("nan", "undefined")
        why += f"; where the encoder is trained too, {trained}"
    return Judgement(f"{elsewhere}defined in all runs there; {text}", NOT_DECIDED, why, runs)


def _correlations(tables: Tables) -> pd.DataFrame:
    """Pearson's r of each metric (columns) with the scores of one person's choices, by dataset."""
    table = tables[CHOICES]
    own = table[table["judge"] == ONE].drop_duplicates(["dataset", "metric"])
    return own.pivot_table(values="correlation", index="dataset", columns="metric")


def correlations_with_people(tables: Tables) -> pd.DataFrame:
    """Each metric's correlation with people's choices, a row for each dataset and metric."""
    return _correlations(tables).melt()


def lead_in_correlation(tables: Tables, first: list[str], last: list[str]) -> pd.DataFrame:
    """How much higher correlations of the metrics `first` are than those of `last`, by dataset;
    either is empty for all but the other.
    """
    known = _correlations(tables)
    lead = [name for name in known if (name in first if first else name not in last)]
    rest = [name for name in known if (name in last if last else name not in first)]
    gaps = {f"{a} over {b}": known[a] - known[b] for a in lead for b in rest}
    return pd.DataFrame(gaps).melt(var_name="metric")


def ranks_by_people(tables: Tables) -> pd.DataFrame:
    """How far above the middle people rank methods: 0 the middle, 1 the top, by dataset."""
    table = tables[CHOICES]
    own = table[table["judge"] == ONE].drop_duplicates(["dataset", "method"])
    scores = own.pivot_table(values="score", index="dataset", columns="method")
    count = scores.notna().sum(axis=1)
    return (2 * scores.rank(axis=1).sub(1).div(count - 1, axis=0) - 1).melt()
