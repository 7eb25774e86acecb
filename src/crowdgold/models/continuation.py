"""How far chains that miss their gate are taken: one policy for every Markov chain sampler.

A fit that passes costs what it did. One that misses goes on from where its chains ended, until
they are twice, four times and at most eight times as long as asked for.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from crowdgold.models.stan_fit import Diagnostics

MOST = 8
"""Chains grow to this many times the draws asked for, at most."""
SETTLED_RHAT = 1.1
"""Above it chains do not yet overlap: some have not reached where the others draw from."""


class Gated(Protocol):
    """Draws of chains with what says whether to trust them."""

    @property
    def diagnostics(self) -> Diagnostics:
        """Over all draws that were kept."""


Fit = TypeVar("Fit", bound=Gated)


@dataclass(frozen=True)
class Asked(Generic[Fit]):
    """What a sampler is asked for.

    Attributes:
        draws: new draws of each chain.
        latest: the fit whose chains go on; None where they begin, with warm-up.
        drop: whether the draws of `latest` are left out of the new fit; else they come first in it.
    """

    draws: int
    latest: Fit | None = None
    drop: bool = False


@dataclass(frozen=True)
class Continued(Generic[Fit]):
    """The last fit of chains that were continued as far as their gate asked.

    Attributes:
        fit: the first that passed, else that of the longest chains.
        times: length of the chains, dropped draws included, over what was asked for: 1, 2, 4 or 8.
        elapsed: wall time of all attempts.
    """

    fit: Fit
    times: int
    elapsed: float

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know: that the chains are longer than asked for."""
        return (f"chains continued to {self.times} times the draws",) if self.times > 1 else ()


def _spoilt(found: Diagnostics) -> bool:
    """Whether the draws would spoil whatever follows, so that they are dropped.

    Chains that do not overlap were on their way when they drew them, and transitions that diverged
    stay among the draws however many are added. Else the chains are only too short: every draw
    counts.
    """
    return not found.rhat < SETTLED_RHAT or found.divergences > 0 or found.at_max_treedepth > 0


def sample_until_passed(
    sample: Callable[[Asked[Fit]], Fit], draws: int, most: int = MOST
) -> Continued[Fit]:
    """The fit of chains that are doubled in length until they pass their gate.

    A fit of a single chain has no diagnostics, so that it is never continued.

    Args:
        sample: draws what it is asked for. Its random numbers must depend on nothing but its own
            generator and how far the chains have come.
        draws: of each chain, at first.
        most: times as many draws that chains grow to.
    """
    start, times = time.perf_counter(), 1
    fit = sample(Asked(draws))
    while not fit.diagnostics.passed and 2 * times <= most:
        fit = sample(Asked(times * draws, fit, _spoilt(fit.diagnostics)))
        times *= 2
    return Continued(fit, times, time.perf_counter() - start)
