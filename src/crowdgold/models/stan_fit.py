"""What Stan drew, and its diagnostics: the gate that says whether to trust a Markov chain.

Diagnostics of a Markov chain fit, and the gate that says whether to trust it.

R-hat and bulk and tail effective sample size are those of Vehtari et al. (2021), who advise R-hat
below 1.01 and an effective sample size of at least 100 a chain, so 400 for four chains.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import cmdstanpy

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


@dataclass(frozen=True)
class StanFit:
    """Draws of a fit.

    Attributes:
        draws: variable name -> (chains, draws, ...).
        diagnostics: over the parameters named when sampling; none of a single chain.
        step_size: (chains,) adapted step size.
        metric: (chains, parameters) adapted diagonal of the inverse metric; (chains, parameters,
            parameters) where it is dense.
        last: the variables of each chain's last draw, from which it can go on.
        seconds: time in Stan's warmup and sampling, all chains.
        elapsed: wall time of the fit, its processes and files included.
    """

    draws: dict[str, np.ndarray]
    diagnostics: Diagnostics
    step_size: np.ndarray
    metric: np.ndarray
    last: list[dict[str, Any]]
    seconds: float
    elapsed: float

    def flat(self, name: str) -> np.ndarray:
        """The draws of one variable, chain after chain: (chains * draws, ...)."""
        values = self.draws[name]
        return values.reshape(-1, *values.shape[2:])


def _gate(draws: Mapping[str, np.ndarray], divergences: int, at_max_treedepth: int) -> Diagnostics:
    """What the gate says of the draws; nothing of a single chain."""
    chains, size = next(iter(draws.values())).shape[:2]
    if chains == 1:
        return Diagnostics()
    scalars = {
        f"{name}[{index}]": values.reshape(chains, size, -1)[..., index]
        for name, values in draws.items()
        for index in range(int(np.prod(values.shape[2:])))
    }
    return diagnose(scalars, divergences, at_max_treedepth)


def _last(fit: "cmdstanpy.CmdStanMCMC") -> list[dict[str, Any]]:
    # All variables, of which Stan takes the parameters: which they are the files do not say. A
    # generated quantity may be infinite, which its JSON cannot hold; a parameter never is.
    known = fit.metadata.stan_vars
    rows = [
        {name: np.asarray(variable.extract_reshape(row)) for name, variable in known.items()}
        for row in fit.draws()[-1]
    ]
    return [
        {name: value.tolist() for name, value in row.items() if np.isfinite(value).all()}
        for row in rows
    ]


def read_fit(fit: "cmdstanpy.CmdStanMCMC", parameters: Sequence[str]) -> StanFit:
    """The draws of these parameters, whose files may go afterwards; its wall time is not known."""
    chains, size = fit.chains, fit.num_draws_sampling
    draws = {}
    for name in parameters:
        values = fit.stan_variable(name)
        draws[name] = values.reshape(chains, size, *values.shape[1:])
    diverged, deepest = np.asarray(fit.divergences), np.asarray(fit.max_treedepths)
    gate = _gate(draws, int(diverged.sum()), int(deepest.sum()))
    seconds = sum(time["warmup"] + time["sampling"] for time in fit.time)
    step_size, metric = np.asarray(fit.step_size), np.asarray(fit.inv_metric)
    return StanFit(draws, gate, step_size, metric, _last(fit), seconds, 0.0)


def joined(before: StanFit, after: StanFit) -> StanFit:
    """The draws of chains and of what they went on to, as those of one longer chain each."""
    draws = {
        name: np.concatenate([values, after.draws[name]], axis=1)
        for name, values in before.draws.items()
    }
    one, other = before.diagnostics, after.diagnostics
    gate = _gate(
        draws, one.divergences + other.divergences, one.at_max_treedepth + other.at_max_treedepth
    )
    return replace(after, draws=draws, diagnostics=gate)
