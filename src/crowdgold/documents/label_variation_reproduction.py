"""The page on training with human label variation: the paper's study, and ours."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from crowdgold.documents.label_variation_claims import RUNS, SIMPLE, label_variation_claims
from crowdgold.documents.markdown import markdown_table
from crowdgold.documents.verdicts import claim_rows
from crowdgold.evaluation.label_variation_ranks import (
    BASELINE,
    CLEAR,
    SETTING,
    compare_with_baseline,
    mean_ranks,
    over_runs,
)
from crowdgold.label_variation.methods import METHODS, overview

MARKS = {True: "✓", False: "✗"}
OTHER_ENCODER = """\
pathvars: {results: results/twhin_bert}
experiments:
  label_variation_hs_brexit:
    parameters:
      encoder: twhin_bert
      fine_tuned: true
      epochs: 10
      learning_rate: 0.00002
      warmup: 0.1
"""
"""An overlay that fine-tunes an encoder of the paper's."""


def table_3() -> str:
    """Lay out table 3 from the registry of methods."""
    rows = [
        [f"{row['name']} ({name})", *(MARKS[bool(row[mark])] for mark in "IMD")]
        for name, row in overview().iterrows()
    ]
    return markdown_table(["method", "I", "M", "D"], rows)


def _cell(mean: float, sd: float) -> str:
    if np.isnan(mean):
        return "undefined"
    return f"{mean:.3f}" if np.isnan(sd) else f"{mean:.3f} ± {sd:.3f}"


def table_b1(table: pd.DataFrame, printed: Mapping[str, Any]) -> str:
    """Lay out MV's performance: ours, and below it what is printed of the paper's encoders."""
    own = over_runs(table[table["method"] == BASELINE])
    metrics = printed["metrics"]
    lines = []
    for (dataset, encoder), rows in own.groupby(["dataset", "encoder"], sort=False):
        by = rows.set_index("metric")
        cells = [_cell(by.loc[name, "mean"], by.loc[name, "sd"]) for name in metrics]
        lines.append([str(dataset), f"**ours: {encoder}**", *cells])
        for one in printed["rows"]:
            if one["dataset"] == dataset:
                values = zip(one["mean"], one["sd"], strict=True)
                lines.append(["", f"printed: {one['encoder']}", *(_cell(*pair) for pair in values)])
    return markdown_table(["dataset", "encoder", *metrics], lines)


def rank_table(table: pd.DataFrame) -> str:
    """Lay out the methods by mean rank, with how often each beats MV, falls below it, is best."""
    ranks, found = mean_ranks(table), compare_with_baseline(table)
    lines = []
    for name, rank in ranks.items():
        own = found[found["method"] == name]
        counts = [f"{int(own[what].sum())}" for what in ("beats", "below", "among_best")]
        undefined = int(own["mean"].isna().sum())
        full_name = METHODS[str(name)].full_name
        lines.append([str(name), full_name, f"{rank:.2f}", f"{len(own)}", *counts, f"{undefined}"])
    header = ["method", "", "mean rank", "settings", "beats MV", "below MV", "among the best",
              "undefined"]  # fmt: skip
    return markdown_table(header, lines)


def _by_chance(table: pd.DataFrame) -> str:
    """Say how often two equal methods differ substantially by chance: Student's t."""
    runs = int(over_runs(table)["runs"].min())
    if runs < 2:
        return " With one run there are none."
    least, most = (stats.t.sf(CLEAR, degrees) for degrees in (2 * runs - 2, runs - 1))
    return (
        f" With {runs} runs one of two equal methods is substantially above the other by chance in "
        f"{least:.0%} to {most:.0%} of settings, more often the best of many above another."
    )


def in_short(table: pd.DataFrame) -> str:
    """Say what came out, in numbers of the tables below."""
    ranks, found = mean_ranks(table), compare_with_baseline(table)
    best = ", ".join(f"{name} ({ranks[name]:.1f})" for name in ranks.index[:3])
    worst = ", ".join(f"{name} ({ranks[name]:.1f})" for name in ranks.index[-2:])
    beaten = found[found["beats"]].groupby("method").size()
    each = found.groupby("method").size()
    counts = " and ".join(f"{name} in {beaten.get(name, 0)} of {each[name]}" for name in SIMPLE)
    return (
        f"In short: by mean rank {best} come first, {worst} last; MV is at {ranks[BASELINE]:.1f}. "
        f"Substantially better than MV are {counts} settings."
    )


def named_places(table: pd.DataFrame) -> pd.Series:
    """Name each row's dataset, and its encoder where the dataset has more than one."""
    several = table.groupby("dataset")["encoder"].transform("nunique") > 1
    named: pd.Series = table["dataset"].mask(several, table["dataset"] + ", " + table["encoder"])
    return named.rename("place")


def difference_table(table: pd.DataFrame, place: str) -> str:
    """Lay out the mean differences to MV in a place (`named_places`), a line a method, by rank."""
    own = over_runs(table[named_places(table) == place])
    metrics = list(dict.fromkeys(own["metric"]))
    wide = {value: own.pivot_table(index="method", columns="metric", values=value, dropna=False)
            for value in ("mean", "se")}  # fmt: skip
    lines = []
    for name in mean_ranks(table).index:
        if name not in wide["mean"].index or name == BASELINE:
            continue
        cells = []
        for metric in metrics:
            mean, se = (wide[value][metric] for value in ("mean", "se"))
            gain, error = mean[name] - mean[BASELINE], np.hypot(se[name], se[BASELINE])
            cells.append("undefined" if np.isnan(gain) else f"{gain:+z.3f} ± {error:.3f}")
        lines.append([str(name), *cells])
    return markdown_table(["method", *metrics], lines)


def _how(table: pd.DataFrame) -> str:
    """Say how each dataset's models were trained."""
    lines = []
    for (dataset, encoder), own in table.groupby(["dataset", "encoder"], sort=False):
        rates = ", ".join(f"{one:g}" for one in sorted(own["learning_rate"].unique()))
        sizes = ", ".join(f"{one:g}" for one in sorted(own["batch_size"].unique()))
        first, runs = own.iloc[0], own["replicate"].nunique()
        people = f"{first['annotators']:,.0f}" if first["annotators"] else "not known"
        lines.append(
            [str(dataset), str(encoder), f"{first['items']:,}", f"{first['tied']:.1%}", people,
             f"{own['method'].nunique()}", f"{runs}", rates, sizes]
        )  # fmt: skip
    header = ["dataset", "encoder", "items tested", "majorities that are ties", "annotators",
              "methods", "runs", "learning rate", "batch size"]  # fmt: skip
    return markdown_table(header, lines)


def _left_out(table: pd.DataFrame) -> str:
    """Say which of the paper's datasets are not here."""
    private = "Of the paper's datasets TAG is private"
    if "MFRC" in set(table["dataset"]):
        return f"{private}."
    return (
        f"{private}, and MFRC was not had when this page was made: it joins the study where a "
        "local folder holds it, or results/datasets/mfrc.parquet was asked for (docs/datasets.md)."
    )


def share_table(table: pd.DataFrame) -> str:
    """Lay out how far each method's class shares are off, a column a dataset, by rank."""
    places = list(dict.fromkeys(named_places(table)))
    mean = table.assign(place=named_places(table)).pivot_table("share_error", "method", "place")
    values = mean.loc[mean_ranks(table).index, places].to_numpy()
    lines = [
        [str(name), *("-" if np.isnan(one) else f"{one:.3f}" for one in own)]
        for name, own in zip(mean_ranks(table).index, values, strict=True)
    ]
    return markdown_table(["method", *places], lines)


def ensembles_table(table: pd.DataFrame) -> str:
    """Lay out, by dataset, what an annotator's model learns from, and how AE does beside SL."""
    lines = []
    own = table[(table["metric"] == "PO-JSD") & (table["annotators"] > 0)]
    for place, rows in own.groupby(named_places(own), sort=False):
        mean = rows.groupby("method")[["value", "share_error"]].mean()
        if not {"SL", "AE"} <= set(mean.index):
            continue
        first = rows.iloc[0]
        lines.append(
            [str(place), f"{first['annotators']:,.0f}", f"{first['annotations_each']:,.0f}",
             *(f"{one:.3f}" for one in mean.loc[["SL", "AE"]].to_numpy().T.ravel())]
        )  # fmt: skip
    header = ["dataset", "annotators", "median of annotations", "PO-JSD of SL", "of AE",
              "class shares off by, of SL", "of AE"]  # fmt: skip
    return markdown_table(header, lines)


def label_variation_page(tables: list[pd.DataFrame], printed: Mapping[str, Any]) -> str:
    """Write the page.

    Args:
        tables: of the check `label_variation`, one an experiment.
        printed: what the paper prints (config/printed/label_variation.yaml).
    """
    table = pd.concat(tables, ignore_index=True)
    claims = claim_rows(label_variation_claims(printed["section_5_2"]), {RUNS: table})
    encoders = "; ".join(dict.fromkeys(table["encoder"]))
    settings = table[SETTING].drop_duplicates()
    parts = [
        "# Human label variation: training methods, the paper's results and ours\n",
        f"Made from the results by `make hlv`. Ours are of other encoders than the paper's: "
        f"{encoders}. Linear heads are trained on them, an encoder only where it is called "
        "fine-tuned. Levels cannot be compared with the paper's, whose encoders are larger and "
        "fine-tuned; whether the methods' order is the same is the question.\n",
        in_short(table) + "\n",
        _how(table) + "\n",
        _left_out(table) + "\n",
        "Where a dataset has one learning rate, it is that of MV: of five, the one with which it "
        "did best on development items (config/experiments/label_variation.yaml). A method with "
        "another kind of loss might want another, so that the comparison favours MV. With "
        "`--config scale=paper` each method has a random search of its own.\n",
        "## Section 5.2\n",
        f"A setting is a dataset, an encoder and a metric: {len(settings)} here. The paper does "
        "not say what substantially means. Here a method beats MV *substantially* where its mean "
        f"over the runs is above MV's by more than {CLEAR:g} standard errors of the difference; "
        "it is *among the best* where the best method does not beat it so; *on par* is the same "
        "with the method that is trained for the metric in the place of the best. These errors are "
        "those of training, as in the paper: how well the test items stand for others is not in "
        f"them.{_by_chance(table)} A share within 15 percentage points of the printed one, or "
        "above it, counts as holding; one above a half as holding in part.\n",
        markdown_table(["where", "printed", "ours", "verdict", "reason"], claims) + "\n",
        "## Methods by mean rank\n",
        "Over the settings that a method takes part in; an undefined value ranks last. Where fewer "
        "methods can be used, ranks are lower for all of them.\n",
        rank_table(table) + "\n",
        "With frozen features a likelihood is convex in the heads' weights, and ReL's is "
        "SL's where all items have as many annotations: then the two differ by the optimiser's "
        "steps alone, of which ReL takes as many more as an item has annotations (on ChaosNLI, as "
        "it has different ones).\n",
        "## Where class shares are lost\n",
        "The largest difference, over classes, of the mean prediction from the mean share in what "
        "people chose for the test items; mean over runs. Training on majority-voted labels, or on "
        "the nearest or farthest annotation, moves shares by design; a method that gives up on the "
        "rare class is off by that class's whole share.\n",
        share_table(table) + "\n",
        "Ensembles of annotators (AE, AEh). An annotator's model learns from that annotator alone. "
        "In the paper all of them share an encoder that is fine-tuned; on a frozen one they share "
        "nothing, and each has a few hundred weights to learn from the annotations counted here. "
        "Where these are few, there are many ways to fit them, of which the constant term is a "
        "small part: on other items such a model is near one half in the mean, whatever the share "
        "of the class, and so is the mean over models, in which each counts the same, as in the "
        "paper. It is a property of the method on a frozen encoder; a test makes it appear and "
        "disappear with the number of annotations of each.\n",
        ensembles_table(table) + "\n",
        "## Table B.1: the baseline MV\n",
        "Mean ± standard deviation over runs. Accuracy stands under micro F1.\n",
        table_b1(table, printed["table_b1"]) + "\n",
        "## Differences to MV\n",
        "Mean difference over runs ± its standard error; figures 2 to 4 draw them.\n",
        *(
            f"{place}:\n\n{difference_table(table, str(place))}\n"
            for place in dict.fromkeys(named_places(table))
        ),
        "## Table 3\n",
        "I: needs to know who gave which annotation; M: items may have several classes; D: trains "
        "on more rows than there are items. It is read from the registry of methods, and a test "
        "holds it to the printed one.\n",
        table_3() + "\n",
        "## The paper's encoders\n",
        "Whoever has the weights (or a network to fetch them) and a GPU can fine-tune them: "
        "`roberta`, `twhin_bert`, or `llama_3`, whose low-rank updates alone are trained. In a "
        "file `twhin_bert.yaml`:\n",
        f"```yaml\n{OTHER_ENCODER}```\n",
        "`.venv/bin/snakemake --cores 2 --configfile twhin_bert.yaml -- "
        "results/twhin_bert/figures/label_variation_fig3.svg` then runs the study with "
        "it on HS-Brexit, and with the rest as it is, and draws figure 3. The rate is an example, "
        "none that was found; `trials`, `learning_rates` and "
        "`batch_sizes` search for one (config/README.md). Here they were run with tiny models of "
        "the same classes and random weights, as tests.\n",
        "## What the paper leaves open\n",
        "- A tied majority: the first of the most frequent classes, as the arg max of the paper's "
        "own metrics; of several classes, those that more than half chose. The first "
        "table counts them.\n"
        "- The ranking score of the second annotator in the example of AR is (3/4 + 2/3) / 2: both "
        "of their annotations are the majority's. An annotator who never goes with it scores 0.\n"
        "- An item with one annotation is as any other: its share is 1.\n"
        "- AR where items may have several classes: each class is a question of its own, and an "
        "item's weight the mean over them.\n"
        "- Repeated labelling of ChaosNLI: a row for each class that an item was given, weighted "
        "by how often; over all rows the loss is that of a hundred rows, with fewer steps.\n",
    ]
    return "\n".join(parts)
