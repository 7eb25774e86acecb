"""The model of named judges: Stan's density against NumPy, and its methods on simulated panels.

As in `test_stan_densities`: `lp__` is compared up to a constant, between draws of a short chain.
"""

import numpy as np
import pytest

from crowdgold.inference.labels import evaluate
from crowdgold.methods.registry import fit
from crowdgold.models.judge_votes import MOST_CORRELATED, JudgeDraws, find_rows, judge_data
from crowdgold.models.priors import PhiPrior
from crowdgold.simulate import simulate
from crowdgold.types.annotations import labels_by_judge

PHI_PRIOR = PhiPrior(2.5, 0.7)
GIVEN = {
    "n": 300, "n_gold": 60, "phi": 0.3, "votes_total": {2: 0.5, 3: 0.5}, "correlation": 0.3,
    "judges": {name: {"tpr": tpr, "tnr": 0.85} for name, tpr in
               (("ann", 0.9), ("bob", 0.8), ("eve", 0.7), ("kim", 0.85))},
    "predictors": {"A": {"mu": 1.5, "ease": 0.5}},
}  # fmt: skip
SAMPLER = {"chains": 2, "warmup": 150, "draws": 200, "longest": 1}


def drawn(seed, **changes):
    return simulate("panel", {**GIVEN, **changes}, np.random.default_rng(seed)).table


def test_density(stan, tmp_path):
    """To 1e-8; without the common effect, or without a prior, it must be another."""
    items = drawn(1)
    rows = find_rows(labels_by_judge(items.labels), items.gold)
    found = stan.load("judges").sample(
        judge_data(rows, PHI_PRIOR), chains=1, iter_warmup=150, iter_sampling=60, thin=3, seed=5,
        sig_figs=18, show_progress=False, show_console=False, output_dir=tmp_path,
    )  # fmt: skip
    phi, r = found.stan_variable("phi"), found.stan_variable("r")
    b = np.stack([found.stan_variable("b0"), found.stan_variable("b1")], axis=1)
    draws = JudgeDraws(phi, b, r)
    np.testing.assert_allclose(found.stan_variable("log_lik"), draws.log_row_masses(rows),
                               atol=1e-9)  # fmt: skip
    jacobian = np.log(phi) + np.log1p(-phi)
    jacobian += (np.log(r) + np.log(MOST_CORRELATED - r)).sum(axis=1)
    lp = found.method_variables()["lp__"].ravel()
    assert np.ptp(lp) > 1
    right = draws.log_likelihood(rows) + draws.log_prior(PHI_PRIOR) + jacobian
    assert np.ptp(lp - right) < 1e-8
    alone = JudgeDraws(phi, b, 0 * r)
    for wrong in (alone.log_likelihood(rows) + draws.log_prior(PHI_PRIOR) + jacobian,
                  draws.log_likelihood(rows) + draws.log_prior() + jacobian):  # fmt: skip
        assert np.ptp(lp - wrong) > 1e-3


def test_judges_who_err_together_are_found_out_and_their_model_covers(stan):
    """Errors correlate by .5 in 4 studies of 1,000 items and 100 gold labels.

    `judges` covers the prevalence in 3 or more of them: at .95 fewer have the chance .014.
    Dawid-Skene, the control, is too sure: its intervals are some .55 times as wide, at most .75.
    judges-R gives an interval of each metric, of AUC too.
    """
    hits, widths = 0, []
    for seed in range(4):
        items = drawn(10 + seed, n=1000, n_gold=100, votes_total=4, correlation=0.5)
        own = []
        for name in ("judges", "DS"):
            rng = np.random.default_rng(seed)
            fitted = fit(name, items, rng, {"sampler": SAMPLER, "imputations": 100}, stan)
            (one,) = evaluate(fitted, items, ["prevalence"], rng, target="population")
            own.append(one.upper - one.lower)
            if name == "judges":
                hits += one.lower <= 0.3 <= one.upper
                assert np.median(fitted.labels.parameters["r0"]) > 0.3
        widths.append(own)
    assert hits >= 3
    assert np.mean([ds / judges for judges, ds in widths]) < 0.75
    rng = np.random.default_rng(1)
    fitted = fit("judges-R", items, rng, {"sampler": SAMPLER, "imputations": 100}, stan)
    for one in evaluate(fitted, items, ["prevalence", "TPR_H", "AUC"], rng):
        assert one.lower < one.estimate < one.upper


@pytest.mark.parametrize("column", ["gold", "judge"])
def test_an_items_own_gold_label_is_no_part_of_its_prediction(column, stan):
    """Items of the same votes have one prediction; the posterior of a gold item is its label."""
    items = drawn(3, votes_total=4)
    fitted = fit("judges", items, np.random.default_rng(1),
                 {"sampler": SAMPLER, "imputations": 50}, stan)  # fmt: skip
    own = fitted.labels.without_own_gold(0, "", None)
    votes = labels_by_judge(items.labels)
    if column == "judge":
        first = votes[:, 0]
        same = (votes == votes[0]).all(axis=1)
        assert np.ptp(own[same]) == 0
        assert own[(votes == 1).all(axis=1)].min() > own[(votes == 0).all(axis=1)].max()
        assert first.max() == 1
    else:
        known = items.gold >= 0
        said = fitted.labels.probability(0, "", None)
        assert (said[known] == items.gold[known]).all()
        assert (own[known] != items.gold[known]).all()
