"""Soft accuracy and PO-JSD of one prediction after the other (HLV, section 3.3 and figure 1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from crowdgold.declared import AtLeast, Between, Settings
from crowdgold.experiments.check import Check
from crowdgold.metrics.judgements import divergence
from crowdgold.metrics.soft import overlap


@dataclass(frozen=True, kw_only=True)
class SoftMetricCurveParameters(Settings):
    """Soft accuracy and PO-JSD of every prediction for one example of two classes."""

    share: Annotated[float, Between(0, 1), "True share of the first class."]
    points: Annotated[int, AtLeast(2), "Predicted shares from 0 to 1."]


def check_soft_metric_curve(
    parameters: Mapping[str, Any], rng: np.random.Generator
) -> pd.DataFrame:
    """Both metrics of every prediction of a judgement distribution over two classes.

    Args:
        parameters: as `SoftMetricCurveParameters` declares them.
        rng: not used; nothing is drawn.

    Returns:
        a row for each predicted share: `predicted`, `soft_accuracy` and `po_jsd`.
    """
    share = float(parameters["share"])
    predicted = np.linspace(0, 1, int(parameters["points"]))
    Q = np.stack([predicted, 1 - predicted], axis=1)
    P = np.broadcast_to([share, 1 - share], Q.shape)
    values = {"soft_accuracy": overlap(P, Q), "po_jsd": 1 - divergence(P, Q)}
    return pd.DataFrame({"share": share, "predicted": predicted, **values})


CHECK = Check("soft_metric_curve", check_soft_metric_curve, SoftMetricCurveParameters)
