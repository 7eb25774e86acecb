"""The policy of continuing chains that miss their gate, with samplers that draw nothing."""

from dataclasses import dataclass

import pytest

from crowdgold.models.continuation import Asked, sample_until_passed
from crowdgold.models.stan_fit import Diagnostics


@dataclass(frozen=True)
class Chains:
    kept: int
    diagnostics: Diagnostics


class Sampler:
    """Chains with an R-hat that is given for each attempt; each attempt takes some seconds."""

    def __init__(self, rhats: list[float], seconds: float = 0.0) -> None:
        self.rhats, self.seconds, self.now = rhats, seconds, 0.0
        self.asked: list[Asked[Chains]] = []

    def __call__(self, asked: Asked[Chains]) -> Chains:
        self.asked.append(asked)
        self.now += self.seconds * asked.draws
        before = asked.latest.kept if asked.latest and not asked.drop else 0
        rhat = self.rhats[len(self.asked) - 1]
        return Chains(before + asked.draws, Diagnostics(rhat=rhat, chains=4))


def test_fit_that_passes_is_sampled_once() -> None:
    sampler = Sampler([1.001])
    found = sample_until_passed(sampler, 500)
    assert found.fit.kept == 500
    assert (found.times, found.notes) == (1, ())
    assert sampler.asked == [Asked(500)]


def test_chains_double_until_the_third_attempt_passes() -> None:
    sampler = Sampler([1.03, 1.02, 1.005])
    found = sample_until_passed(sampler, 500)
    assert [asked.draws for asked in sampler.asked] == [500, 500, 1000]
    assert [asked.latest.kept for asked in sampler.asked[1:] if asked.latest] == [500, 1000]
    assert found.fit.kept == 2000
    assert found.fit.diagnostics.passed
    assert found.times == 4
    assert found.notes == ("chains continued to 4 times the draws",)


@pytest.mark.parametrize("rhat", [1.05, float("nan")])
def test_chains_that_never_pass_end_at_eight_times_the_draws(rhat: float) -> None:
    sampler = Sampler([rhat] * 10)
    found = sample_until_passed(sampler, 250)
    assert sum(asked.draws for asked in sampler.asked) == 8 * 250
    assert found.times == 8
    assert not found.fit.diagnostics.passed


def test_draws_from_before_the_chains_overlap_are_dropped() -> None:
    """An R-hat of 1.5 says that a chain was still on its way; of 1.02, that it is short."""
    sampler = Sampler([1.5, 1.02, 1.0])
    found = sample_until_passed(sampler, 500)
    assert [asked.drop for asked in sampler.asked] == [False, True, False]
    assert found.fit.kept == 1500
    assert found.times == 4


def test_seconds_of_all_attempts_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    sampler = Sampler([1.03, 1.02, 1.005], seconds=0.01)
    monkeypatch.setattr("crowdgold.models.continuation.time.perf_counter", lambda: sampler.now)
    assert sample_until_passed(sampler, 500).elapsed == pytest.approx(0.01 * 2000)
