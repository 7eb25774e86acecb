"""The functions of a notebook, which do what the commands do: `import crowdgold as cg`."""

import os
import re
from argparse import Action, ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crowdgold.checking.study import DataCheck, check_data
from crowdgold.cli import plan as planning
from crowdgold.cli.terminal import say
from crowdgold.evaluation.jobs import chosen_methods
from crowdgold.evaluation.questions import STANDARD, Settings, read_thresholds
from crowdgold.evaluation.study import check_study, evaluate_checked, foretell
from crowdgold.inference.labels import Fit
from crowdgold.methods.registry import fit as fit_method
from crowdgold.methods.registry import method_named
from crowdgold.models.stan import StanModels
from crowdgold.presentation.result import Result
from crowdgold.reading.door import REFUSE, Reading
from crowdgold.reading.study import Study, StudyFiles
from crowdgold.types.display import ShownText
from crowdgold.types.errors import InputError
from crowdgold.types.items import ITEMS, Table
from crowdgold.types.parameters import ESTIMATE, LEVEL, SEED, unknown


def read(
    *paths: str | Path, columns: Mapping[str, str] | None = None,
    positive: str | Sequence[str] = (), repeated: str = "refuse", item: str | Sequence[str] = (),
    missing: Sequence[str] = (), encoding: str | None = None, unmatched: str = REFUSE,
) -> Study:  # fmt: skip
    """A study from its files, as the commands read it; what was guessed is printed.

    The paths are of one file with everything, or of votes, gold labels and scores in files of their
    own. `columns` is the files' own column name -> ours, as {"worker": "annotator"}; `positive` the
    positive label, or several; `repeated` the rule for an annotator with several labels on an item:
    "refuse" or keep the "first" or the "last"; `item` columns that name an item together, as
    ("question", "model") or "question,model"; `missing` words that stand for an empty cell among
    labels and numbers, or "nothing"; `encoding` that of text files that are not UTF-8 and do not
    say what they are, as "cp1252"; `unmatched`: "refuse" files that do not name the same items, or
    "drop" what matches nothing.
    """
    for one in paths:
        if not isinstance(one, str | os.PathLike):
            raise InputError(
                f"read: found {type(one).__name__}, expected names of files. Save a table first, "
                "as by DataFrame.to_csv(NAME, index=False) or to_parquet(NAME)"
            )
    labels, words = ([one] if isinstance(one, str) else list(one) for one in (positive, missing))
    how = Reading(dict(columns or {}), labels, repeated, item, words, encoding, unmatched)
    study = StudyFiles([Path(one) for one in paths], how).read()
    for note in study.notes:
        say(note.text)
    return study


def check(study: Study, seed: int = SEED, expert_error: float | str = ESTIMATE) -> DataCheck:
    """What a study can support, as of `crowdgold check`, and its option of that name."""
    study = study.with_expert_error(expert_error)
    found = check_data(study, np.random.default_rng(seed))
    settings = Settings(seed=seed, expert_error=str(expert_error))
    return foretell(study, found, settings) if found.supported else found


def evaluate(
    study: Study, methods: str | Sequence[str] | None = None,
    metrics: str | Sequence[str] = STANDARD, thresholds: float | str | Sequence[float | str] = (),
    level: float = LEVEL, about: str = "population", seed: int = SEED, models: bool = True,
    cores: int | None = None, anytime: int | None = None, expert_error: float | str = ESTIMATE,
) -> Result:  # fmt: skip
    """The numbers of `crowdgold evaluate`, to the digit; all methods where none is named.

    `thresholds` are scores from which on an item is flagged: 0.7, or ["large=0.7", "small=0.4"];
    intervals are about the "population", or the "items" at hand; `models` of votes and scores
    follow for comparison, which takes minutes; `cores` are processes at a time; `anytime` is the
    gold labels at which intervals that hold over all looks are to be narrowest; `expert_error` how
    often experts err: 0.05, "0.03:0.08" (an interval), "0.1,0.03" (on positive and on negative
    items), "estimate" (from second opinions), "none" (the majority is the truth) or "mean" (the
    share of experts who call an item positive is). Raises an `InputError` where the data do not
    support what is asked, or a setting cannot be used.
    """
    given = [thresholds] if isinstance(thresholds, int | float | str) else thresholds
    chosen = chosen_methods([methods] if isinstance(methods, str) else methods, models)
    asked = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    settings = Settings(
        chosen, asked, read_thresholds(given), level, about, seed, anytime=anytime,
        expert_error=str(expert_error),
    )  # fmt: skip
    checked = check_study(study, settings)
    workers = cores or os.cpu_count() or 1
    found = evaluate_checked(study, checked, settings, StanModels(), workers, say)
    return Result(found, checked)


def fit(
    method: str, study: Study | Table, seed: int = SEED,
    settings: Mapping[str, Any] | None = None,
) -> Fit:  # fmt: skip
    """A method fitted to a study, or to a table; its attribute `draws` is a dataset for ArviZ.

    Raises an `InputError` where there is no such method, or the study lacks what it needs.
    """
    table: Table | None = None
    if isinstance(study, Study):
        chosen = method_named(method)
        of_items = ITEMS in chosen.tables and not chosen.of_annotators
        table = study.items if of_items else study.annotations
        if table is None and not study.items.has_votes:
            raise InputError(f"{method} needs votes; there are none")
        if table is None:
            raise InputError(f"{method} needs to know who gave each vote; the study does not say")
    else:
        table = study
    return fit_method(method, table, np.random.default_rng(seed), settings)


@dataclass(frozen=True, repr=False)
class Plan(ShownText):
    """What `crowdgold plan` says: a study for each number of votes, or widths of more labels."""

    values: Mapping[str, Any]  # as of `crowdgold plan --json`
    text: str = ""  # as of `crowdgold plan`


# Options of the command that are no arguments of `plan`: a pilot is a study that is read.
NOT_OF_PYTHON = (
    "pilot", "json", "columns", "column", "positive", "repeated", "item", "missing", "encoding",
    "unmatched",
)  # fmt: skip


def _value_of(action: Action, value: Any) -> Any:
    """The value of an option, as the command would read it from text."""
    if action.nargs == 0:
        if isinstance(value, bool):
            return value
        raise InputError(f"{action.dest}: found {value!r}, expected True or False")
    if value is None:
        return action.default
    text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    kind: Any = action.type if callable(action.type) else str
    try:
        if isinstance(value, bool | dict | set):
            raise ValueError
        return kind(text)
    except ValueError:
        wanted = {float: "a number", int: "a whole number"}.get(kind, "a text")
        raise InputError(f"{action.dest}: found {value!r}, expected {wanted}") from None


def plan(pilot: Study | None = None, **options: Any) -> Plan:
    """How many items, votes and gold labels a study takes, as of `crowdgold plan`.

    The pilot is a study to learn from, in place of guesses; the options are those of the command,
    as prevalence=0.2, tpr=0.75, metric="AUC", width=0.05, votes=[1, 3]. With more=True the pilot is
    the study itself, and what more gold labels of its items do is said. Raises an `InputError`
    where an option is not known, missing, or cannot be used.
    """
    own = ArgumentParser(add_help=False)
    planning.add_options(own)
    known = {one.dest: one for one in own._actions if one.dest not in NOT_OF_PYTHON}
    asked = own.parse_args([])
    for name, value in options.items():
        if name not in known:
            raise InputError(unknown("option", name, known))
        setattr(asked, name, _value_of(known[name], value))
    asked.pilot = pilot
    try:
        values, text, _ = planning.planned_studies(asked)
    except InputError as error:
        # An option of the command as Python names it, where no command is shown.
        said = re.sub(
            r"`[^`]*`|--([a-z]+(?:-[a-z]+)*)",
            lambda it: it[1].replace("-", "_") if it[1] else it[0], str(error),
        )  # fmt: skip
        raise InputError(said) from None
    return Plan(values, text)
