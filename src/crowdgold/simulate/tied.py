"""MAVEN's process (`simulate.maven`) with scores of which many are equal.

A judge that answers yes or no, or rates from 1 to 5, and a classifier that gives most items nothing
leave most pairs of items tied. A judge whose verdict is a vote and a score at once leaves the score
to say what the votes say.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from crowdgold.data import Items
from crowdgold.declared import Each, Range
from crowdgold.given import Given
from crowdgold.simulate.generator import Generator, Replicate
from crowdgold.simulate.maven import MavenParameters, draw_maven

OWN = ("cuts", "least", "of_votes")


@dataclass(frozen=True, kw_only=True)
class TiedParameters(MavenParameters):
    """Algorithm 1 of the MAVEN paper, with tied scores."""

    cuts: Annotated[
        object,
        Each(float, least=1),
        "Numbers. A score becomes how many of them it reaches, as a rating does. Scores stay as "
        "they are where not given.",
    ]
    least: Annotated[
        float,
        "Scores below it become it; none do where it is not given.",
    ]
    of_votes: Annotated[
        bool,
        "Whether the first predictor's score is the share of positive votes.",
    ] = False


def draw_tied(values: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Items]:
    """Draw a replicate by Algorithm 1, and then tie its scores.

    Args:
        values: as `TiedParameters` declares them.
    """
    parameters = Given("generator tied", values, TiedParameters)
    parameters.check_names()
    drawn = draw_maven({name: one for name, one in values.items() if name not in OWN}, rng)
    scores = dict(drawn.table.scores)
    if "cuts" in parameters:
        cuts = np.sort(parameters.numbers("cuts", Range()))
        scores = {name: np.searchsorted(cuts, x, "right") * 1.0 for name, x in scores.items()}
    if "least" in parameters:
        scores = {name: np.maximum(x, parameters.real("least")) for name, x in scores.items()}
    if parameters.flag("of_votes"):
        scores[next(iter(scores))] = drawn.table.votes_positive / drawn.table.votes_total
    table = replace(drawn.table, scores=scores)
    return Replicate(table, table, drawn.parameters)


GENERATOR = Generator("tied", draw_tied, parameters=TiedParameters)
