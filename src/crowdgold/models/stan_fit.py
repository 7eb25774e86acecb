"""What Stan drew, read from CmdStan's files, and longer chains made of two parts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdgold.models.diagnostics import Diagnostics, diagnose

if TYPE_CHECKING:
    import cmdstanpy


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
