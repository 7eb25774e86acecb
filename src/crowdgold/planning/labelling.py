"""Policies that decide how many labels each item gets, and their frontier (CLARA, 4.3 and 5.4).

All work on items that have their labels already, in the order in which they came: a policy takes
the first labels of each item and leaves the rest. So its cost and accuracy are what they would have
been had the policy decided how many to ask for.

- Tie-breaking: two labels, and a third where they differ; the majority is the final label.
- Random stratified: one label; a given share of the items, stratified by that label, go through
  tie-breaking.
- CLARA: labels until the confidence reaches a threshold; the most likely label is the final one.
- Snorkel: the same with the confidence of its label model, an optional package; the majority of the
  labels so far is the final one, as in the paper, because the probabilities are not calibrated.

The frontier says what each threshold costs and how often the final label is right, on a validation
set whose items have more labels than a policy would take, and are none of those that the model was
fitted to. A higher threshold never takes fewer labels, but it can, by chance or because the model
is wrong, be less accurate. The threshold is chosen where its accuracy was measured, so that this
accuracy is somewhat too good: by about a standard error where many thresholds are alike. Another
validation set tells.
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
CLARA, SNORKEL = clara.OURS.name, snorkel.METHOD.name
FRONTIER_COLUMNS = (
    "threshold", "labels", "labels_se", "share_of_labels", "accuracy", "accuracy_se", "items",
)  # fmt: skip
SMALLEST_STEP = 1e-4  # each threshold is measured on all items: 10,000 of them take minutes
SURE = 1.645
"""Standard errors above the wanted accuracy from which on a choice is called safe: 95 %, one-sided.
"""


@dataclass(frozen=True)
class PolicyResult:
    """What a policy makes of I items."""

    used: np.ndarray  # (I,) labels taken of each item, at least 1
    final: np.ndarray  # (I,) category of each item
    prevalence: np.ndarray  # (K,) estimated share of each category


def first_label(annotations: Annotations) -> np.ndarray:
    """The position of each item's first label: (I,)."""
    count = annotations.labels_of_item
    if (count == 0).any():
        bare = annotations.item[count == 0]
        raise InputError(
            f"{len(bare)} items have no label, {bare[0]!r} among them; expected one or more on each"
        )
    return np.asarray(np.cumsum(count) - count)


def majority_label(annotations: Annotations, used: np.ndarray | None = None) -> np.ndarray:
    """The majority of the first `used` (I,) labels of each item, or of all: (I,) categories.

    Of tied categories it is the one that was given first.
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
    """Where each item stands among those of the same first label, in a random order, as a share
    from 0 to 1: (I,).
    """
    stratum = annotations.label[first_label(annotations)]
    mixed = rng.permutation(len(stratum))
    order = mixed[np.argsort(stratum[mixed], kind="stable")]
    size = np.bincount(stratum, minlength=len(annotations.category))
    rank = np.empty(len(stratum))
    rank[order] = np.concatenate([np.arange(count) for count in size])
    return np.asarray((rank + 0.5) / size[stratum])


def _by_majority(annotations: Annotations, used: np.ndarray) -> PolicyResult:
    final = majority_label(annotations, used)
    share = np.bincount(final, minlength=len(annotations.category)) / len(final)
    return PolicyResult(used, final, share)


def random_stratified(annotations: Annotations, share: float, place: np.ndarray) -> PolicyResult:
    """One label of each item; a share of each stratum, from 0 to 1, goes through tie-breaking: with
    the same `place_in_stratum`, a larger share holds the items of a smaller one.
    """
    start = first_label(annotations)
    second = np.minimum(start + 1, len(annotations) - 1)
    differ = annotations.label[start] != annotations.label[second]
    wanted = np.where(place < share, np.where(differ, 3, 2), 1)
    return _by_majority(annotations, np.minimum(wanted, annotations.labels_of_item))


def tie_breaking(annotations: Annotations) -> PolicyResult:
    """Two labels of each item, and a third where they differ."""
    return random_stratified(annotations, 1.0, np.zeros(len(annotations.item)))


def _first_confident(so_far: LabelsSoFar, threshold: float) -> np.ndarray:
    enough = so_far.confidence >= threshold
    enough[so_far.start[1:] - 1] = True
    stop = np.flatnonzero(enough)
    # The first such label of each item: of all from its start on, the next.
    return np.asarray(stop[np.searchsorted(stop, so_far.start[:-1])])


def until_confident(so_far: LabelsSoFar, threshold: float) -> PolicyResult:
    """Labels of each item until the confidence reaches a threshold, or there are no more.

    The prevalence is the mean of the items' probabilities. It is not the share of the final labels,
    which counts an item of probability 0.4 for nothing: after one label of a reviewer whose TPR and
    TNR are 0.9, at a prevalence of 0.1, all items have the final label "negative".
    """
    bare = so_far.start[1:] == so_far.start[:-1]
    if bare.any():
        raise InputError(f"{bare.sum()} items have no label; expected one or more on each")
    stop = _first_confident(so_far, threshold)
    probability = so_far.probability[stop]
    used = stop - so_far.start[:-1] + 1
    return PolicyResult(used, probability.argmax(axis=1), probability.mean(axis=0))


def majority_when_confident(
    annotations: Annotations, so_far: LabelsSoFar, threshold: float
) -> PolicyResult:
    """Labels of each item until the confidence reaches a threshold; the majority decides."""
    stop = _first_confident(so_far, threshold)
    return _by_majority(annotations, stop - so_far.start[:-1] + 1)


def compare_policies(
    model: LabellingModel, annotations: Annotations, reference: np.ndarray,
    thresholds: Sequence[float], shares: Sequence[float], rng: np.random.Generator,
    snorkel: LabelsSoFar | None = None,
) -> pd.DataFrame:  # fmt: skip
    """What each policy costs and how accurate it is, a row each.

    `threshold_or_share` is the threshold of confidence, or the share of items with additional
    labels (missing for tie-breaking); `accuracy` the share of the items whose final label is the
    `reference`, (I,) the truth or the majority; the prevalence is that of the last category, the
    positive one. `snorkel` holds probabilities of its label model after each label.
    """
    so_far, place = probabilities_so_far(model, annotations), place_in_stratum(annotations, rng)
    results = [(TIE_BREAKING, float("nan"), tie_breaking(annotations))]
    results += [(RANDOM, share, random_stratified(annotations, share, place)) for share in shares]
    results += [(CLARA, value, until_confident(so_far, value)) for value in thresholds]
    if snorkel is not None:
        results += [
            (SNORKEL, value, majority_when_confident(annotations, snorkel, value))
            for value in thresholds
        ]
    rows = [
        {
            "policy": policy,
            "threshold_or_share": setting,
            "share_of_labels": float(result.used.sum() / len(annotations)),
            "accuracy": float(np.mean(result.final == reference)),
            "prevalence_estimate": float(result.prevalence[-1]),
        }
        for policy, setting, result in results
    ]
    return pd.DataFrame(rows)


def labels_an_item(quality: float) -> float:
    """The labels that tie-breaking is expected to ask for on an item (CLARA, section 4.1).

    Two reviewers of independent quality differ with probability 2 q (1 - q), q the mean probability
    that a reviewer is right.
    """
    return 2 + 2 * quality * (1 - quality)


def items_of_class(items: float, share: float, quality: float, reviewers: float) -> float:
    """The expected items of a class that each reviewer labels; `quality` is the mean TPR or TNR."""
    return items * share * labels_an_item(quality) / reviewers


def threshold_grid(categories: int, step: float = 0.01) -> np.ndarray:
    """Thresholds from the least confidence that there can be, 1 / K, to 1."""
    if not SMALLEST_STEP <= step <= 0.5:
        raise InputError(f"step: found {step!r}, expected from {SMALLEST_STEP} to 0.5")
    steps = int(np.floor((1 - 1 / categories) / step + 1e-9))
    return np.round(1 - step * np.arange(steps, -1, -1), 12)


def measure_frontier(
    model: LabellingModel, annotations: Annotations, reference: np.ndarray, thresholds: np.ndarray
) -> pd.DataFrame:
    """What each threshold costs and how accurate it is, ascending: columns `FRONTIER_COLUMNS`.

    `labels` is the mean number of labels of an item, `accuracy` the share of final labels that are
    the `reference` (I,), each with its standard error over items.
    """
    so_far, size, rows = probabilities_so_far(model, annotations), len(annotations.item), []
    for threshold in np.sort(thresholds).tolist():
        result = until_confident(so_far, threshold)
        right, used = float(np.mean(result.final == reference)), result.used.astype(float)
        cost = float(used.mean()), standard_error(used), float(used.sum() / len(annotations))
        rows.append((threshold, *cost, right, share_error(right, size), size))
    return pd.DataFrame(rows, columns=list(FRONTIER_COLUMNS))


def is_frontier(path: Path) -> bool:
    """Whether a file has the columns of `measure_frontier`, and those alone."""
    header = first_bytes(path).partition(b"\n")[0].rstrip()
    return header == ",".join(FRONTIER_COLUMNS).encode()


@dataclass(frozen=True)
class Choice:
    """A threshold that was asked for."""

    point: pd.Series  # its row of the frontier; the nearest where nothing reaches what was asked
    reached: bool
    message: str


def _describe(point: pd.Series) -> str:
    return (
        f"threshold {point['threshold']:.6g}: accuracy {point['accuracy']:.4f} (standard error "
        f"{point['accuracy_se']:.4f}) with {point['labels']:.3f} labels an item (standard error "
        f"{point['labels_se']:.3f}), {point['share_of_labels']:.1%} of the labels there are; "
        f"{point['items']:.0f} items"
    )


def _best_point(frontier: pd.DataFrame, *order: str) -> pd.Series:
    """The first row by the columns of `order`: highest accuracy, lowest of any other column."""
    ascending = [column != "accuracy" for column in order]
    return frontier.sort_values(list(order), ascending=ascending, kind="stable").iloc[0]


def check_wanted(accuracy: float | None, budget: float | None) -> None:
    """Raise an `InputError` where an accuracy or a budget cannot be asked for."""
    if accuracy is not None and not 0 < accuracy <= 1:
        raise InputError(f"accuracy: found {accuracy!r}, expected above 0 and at most 1")
    if budget is not None and not 1 <= budget < np.inf:
        raise InputError(
            f"budget: found {budget!r}, expected 1 or more, and not without end: labels an item "
            "on average, the labels that can be had over the items to be labelled"
        )


def threshold_for_accuracy(frontier: pd.DataFrame, accuracy: float) -> Choice:
    """The cheapest threshold of a frontier whose accuracy is what is wanted, within (0, 1]."""
    good = frontier[frontier["accuracy"] >= accuracy]
    if good.empty:
        best = _best_point(frontier, "accuracy", "labels", "threshold")
        told = (
            f"No threshold reaches an accuracy of {accuracy:g} on these items. The nearest is "
            f"{_describe(best)}. More labels an item or more accurate annotators can reach it, "
            "another threshold cannot."
        )
        return Choice(best, False, told)
    point = _best_point(good, "labels", "accuracy", "threshold")
    told, above = _describe(point), (point["accuracy"] - accuracy) / point["accuracy_se"]
    if not above >= SURE:
        told += (
            f". Its accuracy is {above:.1f} standard errors above {accuracy:g}: on other items it "
            "can well be below"
        )
    return Choice(point, True, told)


def threshold_for_budget(frontier: pd.DataFrame, labels: float) -> Choice:
    """The most accurate threshold that takes no more labels an item on average, 1 or more."""
    good = frontier[frontier["labels"] <= labels]
    if good.empty:
        cheapest = _best_point(frontier, "labels", "threshold")
        told = (
            f"No threshold takes as few as {labels:g} labels an item. The cheapest is "
            f"{_describe(cheapest)}."
        )
        return Choice(cheapest, False, told)
    point = _best_point(good, "accuracy", "labels", "threshold")
    return Choice(point, True, _describe(point))
