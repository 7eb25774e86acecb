"""The page on training with human label variation: the paper's study, and ours."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from scipy import stats

from crowdgold.documents.markdown import markdown_table
from crowdgold.documents.verdicts import claim_rows
from crowdgold.studies.label_variation.methods import METHODS
from crowdgold.studies.label_variation.pages.claims import RUNS, SIMPLE, label_variation_claims
from crowdgold.studies.label_variation.pages.shares import (
    LEVEL,
    MAJORITY,
    in_words,
    printed_settings,
    share_interval,
)
from crowdgold.studies.label_variation.pages.tables import (
    difference_table,
    ensembles_table,
    named_places,
    rank_table,
    share_table,
    table_3,
    table_b1,
    training_table,
)
from crowdgold.studies.label_variation.ranks import (
    BASELINE,
    CLEAR,
    SETTING,
    compare_with_baseline,
    mean_ranks,
    over_runs,
    with_all_methods,
)

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


def _left_out(table: pd.DataFrame) -> str:
    """Say which of the paper's datasets are not here."""
    private = "Of the paper's datasets TAG is private"
    if "MFRC" in set(table["dataset"]):
        return f"{private}."
    return (
        f"{private}, and MFRC was not had when this page was made: it joins the study where a "
        "local folder holds it, or results/datasets/mfrc.parquet was asked for (docs/datasets.md)."
    )


def _introduction(table: pd.DataFrame, printed: Mapping[str, Any]) -> list[str]:
    encoders = "; ".join(dict.fromkeys(table["encoder"]))
    return [
        "# Human label variation: training methods, the paper's results and ours",
        f"Made from the results by `make hlv`. Ours are of other encoders than the paper's: "
        f"{encoders}. Linear heads are trained on them, an encoder only where it is called "
        "fine-tuned. Levels cannot be compared with the paper's, whose encoders are larger and "
        "fine-tuned; whether the methods' order is the same is the question.",
        in_short(table),
        training_table(table),
        _left_out(table),
        "Where a dataset has one learning rate, it is that of MV: of five, the one with which it "
        "did best on development items (config/experiments/label_variation.yaml). A method with "
        "another kind of loss might want another, so that the comparison favours MV. With "
        "`make hlv SCALE=paper` each method has a random search of its own. The one search was "
        "made once, and no rule makes it again; both are on the development items of the first "
        "fold where a dataset is cross-validated, which the other folds test, so that what is "
        "tested there has had a small part in the choice of the rate.",
    ]


def _readings(section: Mapping[str, Any]) -> str:
    """Say how the paper's counts are read, from its footnotes' exceptions."""
    alone = {name: printed_settings(section, "beats_baseline", name) for name in SIMPLE}
    each = ", ".join(f"{name} in {in_words(found)}" for name, found in alone.items())
    both = in_words(alone["ReL"] & alone["SL"])
    best = printed_settings(section, "among_best", "ReL or SL")
    on_par = printed_settings(section, "on_par", "ReL and SL")
    against = on_par.index[~on_par & best.reindex(on_par.index)]
    named = "; ".join(f"{metric} on {dataset} with {name}" for dataset, name, metric in against)
    return (
        "The paper's counts are read as its footnotes have them. The text's *both ReL and SL* can "
        "be read as settings in which both do; by the exceptions in footnote 15 it is "
        f"{each}, and both together in {both}. The text's *ReL and SL are on par* can be read as "
        f"either; but footnote 18 excepts {named}, where by footnote 17 one of them is among the "
        "best, so that it asks it of both."
    )


def _few_datasets(table: pd.DataFrame) -> str:
    """Say how a share is judged, and how little these datasets can show."""
    datasets = table["dataset"].nunique()
    least, _ = share_interval(1.0, datasets)
    enough = "just above" if least > MAJORITY else "not above"
    return (
        "In brackets stand our share and its interval. Settings of one dataset go together, in the "
        "worst case all the same way, so that the interval is Clopper and Pearson's of as many "
        f"observations as there are datasets, each end at {1 - LEVEL:.0%}, as if datasets were "
        f"drawn from many like them. With {datasets} datasets that is little: a share of 100% has "
        f"its lower end at {least:.0%}, {enough} one half. A share holds where its interval lies "
        "above one half and reaches the printed share, in part where it lies above one half alone, "
        "and does not hold where it neither lies above one half nor reaches the printed share. "
        "Otherwise it is not clear: a wide interval reaches the printed share whatever is true."
    )


def _section_5_2(table: pd.DataFrame, printed: Mapping[str, Any]) -> list[str]:
    section = printed["section_5_2"]
    claims = claim_rows(label_variation_claims(section), {RUNS: table})
    return [
        "## Section 5.2",
        f"A setting is a dataset, an encoder and a metric: {len(table[SETTING].drop_duplicates())} "
        "here. The paper does "
        "not say what substantially means. Here a method beats MV *substantially* where its mean "
        f"over the runs is above MV's by more than {CLEAR:g} standard errors of the difference; "
        "it is *among the best* where the best method does not beat it so; *on par* is the same "
        "with the method that is trained for the metric in the place of the best. These errors are "
        "those of training, as in the paper: how well the test items stand for others is not in "
        f"them.{_by_chance(table)}",
        _readings(section),
        _few_datasets(table),
        markdown_table(["where", "printed", "ours", "verdict", "reason"], claims),
    ]


def _ranks(table: pd.DataFrame, printed: Mapping[str, Any]) -> list[str]:
    settings = with_all_methods(table)[SETTING].drop_duplicates()
    return [
        "## Methods by mean rank",
        "Over the settings that a method takes part in; an undefined value ranks last. Where fewer "
        "methods can be used, ranks are lower for all of them: beside it stands the mean rank over "
        f"the {len(settings)} settings in which all {len(METHODS)} methods take part.",
        rank_table(table),
        "With frozen features a likelihood is convex in the heads' weights, and ReL's is "
        "SL's where all items have as many annotations: then the two differ by the optimiser's "
        "steps alone, of which ReL takes as many more as an item has annotations (on ChaosNLI, as "
        "it has different ones).",
    ]


def _stopped_short(table: pd.DataFrame) -> str:
    """Say how far SL is off on the items that it was trained on."""
    own = table[table["method"] == "SL"]
    by_place = own.groupby(named_places(own), sort=False)["train_share_error"].mean()
    if by_place.empty:
        return ""
    shown = ", ".join(f"{value:.3f} on {place}" for place, value in by_place.items())
    return (
        "A likelihood of the people's shares has, at its maximum, no such difference on the items "
        "trained on (its derivative by the constant term is zero). What SL is off there is "
        f"therefore what its training stopped short of: {shown}."
    )


def _class_shares(table: pd.DataFrame, printed: Mapping[str, Any]) -> list[str]:
    return [
        "## Where class shares are lost",
        "The largest difference, over classes, of the mean prediction from the mean share in what "
        "people chose for the test items, and after the stroke for the items trained on; mean over "
        "runs. Training on majority-voted labels, or on "
        "the nearest or farthest annotation, moves shares by design; a method that gives up on the "
        "rare class is off by that class's whole share.",
        share_table(table),
        _stopped_short(table),
        "Ensembles of annotators (AE, AEh). An annotator's model learns from that annotator alone. "
        "In the paper all of them share an encoder that is fine-tuned; on a frozen one they share "
        "nothing, and each has a few hundred weights to learn from the annotations counted here. "
        "Where these are few, there are many ways to fit them, of which the constant term is a "
        "small part: on other items such a model is near one half in the mean, whatever the share "
        "of the class, and so is the mean over models, in which each counts the same, as in the "
        "paper. It is a property of the method on a frozen encoder; a test makes it appear and "
        "disappear with the number of annotations of each.",
        ensembles_table(table),
    ]


def _levels_and_differences(table: pd.DataFrame, printed: Mapping[str, Any]) -> list[str]:
    return [
        "## Table B.1: the baseline MV",
        "Mean ± standard deviation over runs. Accuracy stands under micro F1.",
        table_b1(table, printed["table_b1"]),
        "## Differences to MV",
        "Mean difference over runs ± its standard error; figures 2 to 4 draw them.",
        *(
            f"{place}:\n\n{difference_table(table, str(place))}"
            for place in dict.fromkeys(named_places(table))
        ),
    ]


def _methods_and_encoders(table: pd.DataFrame, printed: Mapping[str, Any]) -> list[str]:
    return [
        "## Table 3",
        "I: needs to know who gave which annotation; M: items may have several classes; D: trains "
        "on more rows than there are items. It is read from the registry of methods, and a test "
        "holds it to the printed one.",
        table_3(),
        "## The paper's encoders",
        "Whoever has the weights (or a network to fetch them) and a GPU can fine-tune them: "
        "`roberta`, `twhin_bert`, or `llama_3`, whose low-rank updates alone are trained. In a "
        "file `twhin_bert.yaml`:",
        f"```yaml\n{OTHER_ENCODER}```",
        "`.venv/bin/snakemake --cores 2 --configfile twhin_bert.yaml -- "
        "results/twhin_bert/figures/label_variation_fig3.svg` then runs the study with "
        "it on HS-Brexit, and with the rest as it is, and draws figure 3. The rate is an example, "
        "none that was found; `trials`, `learning_rates` and "
        "`batch_sizes` search for one (config/README.md). Here they were run with tiny models of "
        "the same classes and random weights, as tests.",
    ]


def _left_open(table: pd.DataFrame, printed: Mapping[str, Any]) -> list[str]:
    return [
        "## What the paper leaves open",
        "- A tied majority: the first of the most frequent classes, as the arg max of the paper's "
        "own metrics; of several classes, those that more than half chose. The first "
        "table counts them.\n"
        "- The ranking score of the second annotator in the example of AR is (3/4 + 2/3) / 2: both "
        "of their annotations are the majority's. An annotator who never goes with it scores 0.\n"
        "- An item with one annotation is as any other: its share is 1.\n"
        "- AR where items may have several classes: each class is a question of its own, and an "
        "item's weight the mean over them.\n"
        "- Repeated labelling of ChaosNLI: a row for each class that an item was given, weighted "
        "by how often; over all rows the loss is that of a hundred rows, with fewer steps.",
    ]


SECTIONS = (
    _introduction,
    _section_5_2,
    _ranks,
    _class_shares,
    _levels_and_differences,
    _methods_and_encoders,
    _left_open,
)


def label_variation_page(tables: list[pd.DataFrame], printed: Mapping[str, Any]) -> str:
    """Write the page.

    Args:
        tables: of the check `label_variation`, one an experiment.
        printed: what the paper prints (config/printed/label_variation.yaml).
    """
    table = pd.concat(tables, ignore_index=True)
    paragraphs = [one for section in SECTIONS for one in section(table, printed) if one]
    return "\n\n".join(paragraphs) + "\n"
