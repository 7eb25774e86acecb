"""What a check is: a named computation that gives a table by itself, without data and methods."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

import pandas as pd

from crowdgold.types.parameters import Settings

Given = Mapping[str, Any]
"""The parameters of an experiment in one of its settings; its `parameters` say which there are."""


@dataclass(frozen=True)
class Check:
    """A computation. A file that holds `X = Check("NAME", ...)` offers it as `check: NAME`.

    Attributes:
        name: as configurations write it.
        run: (parameters, rng) -> rows. A third parameter named `stan` is given the compiled models,
            and one named `dataset` the prepared table.
        parameters: the class that declares its parameters, from which the configuration's schema
            is made.
        stan_models: parameters -> the Stan models that it samples.
        dataset: parameters -> the prepared dataset that it reads; empty where it reads none.
        packages: parameters -> the optional packages that it uses, where they are installed.
        can_do_without: whether it gives something where these packages are missing.
        features_file: parameters -> where the features of texts are kept that it reads, if any.
    """

    name: str
    run: Callable[..., pd.DataFrame]
    parameters: type[Settings] = Settings
    stan_models: Callable[[Given], tuple[str, ...]] = lambda parameters: ()
    dataset: Callable[[Given], str] = lambda parameters: ""
    packages: Callable[[Given], tuple[str, ...]] = lambda parameters: ()
    can_do_without: bool = True
    features_file: Callable[[Given], Path | None] = lambda parameters: None

    @property
    def takes(self) -> tuple[str, ...]:
        """The names of what `run` is given."""
        return tuple(signature(self.run).parameters)
