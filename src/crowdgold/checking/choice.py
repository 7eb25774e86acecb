"""Which method gives the answer of a study, by a rule laid down before.

Where there are gold labels, the answer comes from a method that they correct, the first in the
order of answers (`methods.method`). Their intervals rest on no model, so that no diagnostics of a
chain decide about them. A model's estimate stands beside the answer, with a flag where the gold
labels contradict it. It is the answer itself only without gold labels, where a range stands before
it, or where the gold items are surely no random sample, or surely do not fit the chances that are
given for them; of a metric of scores only if it uses the scores.
"""

from collections.abc import Sequence

from crowdgold.methods.method import CORRECTED, MODEL
from crowdgold.methods.needs import EXPERTS_ERRORS
from crowdgold.methods.registry import METHODS, baseline, with_role
from crowdgold.types.notes import GRAVE, Note

NO_GOLD = Note("no_gold", weight=GRAVE)
ONLY_MODELS = Note("only_models", weight=GRAVE)


def is_model(method: str) -> bool:
    """Whether a method rests on a model of votes."""
    return METHODS[method].has_role(MODEL)


def is_alone(method: str) -> bool:
    """Whether a method uses gold labels and nothing else."""
    known = METHODS.get(method)
    return known is not None and baseline() in (method, known.variant_of)


def is_corrected(method: str) -> bool:
    """Whether gold labels correct what a method says of votes and scores."""
    return method in with_role(CORRECTED) and not is_alone(method)


def knows_errors(method: str) -> bool:
    """Whether a method corrects the errors of experts, and does not take gold for the truth."""
    return method in METHODS and EXPERTS_ERRORS in METHODS[method].needs


def order_of_choice(
    n_gold: int, set_aside: Note | None, methods: Sequence[str]
) -> tuple[tuple[str, ...], Note | None]:
    """The methods that can give the answer, the first choice first, and the reason for this order.

    There is no reason where gold labels correct the answer. `set_aside` tells why nothing rests on
    gold labels; None where something can. `methods` are those with estimates.
    """
    models = with_role(MODEL)
    if n_gold == 0:
        return models, NO_GOLD
    if set_aside is not None:
        return models, set_aside
    if not set(methods) & set(with_role(CORRECTED)) and set(methods) & set(models):
        return models, ONLY_MODELS
    # Where experts' errors are known no number that takes gold for the truth stands beside others.
    of_errors = tuple(one for one in with_role(CORRECTED) if one in methods and knows_errors(one))
    return of_errors or with_role(CORRECTED), None


def first_choice(n_gold: int, set_aside: Note | None, methods: Sequence[str]) -> str | None:
    """The method that is to give the answer; None without gold labels, where a range does."""
    order, _ = order_of_choice(n_gold, set_aside, methods)
    return next((name for name in order if name in methods), None) if n_gold else None


def not_chosen(method: str, of_errors: bool) -> Note:
    """Why a method that is not in the order of choice, which can be `of_errors`, is no answer."""
    if is_model(method):
        return Note("model_beside_gold")
    if of_errors:
        return Note("takes_gold_for_true")
    return Note("not_from_this_gold" if METHODS[method].has_role(CORRECTED) else "not_by_itself")
