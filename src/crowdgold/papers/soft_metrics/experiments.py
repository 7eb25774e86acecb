"""ChaosNLI's labels and model predictions, scored with every metric (HLV, table B.1).

The true judgements are the shares of the 100 labels. Models are fine-tuned on one label an item, as
the paper's baseline MV is, but on the whole of SNLI or MNLI. Beside them stand predictions that
need no model, the last three drawn from an item's own labels and held against those left:

    majority        all of the probability on the most frequent of the 100 labels
    prevalences     the classes' shares over all items, the same for each
    five labels     the shares of 5 of the labels
    majority of 5   all of the probability on their majority, ties at random
    fifty labels    the shares of 50 of the labels, held against those of the others

How metrics correlate over random judgement distributions (HLV, section 3.3 and table 2).

Rows of P and Q are drawn from symmetric Dirichlet distributions, B matrices of N rows each, and the
metrics' values of the B pairs are correlated. Accuracy, soft accuracy and PO-JSD are means over
rows that are alike, so that their correlation is that of the values of single rows, for any N. The
entropy correlation is close to such a mean: P and Q are independent, so that it is the mean of the
products of their rows' standardised entropies, but for terms of order 1 / N. Thus B N rows give
the correlation that no end of matrices would, hardly with an error, and a table's B matrices fall
in the band that a correlation of B pairs has around it.

How sure is a correlation of a metric with people's scores? On simulated studies of HLV's kind.

A study as in the paper is drawn many times (`crowdgold.simulate.pairwise_choices`), with the scores
that the paper prints for the methods' strengths. Metrics are made whose values have a known
correlation with the strengths, over these methods: the correlation that no end of judgements would
find. What a study finds differs from it because its judgements are few; that the methods are few
as well comes on top, and Fisher's interval of a correlation of so many methods shows it.
"""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtri

from crowdgold.claims.cells import markdown_table
from crowdgold.experiment.check import Check
from crowdgold.metrics.rank_centrality import permutation_test, rank_centrality
from crowdgold.metrics.soft import (
    MULTICLASS,
    UndefinedMetricWarning,
    agreement,
    class_wise,
    correlations,
    divergence,
    normalised_entropy,
    one_hot,
    overlap,
)
from crowdgold.simulate.pairwise_choices import draw_choices
from crowdgold.types.parameters import Above, AtLeast, Between, Each, Range, Settings

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


CHECK_CORRELATIONS = Check(
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


PRIOR = 0.5
"""Wins that both sides of a pair are given, so that a method without a win has a score too."""
SIGNIFICANT = 0.05


@dataclass(frozen=True, kw_only=True)
class MetricStudyParameters(Settings):
    """Simulated studies in which people choose between the results of two methods, and what
    such a study finds of metrics of known quality (HLV, section 6).
    """

    strengths: Annotated[
        object,
        Each(float, Above(0), least=4),
        "The methods' true scores; positive.",
    ]
    judgements: Annotated[int, AtLeast(1), "Judgements of each pair of methods."]
    judges: Annotated[float, AtLeast(1), "Judges of an instance in the mean."]
    instance_sd: Annotated[
        float,
        AtLeast(0),
        "Standard deviation of what an instance does to a pair, in log odds.",
    ]
    undecided: Annotated[
        float,
        Range(least=0, below=1),
        "Probability that a judge selects both or neither.",
    ]
    correlations: Annotated[
        object,
        Each(float, Between(-1, 1), least=2),
        "The metrics' correlations with the strengths.",
    ]
    studies: Annotated[int, AtLeast(2), "Simulated studies."]
    permutations: Annotated[int, AtLeast(19), "Permutations of each test."]
    level: Annotated[float, Above(0, 1), "Level of the interval over the methods."]


def made_metric(strength: np.ndarray, correlation: float, rng: np.random.Generator) -> np.ndarray:
    """Draw values (M,) whose correlation with the strengths (M,) is this, exactly."""
    target = (strength - strength.mean()) / strength.std()
    noise = rng.normal(size=len(strength))
    noise -= noise.mean()
    noise -= target * (noise @ target) / (target @ target)
    return np.asarray(correlation * target + np.sqrt(1 - correlation**2) * noise / noise.std())


def check_metric_study(parameters: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Draw a study, and hold metrics of known correlation against its scores.

    Args:
        parameters: as `MetricStudyParameters` declares them.

    Returns:
        a row for each correlation: the mean and quantiles (2.5 %, 50 %, 97.5 %) of what studies
        find, `significant`, the share of studies in which it is, `scores`, the mean correlation of
        a study's scores with the strengths, `fisher_low` and `fisher_high`, and `ranked_right`, the
        share of studies in which the metric comes out above the one before it.
    """
    p = parameters
    strength = np.array(p["strengths"], dtype=float)
    wanted = sorted(float(r) for r in p["correlations"])
    studies = int(p["studies"])
    design = (
        int(p["judgements"]),
        float(p["judges"]),
        float(p["instance_sd"]),
        float(p["undecided"]),
    )
    found, p_values = np.empty((2, studies, len(wanted)))
    scores = np.empty(studies)
    for study in range(studies):
        choices = draw_choices(strength, *design, rng)
        score = rank_centrality(choices.wins, choices.undecided, prior=PRIOR)
        scores[study] = np.corrcoef(score, strength)[0, 1]
        for position, correlation in enumerate(wanted):
            values = made_metric(strength, correlation, rng)
            r, p_value = permutation_test(values, score, int(p["permutations"]), rng)
            found[study, position], p_values[study, position] = r, p_value
    above = np.full(len(wanted), np.nan)
    above[1:] = (found[:, 1:] > found[:, :-1]).mean(axis=0)
    ends = [fisher_band(r, len(strength), float(p["level"])) for r in wanted]
    low, middle, high = np.quantile(found, [0.025, 0.5, 0.975], axis=0)
    return pd.DataFrame(
        {
            "correlation": wanted,
            "methods": len(strength),
            "studies": studies,
            "mean": found.mean(axis=0),
            "lower": low,
            "median": middle,
            "upper": high,
            "significant": (p_values < SIGNIFICANT).mean(axis=0),
            "ranked_right": above,
            "scores": scores.mean(),
            "fisher_low": [end[0] for end in ends],
            "fisher_high": [end[1] for end in ends],
        }
    )


CHECK_METRIC_STUDY = Check("metric_study", check_metric_study, MetricStudyParameters)


CLASSES = ("e", "n", "c")
CLASS_WISE = {"soft precision": "precision", "soft recall": "recall", "soft F1": "f1"}
"""Metrics of a class -> fields of `metrics.soft.ClassWise`."""
DRAWN = {"five labels": 5, "majority of 5": 5, "fifty labels": 50}


@dataclass(frozen=True, kw_only=True)
class SoftMetricScoresParameters(Settings):
    """ChaosNLI's labels and model predictions scored with every metric."""

    subset: Annotated[Literal["snli", "mnli_m"], "The items."]


class Prediction(NamedTuple):
    """A predictor, its training seed (0 where there is none), and P and Q, (N, K) each."""

    predictor: str
    seed: int
    true: np.ndarray
    predicted: np.ndarray


def model_names(dataset: pd.DataFrame) -> list[tuple[str, int]]:
    """(model, seed) of the predictions of a prepared ChaosNLI table."""
    columns = [str(name) for name in dataset.columns if str(name).endswith(f":{CLASSES[0]}")]
    return [(name.split(":")[0], int(name.split(":")[1])) for name in columns]


def _of_models(dataset: pd.DataFrame, shares: np.ndarray) -> Iterator[Prediction]:
    for model, seed in model_names(dataset):
        columns = [f"{model}:{seed}:{name}" for name in CLASSES]
        predicted = dataset[columns].to_numpy(dtype=float)
        known = np.isfinite(predicted).all(axis=1)
        if known.any():
            # Sources print ten digits; those of a row add to 1 but for rounding.
            rows = predicted[known] / predicted[known].sum(axis=1, keepdims=True)
            yield Prediction(model, seed, shares[known], rows)


def draw_labels(counts: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw some of each item's labels without replacement: (N, K) counts from counts (N, K)."""
    drawn, left = np.zeros_like(counts), np.full(len(counts), size)
    for k in range(counts.shape[1]):
        others = counts[:, k + 1 :].sum(axis=1)
        drawn[:, k] = rng.hypergeometric(counts[:, k], others, left)
        left = left - drawn[:, k]
    return drawn


def _of_labels(counts: np.ndarray, rng: np.random.Generator) -> Iterator[Prediction]:
    total = counts.sum(axis=1, keepdims=True)
    shares = counts / total
    yield Prediction("majority", 0, shares, one_hot(shares))
    yield Prediction("prevalences", 0, shares, np.broadcast_to(shares.mean(axis=0), shares.shape))
    for name, size in DRAWN.items():
        drawn = draw_labels(counts, size, rng)
        left = (counts - drawn) / (total - size)
        ties = rng.random(drawn.shape) / 2
        chosen = one_hot(drawn + ties) if name == "majority of 5" else drawn / size
        yield Prediction(name, 0, left, chosen)


def check_soft_metric_scores(
    parameters: Mapping[str, Any], rng: np.random.Generator, dataset: pd.DataFrame
) -> pd.DataFrame:
    """Score all predictions of a subset of ChaosNLI.

    Args:
        parameters: `subset`, snli or mnli_m.
        rng: draws labels that stand for predictions.
        dataset: the prepared table of ChaosNLI.

    Returns:
        a row for each predictor, seed and metric: `value`, the number of `examples`, and `note`,
        why a value is undefined. Metrics of a class have a row for each `label`; of others the
        label is empty.
    """
    own = dataset[dataset["subset"] == parameters["subset"]]
    counts = own[[f"count_{name}" for name in CLASSES]].to_numpy(dtype=np.int64)
    shares = counts / counts.sum(axis=1, keepdims=True)
    rows = []
    for one in (*_of_models(own, shares), *_of_labels(counts, rng)):
        about = {"predictor": one.predictor, "seed": one.seed, "examples": len(one.true)}
        rows += [about | row for row in _scores(one)]
    return pd.DataFrame(rows)


def _scores(one: Prediction) -> Iterator[dict[str, Any]]:
    """Metric, label, value and note of each score of a prediction."""
    for metric, function in MULTICLASS.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UndefinedMetricWarning)
            value = function(one.true, one.predicted)
        note = "; ".join(str(warning.message) for warning in caught)
        yield {"metric": metric, "label": "", "value": value, "note": note}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UndefinedMetricWarning)
        found = class_wise(one.true, one.predicted)
    note = "; ".join(str(warning.message) for warning in caught)
    for metric, field in CLASS_WISE.items():
        for label, value in zip(CLASSES, getattr(found, field), strict=True):
            yield {"metric": metric, "label": label, "value": float(value), "note": note}


CHECK = Check(
    "soft_metric_scores",
    check_soft_metric_scores,
    SoftMetricScoresParameters,
    dataset=lambda parameters: "chaosnli",
)


LABELS = {"e": "entailment", "n": "neutral", "c": "contradiction"}


def _cell(values: pd.Series) -> str:
    if not np.isfinite(values).any():
        return "undefined"
    mean = f"{values.mean():.3f}"
    return mean if len(values) == 1 else f"{mean} ± {values.std():.3f}"


def score_table(rows: pd.DataFrame, printed: Mapping[str, float] | None = None) -> str:
    """Lay out scores on a subset: a line a predictor, a column for each metric and class.

    Args:
        rows: those of the subset, over all classes or by class.
        printed: the paper's own MV, which then stands last, beside numbers of seeds and examples.
    """
    columns = list(dict.fromkeys(zip(rows["metric"], rows["label"], strict=True)))
    lines = []
    for predictor, own in rows.groupby("predictor", sort=False):
        by = own.groupby(["metric", "label"])["value"]
        sizes = [f"{own['seed'].nunique()}", f"{own['examples'].iloc[0]:,.0f}"]
        cells = [_cell(by.get_group(key)) for key in columns]
        lines.append([str(predictor), *(sizes if printed else []), *cells])
    heads = [f"{metric}, {LABELS[label]}" if label else metric for metric, label in columns]
    if printed is None:
        return markdown_table(["predictor", *heads], lines)
    known = [f"{printed[name]:.3f}" if name in printed else "" for name in heads]
    last = ["printed: MV, RoBERTa", "3", "", *known]
    return markdown_table(["predictor", "seeds", "examples", *heads], [*lines, last])
