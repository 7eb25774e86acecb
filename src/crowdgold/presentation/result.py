"""What an evaluation found, for a notebook: answers, tables, figures and the report."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from crowdgold.checking.study import DataCheck
from crowdgold.checking.without_gold import gold_in_words
from crowdgold.evaluation.folder import Evaluation
from crowdgold.evaluation.rows import as_gold, as_gold_interval
from crowdgold.evaluation.study import write_evaluation
from crowdgold.metrics.metric import DELTA
from crowdgold.presentation.text import describe, describe_models, footnotes, model_of
from crowdgold.system.extras import need
from crowdgold.system.temporary import scratch_folder
from crowdgold.types.display import ShownText
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import unknown

if TYPE_CHECKING:
    from crowdgold.presentation.figures import StudyFigure
    from crowdgold.presentation.folder import StudyFolder

DIGITS = "{:.3f}".format


@dataclass(frozen=True)
class Answer:
    """The answer of a metric.

    Without gold labels the estimate and its interval are a model's. `as_gold` is the number of gold
    labels alone that would give as narrow an interval, rounded to what is known of it; the least
    that it can be where nothing more is. The upper end of `as_gold_interval`, a 95 % interval, is
    None where there is no bound; it is None itself where `as_gold` is exact, or not known so well.
    """

    stratum: str  # of the items
    metric: str  # its name, with its threshold, as `accuracy@0.5`
    model: str  # whose it is, as "large" or "large - small"; empty where it is of no model
    estimate: float | None  # None where there is none
    lower: float | None
    upper: float | None
    method: str | None  # whose it is; None where no method gives one
    as_gold: float | None
    note: str  # what a reader should know
    range: tuple[float, float] | None = None  # what votes and scores allow without gold labels
    gold_needed: int | None = None  # labels for an interval without gold; 0 where a range will do
    as_gold_interval: tuple[float, float | None] | None = None

    @property
    def name(self) -> str:
        """The metric and the model."""
        return f"{self.metric} {self.model}".rstrip()

    @property
    def interval(self) -> tuple[float, float]:
        """Its ends, without gold labels those of the range; `InputError` where there is none."""
        if self.range is not None:
            return self.range
        if self.gold_needed is not None:
            needed = gold_in_words(self.gold_needed)
            raise InputError(f"{self.name}: no range without gold labels; {needed}")
        if self.lower is None or self.upper is None:
            raise InputError(f"{self.name}: no interval")
        return self.lower, self.upper

    def is_of(self, key: Sequence[str]) -> bool:
        """Whether a key, of a metric and perhaps a model, names it."""
        named = key[0] in (self.metric, self.metric.partition("@")[0])
        return named and (len(key) == 1 or key[1] == self.model)


class Answers(Sequence[Answer]):
    """Some answers; of a single one, its value and interval."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._answers = tuple(answers)

    def __len__(self) -> int:
        return len(self._answers)

    def __getitem__(self, place):  # type: ignore[no-untyped-def, override]  # noqa: ANN001, ANN204
        return self._answers[place]

    @property
    def table(self) -> pd.DataFrame:
        """A row for each."""
        columns = [one.name for one in fields(Answer)]
        if all(one.gold_needed is None for one in self):
            columns = [name for name in columns if name not in ("range", "gold_needed")]
        return pd.DataFrame([vars(one) for one in self], columns=columns)

    @property
    def only(self) -> Answer:
        """The one that there is; `InputError` where there are several."""
        if len(self) != 1:
            named = ", ".join(one.name for one in self)
            raise InputError(f"found {len(self)} answers ({named}), expected one; name its model")
        return self._answers[0]

    @property
    def estimate(self) -> float | None:
        """The value of the only one."""
        return self.only.estimate

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the only one."""
        return self.only.interval

    def __repr__(self) -> str:
        return str(self.table.to_string(index=False, na_rep="-", float_format=DIGITS))

    def _repr_html_(self) -> str:
        return str(self.table.to_html(index=False, na_rep="-", float_format=DIGITS))


@dataclass(frozen=True, repr=False)
class Result(ShownText):
    """What an evaluation found."""

    evaluation: Evaluation  # its tables, and everything else as plain values
    check: DataCheck  # what the data can support

    @property
    def table(self) -> pd.DataFrame:
        """Every method's estimate of every metric, as estimates.csv has them."""
        return self.evaluation.tables["estimates"]

    @property
    def answers(self) -> Answers:
        """The answer of each metric, model and stratum."""
        found = []
        for row in self.evaluation.summary["headlines"]:
            allowed, ends = row["range"], None
            if allowed is not None and allowed["lower"] is not None:
                ends = (allowed["lower"], allowed["upper"])
            found.append(
                Answer(
                    row["stratum"], row["metric"], model_of(row), row["estimate"], row["lower"],
                    row["upper"], row["method"], as_gold(row), row["note"], ends,
                    allowed and allowed["gold"], as_gold_interval(row),
                )
            )  # fmt: skip
        return Answers(found)

    def __getitem__(self, key: str | tuple[str, ...]) -> Answers:
        """Those of a metric; of a model, as ["AUC", "large"]; and of a stratum, named third."""
        named, answers = (key,) if isinstance(key, str) else key, self.answers
        stratum = named[2] if len(named) > 2 else self.evaluation.summary["strata"][0]["name"]
        found = [one for one in answers if one.is_of(named) and one.stratum == stratum]
        if found:
            return Answers(found)
        of_metric = [one for one in answers if one.is_of(named[:1])]
        models = {one.model: 0 for one in of_metric}
        if not of_metric:
            raise InputError(unknown("metric", named[0], {one.metric: 0 for one in answers}))
        if named[1] not in models:
            raise InputError(unknown(f"{named[0]} of a model", named[1], models))
        strata = {one.stratum: 0 for one in of_metric}
        raise InputError(unknown("stratum", ", ".join(named[2:]), strata))

    @property
    def text(self) -> str:
        """What `crowdgold evaluate` prints."""
        summary = self.evaluation.summary
        strata = {one["name"]: summary for one in summary["strata"]}
        return "\n\n".join(filter(None, [describe(summary), describe_models(summary, strata)]))

    def _repr_html_(self) -> str:
        summary = self.evaluation.summary
        notes = [note for one in summary["strata"] for note in footnotes(summary, one["name"])]
        told = "".join(f"<p>{escape(note)}</p>" for note in filter(None, notes))
        return f"{self.answers._repr_html_()}{told}"

    def write(self, folder: str | Path) -> None:
        """Write the folder of `crowdgold evaluate`; an earlier evaluation there is replaced."""
        write_evaluation(self.evaluation, self.check, Path(folder))

    @contextmanager
    def _folder(self) -> Iterator["StudyFolder"]:
        """The folder as figures and the report are made from it."""
        from crowdgold.presentation.folder import read_study_folder

        with scratch_folder("notebook") as scratch:
            self.write(scratch / "study")
            yield read_study_folder(scratch / "study")

    def plot(self, metric: str = "AUC") -> "StudyFigure":
        """Every method's estimate of a metric; `figure` of it is matplotlib's.

        The metric is named without a threshold; with `delta_` before it, the differences between
        models. Of many models the first six are drawn; the report draws more.
        """
        need("matplotlib", "a figure")
        from crowdgold.presentation.figures import estimate_figures

        compares = metric.startswith(DELTA) and metric != "delta_TPR"
        with self._folder() as folder:
            quantity = metric.removeprefix(DELTA) if compares else metric
            found = next(estimate_figures(folder, compares, quantity), None)
        if found is None:
            known = {one.metric.partition("@")[0]: 0 for one in self.answers}
            raise InputError(unknown("metric", metric, known))
        return found

    def report(self, path: str | Path) -> Path:
        """Write the report, one HTML file that stands alone, as `crowdgold report` does."""
        need("matplotlib", "the report")
        from crowdgold.presentation.page import study_figures, study_page, write_page

        with self._folder() as folder:
            page = study_page(folder, study_figures(folder))
        return write_page(page, Path(path))
