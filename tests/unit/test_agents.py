"""Scores, ranks and diagnostics of agents, annotators and responses, and their intervals."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, rankdata

from crowdgold.experiment.registries import metric_problem
from crowdgold.inference.agents import (
    Subsampling,
    bootstrap_means,
    evaluate_agents,
    expected_tau,
    rank_spread,
    subsampled_scores,
    tau_b,
    true_values,
)
from crowdgold.inference.labels import Fit, FixedLabels, LevelPosterior
from crowdgold.methods.registry import fit
from crowdgold.metrics.agents import (
    FORMS,
    agent_scores,
    level_shares,
    parse_agent_metric,
    ranks,
    steps,
    table_statistic,
)
from crowdgold.models.confusion_em import EmSettings, fit_confusion_em
from crowdgold.models.majority import majority_labels
from crowdgold.papers.stableval.published_posteriors import refitted_intervals
from crowdgold.types.annotations import annotations_from_frame
from crowdgold.types.errors import InputError

RNG = np.random.default_rng


def judged(rows, **more):
    """Labels as rows (response, agent, annotator, label)."""
    frame = pd.DataFrame(rows, columns=["item", "agent", "annotator", "label"])
    return annotations_from_frame(frame, repeated="keep", **more)


def drawn(seed=3, agents=3, responses=20, annotators=6, levels=3):
    rng = RNG(seed)
    quality = np.linspace(0.9, 0.2, agents)
    rows = []
    for item in range(agents * responses):
        agent = item // responses
        level = rng.binomial(levels - 1, quality[agent])
        for who in rng.choice(annotators, 3, replace=False):
            label = level if rng.random() < 0.75 else rng.integers(levels)
            rows.append((f"i{item}", f"a{agent}", f"R{who}", str(label)))
    return judged(rows, categories=[str(level) for level in range(levels)])


def values(found, metric, column="agent"):
    return {getattr(one, column): one for one in found if one.metric == metric}


@pytest.fixture(scope="module")
def table():
    return drawn()


@pytest.fixture(scope="module")
def fitted(table):
    return {
        "MV": fit("MV", table, RNG(1), {"ties": "lowest"}),
        **{name: fit(name, table, RNG(1), {"em": "published"}) for name in ("DS", "PEC")},
    }


def test_scores_are_mean_credits_of_each_agents_responses(table, fitted):
    credit = np.array([0, 0.5, 1])
    probability = fitted["PEC"].labels.probability
    by_hand = {
        "MV": credit[majority_labels(table, "lowest")],
        "DS": credit[probability.argmax(axis=1)],
        "PEC": probability @ credit,
    }
    for method, own in fitted.items():
        found = evaluate_agents(own, table, ["score:each", "rank:each"], RNG(2), 0.95, 50)
        scores = {agent: one.estimate for agent, one in values(found, "score:each").items()}
        expected = pd.Series(by_hand[method]).groupby(table.agent[table.agent_of]).mean()
        assert scores == pytest.approx(expected.to_dict(), abs=1e-12)
        ranked = [one.estimate for one in values(found, "rank:each").values()]
        assert ranked == rankdata(-np.array(list(scores.values()))).tolist()


def test_an_em_that_still_moves_fails_its_gate():
    slow = judged([(f"i{k}", "a", f"R{k % 2}", str((k // 2) % 3)) for k in range(12)])
    published = fit("PEC", slow, RNG(1), {"em": "published_synthetic"})
    assert published.diagnostics.passed
    em = fit_confusion_em(slow, EmSettings(steps=2, tolerance=0.0))
    assert em.movement > 1e-3
    assert not em.diagnostics.passed
    assert "EM not converged: in step 2" in em.diagnostics.message


def test_credit_of_the_table_is_what_levels_are_worth_and_shared_ties_count_half():
    rows = [("i", "a", "R", "0"), ("j", "a", "R", "1"), ("k", "a", "R", "2")]
    table = judged(rows, credit={"0": -1, "1": 4, "2": 6})
    shares = level_shares(majority_labels(table, "lowest"), 3)
    assert agent_scores(shares, table).tolist() == [3.0]
    tied = judged([("i", "a", "R", "0"), ("i", "a", "S", "1")])
    found = fit("MV", tied, RNG(1), {"ties": "share"})
    (score,) = evaluate_agents(found, tied, ["score:each"], RNG(1), 0.95, 20)
    assert score.estimate == 0.5


def test_an_agent_without_labels_has_no_score_and_others_keep_theirs(table, fitted):
    silent = table.of_annotators(np.zeros(6, dtype=bool))
    assert np.isnan(agent_scores(fitted["PEC"].labels.shares, silent)).all()
    first = np.flatnonzero(table.agent_of == 0)
    own = Fit("PEC", LevelPosterior(fitted["PEC"].labels.probability[first], hard=False))
    found = evaluate_agents(
        own, table.of_items(first), ["score:each", "responses:each"], RNG(1), 0.95, 30
    )
    scores = values(found, "score:each")
    assert np.isfinite(scores["a0"].estimate)
    assert np.isnan(scores["a1"].estimate)
    assert scores["a1"].note == "no response of it has a label"
    assert values(found, "responses:each")["a2"].estimate == 0


def test_quality_of_annotators_and_ambiguity_of_responses(table, fitted):
    names = ["accuracy:each", "leniency:each", "strictness", "ambiguity:top", "entropy:top"]
    names += ["level:top", "ambiguity", "entropy", "ambiguous"]
    found = evaluate_agents(fitted["PEC"], table, names, RNG(1), 0.95, 10)
    matrices, probability = fitted["PEC"].labels.confusion, fitted["PEC"].labels.probability
    each = {name: [one.estimate for one in values(found, f"{name}:each", "annotator").values()]
            for name in ("accuracy", "leniency")}  # fmt: skip
    diagonal = np.diagonal(matrices, axis1=1, axis2=2)
    assert each["accuracy"] == pytest.approx(diagonal.mean(axis=1))
    assert each["leniency"] == pytest.approx(matrices[:, :, 2].mean(axis=1))
    amount = 1 - probability.max(axis=1)
    top = values(found, "ambiguity:top", "item")
    assert len(top) >= 10
    assert min(one.estimate for one in top.values()) >= np.sort(amount)[-len(top)] - 1e-12
    at = list(table.item).index(next(iter(top)))
    nats = -sum(p * np.log(p) for p in probability[at] if p > 0)
    assert values(found, "entropy:top", "item")[table.item[at]].estimate == pytest.approx(nats)
    for name, expected in (("strictness", matrices[:, :, 0].mean()), ("ambiguity", amount.mean()),
                           ("ambiguous", (amount > 0.3).mean())):  # fmt: skip
        assert values(found, name)[""].estimate == pytest.approx(expected), name
    # What the text calls ambiguity is another number.
    assert values(found, "entropy")[""].estimate != pytest.approx(amount.mean(), rel=0.1)


def test_the_tenth_most_ambiguous_brings_those_as_ambiguous():
    posterior = np.full((14, 2), 0.5)
    posterior[:3] = [0.6, 0.4]
    posterior[3:6] = [0.9, 0.1]
    table = judged([(f"i{k}", "a", "R", str(k % 2)) for k in range(14)])
    own = Fit("PEC", LevelPosterior(posterior, hard=False, confusion=np.full((1, 2, 2), 0.5)))
    found = evaluate_agents(own, table, ["ambiguity:top"], RNG(1), 0.95, 10)
    assert [one.item for one in found] == [f"i{k}" for k in (*range(6, 14), 0, 1, 2)]


def test_agreement_of_labels_by_hand():
    rows = [("i", "a", "R", "0"), ("i", "a", "S", "0"), ("i", "a", "T", "1"),
            ("j", "a", "R", "1"), ("j", "a", "S", "1"), ("k", "b", "R", "0")]  # fmt: skip
    table = judged(rows)
    expected = {
        "labels": 6, "responses": 3, "agents": 2, "annotators": 3, "labels_per_response": 2,
        "unanimous": 2 / 3, "pairwise": (1 / 3 + 1 + 1) / 3,
    }  # fmt: skip
    assert {name: table_statistic(name, table) for name in expected} == pytest.approx(expected)


def test_ranks_average_ties_and_take_rounding_for_a_tie():
    assert ranks(np.array([0.2, 0.9, 0.2, np.nan])).tolist()[:3] == [2.5, 1.0, 2.5]
    third = 0.1 + 0.2
    assert ranks(np.array([0.3, third, 0.1])).tolist() == [1.5, 1.5, 3.0]
    assert steps(np.array([[0.5, 0.1, 0.5], [3.0, 2.0, 1.0]])).tolist() == [[1, 0, 1], [2, 1, 0]]
    assert tau_b(np.array([0.3, third, 0.1]), np.array([1.0, 1.0, 0.0])) == pytest.approx(1)


def test_true_scores_are_those_of_the_true_levels():
    table = replace(judged([("i", "a", "R", "0"), ("j", "b", "R", "1")]), truth=np.array([1, 0]))
    assert true_values("score:each", table) == {"a": 1.0, "b": 0.0}
    assert true_values("rank:each", table) == {"a": 1.0, "b": 2.0}
    assert true_values("accuracy:each", table) == {}


def test_bootstrap_counts_repeats():
    """Of 4,000 means, within 4 errors, 1 / sqrt(8000); without repeats it were .763 of that."""
    sample = RNG(4).random(400)
    error = sample.std() / 20
    close = 4 / np.sqrt(8000)
    assert bootstrap_means(sample, RNG(5), 4000).std() == pytest.approx(error, rel=close)


def test_refits_take_responses_as_often_as_they_were_drawn(table):
    twice = table.of_items(np.array([4, 4, 0]))
    assert twice.labels_of_item.tolist() == [3, 3, 3]
    assert twice.label[:3].tolist() == twice.label[3:6].tolist()
    widths = []
    for counted in (True, False):
        found = refitted_intervals(
            table, lambda own: fit("MV", own, RNG(1), {"ties": "lowest"}), RNG(6), 150, counted
        )
        widths.append((found["upper"] - found["lower"]).mean())
        assert not found["outside"].any()
    assert widths[1] < widths[0]


def test_without_multiplicity_a_score_can_lie_outside_its_own_interval():
    """An agent's responses are all alike, so that resamples differ in their number alone, and each
    has fewer than there are: every refit errs to one side. With multiplicity it is either side."""
    rows = []
    for item in range(20):
        rows += votes(f"A{item}", "A", [1, 1, 0]) + votes(f"B{item}", "B", [0, 0, 1])
    alike = judged(rows, categories=["0", "1"])
    for counted in (False, True):
        found = refitted_intervals(
            alike, lambda own: fit("PEC", own, RNG(1), {"em": "published"}), RNG(6), 100, counted
        )
        assert found["outside"].tolist() == [not counted] * 2


def test_every_metric_has_a_form_and_configurations_know_it():
    for name, forms in FORMS.items():
        for form in forms:
            text = f"{name}:{form}" if form else name
            assert parse_agent_metric(text).of == form
            assert metric_problem(text, "annotations") == ""
        assert "should have the form" in metric_problem(f"{name}:somebody", "annotations")
    assert "no metric 'score'" in metric_problem("score:each", "items")
    assert "no metric 'scor'" in metric_problem("scor:each", "annotations")


def test_tables_without_agents_and_fits_without_levels_are_refused(table, fitted):
    plain = annotations_from_frame(table.to_frame().drop(columns="agent"))
    with pytest.raises(InputError, match="names no agents"):
        evaluate_agents(fitted["PEC"], plain, ["score:each"], RNG(1), 0.95, 10)
    with pytest.raises(InputError, match=r"em: found 'publishd', .* did you mean 'published'"):
        fit("PEC", table, RNG(1), {"em": "publishd"})
    with pytest.raises(InputError, match="needs to fit it again"):
        evaluate_agents(fitted["PEC"], table, ["stability"], RNG(1), 0.95, 10)
    for metric in ("accuracy:each", "ambiguity:top", "entropy"):
        (found,) = evaluate_agents(fitted["MV"], table, [metric], RNG(1), 0.95, 10)
        assert np.isnan(found.estimate)
        assert "it has no" in found.note


def majority_scores(own):
    return agent_scores(level_shares(majority_labels(own, "lowest"), 2), own)


def votes(item, agent, labels):
    return [(item, agent, f"R{who}", str(label)) for who, label in enumerate(labels)]


def stability_of(table, draws=300, share=0.7):
    full = majority_scores(table)
    found = subsampled_scores(majority_scores, table, Subsampling(draws, share), RNG(9))
    return expected_tau(full, found)


def exact_stability(table, size):
    """The mean tau-b over all subsets of so many annotators, by enumeration."""
    taus, number = [], len(table.annotator)
    for subset in combinations(range(number), size):
        own = majority_scores(table.of_annotators(np.isin(np.arange(number), subset)))
        taus.append(kendalltau(majority_scores(table), own, variant="b").statistic)
    return float(np.nanmean(taus))


def test_proposition_1_a_vote_that_decides_makes_majority_votes_unstable():
    """One item of a is decided by a vote; without it a would be behind b: within 4 Monte Carlo
    errors of the mean over all subsets. Where agents are far apart no vote moves a rank."""

    def all_of(items, agent, label):
        return [row for item in items for row in votes(item, agent, [label] * 5)]

    decided = votes("i", "a", [1, 1, 1, 0, 0])
    close = judged(decided + all_of("k", "a", 1) + all_of("jlm", "b", 1) + all_of("n", "b", 0))
    found = stability_of(close)
    exact = exact_stability(close, 3)
    assert exact < 1
    assert abs(found.mean - exact) < 4 * found.standard_error
    assert found.mean < 1 - 4 * found.standard_error
    apart = judged(decided + all_of("klm", "a", 1) + all_of("nop", "b", 0))
    assert exact_stability(apart, 3) == 1
    assert stability_of(apart, draws=50).mean == pytest.approx(1)


def test_rank_spread_by_hand():
    scores = np.array([[3.0, 2.0, 1.0], [3.0, 1.0, 2.0], [2.0, 2.0, 1.0], [1.0, np.nan, 0.0]])
    ranked = [[1, 1, 1.5, 1], [2, 3, 1.5], [3, 2, 3, 2]]
    sd, spread = rank_spread(scores)
    assert sd == pytest.approx([np.std(one, ddof=1) for one in ranked])
    assert spread.tolist() == [0.5, 1.5, 1.0]


def test_published_draws_are_those_of_the_legacy_generator():
    source = np.random.RandomState(42)
    expected = [set(source.permutation(10)[:7]) for _ in range(3)]
    found = Subsampling(3, 0.7, 42).subsets(10, RNG(1))
    assert [set(np.flatnonzero(one)) for one in found] == expected
    assert [one.sum() for one in Subsampling(2, 0.7).subsets(2, RNG(1))] == [1, 1]
    assert [one.sum() for one in Subsampling(2, 0.1).subsets(3, RNG(1))] == [1, 1]


@pytest.mark.parametrize(("name", "value"), [("draws", 1), ("share", 0.0), ("share", 1.2)])
def test_a_subsampling_that_cannot_be_is_named(name, value):
    with pytest.raises(InputError, match=f"subsampling: {name}: found {value}"):
        Subsampling.read({name: value}, "subsampling")


def test_tau_of_tied_agents_is_left_out_and_counted():
    full = np.array([1.0, 0.0])
    found = expected_tau(full, np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]))
    assert found.mean == pytest.approx(0)
    assert found.undefined == pytest.approx(1 / 3)
    assert np.isnan(expected_tau(full, np.array([[1.0, 1.0]])).mean)


def test_stability_of_a_fit_refits_the_method(table, fitted):
    seen = []

    def refit(own):
        seen.append(len(own))
        return Fit("MV", FixedLabels(majority_labels(own, "lowest")))

    names = ["stability", "rank_sd", "rank_range:each"]
    found = evaluate_agents(
        fitted["MV"], table, names, RNG(1), 0.95, 10, refit, Subsampling(12, 0.5)
    )
    assert len(seen) == 12
    assert max(seen) < len(table)
    assert found[0].standard_error >= 0
    assert [one.agent for one in found[2:]] == ["a0", "a1", "a2"]
