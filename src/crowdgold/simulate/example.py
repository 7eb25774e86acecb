"""The example that comes with crowdgold: a study as a user has it, and its truth.

Items, chances and scores come from MAVEN's generative process (Algorithm 1, `simulate.maven`). Each
vote is given to one of `ANNOTATORS` annotators drawn for the item, who are all alike. Scores are
put on the scale of probabilities by a logistic curve, which leaves their order as it is. Gold has
random numbers of its own.
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from crowdgold.data import Items
from crowdgold.simulate.gold_sample import draw_labelled
from crowdgold.simulate.maven import draw_maven

SEED = 20260301
GOLD_DRAW = 1
"""The number beside the seed that the gold items are drawn with."""
ANNOTATORS = 20
PARAMETERS: dict[str, Any] = {
    "n": 3000, "phi": 0.2, "a0": 0.08, "a1": 0.72, "d0": 4.0, "d1": 4.0,
    "votes_total": {3: 0.7, 5: 0.3}, "n_gold": 300,
    "predictors": {"large": {"mu": 1.6, "delta": 1.0}, "small": {"mu": 0.8, "delta": 0.8}},
}  # fmt: skip
SLOPE, MIDDLE = 1.5, 1.5
"""Of the logistic curve."""
DECIMALS = 5


def _votes(items: Items, names: np.ndarray, rng: np.random.Generator) -> pd.DataFrame:
    """Each item's votes to annotators drawn at random, each of them once an item."""
    order = rng.permuted(np.tile(np.arange(ANNOTATORS), (len(items), 1)), axis=1)
    place = np.arange(ANNOTATORS)
    given = place < items.votes_total[:, None]
    label = (place < items.votes_positive[:, None]).astype(int)
    item, column = np.nonzero(given)
    votes = pd.DataFrame(
        {
            "item": names[item],
            "annotator": [f"a{number + 1:02d}" for number in order[item, column]],
            "label": label[item, column],
        }
    )
    return votes.sort_values(["item", "annotator"], ignore_index=True)


def draw_example(seed: int = SEED) -> dict[str, pd.DataFrame]:
    """Draw the example.

    Returns:
        name -> table: votes (item, annotator, label), gold (item, gold), scores (item, and
        score_NAME of each model), truth (item, truth).
    """
    rng = np.random.default_rng(seed)
    items = draw_maven(PARAMETERS, rng).table
    of_gold = np.random.default_rng([seed, GOLD_DRAW])
    drawn = draw_labelled(len(items), PARAMETERS["n_gold"], of_gold)
    items = items.with_gold(drawn)
    assert items.truth is not None
    names = np.array([f"item-{number + 1:04d}" for number in range(len(items))], dtype=object)
    scores = {
        f"score_{name}": np.round(expit(SLOPE * (values - MIDDLE)), DECIMALS)
        for name, values in items.scores.items()
    }
    return {
        "votes": _votes(items, names, rng),
        "gold": pd.DataFrame({"item": names[drawn], "gold": items.gold[drawn]}),
        "scores": pd.DataFrame({"item": names, **scores}),
        "truth": pd.DataFrame({"item": names, "truth": items.truth}),
    }
