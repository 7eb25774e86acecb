"""The policy of continuing chains that miss their gate, with samplers that draw nothing."""

from dataclasses import dataclass

import pytest

from crowdgold.models.stan_fit import Asked, Diagnostics, sample_until_passed


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


@pytest.mark.parametrize(
    ("rhats", "asked", "drop", "before", "kept", "times"),
    [
        ([1.001], [500], [False], [], 500, 1),
        ([1.03, 1.02, 1.005], [500, 500, 1000], [False] * 3, [500, 1000], 2000, 4),
        # An R-hat of 1.5 says that a chain was still on its way; of 1.02, that it is short.
        ([1.5, 1.02, 1.0], [500, 500, 1000], [False, True, False], [500, 500], 1500, 4),
        ([1.05] * 4, [500, 500, 1000, 2000], [False] * 4, [500, 1000, 2000], 4000, 8),
    ],
)
def test_chains_double_until_they_pass_or_have_eight_times_the_draws(
    monkeypatch: pytest.MonkeyPatch,
    rhats: list[float], asked: list[int], drop: list[bool], before: list[int], kept: int,
    times: int,
) -> None:  # fmt: skip
    sampler = Sampler([*rhats, *[9.0] * 9], seconds=0.01)
    monkeypatch.setattr("crowdgold.models.stan_fit.time.perf_counter", lambda: sampler.now)
    found = sample_until_passed(sampler, 500)
    assert [one.draws for one in sampler.asked] == asked
    assert [one.drop for one in sampler.asked] == drop
    assert sampler.asked[0] == Asked(500)
    assert [one.latest.kept for one in sampler.asked if one.latest] == before
    assert (found.fit.kept, found.times) == (kept, times)
    assert found.fit.diagnostics.passed is (times < 8)
    assert found.elapsed == pytest.approx(0.01 * sum(asked))
    if times == 4:
        assert found.notes == ("chains continued to 4 times the draws",)
    assert times > 1 or found.notes == ()


def test_chains_without_an_r_hat_end_at_eight_times_the_draws() -> None:
    sampler = Sampler([float("nan")] * 10)
    found = sample_until_passed(sampler, 250)
    assert (sum(one.draws for one in sampler.asked), found.times) == (2000, 8)
    assert not found.fit.diagnostics.passed
