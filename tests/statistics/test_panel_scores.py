"""`judges` with scores: coverage on data of its own model, and the cut: votes keep their say."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from crowdgold.inference.labels import Fit, evaluate
from crowdgold.methods.judges import PanelVotes, ScoredJudges, fit_scores, label_posterior
from crowdgold.methods.registry import fit
from crowdgold.models import panel_scores
from crowdgold.models.judge_votes import find_rows
from crowdgold.models.priors import ScorePrior
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.types.annotations import labels_by_judge
from crowdgold.types.items import NO_PREDICTOR
from unit.panel_model import PanelModel

MODEL = PanelModel(
    0.3, np.array([[-1.4, -1.1, -0.9, -1.2, -0.5], [1.1, 0.8, 0.6, 1.3, 0.9]]),
    np.array([0.6, 0.5]), mu=0.3, delta=3.0, seen=0.9,
)  # fmt: skip
STUDIES, DRAWS, LEVEL = 30, 60, 0.8
SAMPLER = {"chains": 2, "warmup": 150, "draws": 200, "longest": 1}


def true_auc(model=MODEL):
    """AUC of the process, from 400,000 items; its standard error is 0.001."""
    items, _ = model.draw(400_000, 0, np.random.default_rng(1))
    rank = np.empty(len(items))
    rank[np.argsort(items.scores["A"])] = np.arange(1, len(items) + 1)
    positive = items.truth == 1
    above = rank[positive].sum() - positive.sum() * (positive.sum() + 1) / 2
    return above / positive.sum() / (~positive).sum()


def votes_of(items, model):
    """What is known of a panel whose rates are those of the process."""
    rows, draws = find_rows(labels_by_judge(items.labels), items.gold), model.draws(DRAWS)
    return PanelVotes(rows, draws, draws.log_odds(rows.vote), Diagnostics())


def fits_of(seed):
    """The items of a study, and fits: as it is, with delta near 0, and without scores."""
    rng = np.random.default_rng([seed, 8])
    items, _ = MODEL.draw(800, 60, rng)
    votes = votes_of(items, MODEL)
    for settings in (ScoredJudges(), ScoredJudges(delta_scale=0.05)):
        scores = fit_scores(items, votes, settings, np.random.default_rng(seed))
        yield items, label_posterior(items, votes, scores)
    yield items, label_posterior(items, votes, {})


@pytest.mark.slow
def test_intervals_cover_on_data_of_the_model():
    """30 studies whose votes' part is known; 80 % intervals of AUC, mean_mu and delta.

    Each covers in as many studies as a binomial count is in but one time in a hundred. Both
    controls cover the AUC less often: delta held near 0, and labels imputed without scores.
    """
    auc, gap = true_auc(), MODEL.class_gap()
    truth = {"mean_mu:A": MODEL.mu + MODEL.delta * gap, "score_delta:A": MODEL.delta}
    hits, covered = np.zeros(3), dict.fromkeys(truth, 0)
    for seed in range(STUDIES):
        for which, (items, posterior) in enumerate(fits_of(seed)):
            found = evaluate(Fit("judges", posterior), items, ["AUC"], np.random.default_rng(seed),
                             level=LEVEL)[0]  # fmt: skip
            hits[which] += found.lower <= auc <= found.upper
            for name, value in truth.items() if which == 0 else ():
                ends = np.quantile(posterior.parameters[name], [0.1, 0.9])
                covered[name] += ends[0] <= value <= ends[1]
    low, high = binom.ppf([0.005, 0.995], STUDIES, LEVEL)
    assert low <= hits[0] <= high
    assert all(low <= count <= high for count in covered.values()), covered
    assert hits[1] < low
    assert hits[2] < low


@pytest.mark.slow
@pytest.mark.parametrize("mean_mu", [0.0, -0.3])
def test_a_score_may_be_no_better_than_chance(mean_mu, monkeypatch):
    """AUC .5 and .42, 20 studies: the mean estimate is the truth within 3 standard errors.

    95 % intervals cover in as many as a binomial count is in but one time in two hundred. The
    control has a prior that keeps mean_mu above 0: its mean fails the same test.
    """
    model = replace(MODEL, mu=mean_mu - 2.0 * MODEL.class_gap(), delta=2.0)
    auc, found = true_auc(model), {1.0: [], 0.0: []}
    for below, rows in found.items():
        monkeypatch.setattr(panel_scores, "BELOW", below)
        if below == 0:
            monkeypatch.setattr(panel_scores, "score_prior", lambda scale: ScorePrior(1, 1, scale))
        for seed in range(20):
            items, _ = model.draw(800, 60, np.random.default_rng([seed, 9]))
            votes, rng = votes_of(items, model), np.random.default_rng(seed)
            scores = fit_scores(items, votes, ScoredJudges(), rng)
            posterior = Fit("judges", label_posterior(items, votes, scores))
            (one,) = evaluate(posterior, items, ["AUC"], rng)
            rows.append((one.estimate, one.lower, one.upper))
    (estimate, lower, upper), (forced, *_) = (np.transpose(rows) for rows in found.values())

    def away(means):
        return (means.mean() - auc) / (means.std(ddof=1) / np.sqrt(20))

    assert abs(away(estimate)) < 3
    assert ((lower <= auc) & (auc <= upper)).sum() >= binom.ppf(0.005, 20, 0.95)
    assert away(forced) > 3


def test_scores_change_no_rate_of_a_judge(stan):
    """The same seed with other scores, and without: the draws of the votes' part are equal.

    Prevalence and TPR_H are of labels that are imputed given the scores, and agree to 0.02 only;
    AUC does not.
    """
    items, _ = MODEL.draw(600, 80, np.random.default_rng(3))
    other = replace(items, scores={"A": np.random.default_rng(4).permutation(items.scores["A"])})
    fitted, rates, auc = [], [], []
    for table in (items, other, replace(items, scores={})):
        rng = np.random.default_rng(5)
        fitted.append(fit("judges", table, rng, {"sampler": SAMPLER, "imputations": 100}, stan))
        rates.append([one.estimate for one in
                      evaluate(fitted[-1], table, ["prevalence", "TPR_H"], rng)])  # fmt: skip
        if table.predictors:
            auc.append(evaluate(fitted[-1], table, ["AUC"], rng)[0].estimate)
    own = fitted[2].labels
    for one in fitted[:2]:
        for name, draws in own.parameters.items():
            np.testing.assert_array_equal(one.labels.parameters[name], draws)
        np.testing.assert_array_equal(one.labels.probability(3, NO_PREDICTOR, rng),
                                      own.probability(3, NO_PREDICTOR, rng))  # fmt: skip
    assert np.abs(np.subtract(rates[:2], rates[2])).max() < 0.02
    assert auc[0] - auc[1] > 0.2
    assert {"mean_mu:A", "score_delta:A"} <= set(fitted[0].labels.parameters)
