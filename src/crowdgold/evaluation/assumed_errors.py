"""The answer against an assumed share of wrong gold labels.

Errors that all experts make on the same items cannot be seen in their labels, whether one expert
looked at an item or three. Wherever there are gold labels the answer therefore stands against a
share of them that may be wrong, on positive and on negative items alike. Where several experts
judged an item the gold label is their majority.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from crowdgold.evaluation import rows
from crowdgold.evaluation.fitting import Work, fit_of, of_each
from crowdgold.evaluation.headline import is_too_wide
from crowdgold.evaluation.jobs import ALL, Stratum
from crowdgold.evaluation.questions import Settings
from crowdgold.inference.expert_errors import expert_errors, why_unknown
from crowdgold.inference.labels import Fit
from crowdgold.methods.needs import EXPERTS_ERRORS
from crowdgold.methods.registry import METHODS, answering_experts
from crowdgold.models.stan import StanModels
from crowdgold.reading.study import Study
from crowdgold.types.choices import ESTIMATE
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.opinions import largest_errors

ASSUMED = (0.0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.13, 0.16, 0.2)
SHOWN = 0.05
"""What a note tells of."""
ERROR = "expert_error"
COLUMNS = ("model", "metric", ERROR, "method", "estimate", "lower", "upper", "note")


def _method(settings: Settings) -> str | None:
    """The first of the methods asked for that corrects experts' errors."""
    asked = (name for name in settings.methods if EXPERTS_ERRORS in METHODS[name].needs)
    return min(asked, key=list(METHODS).index, default=None)


def _allowed(items: Items) -> Iterator[tuple[float, Items]]:
    """Each of `ASSUMED` that the gold labels allow, and the items whose labels err so often."""
    known = items.gold[items.gold != NO_GOLD]
    opinions = items.opinions
    shares = opinions is not None and opinions.error is not None and opinions.error.differ
    if not len(known) or shares:
        return
    most = min(largest_errors(known))
    for error in ASSUMED:
        if error <= most:
            yield error, replace(items, opinions=None).with_expert_error(error)


def assumed_errors(study: Study, settings: Settings, strata: Mapping[str, Stratum]) -> pd.DataFrame:
    """Estimates of all items at each of `ASSUMED` that the gold labels allow.

    There is no row without gold labels, and where experts do not err but differ. The prediction is
    the same at each error.
    """
    method, parts = _method(settings), []
    made: dict[bytes, Fit] = {}
    if method is None:
        return pd.DataFrame(columns=list(COLUMNS))
    sizes = rows.sizes_of(ALL, study.items)
    for error, items in _allowed(study.items):
        work = Work(study, settings, strata[ALL], method, items, StanModels(), curves=False)
        found = of_each(work, fit_of(work, made), compared=False)
        table = rows.estimate_rows(found, [ALL], items.predictors, sizes, settings)
        parts.append(table.assign(**{ERROR: error}))
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(COLUMNS))
    return table[list(COLUMNS)]


def note_on_errors(items: Items) -> list[str]:
    """What second opinions, or the user, say of experts' errors."""
    if items.opinions is None or not items.opinions.number.any():
        return []
    unknown = why_unknown(items)
    if not unknown:
        return [str(expert_errors(items))]
    return [f"gold labels are taken for the truth, since experts' errors are not known: {unknown}"]


def if_wrong(items: Items, settings: Settings, assumed: pd.DataFrame) -> str:
    """The answer that wrong gold labels would move most, in words.

    Where experts' errors are known or given, it says if no method that was asked for corrects them.
    Empty otherwise, and where no answer is surer than nothing.

    Args:
        assumed: as of `assumed_errors`.
    """
    if not why_unknown(items):
        return "" if _method(settings) else _uncorrected(settings)
    if settings.expert_error != ESTIMATE:
        return ""
    known = that_say_something(assumed)
    keys = ["model", "metric"]
    before, shown = (known[known[ERROR] == error] for error in (0.0, SHOWN))
    both = before.merge(shown, on=keys, suffixes=("_0", ""))
    moved = (both["estimate"] - both["estimate_0"]).abs()
    if both.empty:
        return ""
    one = both.iloc[int(moved.argmax())]
    of = f" of {one['model']}" if one["model"] else ""
    return (
        f"Gold labels are taken for the truth. Were {100 * SHOWN:g} % of them wrong, "
        f"{one['metric']}{of} would be {one['estimate']:.3f} ({one['lower']:.3f} to "
        f"{one['upper']:.3f}) by {one['method']}, which gives {one['estimate_0']:.3f} with "
        "none wrong (expert_errors.csv)."
    )


def _uncorrected(settings: Settings) -> str:
    """That what is known of experts' errors is of no use to the methods that were asked for."""
    of_gold = [name for name in settings.methods if METHODS[name].uses_gold]
    if not of_gold:
        return ""
    takes = "takes" if len(of_gold) == 1 else "take"
    return (
        f"{', '.join(of_gold)} {takes} gold labels for the truth, whatever is known of the "
        f"experts' errors: {answering_experts()} corrects them."
    )


def that_say_something(assumed: pd.DataFrame) -> pd.DataFrame:
    """The rows that have an interval, and one that is an answer."""
    ends = zip(assumed["metric"], assumed["lower"], assumed["upper"], strict=True)
    wide = np.array([is_too_wide(*one) for one in ends], dtype=bool)
    return assumed[~wide & assumed["lower"].notna() & assumed["upper"].notna()]
