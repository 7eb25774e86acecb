"""The computation `label_variation`: what it needs, and a run of it on a small made dataset."""

import importlib.util

import numpy as np
import pandas as pd
import pytest

from crowdgold.datasets.dataset import JUDGED_COLUMNS as COLUMNS
from crowdgold.papers.label_variation import experiments as label_variation
from crowdgold.system.declarations import load
from crowdgold.types.errors import InputError

needs_torch = pytest.mark.skipif(
    not importlib.util.find_spec("torch"),
    reason="PyTorch is not installed (`make hlv-packages`)",
)
GIVEN = {
    "dataset": "armis", "encoder": "tfidf", "method": "SL", "epochs": 8, "batch_size": 16,
    "learning_rate": 0.05, "trials": 0,
}  # fmt: skip


def armis(items=90):
    """Texts with a word that two of three annotators go by."""
    rng = np.random.default_rng(0)
    rows = []
    for i in range(items):
        bad = i % 3 == 0
        part = ("train", "train", "train", "dev", "test")[i // 3 % 5]
        text = f"{'awful' if bad else 'lovely'} word{rng.integers(5)}"
        rows += [
            (f"i{i}", part, text, "", who, str(int(bad and who != "c")), 1)
            for who in ("a", "b", "c")
        ]
    return pd.DataFrame(rows, columns=COLUMNS)


def check(method="SL", seed=0, **more):
    rng = np.random.default_rng(seed)
    return label_variation.compute_label_variation(
        {**GIVEN, "method": method, **more}, rng, armis()
    )


@needs_torch
@pytest.mark.parametrize("method", ["MV", "SL", "AE", "ARh"])
def test_a_run_gives_a_row_a_metric(method):
    rows = check(method)
    assert rows["metric"].tolist() == [
        "micro F1", "macro F1", "soft micro F1", "soft macro F1", "PO-JSD", "entropy correlation",
    ]  # fmt: skip
    assert set(rows["dataset"]) == {"ArMIS"}
    assert set(rows["encoder"]) == {"TF-IDF"}
    assert set(rows["items"]) == {18}
    assert rows.set_index("metric").loc["micro F1", "value"] == 1
    soft = rows.set_index("metric").loc["soft micro F1", "value"]
    assert soft > (0.9 if method in ("SL", "AE") else 0.8)
    assert set(rows["annotators"]) == {3}
    assert set(rows["annotations_each"]) == {54}
    assert set(rows["tied"]) == {0}


@needs_torch
def test_shares_of_classes_are_held_against_those_of_the_people(monkeypatch):
    """A third of the items is bad, for two of three: a half is off by 5/18 on the 18 items tested,
    a quarter by 1/36 on the others."""
    from crowdgold.papers.label_variation import training

    class Constant:
        def predict(self, items):
            positive = 1 / 2 if len(items) == 18 else 1 / 4
            return np.tile([1 - positive, positive], (len(items), 1))

    monkeypatch.setattr(training, "train", lambda *given: Constant())
    rows = check()
    assert rows["share_error"].tolist() == pytest.approx([1 / 2 - 2 / 9] * 6)
    assert rows["train_share_error"].tolist() == pytest.approx([1 / 4 - 2 / 9] * 6)


@needs_torch
def test_an_error_of_class_shares_on_training_items_says_that_training_stopped_short():
    """Of two ninths a model that learns nothing is off by about 1/2 - 2/9, as its first weights
    are small and the features centred; at the maximum of SL's likelihood it is off by nothing."""
    short, longer = (
        check(learning_rate=rate, epochs=epochs)["train_share_error"].iloc[0]
        for rate, epochs in ((1e-7, 1), (0.05, 60))
    )
    assert short > 0.2
    assert longer < 0.01


@needs_torch
def test_a_search_takes_what_is_best_on_the_development_items():
    """Of two rates, one of which learns nothing, the other is taken."""
    rows = check(trials=6, learning_rates=[1e-7, 0.1], batch_sizes=[8, 16], learning_rate=1e-7)
    assert set(rows["batch_size"]) <= {8, 16}
    assert rows["learning_rate"].iloc[0] > 1e-4
    assert rows.set_index("metric").loc["micro F1", "value"] == 1
    assert check(learning_rate=1e-7)["learning_rate"].iloc[0] == 1e-7


@needs_torch
def test_cross_validated_predictions_are_of_all_items():
    frame = armis().drop_duplicates("item")
    number = np.arange(len(frame))
    frame = frame.assign(
        part=(number % 10).astype(str), label=np.where(number % 3 == 0, "e", "n"), count=9,
        annotator="", second="hypothesis", subset="snli",
    )  # fmt: skip
    texts = {"dataset": "chaosnli_texts", "subset": "snli", "repeated": "each"}
    given = {**GIVEN, **texts, "epochs": 1, "batch_size": 64}
    run, rng = label_variation.compute_label_variation, np.random.default_rng(0)
    rows = run({**given, "method": "ReL"}, rng, frame)
    assert set(rows["items"]) == {90}
    assert set(rows["annotators"]) == {0}
    assert set(rows["dataset"]) == {"ChaosNLI (SNLI)"}
    with pytest.raises(InputError, match="AE needs to know who gave which annotation"):
        run({**given, "method": "AE"}, rng, frame)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "SLL"}, "no method 'SLL'; did you mean 'SL'"),
        ({"epoch": 1}, "no parameter 'epoch'; did you mean 'epochs'"),
        ({"dataset": "mfr"}, "did you mean 'mfrc'"),
        ({"subset": "snli"}, "no subset 'snli'"),
        pytest.param(
            {"learning_rates": [0.1, 0.01]},
            "found 0.1 and 0.01, expected the lowest",
            marks=needs_torch,
        ),
    ],
)
def test_a_parameter_that_cannot_be_used_is_named(change, message):
    with pytest.raises(InputError, match=message):
        check(**change)


def test_the_check_says_what_it_needs():
    own, minilm = load("computation", "label_variation"), {**GIVEN, "encoder": "minilm"}
    assert own.dataset({**minilm, "dataset": "mfrc"}) == "mfrc"
    kept = own.features_file({**minilm, "dataset": "mfrc"})
    assert str(kept) == "results/embeddings/minilm/mfrc.npz"
    assert own.features_file(GIVEN) is None
    assert own.features_file({**minilm, "fine_tuned": True}) is None
    assert own.packages(GIVEN) == ("torch",)
    assert "transformers" in own.packages(minilm)
    assert not own.can_do_without
    assert load("computation", "labelling_frontier").can_do_without
    assert load("computation", "metric_study").features_file({}) is None
