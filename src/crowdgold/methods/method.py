"""What a method is: all that the rest of the library knows of it is declared here, in one place.

A method's file makes a `Method`, and imports what is slow inside its functions: the registry reads
every file. Here alone methods are put in order; those that stand in none come last, as found.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from crowdgold.inference.labels import Fit
from crowdgold.methods.needs import (
    ANNOTATORS,
    OF_VOTES,
    SCORES,
    Doubt,
    Has,
    Need,
    lacking,
    lacks_package,
)
from crowdgold.types.items import ANNOTATIONS, ITEMS, Table
from crowdgold.types.notes import Note
from crowdgold.types.parameters import OnlyOf, Settings, refuse

if TYPE_CHECKING:
    from crowdgold.models.stan import SamplerSettings, StanModels

FIGURES = (
    "MV", "GT", "GT+MV", "DS", "ORACLE", "DS+S", "H-AI", "MAVEN", "MAVEN-exact", "MAVEN-C",
    "MAVEN-CS", "MAVEN-bent", "MAVEN-R", "score-R", "votes-R", "logistic-R", "logistic-E", "GT-E",
    "AutoEval", "AutoEval+MAVEN", "judges", "judges-R", "CLARA-published", "CLARA", "CLARA+S",
    "CLARA-ordered",
    "Rogan-Gladen", "Rogan-Gladen-adjusted", "Rogan-Gladen-Bayes", "PPI++", "MAVEN-votes", "PEC",
    "PEC-two-way", "PEC-posterior", "Snorkel",
)  # fmt: skip
"""In legends, and in lists of methods: by paper."""
ANSWERS = (
    "logistic-E", "GT-E", "logistic-R", "votes-R", "GT", "MAVEN-R", "judges-R", "Rogan-Gladen",
    "AutoEval", "MAVEN-C", "judges", "DS", "CLARA", "MAVEN", "GT+MV",
)  # fmt: skip
"""In the order in which they are chosen: what gold corrects, then models; also that of tables."""
OF_LABELS = OnlyOf(ANNOTATIONS)
OF_ITEMS = OnlyOf(ITEMS)
SHARED_SETTINGS = ("sampler", "imputations", "threads")  # Settings that every method takes
OF_MEANS = ("prevalence", "accuracy")  # Metrics that are means over items
OF_RATES = ("prevalence", "TPR_H", "TNR_H")  # Metrics of labels and votes, without scores
IMPUTATIONS = 500  # Imputed data sets where the settings do not say how many
CORRECTED = "corrected"  # Gold labels make it right whatever the votes and scores are like
MODEL = "model"
"""It rests on a model of votes, with scores or without, which gold labels can contradict."""
BASELINE = "baseline"  # It uses gold labels alone: what others' widths and gains are relative to
REFERENCE = "reference"  # Models' estimates are held against it
PLANNED = "planned"  # A study is planned with its model
ROLES = (CORRECTED, MODEL, BASELINE, REFERENCE, PLANNED)


def in_order(names: Iterable[str], order: Sequence[str]) -> list[str]:
    """Names in an order, others last as they come."""
    return sorted(names, key=lambda name: order.index(name) if name in order else len(order))


@dataclass(frozen=True)
class Run:
    """What every fit is given beside the method's own settings."""

    stan: "StanModels"  # compiled models
    sampler: "SamplerSettings"  # how Stan samples
    imputations: int = IMPUTATIONS  # parameter draws, one imputed data set each
    threads: int = 1  # processes that a method may run side by side; numbers do not depend on it


Fitter = Callable[[Any, np.random.Generator, Any, Run], "Fit"]
"""(table, rng, settings of the method's own class, run) -> Fit."""


class Style(NamedTuple):
    """How a method looks in every figure."""

    colour: str
    marker: str
    line: str = "-"


@dataclass(frozen=True)
class Offer:
    """What `crowdgold check` and `crowdgold evaluate` make of a method."""

    use: str  # what it is good for, in a few words
    assumes: str  # what has to be true for it to be right
    roles: tuple[str, ...] = ()  # of `ROLES`; without corrected or model no number is an answer
    doubts: tuple[Doubt, ...] = ()  # what can speak against it on a user's data
    stream: int = 0  # its number among the sources of random numbers; 0 takes one from its name
    settings: Mapping[str, Any] = field(default_factory=dict)  # where they differ from its own
    work: float = 0.0  # how long it takes, relative to others; 0: it samples nothing
    fit_of: str = ""  # methods of one word share a fit; empty where it has its own
    population_only: bool = False  # it never speaks of the items at hand

    def good_for(self, votes: int) -> str:
        """What it is good for, with so many votes."""
        return self.use if votes else self.use_unvoted or self.use

    use_unvoted: str = ""  # what it is good for without votes; empty where that is `use`


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method of the comparison."""

    name: str  # the papers' short name
    title: str  # what it is, for captions
    about: str = ""  # what it is, on the page of the configuration; the title where it is empty
    of_items: Fitter | None = None  # fits it to Items; None where it does not take them
    of_labels: Fitter | None = None  # fits it to Annotations; None where it does not take them
    settings: type[Settings] = Settings  # the class of its own settings
    preset: Mapping[str, Any] = field(default_factory=dict)  # a configuration cannot change them
    needs: tuple[Need, ...] = ()  # what a table must have for it, of `needs.NEEDS`
    stan_models: Callable[[Any], tuple[str, ...]] = lambda settings: ()  # by its settings
    uses_gold: bool = True  # whether gold labels of Items change its fit, where there are some
    estimates: tuple[str, ...] = ()  # of Items; all where there are none
    takes_weights: bool = True  # whether items may count differently
    package: str = ""  # an optional package that it needs; empty where it needs none
    variant_of: str = ""  # the arena compares those of none
    style: Style | None = None  # how it looks in figures; None for the next free colour
    offer: Offer | None = None  # None: it is of experiments only

    @property
    def of_annotators(self) -> bool:
        """Whether it rests on who gave each vote."""
        return ANNOTATORS in self.needs

    @property
    def needs_scores(self) -> bool:
        """Whether it conditions on the scores of one model at a time."""
        return SCORES in self.needs

    @property
    def needs_votes(self) -> bool:
        """Whether it has nothing to say of Items without votes."""
        return any(need in OF_VOTES for need in self.needs)

    @property
    def tables(self) -> tuple[str, ...]:
        """The kinds of table that it takes."""
        taken = {ITEMS: self.of_items, ANNOTATIONS: self.of_labels}
        return tuple(kind for kind, fitter in taken.items() if fitter)

    def has_role(self, role: str) -> bool:
        """Whether it has a role in a user's study."""
        return self.offer is not None and role in self.offer.roles

    def own(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Those of some settings that are its own, and not what every method takes."""
        others = set(SHARED_SETTINGS) - {one.name for one in self.settings.declared()}
        return {key: value for key, value in given.items() if key not in others}

    def read(self, given: Mapping[str, Any]) -> Any:
        """Its own settings, of those that are given by name."""
        return self.settings.read({**given, **self.preset}, self.name)

    def models_with(self, given: Mapping[str, Any]) -> tuple[str, ...]:
        """The Stan models that it samples with these settings."""
        return self.stan_models(self.read(self.own(given)))

    def lacks(self, table: Table) -> Note | None:
        """Why it has nothing to say of a table; None where it has, as far as can be told."""
        has = Has.of(table)
        if (ITEMS if has.of_items else ANNOTATIONS) not in self.tables:
            return Note("other_table", {"tables": " or ".join(self.tables)})
        return lacks_package(self.package) or next(
            (why for _, why in lacking(self.needs, has)), None
        )

    def cannot_estimate(self, metric: str) -> Note | None:
        """Why it has no estimate of a metric of Items, by its name; None where it has."""
        if not self.estimates or metric in self.estimates:
            return None
        return Note("estimates_others", {"metrics": list(self.estimates)})

    def fit(
        self, table: Table, rng: np.random.Generator, given: Mapping[str, Any], run: Run
    ) -> Fit:
        """Fit it to a table, with settings of its own."""
        has = Has.of(table)
        kind, fitter = (ITEMS, self.of_items) if has.of_items else (ANNOTATIONS, self.of_labels)
        if fitter is None:
            taken = " or ".join(self.tables)
            refuse(f"{self.name} takes a table of {taken}; found one of {kind}")
        for need, why in lacking(self.needs, has):
            if need.to_fit:
                refuse(why.text.replace("it needs", f"{self.name} needs", 1))
        for one in self.settings.declared():
            if one.name in given and one.table not in ("", kind):
                refuse(
                    f"{self.name}: {one.name} is of {one.table.capitalize()}; "
                    + ("Items do not say who voted" if kind == ITEMS else "these say who voted")
                )
        return fitter(table, rng, self.read(given), run)


def of_labels_behind(fitter: Fitter) -> Fitter:
    """The fitter of Items that fits the labels behind their votes."""

    def of_items(items: Any, rng: np.random.Generator, settings: Any, run: Run) -> Fit:
        return fitter(items.labels, rng, settings, run)

    return of_items
