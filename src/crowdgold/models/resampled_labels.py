"""Resamples of labels in two ways at once: of the responses, and of the annotators.

Each is drawn with replacement, and a label counts as often as its response was drawn times as often
as its annotator was (Owen 2007, the pigeonhole bootstrap). A bootstrap over responses alone answers
what other responses would have changed; this one also what other annotators would have.
"""

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
    drawn = annotations.of_items(items)
    often = times[drawn.annotator_of]
    return drawn.of_labels(np.repeat(np.arange(len(often)), often))
