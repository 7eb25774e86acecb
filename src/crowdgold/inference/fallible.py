"""Gold labels of experts who err, as a method gives them: alone, or with a prediction to correct.

Errors are found anew for each model, from the gold items that it has a score of.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from crowdgold.data import NO_GOLD, InputError
from crowdgold.inference.clustered import drawn_from
from crowdgold.inference.correction import of_labels, rectify
from crowdgold.inference.expert_errors import ExpertErrors, expert_errors, judged
from crowdgold.inference.labels import LabelPrediction, Labels
from crowdgold.inference.questions import Questions, View
from crowdgold.inference.rectified import POPULATION
from crowdgold.inference.request import Request
from crowdgold.inference.samples import Sample


def _with_labels(view: View) -> tuple[View, ExpertErrors]:
    """Items with the likelier label of each that an expert has looked at, and the errors.

    Raises:
        InputError: where these are not identified.
    """
    errors = expert_errors(view.items)
    if errors.unknown:
        raise InputError(errors.unknown)
    return replace(view, items=judged(view.items, errors.verdict)), errors


@dataclass(frozen=True)
class FallibleGold(Labels):
    """Gold labels alone, corrected for the experts' errors."""

    def take(self, rows: np.ndarray) -> "FallibleGold":
        """The same: the labels are those of the items."""
        return self

    def sample(self, view: View, questions: Questions, request: Request) -> Sample:
        """What the opinions say."""
        view, errors = _with_labels(view)
        rows = np.flatnonzero(view.items.gold != NO_GOLD)
        known, design = drawn_from(view, rows)
        return of_labels(known.items.gold, known, questions, POPULATION, design, errors)

    def probabilities(self, view: View, rng: np.random.Generator) -> np.ndarray:
        """P(Y_i = 1) given an item's opinions."""
        errors, found = expert_errors(view.items), np.full(len(view), np.nan)
        assert view.items.opinions is not None
        found[view.items.opinions.number > 0] = errors.probability
        return found


@dataclass(frozen=True)
class FalliblePrediction(LabelPrediction):
    """A prediction of every label, corrected by gold labels of experts who err."""

    probability: Mapping[str, np.ndarray]

    def sample(self, view: View, questions: Questions, request: Request) -> Sample:
        """The prediction, and what the opinions make of it."""
        prediction = np.asarray(self.probability[view.predictor], dtype=float)
        view, errors = _with_labels(view)
        return rectify(prediction, view, questions, POPULATION, errors)
