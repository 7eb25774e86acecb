"""STABLEVAL's published labels, drawn from its seeds, and what its tables show of them."""

import gzip
import json
import os
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from crowdgold.datasets.fetching import LOCAL
from crowdgold.experiment.data_tables import DataTable
from crowdgold.experiment.drawing import simulate_block
from crowdgold.inference.agents import Subsampling, evaluate_agents
from crowdgold.methods.registry import fit
from crowdgold.papers.stableval.tables import ranking_accuracy, recovery, summarise_recovery, tau_b
from crowdgold.simulate import simulate
from crowdgold.types.errors import InputError

SEEDS = "stableval_seeds"
EM = {"em": "published_synthetic"}
SETTINGS = {"MV": {"ties": "highest"}, "DS": EM, "PEC": EM}

CASES = [
    (
        "labels_3",
        0,
        "220022222220 blcqh04jl820 212112000000",
        "220010201000 is1ej80n40i7 010000001102",
    ),
    (
        "adv_40",
        99,
        "222222222222 8a274158rdfc 200002221121",
        "221002002100 4a4jtqnqde6s 020010110101",
    ),
    (
        "hard_00",
        7,
        "222222022222 pg64050n3fgq 222122121221",
        "001110001102 4fdriqb76hor 112110022122",
    ),
]
"""Configuration, seed, and the first and last 12 values of the published files: truth,
annotators and labels."""


def drawn(configuration, seed):
    return simulate(SEEDS, {"configuration": configuration}, np.random.default_rng(seed))


def strings(table):
    """The table as the published files have it: a base-36 character a value."""
    names = np.array([int(name[1:]) - 1 for name in table.annotator])[table.annotator_of]
    return {
        kind: "".join(np.base_repr(value, 36).lower() for value in values)
        for kind, values in (("truth", table.truth), ("annotators", names), ("labels", table.label))
    }


@pytest.mark.parametrize(("configuration", "seed", "first", "last"), CASES)
def test_a_seed_draws_the_published_labels(configuration, seed, first, last):
    """The first and the last values of the published files, of which the last see all before."""
    found = strings(drawn(configuration, seed).table)
    assert [text[:12] for text in found.values()] == first.split()
    assert [text[-12:] for text in found.values()] == last.split()


@pytest.mark.parametrize(
    ("configuration", "seed"), [("labels_3", 0), ("gaps_tight", 50), ("hard_00", 99)]
)
def test_all_labels_and_scores_of_a_seed_are_the_published_ones(configuration, seed):
    """Labels in every character; MV, DS and PEC against the authors' own, to 1e-12."""
    folder = Path(os.environ.get(LOCAL, "/nowhere"), "stableval_synthetic")
    if not folder.is_dir():
        pytest.skip("CROWDGOLD_DATA names no folder with STABLEVAL's published labels")
    table, rng = drawn(configuration, seed).table, np.random.default_rng(1)
    files = json.loads((folder / "index.json").read_text())[configuration]
    for kind, text in strings(table).items():
        with gzip.open(folder / files[kind], "rt") as lines:
            (record,) = [one for one in map(json.loads, lines) if one.pop("seed") == seed]
        assert list(record.values()) == [text], kind
    scores = pd.read_csv(folder / "scores.csv.gz").set_index(["config", "seed"]).sort_index()
    for method, own in SETTINGS.items():
        found = evaluate_agents(fit(method, table, rng, own), table, ["score:each"], rng, 0.95, 0)
        theirs = scores.loc[configuration, seed][method.lower()].to_numpy()
        assert [one.estimate for one in found] == pytest.approx(theirs, abs=1e-12)


def test_a_replicate_is_the_seed_of_its_number_and_its_random_numbers_go_on(tmp_path):
    """Whatever the configuration's seed; the state is kept beside the data."""
    setting = {"name": "only", "axes": {}, "parameters": {"configuration": "labels_3"}}
    task = {
        "seed": 5, "paper": "STABLEVAL", "experiment": "e", "simulator": SEEDS,
        "settings": [setting], "replicates": [0, 3],
    }  # fmt: skip
    simulate_block(task, tmp_path / "data.parquet", {})
    kept = DataTable(tmp_path / "data.parquet")
    for seed in (0, 3):
        found, alone = kept.replicate("only", seed), drawn("labels_3", seed)
        assert strings(found.table) == strings(alone.table)
        assert found.state == alone.state
        assert found.parameters == alone.parameters


@pytest.mark.parametrize(("n_labels", "kept"), [(3, 2), (9, 3)])
def test_subsets_in_turn_are_those_of_choice_after_the_data(n_labels, kept):
    """Response by response, MV's draws and then PEC's, which DS shares."""
    rng = np.random.default_rng(8)
    one = simulate(SEEDS, {"configuration": f"labels_{n_labels}"}, rng)
    subsampling = Subsampling(draws=2, in_turn=["MV", "PEC"])
    for methods in (["MV"], ["PEC", "DS"]):
        expected = []
        for _ in range(2):
            chosen = np.zeros((len(one.table.item), n_labels), dtype=bool)
            for row in chosen:
                row[rng.choice(n_labels, kept, replace=False)] = True
            expected.append(chosen.ravel())
        for method in methods:
            found = list(subsampling.label_subsets_in_turn(one.table, method, one.state))
            assert np.array_equal(found, expected), method
    with pytest.raises(InputError, match="in_turn: expected the data of the simulator"):
        next(subsampling.label_subsets_in_turn(one.table, "MV", {}))


def test_a_cell_of_table_5_comes_out_to_every_digit():
    """MV with 3 labels, over seeds 0 to 99, against the authors' labels_per_item_metrics.csv."""
    subsampling, rng = Subsampling(draws=10, in_turn=["MV", "PEC"]), np.random.default_rng(1)

    def majority(labels):
        return fit("MV", labels, rng, SETTINGS["MV"])

    found = []
    for seed in range(100):
        one = drawn("labels_3", seed)
        asked = one.table, ["stability:labels"], rng, 0.95, 0, majority, subsampling, one.state
        found.append(evaluate_agents(majority(one.table), *asked)[0].estimate)
    assert np.mean(found) == pytest.approx(0.9853488452754582, abs=1e-15)


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
