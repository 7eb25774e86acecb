"""Policies that decide how many labels each item gets (CLARA, sections 4.3 and 5.4).

All work on items whose labels are there already, in the order in which they came: a policy takes
the first ones of each item and leaves the rest. So its cost and its accuracy are what they would
have been had it decided.

- Tie-breaking: two labels, and a third where they differ; the majority is the final label.
- Random stratified: one label; a given share of the items, stratified by that label, go through
  tie-breaking.
- CLARA: labels until the confidence reaches a threshold; the most likely label is the final one.
- Snorkel: the same with the confidence of its label model, an optional package; the majority of the
  labels so far is the final one, as in the paper, because the probabilities are not calibrated.

How many labels the tie-breaking design asks for (CLARA, section 4.1).

Two random reviewers label each item, and a third where they differ.

Which confidence is enough: the efficient frontier of cost and accuracy (CLARA, section 5.4).

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

from crowdgold.experiment.summaries import share_error, standard_error
from crowdgold.methods import clara, snorkel
from crowdgold.models.clara.labelling import LabellingModel, LabelsSoFar, probabilities_so_far
from crowdgold.reading.outputs import first_bytes
from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError

RANDOM, TIE_BREAKING = "random stratified", "tie-breaking"
CLARA, SNORKEL = clara.PUBLISHED.name, snorkel.METHOD.name
COLUMNS = (
    "policy", "threshold_or_share", "share_of_labels", "accuracy", "prevalence_estimate",
)  # fmt: skip


@dataclass(frozen=True)
class Labelled:
    """What a policy makes of I items.

    Attributes:
        used: (I,) labels taken of each item, at least 1.
        final: (I,) category of each item.
        prevalence: (K,) estimated share of each category.
    """

    used: np.ndarray
    final: np.ndarray
    prevalence: np.ndarray


def first_label(annotations: Annotations) -> np.ndarray:
    """The position of each item's first label: (I,).

    Raises:
        InputError: where an item has none.
    """
    count = annotations.labels_of_item
    if (count == 0).any():
        bare = annotations.item[count == 0]
        raise InputError(
            f"{len(bare)} items have no label, {bare[0]!r} among them; expected one or more on each"
        )
    return np.asarray(np.cumsum(count) - count)


def majority_label(annotations: Annotations, used: np.ndarray | None = None) -> np.ndarray:
    """The majority of each item's first labels: (I,) categories.

    Of tied categories it is the one that was given first.

    Args:
        used: (I,) how many of each item's labels count; all where not given.

    Raises:
        InputError: where an item has no label.
    """
    items, K = len(annotations.item), len(annotations.category)
    place = np.arange(len(annotations)) - first_label(annotations)[annotations.item_of]
    kept = slice(None) if used is None else place < used[annotations.item_of]
    cell = (annotations.item_of * K + annotations.label)[kept]
    late = int(place.max()) + 1
    since = np.full(items * K, late)
    np.minimum.at(since, cell, place[kept])
    votes = np.bincount(cell, minlength=items * K)
    return np.asarray((votes * (late + 1) - since).reshape(items, K).argmax(axis=1))


def place_in_stratum(annotations: Annotations, rng: np.random.Generator) -> np.ndarray:
    """Put the items of each stratum, those whose first label is the same, in a random order.

    Returns:
        (I,) where each item stands in its stratum, as a share between 0 and 1: those below x are a
        share x of the stratum, to the nearest item.
    """
    stratum = annotations.label[first_label(annotations)]
    mixed = rng.permutation(len(stratum))
    order = mixed[np.argsort(stratum[mixed], kind="stable")]
    size = np.bincount(stratum, minlength=len(annotations.category))
    rank = np.empty(len(stratum))
    rank[order] = np.concatenate([np.arange(count) for count in size])
    return np.asarray((rank + 0.5) / size[stratum])


def _by_majority(annotations: Annotations, used: np.ndarray) -> Labelled:
    final = majority_label(annotations, used)
    share = np.bincount(final, minlength=len(annotations.category)) / len(final)
    return Labelled(used, final, share)


def random_stratified(annotations: Annotations, share: float, place: np.ndarray) -> Labelled:
    """Take one label of each item, and let a share of each stratum go through tie-breaking.

    Args:
        share: of the items that get additional labels, from 0 to 1.
        place: (I,) of each item in its stratum, from `place_in_stratum`: with the same places,
            a larger share holds the items of a smaller one.
    """
    start, count = first_label(annotations), annotations.labels_of_item
    second = np.minimum(start + 1, len(annotations) - 1)
    differ = annotations.label[start] != annotations.label[second]
    wanted = np.where(place < share, np.where(differ, 3, 2), 1)
    return _by_majority(annotations, np.minimum(wanted, count))


def tie_breaking(annotations: Annotations) -> Labelled:
    """Take two labels of each item, and a third where they differ."""
    return random_stratified(annotations, 1.0, np.zeros(len(annotations.item)))


def until_confident(so_far: LabelsSoFar, threshold: float) -> Labelled:
    """Take labels of each item until the confidence reaches a threshold, or there are no more.

    The prevalence is the mean of the items' probabilities. It is not the share of the final labels,
    which counts an item of probability 0.4 for nothing: after one label of a reviewer whose TPR and
    TNR are 0.9, at a prevalence of 0.1, all items have the final label "negative".

    Args:
        so_far: probabilities after each label.
        threshold: the confidence that is enough.

    Raises:
        InputError: where an item has no label.
    """
    start, last = so_far.start[:-1], so_far.start[1:] - 1
    if (last < start).any():
        raise InputError(
            f"{(last < start).sum()} items have no label; expected one or more on each"
        )
    stop = _first_confident(so_far, threshold)
    probability = so_far.probability[stop]
    return Labelled(stop - start + 1, probability.argmax(axis=1), probability.mean(axis=0))


def _first_confident(so_far: LabelsSoFar, threshold: float) -> np.ndarray:
    """The position of the label at which each item stops: (I,)."""
    enough = so_far.confidence >= threshold
    enough[so_far.start[1:] - 1] = True
    stop = np.flatnonzero(enough)
    # The first such label of each item: of all from its start on, the next.
    return np.asarray(stop[np.searchsorted(stop, so_far.start[:-1])])


def majority_when_confident(
    annotations: Annotations, so_far: LabelsSoFar, threshold: float
) -> Labelled:
    """Take labels of each item until the confidence reaches a threshold; the majority decides.

    Args:
        annotations: the labels, at least one on each item.
        so_far: probabilities after each label.
        threshold: the confidence that is enough.
    """
    stop = _first_confident(so_far, threshold)
    return _by_majority(annotations, stop - so_far.start[:-1] + 1)


def _row(
    policy: str, setting: float, done: Labelled, reference: np.ndarray, labels: int
) -> dict[str, str | float]:
    return {
        "policy": policy,
        "threshold_or_share": setting,
        "share_of_labels": float(done.used.sum() / labels),
        "accuracy": float(np.mean(done.final == reference)),
        "prevalence_estimate": float(done.prevalence[-1]),
    }


def compare_policies(
    model: LabellingModel,
    annotations: Annotations,
    reference: np.ndarray,
    thresholds: Sequence[float],
    shares: Sequence[float],
    rng: np.random.Generator,
    snorkel: LabelsSoFar | None = None,
) -> pd.DataFrame:
    """Tabulate what each policy costs and how accurate it is.

    Args:
        model: fitted to other items.
        annotations: the labels that policies choose from; the last category is the positive one.
        reference: (I,) categories that final labels are held against: the truth or the majority.
        thresholds: of CLARA's confidence.
        shares: of items with additional labels, of the random stratified policy.
        snorkel: the probabilities of Snorkel's label model after each label, where it is compared.

    Returns:
        rows with the columns `COLUMNS`: the policy, its threshold or share (missing for
        tie-breaking), the share of all labels that it takes, the share of the items whose final
        label is the reference, and its estimate of the share of positives.
    """
    so_far, place = probabilities_so_far(model, annotations), place_in_stratum(annotations, rng)
    done = [(TIE_BREAKING, float("nan"), tie_breaking(annotations))]
    done += [(RANDOM, share, random_stratified(annotations, share, place)) for share in shares]
    done += [(CLARA, value, until_confident(so_far, value)) for value in thresholds]
    if snorkel is not None:
        done += [
            (SNORKEL, value, majority_when_confident(annotations, snorkel, value))
            for value in thresholds
        ]
    rows = [_row(*one, reference, len(annotations)) for one in done]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def labels_an_item(quality: float) -> float:
    """The expected labels of an item whose reviewers are right with probability `quality`.

    Two reviewers of independent quality differ with probability 2 q (1 - q), q its mean.
    """
    return 2 + 2 * quality * (1 - quality)


def items_of_class(items: float, share: float, quality: float, reviewers: float) -> float:
    """The expected items of a class that each reviewer labels.

    Args:
        items: all items.
        share: of these in the class: the prevalence, or one less it.
        quality: mean probability that a reviewer is right on an item of the class: TPR or TNR.
        reviewers: their number.
    """
    return items * share * labels_an_item(quality) / reviewers


COLUMNS_LABELLING_THRESHOLD = (
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
    return pd.DataFrame(rows, columns=list(COLUMNS_LABELLING_THRESHOLD))


def is_frontier(path: Path) -> bool:
    """Whether a file has the columns of `measure_frontier`, and those alone."""
    return (
        first_bytes(path).partition(b"\n")[0].rstrip()
        == ",".join(COLUMNS_LABELLING_THRESHOLD).encode()
    )


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
