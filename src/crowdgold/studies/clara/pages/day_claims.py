"""What the CLARA paper claims of its daily measurements (figure 7), judged from the stand-ins."""

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import with_error
from crowdgold.documents.verdicts import (
    CLEAR,
    FAILS,
    NOT_CONTRADICTED,
    Judgement,
    Tables,
    above_one,
    below_one,
    verdict_of,
)
from crowdgold.evaluation.ratios import compare
from crowdgold.evaluation.summaries import standard_error
from crowdgold.studies.clara.pages.prevalence_claims import Judge


def _daily(table: pd.DataFrame, metric: str, column: str = "estimate") -> pd.DataFrame:
    """A column of a metric's rows, days in the index and methods in columns."""
    rows = table[table["metric"] == metric]
    return rows.pivot_table(index="day", columns="method", values=column)


def _mean(values: pd.Series) -> tuple[float, float]:
    return float(values.mean()), standard_error(values.to_numpy())


def prevalences_agree(name: str) -> Judge:
    """Judge that majority votes and CLARA agree: their difference is within CLARA's interval.

    Contradicted where the mean difference is clearly more than half of the mean interval.
    """

    def judge(tables: Tables) -> Judgement:
        table = tables[name]
        found = _daily(table, "prevalence")
        difference, error = _mean(found["MV"] - found["CLARA"])
        width = table.assign(width=table["upper"] - table["lower"])
        half = float(_daily(width, "prevalence", "width")["CLARA"].mean()) / 2
        return Judgement(
            f"MV less CLARA {with_error(difference, error)}, mean over the days; CLARA's interval "
            f"reaches {half:.4f} to each side",
            FAILS if abs(difference) - CLEAR * error > half else NOT_CONTRADICTED,
        )

    return judge


def _change(values: pd.Series, day: int) -> tuple[float, float]:
    """The mean from a day on less that of the days before, and its standard error."""
    before, after = _mean(values[values.index < day]), _mean(values[values.index >= day])
    return after[0] - before[0], float(np.hypot(before[1], after[1]))


def prevalences_diverge(name: str, day: int) -> Judge:
    """Judge that majority votes and CLARA diverge from a day on."""

    def judge(tables: Tables) -> Judgement:
        found = _daily(tables[name], "prevalence")
        apart = found["MV"] - found["CLARA"]
        before, after = _mean(apart[apart.index < day]), _mean(apart[apart.index >= day])
        more = abs(after[0]) - abs(before[0])
        clear = CLEAR * float(np.hypot(before[1], after[1]))
        return Judgement(
            f"MV less CLARA before day {day} {with_error(*before)}, from then on "
            f"{with_error(*after)}",
            verdict_of([more > clear], [more < -clear]),
        )

    return judge


def intervals_longer_than_majority(names: tuple[str, ...]) -> Judge:
    """Judge that CLARA's intervals of the prevalence are longer than the majority vote's."""

    def judge(tables: Tables) -> Judgement:
        parts = []
        for name in names:
            rows = tables[name][tables[name]["metric"] == "prevalence"]
            day = rows["day"].astype(str) + " " + rows["replicate"].astype(str)
            parts.append(compare(rows.assign(replicate=day), [], "CLARA", "MV"))
        ratio = pd.concat(parts)
        values = zip(
            ratio["experiment"], ratio["width_ratio"], ratio["width_ratio_se"], strict=True
        )
        texts = [f"{name} {with_error(value, error)}" for name, value, error in values]
        return Judgement(
            f"length CLARA / MV over the days: {', '.join(texts)}",
            verdict_of(above_one(ratio, "width"), below_one(ratio, "width")),
        )

    return judge


def cause_is_found(name: str, day: int) -> Judge:
    """Judge that CLARA's TPR falls from a day on, and that its TNR does not move."""

    def judge(tables: Tables) -> Judgement:
        tpr, tnr = (_change(_daily(tables[name], rate)["CLARA"], day) for rate in ("TPR", "TNR"))
        moved = abs(tnr[0]) > CLEAR * tnr[1]
        return Judgement(
            f"change from day {day} on: TPR {with_error(*tpr)}, TNR {with_error(*tnr)}",
            verdict_of([tpr[0] < -CLEAR * tpr[1], not moved], [tpr[0] > CLEAR * tpr[1], moved]),
            "TNR moves too" if moved else "",
        )

    return judge
