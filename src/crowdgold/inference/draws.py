"""Posterior draws as a dataset that ArviZ reads."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from crowdgold.extras import need

if TYPE_CHECKING:
    import xarray


def as_dataset(posterior: Mapping[str, np.ndarray], chains: int) -> "xarray.Dataset":
    """The draws as variables over (chain, draw, ...).

    Args:
        posterior: name -> (draws, ...), chain after chain, as many of each; `mu:A` is the value
            of `mu` for predictor A, and becomes a part of it.
        chains: whose draws they are; where these cannot be told apart, they are one chain's.
    """
    need("xarray", "a dataset of draws")
    import xarray  # here: it takes a second to load

    by_name: dict[str, dict[str, np.ndarray]] = {}
    for name, draws in posterior.items():
        variable, _, predictor = name.partition(":")
        by_name.setdefault(variable, {})[predictor] = draws
    variables = {}
    for name, parts in by_name.items():
        inner: list[str] = []
        coordinates: dict[str, list[str]] = {}
        if "" in parts:
            values = parts[""]
            inner = [f"{name}_dim_{place}" for place in range(values.ndim - 1)]
        else:
            values = np.stack(list(parts.values()), axis=1)
            inner, coordinates = ["predictor"], {"predictor": list(parts)}
        of_chains = chains if chains and len(values) % chains == 0 else 1
        shaped = values.reshape(of_chains, -1, *values.shape[1:])
        variables[name] = xarray.DataArray(shaped, coordinates, ["chain", "draw", *inner])
    return xarray.Dataset(variables)
