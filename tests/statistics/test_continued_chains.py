"""Chains of Stan that miss their gate go on from where they ended, tuned as they were."""

import numpy as np
import pytest

from crowdgold.models import stan_fit
from crowdgold.models.stan import SamplerSettings, StanModels
from crowdgold.models.stan_fit import StanFit
from crowdgold.models.vote_sets import VoteFit, find_vote_sets, fit_votes
from crowdgold.simulate import simulate
from crowdgold.types.items import NO_GOLD, Items

MEAN, SD = np.array([5.0, -300.0]), np.array([0.01, 100.0])
"""Far from where Stan starts by itself, on scales that no step size fits both of."""
DATA = {"K": 2, "mu": MEAN.tolist(), "S": np.diag(SD**2).tolist()}
SETTINGS = SamplerSettings(chains=4, warmup=300, draws=200)


@pytest.fixture(scope="module")
def normal(toolchain, compiled, tmp_path_factory):
    """The model of correlated normals."""
    folder = tmp_path_factory.mktemp("normal")
    (folder / "correlated_normal").symlink_to(compiled("correlated_normal"))
    return StanModels(folder, toolchain)


@pytest.fixture
def never(monkeypatch):
    """A gate that no fit passes."""
    monkeypatch.setattr(stan_fit, "EFFECTIVE_DRAWS_PER_CHAIN", 10**9)


def standardised(fit: StanFit, name: str, mean: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """How far the means of the draws are from these, in Monte Carlo errors at the smallest ESS."""
    draws = fit.flat(name)
    return (draws.mean(axis=0) - mean) / (sd / np.sqrt(fit.diagnostics.ess_bulk))


@pytest.mark.parametrize("metric", ["diag_e", "dense_e"])
def test_chains_that_go_on_draw_from_the_posterior(normal, never, metric):
    """Means within 4 Monte Carlo errors, deviations within 10 %: their error is at most 2 %.

    Begun anew without a warm-up, or with another metric, chains of these scales stay far away, and
    R-hat says so; tuned once more they leave draws out, so that fewer are kept.
    """
    fit = normal.sample("correlated_normal", DATA, 11, ["y"], SETTINGS, metric=metric)
    assert fit.draws["y"].shape == (4, 8 * SETTINGS.draws, 2)
    assert fit.diagnostics.rhat < 1.005
    assert fit.diagnostics.notes == ("chains continued to 8 times the draws",)
    assert np.all(np.abs(standardised(fit, "y", MEAN, SD)) < 4)
    np.testing.assert_allclose(fit.flat("y").std(axis=0), SD, rtol=0.1)
    first = normal.sample(
        "correlated_normal", DATA, 11, ["y"], SamplerSettings(4, 300, 200, 1), metric=metric
    )
    np.testing.assert_array_equal(fit.draws["y"][:, :200], first.draws["y"])
    np.testing.assert_array_equal(fit.step_size, first.step_size)
    np.testing.assert_array_equal(fit.metric, first.metric)


def test_parts_of_a_chain_have_seeds_of_their_own_and_all_their_seconds_count(
    normal, never, monkeypatch
):
    """The other seeds follow from the first; 0 would mean the clock, and 1 is Stan's default."""
    seeds, parts, run = [], [], normal._run

    def spy(name, data, seed, *further):
        seeds.append(seed)
        parts.append(run(name, data, seed, *further))
        return parts[-1]

    monkeypatch.setattr(normal, "_run", spy)
    one = normal.sample("correlated_normal", DATA, 11, ["y"], SETTINGS)
    normal._latest.clear()  # else the other would be the same fit
    other = normal.sample("correlated_normal", DATA, 11, ["y"], SETTINGS)
    np.testing.assert_array_equal(one.draws["y"], other.draws["y"])
    assert seeds[:4] == seeds[4:]
    assert len(set(seeds)) == 4
    assert min(seeds) > 1
    assert one.seconds == pytest.approx(sum(part.seconds for part in parts[:4]))
    assert one.elapsed >= one.seconds


def test_draws_are_dropped_and_chains_tuned_again_where_they_do_not_overlap(normal):
    """A warm-up of 5 iterations ends far away, where a chain of 100 draws mostly stays."""
    hasty = SamplerSettings(chains=4, warmup=5, draws=100)
    alone = normal.sample("correlated_normal", DATA, 12, ["y"], SamplerSettings(4, 5, 100, 1))
    assert alone.diagnostics.rhat > 1.1
    fit = normal.sample("correlated_normal", DATA, 12, ["y"], hasty)
    assert fit.draws["y"].shape[1] < 800
    assert not np.isin(alone.draws["y"], fit.draws["y"]).any()


@pytest.mark.parametrize("name", ["vote", "dawid_skene"])
def test_chains_go_on_from_rates_that_are_nearly_1(stan, never, name):
    """Every vote of 200,000 items is positive: TPR and base rate are within some 1e-5 of 1."""
    size, rng = 200_000, np.random.default_rng(8)
    full = np.full(size, 5)
    items = Items(np.arange(size), full, full, np.full(size, NO_GOLD), {}, rng.random(size))
    sets, settings = find_vote_sets(items), SamplerSettings(2, 300, 50)
    fit = fit_votes(name, sets, rng, stan, settings)
    assert fit.parameters.a.max() > 1 - 1e-5
    assert "continued to 8 times" in fit.diagnostics.message


def quantities(fit: VoteFit) -> list[np.ndarray]:
    """Draws of phi, a and log d."""
    vote = fit.parameters
    return [vote.phi, *vote.a.T, *np.log(vote.d).T]


def test_continued_vote_model_agrees_with_a_long_run(stan):
    """Means of phi, a and log d within 4 Monte Carlo errors of 8,000 draws that were never cut.

    An error is that of both runs, from the standard deviation and the smaller effective sample
    size. With 100 draws the chains miss their gate, and grow.
    """
    parameters = {
        "phi": 0.3, "a0": 0.2, "a1": 0.6, "d0": 1.5, "d1": 1.5, "votes_total": 3,
        "gold_fraction": 0.1, "n": 1000, "predictors": {"A": {"mu": 1.0, "delta": 1.0}},
    }  # fmt: skip
    sets = find_vote_sets(simulate("maven", parameters, np.random.default_rng(3)).table)
    rng = np.random.default_rng(4)
    short = fit_votes("vote", sets, rng, stan, SamplerSettings(4, 300, 100))
    long = fit_votes("vote", sets, rng, stan, SamplerSettings(4, 500, 2000, 1))
    assert short.diagnostics.passed
    assert 400 < len(short.parameters) <= 3200
    for one, other in zip(quantities(short), quantities(long), strict=True):
        error = other.std() * np.sqrt(
            1 / short.diagnostics.ess_bulk + 1 / long.diagnostics.ess_bulk
        )
        assert abs(one.mean() - other.mean()) < 4 * error
