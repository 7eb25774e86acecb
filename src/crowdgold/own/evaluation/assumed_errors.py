"""The answer against an assumed share of wrong gold labels, where experts' errors are not known."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from crowdgold.data import NO_PREDICTOR
from crowdgold.data.expert_error import ESTIMATE
from crowdgold.data.own import Study
from crowdgold.inference.expert_errors import expert_errors, why_unknown
from crowdgold.methods import METHODS
from crowdgold.methods.needs import EXPERTS_ERRORS
from crowdgold.models.stan import StanModels
from crowdgold.own.evaluation import rows
from crowdgold.own.evaluation.fitting import run_job
from crowdgold.own.evaluation.jobs import ALL, Job, Stratum
from crowdgold.own.evaluation.questions import Settings

ASSUMED = (0.0, 0.02, 0.05, 0.1)
SHOWN = 0.05
"""What a note tells of."""
ERROR = "expert_error"
COLUMNS = ("model", "metric", ERROR, "method", "estimate", "lower", "upper")


def _method(settings: Settings) -> str | None:
    """The first of the methods asked for that corrects experts' errors."""
    asked = (name for name in settings.methods if EXPERTS_ERRORS in METHODS[name].needs)
    return min(asked, key=list(METHODS).index, default=None)


def assumed_errors(
    study: Study, settings: Settings, strata: Mapping[str, Stratum]
) -> tuple[pd.DataFrame, list[str]]:
    """Estimates of all items at each of `ASSUMED`, errors on both classes alike; and notes.

    The table has no row where errors are known or given, or no item has two opinions. The notes say
    what is known of the experts' errors, or what the answer would be, were there some.
    """
    table, method = pd.DataFrame(columns=list(COLUMNS)), _method(settings)
    if study.items.opinions is None or not study.items.opinions.number.any() or method is None:
        return table, []
    unknown = why_unknown(study.items)
    if not unknown:
        return table, [str(expert_errors(study.items))]
    if settings.expert_error == ESTIMATE:
        table = pd.concat(_assumed(method, error, study, settings, strata) for error in ASSUMED)[
            list(COLUMNS)
        ].reset_index(drop=True)
    told = f"gold labels are taken for the truth, since experts' errors are not known: {unknown}"
    return table, [told + _most_moved(table)]


def _assumed(
    method: str, error: float, study: Study, settings: Settings, strata: Mapping[str, Stratum]
) -> pd.DataFrame:
    """Estimates of all items, were experts wrong so often."""
    given, job = study.with_expert_error(error), Job(ALL, (method,), NO_PREDICTOR)
    found = run_job(job, given, settings, strata, StanModels())
    size = {ALL: len(study.items)}
    table = rows.estimate_rows(found, [ALL], study.items.predictors, size, size, settings)
    return table[table["against"] == ""].assign(**{ERROR: error})


def _most_moved(assumed: pd.DataFrame) -> str:
    """The metric that wrong gold labels would move most, in words."""
    without, shown = (
        assumed[assumed[ERROR] == error].reset_index(drop=True) for error in (0.0, SHOWN)
    )
    moved = (shown["estimate"] - without["estimate"]).abs().astype(float)
    if not moved.notna().any():
        return ""
    place = int(moved.argmax())
    one, before = shown.iloc[place], without.iloc[place]
    of = f" of {one['model']}" if one["model"] else ""
    ends = f" ({one['lower']:.3f} to {one['upper']:.3f})" if np.isfinite(one["lower"]) else ""
    return (
        f". Were they wrong on {100 * SHOWN:g} % of the items, {one['metric']}{of} would be "
        f"{one['estimate']:.3f}{ends}, not {before['estimate']:.3f} (expert_errors.csv)"
    )
