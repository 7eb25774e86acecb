"""`crowdgold evaluate` on public data whose gold labels are all known, with 300 of them shown."""

import dataclasses
import os

import numpy as np
import pytest

from crowdgold.datasets import DATASETS
from crowdgold.datasets.fetching import availability, fetch
from crowdgold.evaluation.questions import Settings
from crowdgold.evaluation.study import evaluate_study
from crowdgold.experiment.summaries import coverage_band
from crowdgold.models.stan import StanModels
from crowdgold.reading.study import Study
from crowdgold.types.items import NO_GOLD, Items
from unit.test_evaluate_study import truth_of

GOLD, SAMPLES, LEVEL = 300, 4, 0.95
MOST_ITEMS = 3000
"""Of a dataset: an evaluation of all pairs of products takes half a minute."""
METRICS = ("prevalence", "TNR_H", "TPR_H", "AUC", "delta_TPR")


def sentences(frame, rng):
    """QAGS: two of the three judgements of a sentence are its votes, the majority of the three its
    gold label; no scores."""
    labels = frame.groupby("item", sort=False)["label"].apply(lambda one: one.astype(int).tolist())
    judged = rng.permuted(np.array(labels.tolist()), axis=1)
    return Items(
        item=labels.index.to_numpy(dtype=object),
        votes_positive=judged[:, :2].sum(axis=1),
        votes_total=np.full(len(judged), 2),
        gold=np.full(len(judged), NO_GOLD, dtype=np.int8),
        scores={},
        tie_break=rng.random(len(judged)),
        truth=(judged.sum(axis=1) > 1).astype(np.int8),
    )


def table_of(name, folder, rng):
    frame = DATASETS[name].prepare(fetch(name, folder, log=[].append))
    if name == "qags":
        return sentences(frame, rng)
    parameters = {"predictors": ["character"]} if name == "product_pairs" else {}
    return DATASETS[name].draw_task(frame, parameters, rng)


@pytest.mark.parametrize("name", ["product_pairs", "chaosnli", "qags"])
def test_the_answers_hold_the_values_of_the_full_gold(name, tmp_path):
    """Four samples of gold from each dataset, by a seed. Of a metric's four intervals of 95 % as
    many may miss as the binomial band at 3.5 deviations allows, of all metrics' together as many as
    the band of that many intervals, though those of a sample hang together. The control, but for
    QAGS: counting majority votes where there is no gold misses more. QAGS is no test of the votes'
    model, since its votes are two of the three judgements whose majority is the gold label."""
    if not os.environ.get("CROWDGOLD_DATA") or not availability(name)[0]:
        pytest.skip("CROWDGOLD_DATA names no folder with the dataset")
    rng = np.random.default_rng(20261122)
    items = table_of(name, tmp_path, rng)
    items = items.take(np.sort(rng.permutation(len(items))[:MOST_ITEMS]))
    # Any scores will do for the true values of what does not depend on them.
    scores = items.scores or {"none": np.zeros(len(items))}
    known = dataclasses.replace(items, scores=scores)
    held: dict[str, dict[str, list[bool]]] = {"answer": {}, "GT+MV": {}}
    for seed in range(SAMPLES):
        shown = rng.choice(len(items), GOLD, replace=False)
        gold = np.full(len(items), NO_GOLD, dtype=np.int8)
        gold[shown] = items.truth[shown]
        settings = Settings(
            methods=("logistic-R", "GT", "GT+MV", "Rogan-Gladen"), metrics=METRICS,
            level=LEVEL, about="items", seed=seed,
        )  # fmt: skip
        study = Study(dataclasses.replace(items, gold=gold))
        found = evaluate_study(study, settings, StanModels())
        answers = found.as_json()["answers"]
        assert {one["method"] for one in answers} == {"logistic-R"}
        counted = found.tables["estimates"].query("method == 'GT+MV'").to_dict("records")
        for kind, rows in (("answer", answers), ("GT+MV", counted)):
            for row in rows:
                inside = row["lower"] <= truth_of(known, row) <= row["upper"]
                held[kind].setdefault(row["metric"], []).append(inside)
    lowest, _ = coverage_band(SAMPLES, LEVEL)
    for metric, inside in held["answer"].items():
        assert np.mean(inside) >= lowest, metric
    every = np.concatenate(list(held["answer"].values()))
    assert np.mean(every) >= coverage_band(len(every), LEVEL)[0]
    if name == "qags":  # where two of three judgements nearly are the majority of the three
        return
    control = np.concatenate(list(held["GT+MV"].values()))
    assert np.mean(control) < coverage_band(len(control), LEVEL)[0]
