"""The report on the bundled example, against its truth."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crowdgold.cli import main
from crowdgold.metrics.binary import parse_metric
from crowdgold.metrics.metric import LabelMass, RankedItems
from crowdgold.presentation.answers import write_answers
from crowdgold.presentation.folder import read_study_folder
from crowdgold.types.items import Items

EXAMPLE = Path(__file__).parents[2] / "src/crowdgold/example"


def example_items():
    """The example's items with their true labels for labels."""
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
    """A metric of a model where these labels are true."""
    mass = LabelMass.of_labels(labels)
    return parse_metric(metric).value([mass], [RankedItems.of(items, model or "large")])


def true_value(items, labels, row):
    """What an answer estimates: a value, or a difference between two models."""
    name, against = row["metric"], row["against"]
    if against in ("", "humans"):
        return value(items, labels, name, row["model"])
    name = name if name == "delta_TPR" else name.removeprefix("delta_")
    return value(items, labels, name, row["model"]) - value(items, labels, name, against)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """The example evaluated by the command that a user gives, and read as its report reads it.

    Without the models: no answer depends on them.
    """
    out = tmp_path_factory.mktemp("example") / "evaluated"
    files = [str(EXAMPLE / f"{name}.csv") for name in ("votes", "gold", "scores")]
    asked = ["evaluate", *files, "--out", str(out), "--no-models"]
    assert main(asked) == 0
    return read_study_folder(out)


def missed(study, labels):
    """The metrics of answers whose interval does not hold the truth of these labels."""
    items = example_items()
    return [
        row["metric"] for row in study.summary["answers"]
        if not row["lower"] <= true_value(items, labels, row) <= row["upper"]
    ]  # fmt: skip


def test_the_intervals_of_the_report_hold_the_truth(study):
    """All 21, at the project's own seed; they depend on each other, or 0.95^21 would be 0.34."""
    assert len(study.summary["answers"]) == 21
    assert {one["method"] for one in study.summary["answers"]} == {"logistic-R"}
    assert missed(study, example_items().truth) == []


def test_they_do_not_hold_what_the_majority_of_votes_says(study):
    items = example_items()
    majority = (2 * items.votes_positive > items.votes_total).astype(np.int8)
    assert {"TPR_H", "TNR_H", "AUC"} <= set(missed(study, majority))


def test_the_report_says_these_intervals(study):
    first = write_answers(study.answers, study.level)[0].answers[0]
    row = study.summary["answers"][0]
    value = f"{100 * row['estimate']:.1f} %"
    ends = " to ".join(f"{100 * row[name]:.1f} %" for name in ("lower", "upper"))
    assert first.sentence == f"{value} of the items are positive (95 % interval {ends})."
    assert first.cells[:2] == [f"{value} ({ends})", "corrected by gold (logistic-R)"]
