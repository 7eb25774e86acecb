"""STABLEVAL's published simulated labels, and what its tables show: recovery and stability."""

import gzip
import json
import os
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from crowdgold.datasets import DATASETS, fetching
from crowdgold.datasets import stableval_synthetic as published
from crowdgold.datasets.fetching import LOCAL, DatasetUnavailable, availability, fetch
from crowdgold.inference.agents import Subsampling, evaluate_agents
from crowdgold.methods.registry import fit
from crowdgold.papers.stableval.tables import ranking_accuracy, recovery, summarise_recovery, tau_b
from crowdgold.simulate import simulate
from crowdgold.types.errors import InputError

SHAPE = {"CONFIGURATIONS": 1, "SEEDS": 2, "AGENTS": 2, "ITEMS_PER_AGENT": 2}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The files of one configuration: two seeds, two agents of two responses, two labels each."""
    for name, value in SHAPE.items():
        monkeypatch.setattr(published, name, value)
    files = {"truth": "t.jsonl.gz", "annotators": "a.jsonl.gz", "labels": "y.jsonl.gz"}
    values = {"t": ["0122", "2100"], "a": ["019at501", "0123ab10"], "y": ["00112220", "22110000"]}
    for name, texts in values.items():
        lines = [json.dumps({"seed": seed, name: text}) for seed, text in enumerate(texts)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    index = {"labels_2": {**files, "labels_per_item": 2}}
    (tmp_path / "index.json").write_text(json.dumps(index))
    return tmp_path


def test_a_seed_becomes_annotations(folder):
    frame = published.prepare(folder)
    rng = np.random.default_rng(1)
    table = published.draw_task(frame, {"configuration": "labels_2", "seed": 0}, rng)
    assert table.truth.tolist() == [0, 1, 2, 2]
    assert table.agent_of.tolist() == [0, 0, 1, 1]
    assert table.item_of.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert table.label.tolist() == [0, 0, 1, 1, 2, 2, 2, 0]
    names = table.annotator[table.annotator_of]
    assert names.tolist() == ["0", "1", "9", "10", "29", "5", "0", "1"], "base 36"
    assert table.credit.tolist() == [0, 0.5, 1]
    with pytest.raises(InputError, match=r"parameter 'seed': found 2, expected a whole number.*1"):
        published.draw_task(frame, {"configuration": "labels_2", "seed": 2}, rng)
    with pytest.raises(InputError, match="no configuration 'labels_3'; did you mean 'labels_2'"):
        published.draw_task(frame, {"configuration": "labels_3", "seed": 0}, rng)


def test_files_that_do_not_hold_what_they_should_are_named(folder):
    (folder / "y.jsonl").write_text('{"seed": 0, "y": "0011222"}\n{"seed": 1, "y": "22110000"}')
    with pytest.raises(InputError, match=r"y.jsonl, seed 0: found 7 values, expected 8"):
        published.prepare(folder)
    (folder / "y.jsonl").write_text('{"seed": 0, "y": "00112220"}')
    with pytest.raises(InputError, match=r"y.jsonl: found 1 seeds, expected 0 to 1"):
        published.prepare(folder)
    (folder / "y.jsonl").write_text('{"seed": 0, "y": "0", "x": "1"}')
    with pytest.raises(InputError, match=r"y.jsonl, line 1: expected a seed and one string"):
        published.prepare(folder)


def test_what_was_made_by_hand_is_never_downloaded(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv(LOCAL, str(tmp_path))
    monkeypatch.setattr(fetching, "network_allows", lambda *_: pytest.fail("asked"))
    available, why = availability("stableval_synthetic")
    assert not available
    assert "not for download" in why
    assert "CROWDGOLD_DATA" in why
    with pytest.raises(DatasetUnavailable, match=r"made by hand of https.*STABLEVAL"):
        fetch("stableval_synthetic", tmp_path / "files", log=[].append)


def test_published_labels_give_the_published_scores(tmp_path):
    """MV, DS and PEC of two seeds against the authors' own, to 1e-12."""
    if not os.environ.get(LOCAL):
        pytest.skip("CROWDGOLD_DATA names no folder with the datasets")
    available, why = availability("stableval_synthetic")
    if not available:
        pytest.skip(why)
    folder = fetch("stableval_synthetic", tmp_path, log=[].append)
    frame = DATASETS["stableval_synthetic"].prepare(folder)
    path = os.path.join(os.environ[LOCAL], "stableval_synthetic", "scores.csv.gz")
    with gzip.open(path, "rt") as file:
        scores = pd.read_csv(file).set_index(["config", "seed"]).sort_index()
    em = {"em": "published_synthetic"}
    settings = {"MV": {"ties": "highest"}, "DS": em, "PEC": em}
    for configuration, seed in (("labels_3", 0), ("adv_40", 99)):
        rng = np.random.default_rng(1)
        table = published.draw_task(frame, {"configuration": configuration, "seed": seed}, rng)
        for method, own in settings.items():
            fitted = fit(method, table, rng, own)
            found = evaluate_agents(fitted, table, ["score:each"], rng, 0.95, 0)
            theirs = scores.loc[configuration, seed][method.lower()].to_numpy()
            assert [one.estimate for one in found] == pytest.approx(theirs, abs=1e-12)


def test_ranking_measures_are_those_of_brute_force():
    """Against SciPy's tau-b and counted pairs, with ties on either side."""
    rng = np.random.default_rng(2)
    estimated, true = rng.integers(0, 5, (40, 6)).astype(float), rng.integers(0, 5, (40, 6)) / 1.0
    tau, share = tau_b(estimated, true), ranking_accuracy(estimated, true)
    for row in range(40):
        one, other = estimated[row], true[row]
        assert tau[row] == pytest.approx(kendalltau(one, other).statistic, nan_ok=True)
        pairs = []
        for i, j in combinations(range(6), 2):
            agree = np.sign(one[i] - one[j]) * np.sign(other[i] - other[j])
            pairs.append({1: 1, 0: 0.5, -1: 0}[int(agree)])
        assert share[row] == pytest.approx(np.mean(pairs))
    assert np.isnan(tau_b(np.ones((1, 3)), true[:1, :3]))[0]


def results(**columns):
    rows = [
        {"experiment": "e", "configuration": "c", "method": "MV", "replicate": replicate,
         "metric": "score:each", "agent": agent, "truth": truth, "estimate": truth + off}
        for replicate, off in ((0, 0.1), (1, -0.3))
        for agent, truth in (("A1", 0.2), ("A2", 0.6))
    ]  # fmt: skip
    return pd.DataFrame(rows).assign(**columns)


def test_recovery_is_summarised_over_replicates():
    found = recovery(results(), ["configuration"])
    assert found["mse"].tolist() == pytest.approx([0.01, 0.09])
    summary = summarise_recovery(results(), ["configuration"]).set_index("quantity")
    assert summary.loc["mse", "mean"] == pytest.approx(0.05)
    assert summary.loc["mse", "se"] == pytest.approx(0.04)
    assert summary.loc["ranking_accuracy", "mean"] == 1
    with pytest.raises(ValueError, match="no metric 'score:each'"):
        recovery(results(metric="rank:each"), ["configuration"])
    with pytest.raises(ValueError, match="lacks scores"):
        recovery(results().iloc[:-1], ["configuration"])


@pytest.mark.parametrize(("n_labels", "kept"), [(1, 1), (3, 2), (5, 3), (9, 3)])
def test_a_response_keeps_three_of_its_labels_or_one_less_than_it_has(n_labels, kept):
    """And each of its labels is kept alike: a count within 5 binomial errors of its share."""
    rng = np.random.default_rng(3)
    table = simulate("stableval", {"items_per_agent": 300, "n_labels": n_labels}, rng).table
    subsets = list(Subsampling(draws=4).label_subsets(table, rng))
    for chosen in subsets:
        assert (table.of_labels(chosen).labels_of_item == kept).all()
    place = np.mean([chosen.reshape(-1, n_labels).mean(axis=0) for chosen in subsets], axis=0)
    share, size = kept / n_labels, 4 * len(table.item)
    assert np.all(np.abs(place - share) <= 5 * np.sqrt(share * (1 - share) / size))


def test_stability_by_labels_has_a_value_and_an_error():
    rng = np.random.default_rng(4)
    table = simulate("stableval", {"items_per_agent": 60, "quality": "tight"}, rng).table

    def refit(labels):
        return fit("MV", labels, np.random.default_rng(5), {"ties": "highest"})

    chosen = Subsampling(draws=8)
    (found,) = evaluate_agents(
        refit(table), table, ["stability:labels"], rng, 0.95, 0, refit, chosen
    )
    assert 0 < found.estimate < 1
    assert found.standard_error > 0
    with pytest.raises(InputError, match="labels: found 0, expected 1 or more"):
        Subsampling(labels=0)
