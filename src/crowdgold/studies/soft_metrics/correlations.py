"""How metrics correlate over random judgement distributions (HLV, section 3.3 and table 2).

Rows of P and Q are drawn from symmetric Dirichlet distributions, B matrices of N rows each, and the
metrics' values of the B pairs are correlated. Accuracy, soft accuracy and PO-JSD are means over
rows that are alike, so that their correlation is that of the values of single rows, for any N. The
entropy correlation is close to such a mean: P and Q are independent, so that it is the mean of the
products of their rows' standardised entropies, but for terms of order 1 / N. Thus B N rows give
the correlation that no end of matrices would, hardly with an error, and a table's B matrices fall
in the band that a correlation of B pairs has around it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from crowdgold.declared import Above, AtLeast, Between, Settings
from crowdgold.experiments.check import Check
from crowdgold.metrics.judgements import correlations, divergence, normalised_entropy
from crowdgold.metrics.soft import agreement, overlap

LETTERS = {"A": "accuracy", "J": "PO-JSD", "E": "entropy correlation", "S": "soft accuracy"}
"""The table's letters, in its order."""
PAIRS = tuple("".join(pair) for pair in combinations(LETTERS, 2))


@dataclass(frozen=True, kw_only=True)
class SoftMetricCorrelationsParameters(Settings):
    """Correlations between metrics over random judgement distributions (HLV, table 2), and the
    band that those of so many fresh draws fall into.
    """

    matrices: Annotated[int, AtLeast(10), "Pairs of matrices P and Q."]
    rows: Annotated[int, AtLeast(2), "Examples of a matrix."]
    classes: Annotated[int, AtLeast(2), "Classes."]
    alpha: Annotated[
        float,
        Above(0),
        "Parameter of the symmetric Dirichlet distribution of the true rows.",
    ]
    beta: Annotated[
        float,
        Above(0),
        "Parameter of the symmetric Dirichlet distribution of the predicted rows.",
    ]
    printed_matrices: Annotated[int, AtLeast(10), "The pairs behind a printed number."]
    level: Annotated[float, Above(0, 1), "Level of the band."]


def row_values(true: np.ndarray, predicted: np.ndarray) -> dict[str, np.ndarray]:
    """What each row (N,) adds to the mean that a metric is."""
    return {
        "A": agreement(true, predicted),
        "J": 1 - divergence(true, predicted),
        "S": overlap(true, predicted),
    }


def draw_values(
    matrices: int, rows: int, classes: int, alpha: float, beta: float, rng: np.random.Generator
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Draw matrices and give the metrics of each (B,), and of each row (B N,)."""
    values: dict[str, list[float]] = {letter: [] for letter in LETTERS}
    single: dict[str, list[np.ndarray]] = {letter: [] for letter in (*"AJS", "P", "Q")}
    for _ in range(matrices):
        true, predicted = (
            rng.dirichlet(np.full(classes, weight), rows) for weight in (alpha, beta)
        )
        eta = normalised_entropy(true), normalised_entropy(predicted)
        of_rows = row_values(true, predicted)
        for letter, found in of_rows.items():
            values[letter].append(float(found.mean()))
        values["E"].append(float(correlations(eta[0][:, None], eta[1][:, None])[0]))
        for letter, found in {**of_rows, "P": eta[0], "Q": eta[1]}.items():
            single[letter].append(found)
    joined = {letter: np.concatenate(parts) for letter, parts in single.items()}
    entropies = [joined.pop(letter) for letter in "PQ"]
    joined["E"] = np.prod([(eta - eta.mean()) / eta.std() for eta in entropies], axis=0)
    return {letter: np.array(found) for letter, found in values.items()}, joined


def fisher_band(correlation: float, pairs: int, level: float) -> tuple[float, float]:
    """Where a correlation of so many pairs falls around the true one, or the true one around it."""
    reach = float(ndtri((1 + level) / 2)) / np.sqrt(pairs - 3)
    middle = np.arctanh(correlation)
    return float(np.tanh(middle - reach)), float(np.tanh(middle + reach))


def check_soft_metric_correlations(
    parameters: Mapping[str, Any], rng: np.random.Generator
) -> pd.DataFrame:
    """Correlate the metrics over random matrices, in one setting of table 2.

    Args:
        parameters: as `SoftMetricCorrelationsParameters` declares them.

    Returns:
        a row for each pair of metrics: `pair`; `drawn`, the correlation over the B matrices;
        `expected`, that of single rows, with its standard error `expected_se`; the band `low` to
        `high`.
    """
    p = parameters
    size = int(p["matrices"]), int(p["rows"]), int(p["classes"])
    values, single = draw_values(*size, float(p["alpha"]), float(p["beta"]), rng)
    found = []
    for pair in PAIRS:
        first, second = pair[0], pair[1]
        expected = float(np.corrcoef(single[first], single[second])[0, 1])
        low, high = fisher_band(expected, int(p["printed_matrices"]), float(p["level"]))
        found.append(
            {
                "pair": pair,
                "drawn": float(np.corrcoef(values[first], values[second])[0, 1]),
                "expected": expected,
                "expected_se": (1 - expected**2) / np.sqrt(len(single[first])),
                "low": low,
                "high": high,
                "matrices": size[0],
                "rows": size[1],
            }
        )
    return pd.DataFrame(found)


CHECK = Check(
    "soft_metric_correlations", check_soft_metric_correlations, SoftMetricCorrelationsParameters
)


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


CURVE_CHECK = Check("soft_metric_curve", check_soft_metric_curve, SoftMetricCurveParameters)
