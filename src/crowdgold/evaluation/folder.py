"""The folder that an evaluation is written to: complete, or not there.

estimates.csv             a row for each stratum, model, comparison, metric and method
estimates.parquet         the same, where pyarrow is installed
curves.csv                points of the precision-recall and ROC curves with their intervals
items.csv                 votes, gold, scores, and P(Y = 1) by method and model
annotators.csv            each annotator's TPR and TNR by method, where they are known; those of GT
                          are from the gold labels on the annotator's items, `gold` of the class
parameters.csv            medians and intervals of the models' parameters
predictive.csv            posterior predictive checks of votes and rankings
expert_errors.csv         the answer against an assumed share of wrong gold labels, if they allow it
check.json                what the data can support, as of `crowdgold check --json`
study.json                the day, settings, versions, notes, answers, fits, what was not run,
                          seconds; where the data lie from here; and the other files, so that one
                          that was lost is missed
study.yaml                the options of `crowdgold evaluate` that repeat it
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from crowdgold.evaluation.answer import Answer
from crowdgold.evaluation.questions import Settings
from crowdgold.evaluation.run_key import UNFINISHED, holds_jobs
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.reading.outputs import (
    kept_name,
    lies_in,
    plain,
    restored,
    same_file,
    write_spreadsheet,
)
from crowdgold.system.packages import PARQUET, missing
from crowdgold.system.temporary import held_folder, hidden_name, registered
from crowdgold.types.columns import list_names
from crowdgold.types.display import Shown, ShownFacts
from crowdgold.types.errors import InputError
from crowdgold.types.notes import Note, with_codes

if TYPE_CHECKING:
    from crowdgold.evaluation.conditions import Outcome


@dataclass(frozen=True)
class StratumCounts:
    """What is known of a stratum beside its answers."""

    name: str
    items: int
    votes: int
    gold: int
    gold_positive: int
    gold_negative: int
    gold_random: bool  # whether nothing speaks against its gold labels
    answering: str | None  # the method that is to give its answers; None without gold labels
    about: str  # what its intervals are about, in a sentence
    ranges_if: Note | None = None  # what its ranges assume
    if_wrong: Note | None = None  # what wrong gold labels would change

    def as_json(self) -> dict[str, Any]:
        """As study.json has it: sentences, with their codes."""
        told = {name: getattr(self, name) for name in ("ranges_if", "if_wrong")}
        return {**vars(self), **{name: note.text if note else "" for name, note in told.items()},
                "codes": [note.code for note in told.values() if note]}  # fmt: skip


@dataclass(frozen=True)
class FitTold:
    """What is told of a fit."""

    stratum: str
    method: str
    model: str
    diagnostics: Diagnostics
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """As study.json has it."""
        known = self.diagnostics
        return {
            "stratum": self.stratum, "method": self.method, "model": self.model,
            "diagnostics_passed": known.passed, "problems": known.problems,
            "notes": list(known.notes), "rhat": known.rhat if known.chains else None,
            "chains": known.chains, "divergences": known.divergences,
            "seconds": round(self.seconds, 3),
        }  # fmt: skip


@dataclass(frozen=True)
class NotRun:
    """A method that says nothing, and why."""

    stratum: str
    method: str
    model: str
    why: Note

    @property
    def failed(self) -> bool:
        """Whether it was run."""
        return self.why.code == "failed"

    @property
    def reason(self) -> str:
        """Why, in words; of one that failed, what its error said."""
        return str(self.why.values["error"]) if self.failed else self.why.text

    def as_json(self) -> dict[str, Any]:
        """As study.json has it."""
        return {"stratum": self.stratum, "method": self.method, "model": self.model,
                "reason": self.reason, "code": self.why.code, "failed": self.failed}  # fmt: skip


@dataclass(frozen=True)
class Source:
    """Where and when an evaluation was made."""

    date: str
    files: tuple[str, ...]
    reading: Mapping[str, Any]  # how they were read
    versions: Mapping[str, str]
    warnings: tuple[Note, ...]  # of the data check


@dataclass(frozen=True)
class Summary:
    """What is known of an evaluation beside its answers and tables."""

    settings: Settings
    models: list[str]
    thresholds: Mapping[str, tuple[float, ...]]  # by model
    weighted: bool
    notes: tuple[Note, ...]  # what was guessed, decided, or is to be known
    strata: tuple[StratumCounts, ...]  # first that of all items
    held_against: str | None  # the method that models are held against
    fits: tuple[FitTold, ...]
    not_run: tuple[NotRun, ...]
    seconds: float
    source: Source | None = None
    conditions: tuple["Outcome", ...] = ()

    @property
    def whole(self) -> StratumCounts:
        """The stratum of all items."""
        return self.strata[0]

    def of_stratum(self, name: str) -> StratumCounts:
        """The stratum of a name."""
        return next(one for one in self.strata if one.name == name)

    def as_json(self) -> dict[str, Any]:
        """As study.json has it."""
        made = self.source
        source = made and {**vars(made), **with_codes("warnings", made.warnings)}
        conditions = {"conditions": [one.as_json() for one in self.conditions]}
        return {
            **(source or {}), "settings": asdict(self.settings), "models": self.models,
            "thresholds": self.thresholds, "weighted": self.weighted,
            **with_codes("notes", self.notes), "strata": [one.as_json() for one in self.strata],
            "held_against": self.held_against, "fits": [one.as_json() for one in self.fits],
            "not_run": [one.as_json() for one in self.not_run], "seconds": round(self.seconds, 3),
            **(conditions if self.conditions else {}),
        }  # fmt: skip


@dataclass(frozen=True, repr=False)
class Evaluation(Shown):
    """What comes out of a study."""

    tables: Mapping[str, pd.DataFrame]  # by name, those of `TABLES`
    summary: Summary
    answers: tuple[Answer, ...]  # in the order of strata, models and metrics

    def facts(self) -> ShownFacts:
        """The tables with their rows, and what the summary holds."""
        tables = [f"{name}: {len(table):,} rows" for name, table in self.tables.items()]
        return {"tables": tables, "summary": ", ".join(self.summary.as_json())}

    def as_json(self) -> dict[str, Any]:
        """What study.json has."""
        return {**self.summary.as_json(), "answers": [one.as_json() for one in self.answers]}


Answered = Callable[[Evaluation], None]  # called with the answers before models are sampled


ESTIMATES, STUDY, CHECK = "estimates", "study.json", "check.json"
OPTIONS = "study.yaml"  # what repeats the evaluation, by the command and not the workflow
TABLES = (
    ESTIMATES, "curves", "items", "annotators", "parameters", "predictive", "expert_errors",
)  # fmt: skip
PAGE, FIGURES = "report.html", "figures.pdf"  # what `crowdgold report` adds
WRITTEN = (
    *(f"{name}.csv" for name in TABLES), f"{ESTIMATES}.parquet", CHECK, STUDY, OPTIONS, PAGE,
    FIGURES, ".snakemake_timestamp",
)  # fmt: skip
"""Every file that an evaluation with its report holds, made by the command or the workflow."""
DATA = "data"  # key of study.json: the files that were read, by their paths from the folder
NAMED = 5  # files that a message names
SAME_ITEMS = 0.5  # least share of a folder's items that an evaluation which replaces it has too
FLOATS = "%.10g"


def is_evaluation(out: Path) -> bool:
    """Whether a folder was written by `crowdgold evaluate`, and holds nothing else; or is empty.

    Finished jobs of a run that was stopped can be there, with an evaluation or without.
    """
    return out.is_dir() and not _other_files(out)


def _other_files(out: Path) -> list[str]:
    """What is in a folder beside an evaluation; everything where it holds none."""
    held = sorted(one for one in out.iterdir() if not holds_jobs(one))
    others = [one.name for one in held if one.name not in WRITTEN or not one.is_file()]
    if others or not held:
        return others
    study = _study(out)
    known = "settings" in study and ("answers" in study or "headlines" in study)
    return [] if known else [one.name for one in held]


def _study(out: Path) -> dict[str, Any]:
    try:
        study = json.loads((out / STUDY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return study if isinstance(study, dict) else {}


def _check_replaced(out: Path, inputs: Sequence[Path]) -> None:
    """Raise an `InputError` where something is there that is no earlier evaluation of the study."""
    again = (
        "expected a new folder, or an earlier evaluation, which is replaced; or --force, which "
        f"keeps it as {kept_name(out)}"
    )
    if not out.is_dir():
        if os.path.lexists(out):
            raise InputError(f"{out}: a file; {again}")
        return
    if others := _other_files(out):
        raise InputError(
            f"{out}: a folder with other things in it ({list_names(others, NAMED)}); {again}"
        )
    files = _study(out).get(DATA)
    before = [out / str(one) for one in files] if isinstance(files, list) else []

    def is_again(file: Path) -> bool:
        """Whether it is one of those to be read, or was and has been moved."""
        if file.exists():
            return any(same_file(file, one) for one in inputs)
        return file.name in {one.name for one in inputs}

    if before and inputs and not any(map(is_again, before)):
        raise InputError(
            f"{out}: an evaluation of another study "
            f"({list_names([one.name for one in before], NAMED)}); name a new "
            "folder by --out, or let it be replaced by --force"
        )


def check_same_items(out: Path, items: Collection[str], force: bool = False) -> None:
    """Raise an `InputError` where a folder holds an evaluation of other items, for the most part.

    `items` names those that are to be evaluated.
    """
    path = out / "items.csv"
    if force or not path.is_file():
        return
    try:
        before = restored(pd.read_csv(path, usecols=["item"], dtype="string"))[0]["item"]
    except (OSError, ValueError):
        return  # no table of ours, which `check_folder` has seen
    same = before.isin(list(items)).to_numpy(dtype=bool)
    if len(same) and same.mean() < SAME_ITEMS:
        raise InputError(
            f"{out}: an evaluation of other items, such as {str(before[~same].iloc[0])!r}; name a "
            "new folder by --out, or let it be replaced by --force"
        )


def check_folder(out: Path, inputs: Sequence[Path] = (), force: bool = False) -> None:
    """Raise an `InputError` where a folder cannot be written, before anything is computed.

    An earlier evaluation is replaced, and nothing else but by `force`. None of the `inputs`, files
    that are read, may lie in it.
    """
    if not out.name:
        raise InputError(f"--out: found {str(out)!r}, expected the name of a folder to make")
    if not out.parent.is_dir():
        raise InputError(f"{out.parent}: no such folder; make it, or write to another by --out")
    if not os.access(out.parent, os.W_OK):
        raise InputError(f"{out.parent}: you may not write there; write to another by --out")
    inside = sorted(out.iterdir()) if out.is_dir() else [out]
    for path in inputs:
        if same_file(path, out):
            raise InputError(
                f"--out {out} would overwrite {path}, which is read; name a new folder"
            )
        if lies_in(path, out) or any(same_file(path, one) for one in inside):
            raise InputError(f"{path} lies in {out}, which is to be replaced; give another --out")
    if not force:
        _check_replaced(out, inputs)


def kept_folder(out: Path) -> Path | None:
    """Where finished jobs are kept; None where what is there is not ours."""
    return out / UNFINISHED if not os.path.lexists(out) or is_evaluation(out) else None


def clean_up(out: Path) -> list[Path]:
    """Remove what killed runs left beside a folder; returns what was removed or renamed.

    An earlier evaluation that was to be replaced is put back where nothing took its place. What a
    process holds, which is at work then, is left alone.
    """
    name = re.compile(rf"\.{re.escape(out.name)}\.[0-9a-f]{{12}}\.(partial|before)")
    beside = sorted(out.parent.iterdir()) if out.name and out.parent.is_dir() else []
    mended = []
    for left in [one for one in beside if name.fullmatch(one.name)]:
        with suppress(OSError), held_folder(left) as free:
            ours = all(one.name in WRITTEN or holds_jobs(one) for one in left.iterdir())
            if not free or not ours:
                continue
            if left.suffix == ".before" and not os.path.lexists(out):
                left.rename(out)
            else:
                _remove(left)
            mended.append(left)
    return mended


def _write_tables(tables: Mapping[str, pd.DataFrame], folder: Path) -> None:
    for name, table in tables.items():
        # Scores are the user's numbers, and probabilities are rounded: as they are.
        form = None if name == "items" else FLOATS
        write_spreadsheet(table, folder / f"{name}.csv", form)
    if not missing(PARQUET):
        tables[ESTIMATES].to_parquet(folder / f"{ESTIMATES}.parquet", index=False)


def _write_json(content: Mapping[str, Any], path: Path) -> None:
    text = json.dumps(plain(content), indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def _remove(folder: Path) -> None:
    """Remove a folder, or a link to one, whose folder stays."""
    if folder.is_symlink():
        folder.unlink()
    else:
        shutil.rmtree(folder, ignore_errors=True)


def write_folder(
    tables: Mapping[str, pd.DataFrame], summary: Mapping[str, Any], check: Mapping[str, Any],
    out: Path, options: bytes | None = None, force: bool = False,
) -> Path | None:  # fmt: skip
    """Write an evaluation to a temporary name, then rename; an earlier one is replaced.

    What is no earlier evaluation gives way by `force`, and is kept under the name that is returned.
    Raises an `InputError` where it cannot be written.
    """
    check_folder(out, force=force)
    ours = is_evaluation(out) or not os.path.lexists(out)
    partial = hidden_name(out, "partial")
    before = hidden_name(out, "before") if ours else kept_name(out)
    try:
        partial.mkdir()
        with registered(partial), held_folder(partial):
            _write_tables(tables, partial)
            _write_json(check, partial / CHECK)
            if options is not None:
                (partial / OPTIONS).write_bytes(options)
            written = sorted(one.name for one in partial.iterdir())
            files = summary.get("files", ())
            data = {DATA: [os.path.relpath(str(one), out) for one in files]} if files else {}
            _write_json({**summary, **data, "written": written}, partial / STUDY)
            # What is there gets another name, or back its own.
            with held_folder(out if os.path.lexists(out) else partial):
                try:
                    if os.path.lexists(out):
                        out.rename(before)
                    partial.rename(out)
                finally:
                    if os.path.lexists(before) and not os.path.lexists(out):
                        before.rename(out)
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    if not ours:
        return before
    _remove(before)
    return None
