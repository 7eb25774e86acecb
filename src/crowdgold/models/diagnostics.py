"""Diagnostics of a Markov chain fit, and the gate that says whether to trust it.

R-hat and bulk and tail effective sample size are those of Vehtari et al. (2021), who advise R-hat
below 1.01 and an effective sample size of at least 100 a chain, so 400 for four chains.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

RHAT_LIMIT = 1.01
EFFECTIVE_DRAWS_PER_CHAIN = 100
TAILS = (0.05, 0.95)
"""The quantiles whose effective sample size is that of the tails."""


@dataclass(frozen=True)
class Diagnostics:
    """Worst values over the parameters of a fit.

    Attributes:
        rhat: largest R-hat; 1 is perfect.
        ess_bulk, ess_tail: smallest effective sample sizes.
        divergences: transitions that diverged.
        at_max_treedepth: transitions that stopped at the tree depth limit.
        failures: other reasons for distrust, in words.
        notes: what a reader should know that is no reason for distrust.
        chains: number of Markov chains; 0 where there is none.
    """

    rhat: float = 1.0
    ess_bulk: float = np.inf
    ess_tail: float = np.inf
    divergences: int = 0
    at_max_treedepth: int = 0
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    chains: int = 0

    @property
    def problems(self) -> list[str]:
        """Say in words what fails the gate."""
        least = EFFECTIVE_DRAWS_PER_CHAIN * self.chains
        found = [
            (not self.rhat < RHAT_LIMIT, f"R-hat {self.rhat:.3f} (limit {RHAT_LIMIT})"),
            (self.ess_bulk < least, f"bulk ESS {self.ess_bulk:.0f} (at least {least})"),
            (self.ess_tail < least, f"tail ESS {self.ess_tail:.0f} (at least {least})"),
            (self.divergences > 0, f"{self.divergences} divergent transitions"),
            (self.at_max_treedepth > 0, f"{self.at_max_treedepth} at the tree depth limit"),
        ]
        return [text for failed, text in found if failed] + list(self.failures)

    @property
    def passed(self) -> bool:
        """Say whether the fit passes the gate."""
        return not self.problems

    @property
    def message(self) -> str:
        """Problems and notes in one line; empty where there is nothing to say."""
        return "; ".join([*self.problems, *self.notes])


def worst(parts: Mapping[str, Diagnostics]) -> Diagnostics:
    """Join the diagnostics of several fits, each named in what it says; counts are added."""
    every = list(parts.values())
    return Diagnostics(
        rhat=max(one.rhat for one in every),
        ess_bulk=min(one.ess_bulk for one in every),
        ess_tail=min(one.ess_tail for one in every),
        divergences=sum(one.divergences for one in every),
        at_max_treedepth=sum(one.at_max_treedepth for one in every),
        failures=tuple(f"{name}: {text}" for name, one in parts.items() for text in one.failures),
        notes=tuple(f"{name}: {text}" for name, one in parts.items() for text in one.notes),
        chains=max(one.chains for one in every),
    )


def diagnose(
    draws: Mapping[str, np.ndarray], divergences: int, at_max_treedepth: int
) -> Diagnostics:
    """Compute the diagnostics of chains.

    Args:
        draws: parameter name -> (chains, draws).
        divergences, at_max_treedepth: counts over all chains.
    """
    from arviz_stats.base.array import (
        array_stats,  # here: it takes seconds, and most jobs sample nothing
    )

    every = [np.asarray(values, dtype=float) for values in draws.values()]
    axes = {"chain_axis": 0, "draw_axis": 1}
    rhat = [float(array_stats.rhat(one, **axes)) for one in every]
    bulk = [float(array_stats.ess(one, method="bulk", **axes)) for one in every]
    tail = [float(array_stats.ess(one, method="tail", prob=TAILS, **axes)) for one in every]
    return Diagnostics(
        rhat=max(rhat),
        ess_bulk=min(bulk),
        ess_tail=min(tail),
        divergences=divergences,
        at_max_treedepth=at_max_treedepth,
        chains=next(iter(draws.values())).shape[0],
    )
