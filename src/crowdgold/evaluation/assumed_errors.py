"""The answer against an assumed share of wrong gold labels.

Errors that all experts make on the same items cannot be seen in their labels, whether one expert
looked at an item or three. Wherever there are gold labels the answer therefore stands against a
share of them that may be wrong, on positive and on negative items alike. Where several experts
judged an item the gold label is their majority.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from crowdgold.evaluation import rows
from crowdgold.evaluation.fitting import Work, fit_of, of_each
from crowdgold.evaluation.headline import is_too_wide
from crowdgold.evaluation.jobs import ALL, Planned
from crowdgold.evaluation.questions import Settings
from crowdgold.inference.expert_errors import expert_errors, why_unknown
from crowdgold.inference.labels import Fit
from crowdgold.methods.needs import EXPERTS_ERRORS
from crowdgold.methods.registry import METHODS, answering_experts
from crowdgold.models.stan import StanModels
from crowdgold.types.choices import ESTIMATE
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.opinions import largest_errors

ASSUMED = (0.0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.13, 0.16, 0.2)
SHOWN = 0.05  # what a note tells of
ERROR = "expert_error"
COLUMNS = ("model", "metric", ERROR, "method", "estimate", "lower", "upper", "note")


def _method(settings: Settings) -> str | None:
    """The first of the methods asked for that corrects experts' errors."""
    asked = (name for name in settings.methods if EXPERTS_ERRORS in METHODS[name].needs)
    return min(asked, key=list(METHODS).index, default=None)


def assumed_errors(planned: Planned) -> pd.DataFrame:
    """Estimates of all items at each of `ASSUMED` that the gold labels allow.

    There is no row without gold labels, and where experts do not err but differ. The prediction is
    the same at each error.
    """
    study, settings = planned.study, planned.settings
    method, items = _method(settings), study.items
    known, opinions = items.gold[items.gold != NO_GOLD], items.opinions
    differ = opinions is not None and opinions.error is not None and opinions.error.differ
    if method is None or not len(known) or differ:
        return pd.DataFrame(columns=list(COLUMNS))
    most, sizes = min(largest_errors(known)), rows.sizes_of(ALL, items)
    made: dict[bytes, Fit] = {}
    parts = []
    for error in (one for one in ASSUMED if one <= most):
        erring = replace(items, opinions=None).with_expert_error(error)
        work = Work(study, settings, planned.strata[ALL], method, erring, StanModels(), False)
        found = of_each(work, fit_of(work, made))
        table = rows.estimate_rows(found, [ALL], items.predictors, sizes, settings)
        parts.append(table.assign(**{ERROR: error}))
    return pd.concat(parts, ignore_index=True)[list(COLUMNS)]


def note_on_errors(items: Items) -> list[str]:
    """What second opinions, or the user, say of experts' errors."""
    if items.opinions is None or not items.opinions.number.any():
        return []
    unknown = why_unknown(items)
    if not unknown:
        return [str(expert_errors(items))]
    return [f"gold labels are taken for the truth, since experts' errors are not known: {unknown}"]


def if_wrong(items: Items, settings: Settings, assumed: pd.DataFrame) -> str:
    """The answer that wrong gold labels would move most, by `assumed_errors`, in words.

    Where experts' errors are known or given, it says if no method that was asked for corrects them.
    Empty otherwise, and where no answer is surer than nothing.
    """
    if not why_unknown(items):
        of_gold = [name for name in settings.methods if METHODS[name].uses_gold]
        if _method(settings) or not of_gold:
            return ""
        return (
            f"{', '.join(of_gold)} {'takes' if len(of_gold) == 1 else 'take'} gold labels for the "
            f"truth, whatever is known of the experts' errors: {answering_experts()} corrects them."
        )
    if settings.expert_error != ESTIMATE:
        return ""
    known = that_say_something(assumed)
    before, shown = (known[known[ERROR] == error] for error in (0.0, SHOWN))
    both = before.merge(shown, on=["model", "metric"], suffixes=("_0", ""))
    if both.empty:
        return ""
    one = both.iloc[int((both["estimate"] - both["estimate_0"]).abs().argmax())]
    of = f" of {one['model']}" if one["model"] else ""
    return (
        f"Gold labels are taken for the truth. Were {100 * SHOWN:g} % of them wrong, "
        f"{one['metric']}{of} would be {one['estimate']:.3f} ({one['lower']:.3f} to "
        f"{one['upper']:.3f}) by {one['method']}, which gives {one['estimate_0']:.3f} with "
        "none wrong (expert_errors.csv)."
    )


def that_say_something(assumed: pd.DataFrame) -> pd.DataFrame:
    """The rows that have an interval, and one that is an answer."""
    ends = zip(assumed["metric"], assumed["lower"], assumed["upper"], strict=True)
    wide = np.array([is_too_wide(*one) for one in ends], dtype=bool)
    return assumed[~wide & assumed["lower"].notna() & assumed["upper"].notna()]
