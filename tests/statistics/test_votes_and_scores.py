"""DS+S and H-AI: known parameters come back, and the integrated latent agrees with a sampled one.

Recovery is judged by D = (mean - truth)' C^-1 (mean - truth), C the posterior's covariance, summed
over data sets drawn from the model. With thousands of items a posterior is nearly normal and the
sum nearly chi-squared with as many degrees of freedom as there are parameters, times data sets.
Bounds are its 1e-5 quantiles on both sides, so that too wide a posterior fails as well; all seeds
are fixed.
"""

import numpy as np
import pytest
from arviz_stats.base import array_stats
from scipy.special import ndtr
from scipy.stats import chi2

from crowdgold.methods.registry import fit
from crowdgold.models import joint_model as joint_fit
from crowdgold.models.human_ai import HumanAiProgram
from crowdgold.models.joint_model import TOLERANCE, ScoreMixtureProgram, fit_votes_and_scores
from crowdgold.models.stan import SamplerSettings
from crowdgold.models.vote_sets import find_vote_sets
from unit.reference import HumanAi, ScoreMixture, make_items

QUICK = SamplerSettings(chains=2, warmup=300, draws=300)
DATA_SETS = 4
MIXTURE = ScoreMixture(0.3, (0.2, 0.7), (-0.3, 1.1), 0.8)
HUMAN_AI = HumanAi(0.3, (-1.0, 0.8), (-0.3, 1.1), 0.5, 0.8)


def distance(program, items, truth, rng, stan):
    """D of one data set, and the number of parameters."""
    sets = find_vote_sets(items)
    fitted = fit_votes_and_scores(program, items.scores["A"], sets, rng, stan, QUICK)
    draws = np.array(list(fitted.draws.named().values()))
    assert fitted.error <= TOLERANCE
    away = draws.mean(axis=1) - truth
    return away @ np.linalg.solve(np.cov(draws), away), len(truth)


def total_distance(program, source, truth, stan, seed):
    rng = np.random.default_rng(seed)
    found = [
        distance(program, source.draw(3000, rng.integers(2, 4, 3000), 600, rng), truth, rng, stan)
        for _ in range(DATA_SETS)
    ]
    total, parameters = np.sum(found, axis=0)
    return chi2.cdf(total, parameters), total


def flat(theta):
    return np.concatenate([np.atleast_1d(value) for value in theta])


def test_dawid_skene_scores_recovers_its_parameters(stan):
    level, _ = total_distance(ScoreMixtureProgram(), MIXTURE, flat(MIXTURE), stan, 31)
    assert 1e-5 < level < 1 - 1e-5


def test_human_ai_recovers_its_parameters(stan):
    level, _ = total_distance(HumanAiProgram(), HUMAN_AI, flat(HUMAN_AI), stan, 32)
    assert 1e-5 < level < 1 - 1e-5


def test_dawid_skene_scores_fails_where_votes_and_scores_correlate(stan):
    """The control: on H-AI's data, whose base rate, means and marginal vote rates it could find,
    its posterior is nowhere near."""
    rates = ndtr(np.array(HUMAN_AI.mu_human) / np.sqrt(2))
    truth = flat(MIXTURE._replace(a=tuple(rates)))
    level, total = total_distance(ScoreMixtureProgram(), HUMAN_AI, truth, stan, 33)
    assert level > 1 - 1e-5
    assert total > 10 * chi2.ppf(1 - 1e-5, 6 * DATA_SETS)


def standard_error(values):
    """The Monte Carlo standard error of the mean of (chains, draws)."""
    return np.asarray(array_stats.mcse(values)).item()


def furthest(one, other, chains):
    """The largest difference of means, in standard errors, over the parameters of two fits."""
    scores = []
    for name, values in one.named().items():
        pair = [draws.reshape(chains, -1) for draws in (values, other.named()[name])]
        error = np.hypot(*map(standard_error, pair))
        scores.append(abs(pair[0].mean() - pair[1].mean()) / error)
    return max(scores)


def test_the_integrated_latent_agrees_with_a_sampled_one(stan, compiled):
    """Posterior means of all parameters within 4.5 Monte Carlo standard errors (level 1e-5 for
    each of the seven). The control: without the gold labels they are further apart."""
    items = HUMAN_AI.draw(50, 3, 20, np.random.default_rng(34))
    sets, scores, program = find_vote_sets(items), items.scores["A"], HumanAiProgram()
    long = SamplerSettings(chains=4, warmup=400, draws=700)
    if not (stan.folder / "human_ai_latent").exists():
        (stan.folder / "human_ai_latent").symlink_to(compiled("human_ai_latent"))
    data = {
        "n": len(items),
        "votes_positive": items.votes_positive.tolist(),
        "votes_total": items.votes_total.tolist(),
        "gold": items.gold.tolist(),
        "x": scores.tolist(),
        "epsilon": program.epsilon,
    }
    start = {**program.start(scores, sets, np.random.default_rng(1)), "human": [0.0] * len(items)}
    sampled = stan.sample("human_ai_latent", data, 35, program.parameters, long, inits=start)
    assert sampled.diagnostics.rhat < 1.02

    def integrated(table, seed):
        rng = np.random.default_rng(seed)
        return fit_votes_and_scores(
            program, scores, find_vote_sets(table), rng, stan, long, compressed=False
        ).draws

    latent = program.read(sampled)
    assert furthest(integrated(items, 36), latent, 4) < 4.5
    no_gold = make_items(items.votes_positive, items.votes_total, -1, scores)
    assert furthest(integrated(no_gold, 37), latent, 4) > 6


def about_nodes(found):
    """The notes on nodes; whether chains went on is chance."""
    return [note for note in found.diagnostics.notes if "nodes" in note]


def test_too_few_nodes_are_noticed_and_said(stan, monkeypatch):
    """Here the pilot takes two nodes, whatever they do: the check after the fit takes more."""
    monkeypatch.setattr(joint_fit, "NODES", (2, 32))
    monkeypatch.setattr(joint_fit, "MARGIN", 1e-9)
    items = MIXTURE.draw(2000, 3, 200, np.random.default_rng(38))
    sets, scores = find_vote_sets(items), items.scores["A"]
    program = ScoreMixtureProgram()
    found = fit_votes_and_scores(program, scores, sets, np.random.default_rng(39), stan, QUICK)
    assert found.error <= TOLERANCE
    assert about_nodes(found)[0].startswith("2 nodes for the scores of a group moved")
    each = fit_votes_and_scores(
        program, scores, sets, np.random.default_rng(39), stan, QUICK, compressed=False
    )
    assert each.points == 2000
    assert each.error == 0
    assert about_nodes(each) == []
    # The same posterior: level 1e-5 for each of six parameters.
    assert furthest(found.draws, each.draws, 2) < 4.5


@pytest.mark.parametrize("method", ["DS+S", "H-AI"])
def test_the_methods_fit_each_predictor_and_keep_gold(stan, method):
    """Probabilities in [0, 1] are seen as logits; the label probabilities follow the truth."""
    rng = np.random.default_rng(40)
    items = HUMAN_AI.draw(1500, 1 + 2 * rng.integers(0, 2, 1500), 200, rng)
    share = ndtr(items.scores["A"]).round(2)
    noise = rng.normal(size=1500)
    table = make_items(
        items.votes_positive, items.votes_total, items.gold, {"good": share, "noise": noise},
        truth=items.truth,
    )  # fmt: skip
    sampler = {"chains": 2, "warmup": 300, "draws": 200}
    found = fit(method, table, rng, {"sampler": sampler, "imputations": 40}, stan)
    assert found.method == method
    assert found.labels.draws == 40
    assert found.seconds["inference"] > 0
    notes = found.diagnostics.notes
    assert any(note.startswith("good: scores in [0, 1] are logit") for note in notes)
    assert not any(note.startswith("noise: scores") for note in notes)
    open_items = table.gold < 0
    right = {}
    for predictor in table.predictors:
        probability = np.mean(
            [found.labels.probability(draw, predictor, rng) for draw in range(40)], axis=0
        )
        assert np.all(probability[~open_items] == table.gold[~open_items])
        assert 0 < probability[open_items].min() < probability[open_items].max() < 1
        right[predictor] = np.mean((probability > 0.5)[open_items] == table.truth[open_items])
        assert len(found.labels.parameters[f"phi:{predictor}"]) == 40
    assert right["good"] > right["noise"] > 0.75


def test_label_probabilities_of_a_fit_are_those_of_its_draws(stan):
    """The estimator hands through what `label_probability` gives at the draws it keeps."""
    items = MIXTURE.draw(800, 3, 100, np.random.default_rng(41))
    sampler = {"chains": 2, "warmup": 200, "draws": 200}
    found = fit(
        "DS+S", items, np.random.default_rng(42), {"sampler": sampler, "imputations": 5}, stan
    )
    names = ("phi", "a0", "a1", "mu0", "mu1", "sigma")
    for draw in (0, 4):
        phi, a0, a1, mu0, mu1, sigma = (
            found.labels.parameters[f"{name}:A"][draw] for name in names
        )
        theta = ScoreMixture(phi, (a0, a1), (mu0, mu1), sigma)
        rows = (items.votes_positive, items.votes_total, items.scores["A"])
        odds = theta.log_joint(1, *rows) - theta.log_joint(0, *rows)
        expected = np.where(items.gold < 0, 1 / (1 + np.exp(-odds)), items.gold)
        given = found.labels.probability(draw, "A", np.random.default_rng(0))
        assert given == pytest.approx(expected, abs=1e-10)
