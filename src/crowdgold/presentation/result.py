"""What an evaluation found, for a notebook: answers, tables, figures and the report."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from crowdgold.checking.study import DataCheck
from crowdgold.checking.without_gold import gold_in_words
from crowdgold.evaluation.answer import Answer
from crowdgold.evaluation.folder import Evaluation
from crowdgold.evaluation.study import write_evaluation
from crowdgold.metrics.metric import DELTA
from crowdgold.presentation.text import describe, describe_models, footnotes
from crowdgold.system.packages import need
from crowdgold.types.display import ShownText, visible
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import unknown

if TYPE_CHECKING:
    from crowdgold.presentation.figures import StudyFigure
    from crowdgold.presentation.folder import StudyFolder

DIGITS = "{:.3f}".format


COLUMNS = (
    "stratum", "metric", "model", "estimate", "lower", "upper", "method", "as_gold", "note",
    "range", "gold_needed", "as_gold_interval", "votes_alone",
)  # fmt: skip


def row_of(answer: Answer) -> dict[str, Any]:
    """A row of the table of answers; `as_gold` is rounded to what is known of it."""
    value, allowed = answer.value, answer.allowed
    as_gold = value.as_gold if value else None
    ends = None if as_gold is None or as_gold.lower is None else (as_gold.lower, as_gold.upper)
    numbers = (value.estimate, value.lower, value.upper, value.method) if value else (None,) * 4
    cells = (
        visible(answer.stratum), answer.of.metric, visible(answer.of.who), *numbers,
        as_gold and as_gold.shown,
        answer.remarks or "; ".join(one.text for one in answer.passed_over if not value),
        allowed and allowed.ends, allowed and allowed.gold, ends, answer.votes_alone,
    )  # fmt: skip
    return dict(zip(COLUMNS, cells, strict=True))


def interval_of(answer: Answer) -> tuple[float, float]:
    """Its ends, without gold labels those of the range; `InputError` where there is none."""
    value, allowed = answer.value, answer.allowed
    if allowed is not None:
        if allowed.ends is None:
            needed = gold_in_words(allowed.gold)
            raise InputError(f"{answer.of.name}: no range without gold labels; {needed}")
        return allowed.ends
    if value is None or value.lower is None or value.upper is None:
        raise InputError(f"{answer.of.name}: no interval")
    return value.lower, value.upper


def _is_of(answer: Answer, key: Sequence[str]) -> bool:
    """Whether a key, of a metric and perhaps a model, names it."""
    metric = answer.of.metric
    return key[0] in (metric, metric.partition("@")[0]) and key[1:2] in ((), (answer.of.who,))


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
        without = any(one.allowed for one in self)
        columns = [name for name in COLUMNS if without or name not in ("range", "gold_needed")]
        return pd.DataFrame(map(row_of, self), columns=columns)

    @property
    def only(self) -> Answer:
        """The one that there is; `InputError` where there are several."""
        if len(self) != 1:
            named = ", ".join(one.of.name for one in self)
            raise InputError(f"found {len(self)} answers ({named}), expected one; name its model")
        return self._answers[0]

    @property
    def estimate(self) -> float | None:
        """The value of the only one."""
        value = self.only.value
        return None if value is None else value.estimate

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the only one."""
        return interval_of(self.only)

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
        return Answers(self.evaluation.answers)

    def __getitem__(self, key: str | tuple[str, ...]) -> Answers:
        """Those of a metric; of a model, as ["AUC", "large"]; and of a stratum, named third."""
        named, answers = (key,) if isinstance(key, str) else key, self.answers
        stratum = named[2] if len(named) > 2 else self.evaluation.summary.whole.name
        found = [one for one in answers if _is_of(one, named) and one.stratum == stratum]
        if found:
            return Answers(found)
        of_metric = [one for one in answers if _is_of(one, named[:1])]
        models = {one.of.who: 0 for one in of_metric}
        if not of_metric:
            raise InputError(unknown("metric", named[0], {one.of.metric: 0 for one in answers}))
        if named[1] not in models:
            raise InputError(unknown(f"{named[0]} of a model", named[1], models))
        strata = {one.stratum: 0 for one in of_metric}
        raise InputError(unknown("stratum", ", ".join(named[2:]), strata))

    @property
    def text(self) -> str:
        """What `crowdgold evaluate` prints."""
        found = self.evaluation
        strata = {one.name: found for one in found.summary.strata}
        return "\n\n".join(filter(None, [describe(found), describe_models(found, strata)]))

    def _repr_html_(self) -> str:
        strata = self.evaluation.summary.strata
        notes = list(dict.fromkeys(one.reason.text for one in self.answers if one.reason))
        notes += [one.ranges_if.text for one in strata if one.ranges_if]
        notes += [note for one in strata for note in footnotes(self.evaluation, one.name)]
        told = "".join(f"<p>{escape(note)}</p>" for note in filter(None, notes))
        return f"{self.answers._repr_html_()}{told}"

    def write(self, folder: str | Path) -> None:
        """Write the folder of `crowdgold evaluate`; an earlier evaluation there is replaced."""
        write_evaluation(self.evaluation, self.check, Path(folder))

    @property
    def _shown(self) -> "StudyFolder":
        """What figures and the report are made from."""
        from crowdgold.presentation.folder import study_shown

        return study_shown(self.evaluation, self.check)

    def plot(self, metric: str = "AUC") -> "StudyFigure":
        """Every method's estimate of a metric; `figure` of it is matplotlib's.

        The metric is named without a threshold; with `delta_` before it, the differences between
        models. Of many models the first six are drawn; the report draws more.
        """
        need("matplotlib", "a figure")
        from crowdgold.presentation.figures import estimate_figures

        compares = metric.startswith(DELTA) and metric != "delta_TPR"
        quantity = metric.removeprefix(DELTA) if compares else metric
        found = next(estimate_figures(self._shown, compares, quantity), None)
        if found is None:
            known = {one.of.metric.partition("@")[0]: 0 for one in self.answers}
            raise InputError(unknown("metric", metric, known))
        return found

    def report(self, path: str | Path) -> Path:
        """Write the report, one HTML file that stands alone, as `crowdgold report` does."""
        need("matplotlib", "the report")
        from crowdgold.presentation.page import study_figures, study_page, write_page

        shown = self._shown
        return write_page(study_page(shown, study_figures(shown)), Path(path))
