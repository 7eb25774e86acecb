"""How far chains that miss their gate are taken: one policy for every Markov chain sampler.

A fit that passes costs what it did. One that misses goes on from where its chains ended, until
they are twice, four times and at most eight times as long as asked for.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from crowdgold.models.stan_fit import Diagnostics

MOST = 8  # Chains grow to this many times the draws asked for, at most
SETTLED_RHAT = 1.1  # above it some chains have not reached where the others draw from


class Gated(Protocol):
    """Draws of chains with what says whether to trust them."""

    @property
    def diagnostics(self) -> Diagnostics:
        """Over all draws that were kept."""


Fit = TypeVar("Fit", bound=Gated)


@dataclass(frozen=True)
class Asked(Generic[Fit]):
    """What a sampler is asked for."""

    draws: int  # new draws of each chain
    latest: Fit | None = None  # the fit whose chains go on; None where they begin, with warm-up
    drop: bool = False  # whether the draws of `latest` are left out; else they come first


@dataclass(frozen=True)
class Continued(Generic[Fit]):
    """The last fit of chains that were continued as far as their gate asked."""

    fit: Fit  # the first that passed, else that of the longest chains
    times: int  # length, dropped draws included, over what was asked for: 1, 2, 4 or 8
    elapsed: float  # wall time of all attempts

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know: that the chains are longer than asked for."""
        return (f"chains continued to {self.times} times the draws",) if self.times > 1 else ()


def sample_until_passed(
    sample: Callable[[Asked[Fit]], Fit], draws: int, most: int = MOST
) -> Continued[Fit]:
    """The fit of chains that are doubled in length, to `most` times the draws, until they pass
    their gate; a single chain has no diagnostics and is never continued. Random numbers of `sample`
    must depend on nothing but its own generator and how far the chains have come.
    """
    start, times = time.perf_counter(), 1
    fit = sample(Asked(draws))
    while not fit.diagnostics.passed and 2 * times <= most:
        gate = fit.diagnostics
        # Chains that do not overlap were on their way when they drew, and transitions that diverged
        # stay among the draws however many are added: such draws would spoil whatever follows. Else
        # chains are only too short: every draw counts.
        spoilt = gate.divergences > 0 or gate.at_max_treedepth > 0
        fit = sample(Asked(times * draws, fit, spoilt or not gate.rhat < SETTLED_RHAT))
        times *= 2
    return Continued(fit, times, time.perf_counter() - start)
