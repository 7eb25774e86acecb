"""Resamples of labels in two ways at once: of the responses, and of the annotators.

Each is drawn with replacement, and a label counts as often as its response was drawn times as often
as its annotator was (Owen 2007, the pigeonhole bootstrap). A bootstrap over responses alone answers
what other responses would have changed; this one also what other annotators would have.
"""

from dataclasses import replace

import numpy as np

from crowdgold.data import Annotations


def resample_items(annotations: Annotations, rng: np.random.Generator) -> np.ndarray:
    """Draw as many responses of each agent as it has, with replacement: (I,) positions, ascending.

    Responses of no agent are drawn among themselves.
    """
    drawn = []
    for agent in np.unique(annotations.agent_of):
        own = np.flatnonzero(annotations.agent_of == agent)
        drawn.append(own[rng.integers(len(own), size=len(own))])
    return np.sort(np.concatenate(drawn))


def resample_annotators(annotations: Annotations, rng: np.random.Generator) -> np.ndarray:
    """Draw as many annotators as there are, with replacement: how often each was, (A,)."""
    size = len(annotations.annotator)
    return np.bincount(rng.integers(size, size=size), minlength=size)


def labels_drawn(annotations: Annotations, items: np.ndarray, times: np.ndarray) -> Annotations:
    """The labels of some responses by some annotators.

    Args:
        items: (J,) positions of responses, ascending; one that stands twice is there twice.
        times: (A,) how often each annotator's labels count; all annotators keep their positions.
    """
    count = annotations.labels_of_item[items]
    start = (np.cumsum(annotations.labels_of_item) - annotations.labels_of_item)[items]
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    row, item = np.repeat(start, count) + within, np.repeat(np.arange(len(items)), count)
    often = times[annotations.annotator_of[row]]
    row, item = np.repeat(row, often), np.repeat(item, often)
    own = {name: getattr(annotations, name)[row] for name in ("annotator_of", "group_of", "label")}
    return replace(
        annotations,
        item=annotations.item[items],
        item_of=item,
        scores={name: vectors[items] for name, vectors in annotations.scores.items()},
        truth=None if annotations.truth is None else annotations.truth[items],
        agent_of=annotations.agent_of[items],
        **own,
    )
