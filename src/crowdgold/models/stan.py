"""The CmdStan driver: compiled models by name, sampled through cmdstanpy.

Each fit has an output folder of its own, which is gone when the draws have been read.
"""

import logging
import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from crowdgold.assets import asset_folder
from crowdgold.models.diagnostics import Diagnostics, diagnose
from crowdgold.toolchain import (
    Toolchain,
    ToolchainError,
    cached_model,
    executable_fault,
    find_toolchain,
)

if TYPE_CHECKING:
    import cmdstanpy


Made = TypeVar("Made")

ADAPT_DELTA = 0.95
"""Target acceptance where neither the settings nor the model give one."""


def stan_seed(rng: np.random.Generator) -> int:
    """Draw a seed that CmdStan takes: 2 to 2^31 - 1 (0 means the clock, 1 is its default)."""
    return int(rng.integers(2, 2**31))


class SamplingError(RuntimeError):
    """A Stan program that did not run to its end; the message holds what it printed."""


@dataclass(frozen=True)
class SamplerSettings:
    """Settings of the No-U-Turn sampler, as in the configuration's `sampler`.

    Where `adapt_delta` is not given, each model is sampled with its own.
    """

    chains: int = 4
    warmup: int = 500
    draws: int = 500
    adapt_delta: float | None = None
    max_treedepth: int = 10


@dataclass(frozen=True)
class StanFit:
    """Draws of a fit.

    Attributes:
        draws: variable name -> (chains, draws, ...).
        diagnostics: over the parameters named when sampling; none of a single chain.
        step_size: (chains,) adapted step size.
        metric: (chains, parameters) adapted diagonal of the inverse metric.
        seconds: time in Stan's warmup and sampling, all chains.
        elapsed: wall time of the fit, its processes and files included.
    """

    draws: dict[str, np.ndarray]
    diagnostics: Diagnostics
    step_size: np.ndarray
    metric: np.ndarray
    seconds: float
    elapsed: float

    def flat(self, name: str) -> np.ndarray:
        """Give the draws of one variable, chain after chain: (chains * draws, ...)."""
        values = self.draws[name]
        return values.reshape(-1, *values.shape[2:])


def _checked(executable: Path) -> Path:
    """Give an executable that a rule compiled; a damaged one is removed, so that a rerun mends it.

    Raises:
        FileNotFoundError: where there is none.
        ToolchainError: where it is not the one that was compiled.
    """
    if not executable.is_file():
        raise FileNotFoundError(
            f"{executable}: no compiled model {executable.name!r}; compile it with "
            f"python -m crowdgold.toolchain, or run the workflow's toolchain rules"
        )
    if fault := executable_fault(executable):
        try:
            executable.unlink(missing_ok=True)
            mend = "it was removed and not used; run again, and it is compiled anew"
        except OSError as error:
            mend = f"it was not used; remove it ({error.strerror} here) and run again"
        raise ToolchainError(
            f"the compiled model {executable} is damaged: {fault}. {mend[0].upper()}{mend[1:]}"
        )
    return executable


def _say(line: object) -> None:
    """Say what is compiled on the standard error: the standard output is for results."""
    print(line, file=sys.stderr, flush=True)


@dataclass
class StanModels:
    """Executables of the project's Stan models.

    Attributes:
        folder: holds one executable a model. The workflow's rules fill it; where it is not given,
            models are compiled when first used and kept in the user's cache.
        toolchain: the CmdStan home that made them; found when first needed where not given.
    """

    folder: Path | None = None
    toolchain: Toolchain | None = None
    _loaded: dict[str, "cmdstanpy.CmdStanModel"] = field(default_factory=dict, repr=False)
    _latest: dict[str, tuple[bytes, Any]] = field(default_factory=dict, repr=False)

    @classmethod
    def compiled(cls, folder: Path | None, record: Path | None) -> "StanModels":
        """Give the models of a folder (or the cache), made by the toolchain of a JSON record."""
        return cls(folder, Toolchain.from_json(record) if record else None)

    def _executable(self, name: str) -> Path:
        """Give a model's executable, which is the one that was compiled: its sha256 is checked."""
        self.toolchain = self.toolchain or find_toolchain(log=_say)
        if self.folder is not None:
            return _checked(self.folder / name)
        return cached_model(asset_folder("stan") / f"{name}.stan", self.toolchain, _say)

    def load(self, name: str) -> "cmdstanpy.CmdStanModel":
        """Give the cmdstanpy model of this name.

        Raises:
            FileNotFoundError: where `folder` does not hold it.
            ToolchainError: where what it holds is not what was compiled, or does not compile.
        """
        import cmdstanpy  # here, because most jobs that import this module sample nothing

        cmdstanpy.utils.get_logger().setLevel(logging.ERROR)
        if name not in self._loaded:
            executable = self._executable(name)
            assert self.toolchain is not None
            cmdstanpy.set_cmdstan_path(str(self.toolchain.home))
            self._loaded[name] = cmdstanpy.CmdStanModel(exe_file=str(executable))
        return self._loaded[name]

    def sample(
        self,
        name: str,
        data: Mapping[str, Any],
        seed: int,
        parameters: Sequence[str],
        settings: SamplerSettings,
        **options: Any,
    ) -> StanFit:
        """Sample a model, or give its latest fit again where all that it depends on is the same.

        Args:
            name: the model.
            data: its data, by name.
            seed: from 2 to 2^31 - 1.
            parameters: scalar or vector variables that are kept and diagnosed.
            settings: chains, warmup, draws and adaptation.
            options: further arguments of cmdstanpy's `sample`; `adapt_delta` is used where the
                settings give none.

        Raises:
            SamplingError: where a chain fails, with what Stan said.
        """
        key = pickle.dumps((dict(data), seed, tuple(parameters), settings, options))
        return self.latest(
            name, key, lambda: self._sample(name, data, seed, parameters, settings, options)
        )

    def latest(self, name: str, key: bytes, make: Callable[[], Made]) -> Made:
        """Make something, or give the latest of its name again where its key is the same.

        Args:
            name: of a model, or of what several methods of a job make of the same draws.
            key: all that it depends on.
            make: makes it.
        """
        if name not in self._latest or self._latest[name][0] != key:
            self._latest.pop(name, None)  # before the next is made: they can be large
            self._latest[name] = key, make()
        made: Made = self._latest[name][1]
        return made

    def _sample(
        self,
        name: str,
        data: Mapping[str, Any],
        seed: int,
        parameters: Sequence[str],
        settings: SamplerSettings,
        options: Mapping[str, Any],
    ) -> StanFit:
        start = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="crowdgold-stan-") as folder:
            chosen: dict[str, Any] = {
                "chains": settings.chains,
                "parallel_chains": 1,
                "iter_warmup": settings.warmup,
                "iter_sampling": settings.draws,
                "max_treedepth": settings.max_treedepth,
                "show_progress": False,
                "show_console": False,
                "output_dir": folder,
                "seed": seed,
            }
            own = dict(options)
            if own.get("adapt_engaged", True):
                target = own.pop("adapt_delta", ADAPT_DELTA)
                chosen["adapt_delta"] = settings.adapt_delta or target
            try:
                fit = self.load(name).sample(data=dict(data), **{**chosen, **own})
            except RuntimeError as error:
                raise SamplingError(f"Stan model {name!r} failed: {error}") from error
            return _read(fit, parameters, settings.chains > 1, start)


def _read(
    fit: "cmdstanpy.CmdStanMCMC", parameters: Sequence[str], diagnosed: bool, start: float
) -> StanFit:
    chains, size = fit.chains, fit.num_draws_sampling
    draws = {}
    for name in parameters:
        values = fit.stan_variable(name)
        draws[name] = values.reshape(chains, size, *values.shape[1:])
    diagnostics = Diagnostics()
    if diagnosed:
        scalars = {
            f"{name}[{index}]": values.reshape(chains, size, -1)[..., index]
            for name, values in draws.items()
            for index in range(int(np.prod(values.shape[2:])))
        }
        diagnostics = diagnose(
            scalars,
            int(np.sum(np.asarray(fit.divergences))),
            int(np.sum(np.asarray(fit.max_treedepths))),
        )
    seconds = sum(time["warmup"] + time["sampling"] for time in fit.time)
    step_size, metric = np.asarray(fit.step_size), np.asarray(fit.inv_metric)
    return StanFit(draws, diagnostics, step_size, metric, seconds, time.perf_counter() - start)
