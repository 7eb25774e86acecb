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
from crowdgold.evaluation.choosing import is_too_wide
from crowdgold.evaluation.fitting import MethodRun, findings_of_models, fits_of_rows
from crowdgold.evaluation.jobs import ALL, JobPlan
from crowdgold.evaluation.questions import Settings
from crowdgold.inference.expert_errors import expert_errors, why_unknown
from crowdgold.inference.labels import Fit
from crowdgold.methods.needs import EXPERTS_ERRORS, GOLD, Has
from crowdgold.methods.registry import METHODS, answering_experts
from crowdgold.models.stan import StanModels
from crowdgold.types.annotations import largest_errors
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.notes import Note
from crowdgold.types.parameters import ESTIMATE

ASSUMED = (0.0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.13, 0.16, 0.2)  # shares of wrong gold labels
NOTED = 0.05  # the share that the note of `if_gold_wrong` is about
ERROR = "expert_error"  # the column of the assumed share
COLUMNS = ("model", "metric", ERROR, "method", "estimate", "lower", "upper", "note", "codes")
NONE_ASSUMED = pd.DataFrame(columns=list(COLUMNS))


def _method(settings: Settings) -> str | None:
    asked = (name for name in settings.methods if EXPERTS_ERRORS in METHODS[name].needs)
    return min(asked, key=list(METHODS).index, default=None)


def assumed_errors(planned: JobPlan) -> pd.DataFrame:
    """Estimates (`COLUMNS`) of all items at each of `ASSUMED` that the gold labels allow.

    There are no rows without gold labels, nor where experts differ without an error (the option
    "mean"). The prediction is the same at each error.
    """
    study, settings = planned.study, planned.settings
    method, items = _method(settings), study.items
    known, opinions = items.gold[items.gold != NO_GOLD], items.opinions
    differ = opinions is not None and opinions.error is not None and opinions.error.differ
    if method is None or GOLD.lacks(Has.of(items)) or differ:
        return NONE_ASSUMED
    largest, sizes = min(largest_errors(known)), rows.sizes_of(ALL, items)
    fits: dict[bytes, Fit] = {}
    parts = []
    for error in (share for share in ASSUMED if share <= largest):
        erring = replace(items, opinions=None).with_expert_error(error)
        run = MethodRun(study, settings, planned.strata[ALL], method, erring, StanModels(), False)
        findings = findings_of_models(run, fits_of_rows(run, fits))
        table = rows.estimate_rows(findings, [ALL], items.predictors, sizes, settings)
        parts.append(table.assign(**{ERROR: error}))
    return pd.concat(parts, ignore_index=True)[list(COLUMNS)]


def note_on_errors(items: Items) -> list[Note]:
    """What second opinions, or the user, say of experts' errors."""
    if items.opinions is None or not items.opinions.number.any():
        return []
    if unknown := why_unknown(items):
        return [Note("gold_for_truth", {"why": unknown})]
    return [expert_errors(items).note]


def if_gold_wrong(items: Items, settings: Settings, assumed: pd.DataFrame) -> Note | None:
    """The answer that wrong gold labels would move most, by the table `assumed`.

    Where experts' errors are known or given, it says if no method that was asked for corrects them.
    None otherwise, and where no interval is narrow enough to be an answer.
    """
    if not why_unknown(items):
        of_gold = [name for name in settings.methods if METHODS[name].uses_gold]
        if _method(settings) or not of_gold:
            return None
        return Note("none_corrects_errors", {
            "methods": of_gold, "take": "takes" if len(of_gold) == 1 else "take",
            "correcting": answering_experts(),
        })  # fmt: skip
    if settings.expert_error != ESTIMATE:
        return None
    known = informative_rows(assumed)
    before, shown = (known[known[ERROR] == error] for error in (0.0, NOTED))
    both = before.merge(shown, on=["model", "metric"], suffixes=("_0", ""))
    if both.empty:
        return None
    moved = both.iloc[int((both["estimate"] - both["estimate_0"]).abs().argmax())]
    names = ["metric", "method", "estimate", "lower", "upper", "estimate_0"]
    of = f" of {moved['model']}" if moved["model"] else ""
    return Note(
        "if_wrong",
        {**dict(zip(names, moved[names].tolist(), strict=True)), "of": of, "share": 100 * NOTED},
    )


def informative_rows(assumed: pd.DataFrame) -> pd.DataFrame:
    """The rows whose interval is narrow enough to be an answer (`is_too_wide`)."""
    ends = zip(assumed["metric"], assumed["lower"], assumed["upper"], strict=True)
    wide = np.array([is_too_wide(*one) for one in ends], dtype=bool)
    return assumed[~wide & assumed["lower"].notna() & assumed["upper"].notna()]
