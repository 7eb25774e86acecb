"""ORACLE (MAVEN, table 2): imputes from the P(Y | V) of the process that made the data.

No model of the votes alone can do better; what it misses needs the scores.
"""

import numpy as np

from crowdgold.data import NO_GOLD, InputError, Items
from crowdgold.inference.labels import Fit, LabelPosterior


def fit_oracle(items: Items, draws: int) -> Fit:
    """Impute labels from the generator's P(Y | V); gold labels are kept.

    Raises:
        InputError: where the table does not say what P(Y | V) is.
    """
    if items.oracle is None:
        raise InputError("ORACLE needs the column 'oracle', P(Y | V) of a simulated table")
    probability = np.where(items.gold == NO_GOLD, items.oracle, items.gold)
    return Fit("ORACLE", LabelPosterior(draws, lambda draw, predictor, rng: probability))
