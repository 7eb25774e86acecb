"""What Stan drew, and the gate that says whether to trust Markov chains: how far they are taken.

R-hat and bulk and tail effective sample size are those of Vehtari et al. (2021), who advise R-hat
below 1.01 and an effective sample size of at least 100 a chain, so 400 for four chains.

One policy holds for every Markov chain sampler. A fit that passes costs what it did. One that
misses goes on from where its chains ended, until they are twice, four times and at most eight times
as long as asked for.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

if TYPE_CHECKING:
    import cmdstanpy

RHAT_LIMIT = 1.01
EFFECTIVE_DRAWS_PER_CHAIN = 100


@dataclass(frozen=True)
class Diagnostics:
    """Worst values over the parameters of a fit."""

    rhat: float = 1.0  # largest R-hat; 1 is perfect
    ess_bulk: float = np.inf  # ess_bulk, ess_tail: smallest effective sample sizes
    ess_tail: float = np.inf
    divergences: int = 0  # transitions that diverged
    at_max_treedepth: int = 0  # transitions that stopped at the tree depth limit
    failures: tuple[str, ...] = ()  # other reasons for distrust, in words
    notes: tuple[str, ...] = ()  # what a reader should know that is no reason for distrust
    chains: int = 0  # number of Markov chains; 0 where there is none

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
        """Whether the fit passes the gate."""
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
    """The diagnostics of draws, parameter name -> (chains, draws); counts are over all chains."""
    # Here: it takes seconds, and most jobs sample nothing.
    from arviz_stats.base.array import array_stats

    every = [np.asarray(values, dtype=float) for values in draws.values()]
    axes = {"chain_axis": 0, "draw_axis": 1}
    tails = {"method": "tail", "prob": (0.05, 0.95)}  # the quantiles whose ESS is that of the tails
    return Diagnostics(
        rhat=max(float(array_stats.rhat(one, **axes)) for one in every),
        ess_bulk=min(float(array_stats.ess(one, method="bulk", **axes)) for one in every),
        ess_tail=min(float(array_stats.ess(one, **tails, **axes)) for one in every),
        divergences=divergences,
        at_max_treedepth=at_max_treedepth,
        chains=next(iter(draws.values())).shape[0],
    )


@dataclass(frozen=True)
class StanFit:
    """Draws of a fit."""

    draws: dict[str, np.ndarray]  # variable name -> (chains, draws, ...)
    diagnostics: Diagnostics  # over the parameters named when sampling; none of a single chain
    step_size: np.ndarray  # (chains,) adapted step size
    metric: np.ndarray  # (chains, parameters) adapted inverse metric; its matrices where dense
    last: list[dict[str, Any]]  # the variables of each chain's last draw, from which it can go on
    seconds: float  # time in Stan's warmup and sampling, all chains
    elapsed: float  # wall time of the fit, its processes and files included

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
    # All variables, of which Stan takes the parameters: which they are the files do not say. A
    # generated quantity may be infinite, which its JSON cannot hold; a parameter never is.
    rows = fit.draws()[-1]
    last: list[dict[str, Any]] = [{} for _ in rows]
    for name, variable in fit.metadata.stan_vars.items():
        for own, row in zip(last, rows, strict=True):
            value = np.asarray(variable.extract_reshape(row))
            if np.isfinite(value).all():
                own[name] = value.tolist()
    return StanFit(draws, gate, step_size, metric, last, seconds, 0.0)


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
