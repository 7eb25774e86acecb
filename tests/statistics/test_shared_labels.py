"""The difference of two models: what is coupled is narrower, and the rest is as it says."""

import numpy as np

from crowdgold.inference.labels import LabelPosterior
from crowdgold.papers.maven.experiments import WAYS, compute_shared_labels, imputed_differences
from crowdgold.simulate import simulate

STUDY = {
    "n": 800, "n_gold": 150, "phi": 0.2, "mu_s": 3.0, "sigma_s": 2.0, "mu_d": 0.5, "sigma_d": 2.0,
    "offset": -1.0, "votes_total": 3, "n_voters": 100,
    "predictors": {"A": {"mu": 1.5, "delta": 1.0}, "B": {"mu": 0.75, "delta": 3.0}},
}  # fmt: skip


def posterior(chance, draws=300):
    """A posterior that gives each item this chance, whatever the ranking; a vote model beside."""
    parameters = {
        "phi": np.full(draws, 0.2),
        **{f"a{y}": np.full(draws, (0.2, 0.7)[y]) for y in (0, 1)},
        **{f"d{y}": np.full(draws, 2.0) for y in (0, 1)},
    }
    return LabelPosterior(draws, lambda draw, predictor, rng: chance, parameters)


def test_labels_that_are_equal_leave_the_variance_of_the_difference_alone():
    """With one chance for both rankings coupled labels are the same for both. The variance of the
    difference is then that of A plus B less twice their covariance, against their sum: smaller by
    far, since both rankings follow the truth; 300 draws know a ratio of variances to 12 %."""
    items = simulate("irt", STUDY, np.random.default_rng(1)).table
    chance = np.full(len(items), 0.5)
    found = imputed_differences(posterior(chance), items, np.random.default_rng(2))
    assert set(found) == set(WAYS)
    assert found["coupled"].std() < 0.8 * found["independent"].std()
    # Of labels that are no matter of chance all ways but that of the votes give the same.
    known = imputed_differences(
        posterior((items.truth == 1) * 1.0), items, np.random.default_rng(3)
    )
    assert np.ptp(known["coupled"]) == np.ptp(known["independent"]) == 0
    assert known["coupled"][0] == known["independent"][0]
    assert np.ptp(known["votes alone"]) > 0


def test_the_check_gives_every_way(stan):
    """The votes alone flatten both rankings: the two AUC are nearer to each other than MAVEN's."""
    parameters = {
        "study": STUDY, "score_likelihood": "calibrated", "chains": 2, "warmup": 200, "draws": 200,
        "imputations": 100,
    }  # fmt: skip
    rows = compute_shared_labels(parameters, np.random.default_rng(4), stan).set_index("labels")
    assert list(rows.index) == list(WAYS)
    assert rows["truth"].nunique() == 1
    assert (rows["lower"] < rows["upper"]).all()
    width = rows["upper"] - rows["lower"]
    assert width["coupled"] < width["independent"]
