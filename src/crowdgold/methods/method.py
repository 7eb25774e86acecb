"""What a method is: its name, which tables it takes, and what does its work."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from crowdgold.data import ANNOTATIONS, ITEMS, InputError, Items, Table, kind_of
from crowdgold.inference.labels import Fit
from crowdgold.methods.annotation_fitters import AnnotationsFitter
from crowdgold.methods.fitters import Fitter
from crowdgold.methods.needs import ANNOTATORS, SCORES, what_lacks
from crowdgold.models.stan import StanModels

Models = Mapping[tuple[tuple[str, Any], ...], tuple[str, ...]]
"""Values of settings, as (name, value) -> Stan models that are sampled where all are set so."""


@dataclass(frozen=True)
class Method:
    """A method of the comparison.

    Attributes:
        name: the papers' short name.
        title: what it is, for captions.
        fitter: (items, rng, settings, stan) -> Fit; None where it does not take Items.
        own_modules: the modules of `crowdgold.methods` that do its work.
        stan_models: names of the Stan models that it always samples.
        models_of_settings: those that it samples only under some settings.
        annotations_fitter: as `fitter`, of Annotations; None where it does not take them.
        needs: what a table of Items must have for it, keys of `needs.NEEDS`.
        uses_gold: whether gold labels of Items change its fit, where there are some.
        estimates: names of the metrics of Items that it can estimate; all where there are none.
        own_settings: settings of its own, beside those that all methods take.
        preset: settings that its name stands for; a configuration cannot change them.
        package: an optional package that it needs; empty where it needs none.
        takes_weights: whether items may count differently.
    """

    name: str
    title: str
    fitter: Fitter | None
    own_modules: tuple[str, ...]
    stan_models: tuple[str, ...] = ()
    models_of_settings: Models = field(default_factory=dict)
    annotations_fitter: AnnotationsFitter | None = None
    needs: tuple[str, ...] = ()
    uses_gold: bool = True
    estimates: tuple[str, ...] = ()
    own_settings: tuple[str, ...] = ()
    preset: Mapping[str, Any] = field(default_factory=dict)
    package: str = ""
    takes_weights: bool = True

    @property
    def of_annotators(self) -> bool:
        """Whether it rests on who gave each vote."""
        return ANNOTATORS in self.needs

    @property
    def tables(self) -> tuple[str, ...]:
        """The kinds of table that it takes."""
        taken = {ITEMS: self.fitter, ANNOTATIONS: self.annotations_fitter}
        return tuple(kind for kind, fitter in taken.items() if fitter)

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that do its work; a change of theirs makes its results stale."""
        return tuple(f"crowdgold.methods.{name}" for name in self.own_modules)

    def models_with(self, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """The Stan models that it samples with these settings."""
        conditional = (
            models
            for conditions, models in self.models_of_settings.items()
            if all(settings.get(name) == value for name, value in conditions)
        )
        return (*self.stan_models, *(model for models in conditional for model in models))

    def lacks(self, table: Table) -> str:
        """Say why it cannot be fitted to a table; empty where it can, as far as can be told."""
        if kind_of(table) not in self.tables:
            return f"it takes a table of {' or '.join(self.tables)}"
        return what_lacks(self.needs, self.package, table) if isinstance(table, Items) else ""

    def cannot_estimate(self, metric: str) -> str:
        """Say why it has no estimate of a metric of Items, by its name; empty where it has."""
        if not self.estimates or metric in self.estimates:
            return ""
        return f"it estimates {', '.join(self.estimates)} only"

    def _refuse(self, items: Items) -> None:
        """Raise `InputError` where items lack columns that it reads."""
        if SCORES in self.needs and not items.predictors:
            raise InputError(f"{self.name} needs scores: a column 'score', or 'score_NAME'")
        if ANNOTATORS in self.needs and items.labels is None:
            raise InputError(f"{self.name} needs to know who gave each vote; Items do not say")

    def fit(
        self, table: Table, rng: np.random.Generator, settings: Mapping[str, Any], stan: StanModels
    ) -> Fit:
        """Fit it to a table.

        Raises:
            InputError: where it does not take such a table, or the table lacks what it needs.
        """
        if isinstance(table, Items):
            self._refuse(table)
            if self.fitter:
                return self.fitter(table, rng, settings, stan)
        elif self.annotations_fitter:
            return self.annotations_fitter(table, rng, settings, stan)
        taken, found = " or ".join(self.tables), kind_of(table)
        raise InputError(f"{self.name} takes a table of {taken}; found one of {found}")
