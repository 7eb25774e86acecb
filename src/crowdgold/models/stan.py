"""The CmdStan driver: compiled models by name, sampled through cmdstanpy.

Each fit has an output folder of its own, which is gone when the draws have been read.
"""

import logging
import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from crowdgold.models.stan_fit import MOST, Asked, StanFit, joined, read_fit, sample_until_passed
from crowdgold.system.assets import asset_folder
from crowdgold.system.packages import need
from crowdgold.system.temporary import scratch_folder
from crowdgold.system.toolchain import (
    Toolchain,
    ToolchainError,
    cached_model,
    executable_fault,
    find_toolchain,
)
from crowdgold.types.errors import InputError

if TYPE_CHECKING:
    import cmdstanpy

Made = TypeVar("Made")
ADAPT_DELTA = 0.95  # Target acceptance where neither the settings nor the model give one
SIGNIFICANT = 12
"""Digits of the draws in CmdStan's files. With its 6, a rate near 1 is printed as 1, from where no
chain can go on."""


def stan_seed(rng: np.random.Generator) -> int:
    """Draw a seed that CmdStan takes: 2 to 2^31 - 1 (0 means the clock, 1 is its default)."""
    return int(rng.integers(2, 2**31))


def spread_draws(available: int, wanted: int) -> np.ndarray:
    """The positions of `wanted` draws spread evenly over all chains; `InputError` for too few."""
    if wanted > available:
        raise InputError(
            f"imputations: {wanted} asked for, but the sampler keeps chains x draws = {available}; "
            "raise sampler: draws, or ask for fewer"
        )
    return np.linspace(0, available - 1, wanted).round().astype(int)


class SamplingError(RuntimeError):
    """A Stan program that did not run to its end; the message holds what it printed."""


@dataclass(frozen=True)
class SamplerSettings:
    """Settings of the No-U-Turn sampler, as in the configuration's `sampler`. Chains that miss
    their gate grow to `longest` times their draws, at most. Where `adapt_delta` is not given, each
    model is sampled with its own.
    """

    chains: int = 4
    warmup: int = 300
    draws: int = 1000
    longest: int = MOST
    adapt_delta: float | None = None
    max_treedepth: int = 10


def _going_on(
    asked: Asked[StanFit], settings: SamplerSettings, options: Mapping[str, Any]
) -> tuple[SamplerSettings, dict[str, Any]]:
    """Settings and options that let the chains of a fit go on from where they ended, with their
    step size and metric and without a warm-up. Where their draws are dropped, the tuning is as
    little to be trusted, since it was made from draws like them: the chains are tuned once more,
    from where they ended, and with smaller steps where a transition diverged.
    """
    latest = asked.latest
    assert latest is not None
    start = {
        "inits": latest.last,
        "step_size": latest.step_size.tolist(),
        "inv_metric": [{"inv_metric": metric.tolist()} for metric in latest.metric],
    }
    further = replace(settings, draws=asked.draws)
    if not asked.drop:
        return replace(further, warmup=0), {**options, **start, "adapt_engaged": False}
    if latest.diagnostics.divergences:
        target = settings.adapt_delta or options.get("adapt_delta", ADAPT_DELTA)
        # Half as far from 1 the first time, a quarter, an eighth.
        further = replace(further, adapt_delta=1 - (1 - target) * settings.draws / asked.draws / 2)
    return further, {**options, **start}


def _say(line: object) -> None:
    """Say what is compiled on the standard error: the standard output is for results."""
    print(line, file=sys.stderr, flush=True)


@dataclass
class StanModels:
    """Executables of the project's Stan models."""

    # holds one executable a model. The workflow's rules fill it; where it is not given, models are
    # compiled when first used and kept in the user's cache.
    folder: Path | None = None
    toolchain: Toolchain | None = None  # what made them; found when first needed
    _loaded: dict[str, "cmdstanpy.CmdStanModel"] = field(default_factory=dict, repr=False)
    _latest: dict[str, tuple[bytes, Any]] = field(default_factory=dict, repr=False)

    @classmethod
    def compiled(cls, folder: Path | None, record: Path | None) -> "StanModels":
        """The models of a folder (or the cache), made by the toolchain of a JSON record."""
        return cls(folder, Toolchain.from_json(record) if record else None)

    def found(self) -> Toolchain:
        """The toolchain, looked for where it is not known yet."""
        self.toolchain = self.toolchain or find_toolchain(log=_say)
        return self.toolchain

    def executable(self, name: str) -> Path:
        """A model's executable, which is the one that was compiled: its sha256 is checked."""
        toolchain = self.found()
        if self.folder is not None:
            path = self.folder / name
            if not path.is_file():
                raise FileNotFoundError(
                    f"{path}: no compiled model {name!r}; compile it with "
                    f"python -m crowdgold.system.toolchain, or run the workflow's toolchain rules"
                )
            if fault := executable_fault(path):  # it goes, so that a rerun mends it
                try:
                    path.unlink(missing_ok=True)
                    mend = "it was removed and not used; run again, and it is compiled anew"
                except OSError as error:
                    mend = f"it was not used; remove it ({error.strerror} here) and run again"
                raise ToolchainError(
                    f"the compiled model {path} is damaged: {fault}. {mend[0].upper()}{mend[1:]}"
                )
            return path
        return cached_model(asset_folder("stan") / f"{name}.stan", toolchain, _say)

    def load(self, name: str) -> "cmdstanpy.CmdStanModel":
        """The cmdstanpy model of this name, compiled; errors where it is missing or damaged."""
        need("cmdstanpy", f"the model {name!r}, which Stan samples,")
        import cmdstanpy  # here, because most jobs that import this module sample nothing

        cmdstanpy.utils.get_logger().setLevel(logging.ERROR)
        if name not in self._loaded:
            executable = self.executable(name)
            assert self.toolchain is not None
            cmdstanpy.set_cmdstan_path(str(self.toolchain.home))
            model = cmdstanpy.CmdStanModel(exe_file=str(executable))
            # It asks the executable how it was built before every fit: a process each time.
            model.exe_info = cache(model.exe_info)  # type: ignore[method-assign]
            self._loaded[name] = model
        return self._loaded[name]

    def sample(
        self, name: str, data: Mapping[str, Any], seed: int, parameters: Sequence[str],
        settings: SamplerSettings, **options: Any,
    ) -> StanFit:  # fmt: skip
        """Sample a model, or give its latest fit again where all that it depends on is the same.
        The seed is from 2 to 2^31 - 1; `parameters` are the variables that are kept and diagnosed;
        `options` are further arguments of cmdstanpy's `sample`, of which `adapt_delta` is used
        where the settings give none. `SamplingError`, with what Stan said, where a chain fails.
        """

        def sample(asked: Asked[StanFit]) -> StanFit:
            if asked.latest is None:
                return self._run(name, data, seed, parameters, settings, options)
            # A seed for each length of the chains, which is another each time.
            own = stan_seed(np.random.default_rng([seed, asked.draws]))
            further = _going_on(asked, settings, options)
            more = self._run(name, data, own, parameters, *further)
            more = replace(more, seconds=asked.latest.seconds + more.seconds)
            return more if asked.drop else joined(asked.latest, more)

        def make() -> StanFit:
            found = sample_until_passed(sample, settings.draws, settings.longest)
            gate = found.fit.diagnostics
            gate = replace(gate, notes=(*gate.notes, *found.notes))
            return replace(found.fit, diagnostics=gate, elapsed=found.elapsed)

        key = pickle.dumps((dict(data), seed, tuple(parameters), settings, options))
        return self.latest(name, key, make)

    def latest(self, name: str, key: bytes, make: Callable[[], Made]) -> Made:
        """What `make` makes, or the latest of its name again where its key is the same."""
        if name not in self._latest or self._latest[name][0] != key:
            self._latest.pop(name, None)  # before the next is made: they can be large
            self._latest[name] = key, make()
        made: Made = self._latest[name][1]
        return made

    def _run(
        self, name: str, data: Mapping[str, Any], seed: int, parameters: Sequence[str],
        settings: SamplerSettings, options: Mapping[str, Any],
    ) -> StanFit:  # fmt: skip
        own = dict(options)
        target = settings.adapt_delta or own.pop("adapt_delta", ADAPT_DELTA)
        if own.get("adapt_engaged", True):
            own["adapt_delta"] = target
        with scratch_folder("stan") as folder:
            chosen: dict[str, Any] = {
                "chains": settings.chains, "parallel_chains": 1, "iter_warmup": settings.warmup,
                "iter_sampling": settings.draws, "max_treedepth": settings.max_treedepth,
                "sig_figs": SIGNIFICANT, "show_progress": False, "show_console": False,
                "output_dir": str(folder), "seed": seed,
            }  # fmt: skip
            try:
                fit = self.load(name).sample(data=dict(data), **{**chosen, **own})
            except RuntimeError as error:
                raise SamplingError(f"Stan model {name!r} failed: {error}") from error
            return read_fit(fit, parameters)
