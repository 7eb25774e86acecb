"""Which confidence is enough: the efficient frontier of cost and accuracy (CLARA, section 5.4).

The frontier is measured on a validation set whose items have more labels than a policy would take.
It says what each threshold costs and how often the final label is right; a higher threshold never
takes fewer labels, but it can, by chance or because the model is wrong, be less accurate. The
validation items must be none of those that the model was fitted to.

The threshold is chosen where its accuracy was measured, so that this accuracy is somewhat too good:
by about a standard error where many thresholds are alike. Another validation set tells.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from crowdgold.data import Annotations, InputError
from crowdgold.data.outputs import first_bytes
from crowdgold.evaluation.summaries import share_error, standard_error
from crowdgold.models.clara.label_confidence import probabilities_so_far
from crowdgold.models.clara.labelling_model import LabellingModel
from crowdgold.studies.clara.labelling_policy import until_confident

COLUMNS = (
    "threshold", "labels", "labels_se", "share_of_labels", "accuracy", "accuracy_se", "items",
)  # fmt: skip
STEP = 0.01
SMALLEST_STEP = 1e-4
"""Each threshold is measured on all items: 10,000 of them take minutes."""
SURE = 1.645
"""Standard errors above the wanted accuracy from which on a choice is called safe: 95 %, one-sided.
"""


def threshold_grid(categories: int, step: float = STEP) -> np.ndarray:
    """Thresholds from the least confidence that there can be, 1 / K, to 1.

    Raises:
        InputError: where the step is not within [`SMALLEST_STEP`, 0.5].
    """
    if not SMALLEST_STEP <= step <= 0.5:
        raise InputError(f"step: found {step!r}, expected from {SMALLEST_STEP} to 0.5")
    steps = int(np.floor((1 - 1 / categories) / step + 1e-9))
    return np.round(1 - step * np.arange(steps, -1, -1), 12)


def measure_frontier(
    model: LabellingModel,
    annotations: Annotations,
    reference: np.ndarray,
    thresholds: Sequence[float] | np.ndarray,
) -> pd.DataFrame:
    """Measure what each threshold costs and how accurate it is.

    Args:
        model: fitted to other items.
        annotations: of the validation items, in the order in which labels came.
        reference: (I,) true categories, as positions among the categories.
        thresholds: of the confidence.

    Returns:
        rows with the columns `COLUMNS`, thresholds ascending: `labels`, the mean number of labels
        of an item, `share_of_labels` of all that there are, `accuracy` of the final labels, each
        with its standard error over items.

    Raises:
        InputError: where an item has no label, or the categories are not the model's.
    """
    so_far = probabilities_so_far(model, annotations)
    rows = []
    for threshold in sorted(map(float, thresholds)):
        done = until_confident(so_far, threshold)
        right = float(np.mean(done.final == reference))
        used = done.used.astype(float)
        share = float(used.sum() / len(annotations))
        size = len(used)
        rows.append(
            (threshold, float(used.mean()), standard_error(used), share, right,
             share_error(right, size), size)
        )  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def is_frontier(path: Path) -> bool:
    """Whether a file has the columns of `measure_frontier`, and those alone."""
    return first_bytes(path).partition(b"\n")[0].rstrip() == ",".join(COLUMNS).encode()


@dataclass(frozen=True)
class Choice:
    """A threshold that was asked for.

    Attributes:
        point: its row of the frontier; where nothing reaches what was asked for, the nearest.
        reached: whether it reaches it.
        message: what a reader should know, in words.
    """

    point: pd.Series
    reached: bool
    message: str


def _describe(point: pd.Series) -> str:
    return (
        f"threshold {point['threshold']:.6g}: accuracy {point['accuracy']:.4f} (standard error "
        f"{point['accuracy_se']:.4f}) with {point['labels']:.3f} labels an item (standard error "
        f"{point['labels_se']:.3f}), {point['share_of_labels']:.1%} of the labels there are; "
        f"{point['items']:.0f} items"
    )


def _most_accurate(frontier: pd.DataFrame) -> pd.Series:
    """The most accurate point; of equals the cheapest, and of these the lowest threshold."""
    order = frontier.sort_values(
        ["accuracy", "labels", "threshold"], ascending=[False, True, True], kind="stable"
    )
    return order.iloc[0]


def check_wanted(accuracy: float | None, budget: float | None) -> None:
    """Raise an `InputError` where an accuracy or a budget cannot be asked for.

    Args:
        accuracy: wanted, within (0, 1], where one is.
        budget: labels an item on average, at least 1, where one is given.
    """
    if accuracy is not None and not 0 < accuracy <= 1:
        raise InputError(f"accuracy: found {accuracy!r}, expected above 0 and at most 1")
    if budget is not None and not 1 <= budget < np.inf:
        raise InputError(
            f"budget: found {budget!r}, expected 1 or more, and not without end: labels an item "
            "on average, the labels that can be had over the items to be labelled"
        )


def threshold_for_accuracy(frontier: pd.DataFrame, accuracy: float) -> Choice:
    """Choose the cheapest threshold whose accuracy is what is wanted.

    Args:
        frontier: from `measure_frontier`.
        accuracy: wanted, within (0, 1].

    Raises:
        InputError: where the accuracy wanted is not within (0, 1].
    """
    check_wanted(accuracy, None)
    good = frontier[frontier["accuracy"] >= accuracy]
    if good.empty:
        best = _most_accurate(frontier)
        return Choice(
            best,
            False,
            f"No threshold reaches an accuracy of {accuracy:g} on these items. The nearest is "
            f"{_describe(best)}. More labels an item or more accurate annotators can reach it, "
            "another threshold cannot.",
        )
    order = good.sort_values(
        ["labels", "accuracy", "threshold"], ascending=[True, False, True], kind="stable"
    )
    point = order.iloc[0]
    above = (point["accuracy"] - accuracy) / point["accuracy_se"]
    doubt = (
        ""
        if above >= SURE
        else f". Its accuracy is {above:.1f} standard errors above {accuracy:g}: on other items it "
        "can well be below"
    )
    return Choice(point, True, _describe(point) + doubt)


def threshold_for_budget(frontier: pd.DataFrame, labels: float) -> Choice:
    """Choose the most accurate threshold that takes no more labels than there can be.

    Args:
        frontier: from `measure_frontier`.
        labels: the budget, labels an item on average, at least 1.

    Raises:
        InputError: where the budget is below one label an item, or no number.
    """
    check_wanted(None, labels)
    good = frontier[frontier["labels"] <= labels]
    if good.empty:
        cheapest = frontier.sort_values(["labels", "threshold"], kind="stable").iloc[0]
        return Choice(
            cheapest,
            False,
            f"No threshold takes as few as {labels:g} labels an item. The cheapest is "
            f"{_describe(cheapest)}.",
        )
    point = _most_accurate(good)
    return Choice(point, True, _describe(point))
