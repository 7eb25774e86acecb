"""ORACLE (MAVEN, table 2): imputes from the P(Y | V) of the process that made the data.

No model of the votes alone can do better; what it misses needs the scores.
"""

import numpy as np

from crowdgold.inference.labels import Fit, LabelPosterior
from crowdgold.methods.method import Method, Run, Style
from crowdgold.methods.needs import ORACLE
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.parameters import Settings


def impute(items: Items, rng: np.random.Generator, settings: Settings, run: Run) -> Fit:
    """Labels imputed from the generator's P(Y | V); gold labels are kept."""
    assert items.oracle is not None  # it is a need
    probability = np.where(items.gold == NO_GOLD, items.oracle, items.gold)
    labels = LabelPosterior(run.imputations, lambda draw, predictor, rng: probability)
    return Fit("ORACLE", labels)


METHOD = Method(
    name="ORACLE", title="imputation from the true P(Y | V)", of_items=impute, needs=(ORACLE,),
    style=Style("#993377", "P", "--"),
)  # fmt: skip
