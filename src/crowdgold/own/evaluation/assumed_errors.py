"""The answer against an assumed share of wrong gold labels, where experts' errors are not known."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from crowdgold.data.opinions import ESTIMATE
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
    study: Study, settings: Settings, strata: Mapping[str, Stratum], stan: StanModels
) -> pd.DataFrame:
    """Estimates of all items at each of `ASSUMED`, errors on both classes alike.

    It has no row where errors are known, are given, or no item has two opinions.
    """
    method, opinions = _method(settings), study.items.opinions
    asked = settings.expert_error == ESTIMATE and opinions is not None and method is not None
    if not asked or not why_unknown(study.items):
        return pd.DataFrame(columns=list(COLUMNS))
    assert method is not None
    found = []
    for error in ASSUMED:
        one = run_job(
            Job(ALL, (method,), ""), study.with_expert_error(error), settings, strata, stan
        )
        table = rows.estimate_rows(
            one, [ALL], study.items.predictors, {ALL: 1}, {ALL: len(study.items)}, settings
        )
        found.append(table[table["against"] == ""].assign(**{ERROR: error}))
    return pd.concat(found)[list(COLUMNS)].reset_index(drop=True)


def note_errors(study: Study, settings: Settings, assumed: pd.DataFrame) -> list[str]:
    """What is known of the experts' errors, or what the answer would be, were there some."""
    if study.items.opinions is None or _method(settings) is None:
        return []
    unknown = why_unknown(study.items)
    if not unknown:
        return [f"gold labels are those of experts with {expert_errors(study.items)}"]
    told = f"gold labels are taken for the truth, since experts' errors are not known: {unknown}"
    return [told + _most_moved(assumed)]


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
