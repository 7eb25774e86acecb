"""The methods that need no sampling, and the registry."""

import numpy as np
import pytest
from scipy.stats import binom

from crowdgold.experiment.registries import stan_models
from crowdgold.inference.labels import Fit, FixedLabels, LabelPosterior
from crowdgold.methods.maven import MavenSettings
from crowdgold.methods.registry import METHODS, fit
from crowdgold.models.majority import NO_LABEL
from crowdgold.models.stan import StanModels, spread_draws, stan_seed
from crowdgold.types.errors import InputError
from unit.reference import make_items


def rng(seed=0):
    return np.random.default_rng(seed)


def test_the_majority_has_more_than_half_of_the_votes():
    items = make_items([0, 1, 2, 3, 1, 0, 3, 2], [3, 3, 3, 3, 1, 1, 4, 5], -1)
    labels = fit("MV", items, rng()).labels
    assert isinstance(labels, FixedLabels)
    assert labels.labels.tolist() == [0, 0, 1, 1, 1, 0, 1, 0]


def test_tied_votes_are_decided_at_random():
    """Half of 4,000, within binomial 1e-6 bounds; other seeds decide otherwise, of ties alone."""
    items = make_items(np.repeat([2, 0, 4], [4000, 5, 5]), 4, -1)
    one, again, other = (fit("MV", items, rng(seed)).labels.labels for seed in (1, 1, 2))
    low, high = binom.ppf([1e-6, 1 - 1e-6], 4000, 0.5)
    assert low <= one[:4000].sum() <= high
    assert np.array_equal(one, again)
    assert np.any(one != other)
    assert one[4000:].tolist() == other[4000:].tolist() == [0] * 5 + [1] * 5


def test_gold_alone_and_gold_before_votes():
    items = make_items([0, 0, 3, 3, 3], 3, [1, -1, 0, -1, 1])
    assert fit("GT", items, rng()).labels.labels.tolist() == [1, NO_LABEL, 0, NO_LABEL, 1]
    assert fit("GT+MV", items, rng()).labels.labels.tolist() == [1, 0, 0, 1, 1]
    with pytest.raises(InputError, match="GT needs gold labels"):
        fit("GT", make_items([0, 1], 3, -1), rng())


def test_oracle_keeps_gold_and_uses_the_generators_probability():
    items = make_items([0, 1, 2, 3], 3, [-1, 0, 1, -1])
    object.__setattr__(items, "oracle", np.array([0.1, 0.4, 0.6, 0.9]))
    labels = fit("ORACLE", items, rng(), {"imputations": 7}).labels
    assert isinstance(labels, LabelPosterior)
    assert labels.draws == 7
    assert labels.probability(3, "A", rng()).tolist() == [0.1, 0.0, 1.0, 0.9]
    with pytest.raises(InputError, match="oracle"):
        fit("ORACLE", make_items([0, 1], 3, -1), rng())


@pytest.mark.parametrize(
    ("wrong", "right"), [("MAVN", "MAVEN"), ("GT-MV", "GT+MV"), ("oracle", "ORACLE"), ("ds", "DS")]
)
def test_an_unknown_method_is_answered_with_the_nearest(wrong, right):
    with pytest.raises(InputError, match="no method") as caught:
        fit(wrong, make_items([0, 1], 3, -1), rng())
    assert f"did you mean {right!r}?" in str(caught.value)
    assert all(name in str(caught.value) for name in METHODS)


@pytest.mark.parametrize(
    "settings",
    [
        {"cut": "exactly"},
        {"score_likelihood": "calibrate"},
        {"positive_sd": True},
        {"bent": True},
        {"bent": True, "score_likelihood": "calibrated", "positive_sd": True},
        {"bent": True, "score_likelihood": "calibrated", "cut": "nested"},
        {"mu_prior": {"shape": 0.9}},
        {"mu_prior": {"shape": float("nan")}},
        {"mu_prior": {"scale": -1}},
        {"mu_prior": {"shape": 4, "scale": 0.09}},
        {"mu_prior": {"scale": 11}},
        {"mu_prior": {"shapes": 1}},
        {"mu_prior": 3},
        {"delta_scale": 0},
        {"delta_scale": True},
        {"phi_prior": {"alpha": 0}},
        {"phi_prior": {"beta": "1"}},
    ],
    ids=str,
)
def test_settings_of_maven_are_checked(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        MavenSettings(**settings)


@pytest.mark.parametrize(("available", "wanted"), [(2000, 500), (10, 3), (9, 9), (1, 1)])
def test_draws_are_spread_over_all_chains(available, wanted):
    chosen = spread_draws(available, wanted)
    assert len(chosen) == len(set(chosen.tolist())) == wanted
    assert chosen[0] == 0
    assert chosen[-1] == available - 1 or wanted == 1
    steps = np.diff(chosen)
    assert steps.size == 0 or steps.max() - steps.min() <= 1
    with pytest.raises(InputError, match=f"imputations: {available + 4} asked for"):
        spread_draws(available, available + 4)


@pytest.mark.parametrize(
    ("settings", "near"),
    [({"nested_iteration": 4}, "nested_iterations"), ({"sampler": {"warmups": 5}}, "warmup")],
)
def test_unknown_settings_name_the_nearest_one(settings, near):
    with pytest.raises(InputError, match=f"did you mean '{near}'"):
        fit("MAVEN", make_items([0, 3], [3, 3], [0, 1]), rng(), settings)


def test_stan_seeds_are_in_the_range_that_cmdstan_takes():
    """0 means the clock and 1 is CmdStan's default; the largest is 2^31 - 1."""
    source = rng(5)
    found = [stan_seed(source) for _ in range(2000)]
    assert min(found) >= 2
    assert max(found) < 2**31
    assert len(set(found)) > 1990


def test_what_a_name_stands_for_cannot_be_set_otherwise():
    """MAVEN-C is the calibrated likelihood: asking it for another is an unknown setting."""
    for name, free in (("MAVEN-C", False), ("MAVEN-CS", True)):
        own = {"score_likelihood": "calibrated", "positive_sd": free, "bent": False}
        assert METHODS[name].preset == own
        with pytest.raises(InputError, match="no setting 'score_likelihood'"):
            fit(name, make_items([0, 3], 3, [0, 1]), rng(), {"score_likelihood": "pairwise"})


def spawn_keys(generators):
    return [one.bit_generator.seed_seq.spawn_key for one in generators]


def test_methods_that_make_something_of_a_fit_of_maven_fit_it_once(monkeypatch):
    """Other draws, tables and seeds are other fits. Given again or not, the caller's generator goes
    on behind what the fit has drawn and spawned: imputed labels that repeated these would depend on
    it.
    """
    made = []

    def fit_maven(items, rng, settings, run):
        made.append((settings.score_likelihood, rng.random(), *rng.spawn(2)))
        even = lambda draw, predictor, rng: np.full(8, 0.5)  # noqa: E731
        return Fit("MAVEN", LabelPosterior(run.imputations, even, without_own_gold=even))

    monkeypatch.setattr("crowdgold.methods.maven.fit_maven", fit_maven)
    votes, stan = [0, 1, 2, 3, 1, 0, 3, 2], StanModels()
    items, other = (make_items(votes, 3, [1, 0, -1, -1, 1, last, -1, -1]) for last in (0, 1))
    for method in ("AutoEval+MAVEN", "MAVEN", "MAVEN-C", "MAVEN-R"):
        source, expected = rng(3), rng(3)
        fit(method, items, source, {"imputations": 100}, stan)
        _, spent = expected.random(), expected.spawn(2)
        (later,), (own,) = source.spawn(1), expected.spawn(1)
        assert (source.random(), later.random()) == (expected.random(), own.random())
        assert later.bit_generator.seed_seq.spawn_key not in spawn_keys(spent)
    assert [one[0] for one in made] == ["pairwise", "calibrated"]
    others = [(items, rng(4), 100), (items, rng(3), 99), (other, rng(3), 100)]
    for number, (table, source, draws) in enumerate(others, start=3):
        fit("MAVEN", table, source, {"imputations": draws}, stan)
        assert len(made) == number


@pytest.mark.parametrize(
    ("methods", "models"),
    [
        ({"MAVEN": {"cut": "nested"}}, ["vote", "score"]),
        ({"MAVEN": {"cut": "exact"}, "MAVEN-R": {}}, ["vote"]),
        ({"MAVEN": {"score_likelihood": "calibrated"}}, ["vote"]),
        ({"MAVEN": {"score_likelihood": "calibrated", "cut": "nested"}}, ["vote", "score_ordinal"]),
        ({"MAVEN-C": {"cut": "exact"}, "MAVEN-CS": {"cut": "exact"}}, ["vote"]),
        ({"MAVEN-C": {"cut": "exact"}, "MAVEN-CS": {"cut": "nested"}}, ["vote", "score_ordinal"]),
    ],
)
def test_which_stan_models_are_needed_depends_on_the_settings(methods, models):
    assert stan_models(methods) == models
