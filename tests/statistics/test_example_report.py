"""The report on the bundled example, against its truth."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crowdgold.commands import main
from crowdgold.data import Items
from crowdgold.metrics import LabelMass, RankedItems, parse_metric

EXAMPLE = Path(__file__).parents[2] / "src/crowdgold/example"
LABELS = ("prevalence", "TPR_H", "TNR_H")


def example_items():
    """Give the example's items with their true labels for labels."""
    votes, scores, truth = (
        pd.read_csv(EXAMPLE / f"{name}.csv") for name in ("votes", "scores", "truth")
    )
    counts = votes.groupby("item")["label"].agg(["sum", "size"]).loc[truth["item"]]
    scores = scores.set_index("item").loc[truth["item"]]
    named = {name.removeprefix("score_"): scores[name].to_numpy() for name in scores}
    labels = truth["truth"].to_numpy(dtype=np.int8)
    return Items(
        truth["item"].to_numpy(dtype=object), counts["sum"].to_numpy(), counts["size"].to_numpy(),
        labels, named, np.arange(len(labels)) / len(labels), labels,
    )  # fmt: skip


def value(items, labels, metric, model):
    """Give a metric of a model where these labels are true."""
    mass = LabelMass(labels.astype(float), 1.0 - labels)
    return parse_metric(metric).value([mass], [RankedItems.of(items, model or "large")])


def true_value(items, labels, row):
    """Give what a headline estimates: a value, or a difference between two models."""
    name, against = row["metric"], row["against"]
    if against in ("", "humans"):
        return value(items, labels, name, row["model"])
    name = name if name == "delta_TPR" else name.removeprefix("delta_")
    return value(items, labels, name, row["model"]) - value(items, labels, name, against)


@pytest.fixture(scope="module")
def report(tmp_path_factory, toolchain):
    """The folder of the example's report, by the commands that a user gives."""
    out = tmp_path_factory.mktemp("example") / "report"
    files = [str(EXAMPLE / f"{name}.csv") for name in ("votes", "gold", "scores")]
    assert main(["evaluate", *files, "--out", str(out), "--cores", "1",
                 "--methods", "GT", "MAVEN-R", "MAVEN-C"]) == 0  # fmt: skip
    assert main(["report", str(out)]) == 0
    return out


def test_the_intervals_of_the_report_hold_the_truth(report):
    headlines = json.loads((report / "study.json").read_text())["headlines"]
    items = example_items()
    missed = [
        row for row in headlines
        if not row["lower"] <= true_value(items, items.truth, row) <= row["upper"]
    ]  # fmt: skip
    assert len(headlines) > 15
    assert missed == []


def test_they_do_not_hold_what_the_majority_of_votes_says(report):
    headlines = json.loads((report / "study.json").read_text())["headlines"]
    items = example_items()
    majority = (2 * items.votes_positive > items.votes_total).astype(np.int8)
    missed = {
        row["metric"] for row in headlines
        if not row["lower"] <= true_value(items, majority, row) <= row["upper"]
    }  # fmt: skip
    assert {"TPR_H", "TNR_H"} <= missed


def test_the_page_says_what_the_headlines_are(report):
    page = (report / "report.html").read_text(encoding="utf-8")
    for row in json.loads((report / "study.json").read_text())["headlines"]:
        if row["metric"] == "prevalence":
            assert f"{100 * row['estimate']:.1f} % of the items are positive." in page
