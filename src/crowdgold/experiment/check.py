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

    `run` is given parameters and a random generator, and gives rows; a third parameter named `stan`
    is given the compiled models, and one named `dataset` the prepared table. What depends on the
    parameters is a function of them.
    """

    name: str
    run: Callable[..., pd.DataFrame]
    parameters: type[Settings] = Settings
    """Declares its parameters; the configuration's schema is made from it."""
    stan_models: Callable[[Given], tuple[str, ...]] = lambda parameters: ()
    dataset: Callable[[Given], str] = lambda parameters: ""
    """The prepared dataset that it reads; empty where it reads none."""
    packages: Callable[[Given], tuple[str, ...]] = lambda parameters: ()
    """The optional packages that it uses, where they are installed."""
    can_do_without: bool = True
    """Whether it gives something where these packages are missing."""
    features_file: Callable[[Given], Path | None] = lambda parameters: None
    """Where the features of texts are kept that it reads, if any."""

    @property
    def takes(self) -> tuple[str, ...]:
        """The names of what `run` is given."""
        return tuple(signature(self.run).parameters)
