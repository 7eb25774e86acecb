"""The one way to call a method: by its name, with its settings checked."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from crowdgold.data import InputError, Table
from crowdgold.data.parameters import did_you_mean
from crowdgold.inference.labels import Fit
from crowdgold.methods.method import Method
from crowdgold.methods.registry import METHODS
from crowdgold.models.stan import SamplerSettings, StanModels

SHARED_SETTINGS = ("sampler", "imputations", "threads")


def _check_settings(method: Method, settings: Mapping[str, Any]) -> None:
    # Some have a setting of that name that is not about Stan.
    sampler = {} if "sampler" in method.own_settings else settings.get("sampler", {})
    own = [name for name in method.own_settings if name not in method.preset]
    groups = (
        (settings, (*SHARED_SETTINGS, *own), method.name),
        (sampler, tuple(one.name for one in fields(SamplerSettings)), "sampler"),
    )
    for given, known, where in groups:
        for name in given:
            if name not in known:
                meant = did_you_mean(name, known, always=True)
                raise InputError(f"{where}: no setting {name!r}; {meant}")


def method_named(name: str) -> Method:
    """A method by its short name; `InputError` with the nearest where there is none."""
    if name not in METHODS:
        meant = did_you_mean(name, METHODS, always=True)
        raise InputError(f"no method {name!r}; {meant} ({', '.join(METHODS)})")
    return METHODS[name]


def fit(
    method: str,
    table: Table,
    rng: np.random.Generator,
    settings: Mapping[str, Any] | None = None,
    stan: StanModels | None = None,
) -> Fit:
    """Fit a method to a table.

    Args:
        method: a key of `METHODS`.
        table: votes, gold labels and scores; or each annotator's labels.
        rng: source of all random numbers of the method.
        settings: `sampler` (chains, warmup, draws), `imputations`, and the method's own.
        stan: compiled models; by default they are compiled when first used.

    Raises:
        InputError: where the method is not known, or the table is of another kind or lacks what it
            needs.
    """
    chosen = method_named(method)
    _check_settings(chosen, settings or {})
    complete = {**(settings or {}), **chosen.preset}
    fitted = chosen.fit(table, rng, complete, stan or StanModels())
    return replace(fitted, method=method)
