"""Replicates from a dataset, whose held-out gold labels stand for the truth (MAVEN, section 5.1).

The paper draws D' of n items out of the full dataset D, n_e of them with an expert label, and
computes the true value of a metric on the remaining items with expert labels. An interval that
claims to hold the metrics of the n items themselves is judged by their own truth instead.
"""

import numpy as np

from crowdgold.data import InputError, Items
from crowdgold.data.parameters import Parameters
from crowdgold.simulate.gold_sample import draw_labelled
from crowdgold.simulate.replicate import Replicate

TRUTH_OF = ("left_over", "items")


def resample(
    task: Items, n: int, n_gold: int, rng: np.random.Generator, truth_of: str = "left_over"
) -> Replicate[Items]:
    """Draw a replicate from a full task.

    Args:
        task: items whose truth is known for every one.
        n: items of the replicate, at least 2 and fewer than the task has.
        n_gold: how many of them, chosen at random, have a gold label: 0 to n.
        truth_of: which items define the true value of a metric: those `left_over`, as in the
            paper, or the `items` of the replicate.

    Returns:
        n items drawn without replacement, and as `reference` the items that `truth_of` says.

    Raises:
        InputError: where the task has no truth, is too small, or leaves items of one class only.
    """
    parameters = Parameters(
        "resampling a dataset", {"n": n, "n_gold": n_gold, "truth_of": truth_of}
    )
    parameters.choice("truth_of", TRUTH_OF)
    n = parameters.whole("n", at_least=2)
    n_gold = parameters.whole("n_gold", at_least=0, at_most=n)
    if task.truth is None:
        raise InputError("a dataset can be resampled only where the truth of its items is known")
    if n >= len(task):
        raise InputError(
            f"resampling a dataset: parameter 'n' is {n}, but the task has {len(task)} items; "
            "expected fewer, because the items left over define the true value of a metric"
        )
    order = rng.permutation(len(task))
    drawn, reference = task.take(order[:n]), task.take(order[n:])
    if reference.truth is None or len(np.unique(reference.truth)) < 2:
        raise InputError(
            f"resampling a dataset: the {len(reference)} items left over by n = {n} are all of one "
            "class; expected a smaller n, so that both classes are there"
        )
    items = drawn.with_gold(draw_labelled(n, n_gold, rng))
    return Replicate(items, items if truth_of == "items" else reference)
