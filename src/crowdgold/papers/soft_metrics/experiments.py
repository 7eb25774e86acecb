"""Metrics of judgement distributions: how they correlate over random ones, what studies with people
find of a metric of known quality, and ChaosNLI's labels and predictions scored with every metric
(HLV, sections 3.3 and 6, tables 2 and B.1).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import entr, ndtri, xlogy

from crowdgold.claims.cells import markdown_table
from crowdgold.experiment.computation import Computation
from crowdgold.metrics.rank_centrality import permutation_test, rank_centrality
from crowdgold.metrics.soft import (
    MULTICLASS,
    agreement,
    class_wise,
    correlations,
    divergence,
    normalised_entropy,
    noted,
    one_hot,
    overlap,
)
from crowdgold.simulate.pairwise_choices import draw_choices
from crowdgold.types.parameters import Above, AtLeast, Between, Each, Range, Settings

LETTERS = {"A": "accuracy", "J": "PO-JSD", "E": "entropy correlation", "S": "soft accuracy"}
"""The table's letters, in its order."""


@dataclass(frozen=True, kw_only=True)
class SoftMetricCorrelationsParameters(Settings):
    """Correlations between metrics over random judgement distributions (HLV, table 2), and the
    band that those of so many fresh draws fall into.
    """

    matrices: Annotated[int, AtLeast(10), "Pairs of matrices P and Q."]
    rows: Annotated[int, AtLeast(2), "Examples of a matrix."]
    classes: Annotated[int, AtLeast(2), "Classes."]
    alpha: Annotated[
        float, Above(0), "Parameter of the symmetric Dirichlet distribution of the true rows."
    ]
    beta: Annotated[
        float, Above(0), "Parameter of the symmetric Dirichlet distribution of the predicted rows."
    ]
    printed_matrices: Annotated[int, AtLeast(10), "The pairs behind a printed number."]
    level: Annotated[float, Above(0, 1), "Level of the band."]


def draw_values(
    matrices: int, rows: int, classes: int, alpha: float, beta: float, rng: np.random.Generator
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The metrics of each of so many pairs of random matrices (B,), and of each row (B N,)."""
    values: dict[str, list[float]] = {letter: [] for letter in LETTERS}
    single: dict[str, list[np.ndarray]] = {letter: [] for letter in "AJSPQ"}
    for _ in range(matrices):
        true, predicted = (
            rng.dirichlet(np.full(classes, weight), rows) for weight in (alpha, beta)
        )
        P, Q = normalised_entropy(true), normalised_entropy(predicted)
        # What each row adds to the mean that a metric is.
        of_rows = {
            "A": agreement(true, predicted),
            "J": 1 - divergence(true, predicted),
            "S": overlap(true, predicted),
        }
        for letter, row in of_rows.items():
            values[letter].append(float(row.mean()))
        values["E"].append(float(correlations(P[:, None], Q[:, None])[0]))
        for letter, row in {**of_rows, "P": P, "Q": Q}.items():
            single[letter].append(row)
    joined = {letter: np.concatenate(parts) for letter, parts in single.items()}
    entropies = [joined.pop(letter) for letter in "PQ"]
    joined["E"] = np.prod([(eta - eta.mean()) / eta.std() for eta in entropies], axis=0)
    return {letter: np.array(each) for letter, each in values.items()}, joined


def fisher_band(correlation: float, pairs: int, level: float) -> tuple[float, float]:
    """Where a correlation of so many pairs falls around the true one, or the true one around it."""
    reach = float(ndtri((1 + level) / 2)) / np.sqrt(pairs - 3)
    middle = np.arctanh(correlation)
    return float(np.tanh(middle - reach)), float(np.tanh(middle + reach))


def compute_soft_metric_correlations(
    parameters: Mapping[str, Any], rng: np.random.Generator
) -> pd.DataFrame:
    """Correlate the metrics over random matrices, in one setting of table 2: a row a pair of them.

    Rows of P and Q are drawn from symmetric Dirichlet distributions, B matrices of N rows each.
    `drawn` is the correlation of the metrics' values of the B pairs; `expected`, with its standard
    error, the one that no end of matrices would give, from all B N rows; `low` to `high` the band
    that a correlation of B pairs has around it. Accuracy, soft accuracy and PO-JSD are means over
    rows that are alike, so that their correlation is that of the values of single rows, for any N.
    The entropy correlation is close to such a mean: P and Q are independent, so that it is the mean
    of the products of their rows' standardised entropies, but for terms of order 1 / N.
    """
    p = parameters
    size = int(p["matrices"]), int(p["rows"]), int(p["classes"])
    values, single = draw_values(*size, float(p["alpha"]), float(p["beta"]), rng)
    rows = []
    for first, second in combinations(LETTERS, 2):
        expected = float(np.corrcoef(single[first], single[second])[0, 1])
        low, high = fisher_band(expected, int(p["printed_matrices"]), float(p["level"]))
        rows.append({
            "pair": first + second,
            "drawn": float(np.corrcoef(values[first], values[second])[0, 1]),
            "expected": expected,
            "expected_se": (1 - expected**2) / np.sqrt(len(single[first])),
            "low": low, "high": high, "matrices": size[0], "rows": size[1],
        })  # fmt: skip
    return pd.DataFrame(rows)


COMPUTATION_CORRELATIONS = Computation(
    "soft_metric_correlations", compute_soft_metric_correlations, SoftMetricCorrelationsParameters
)


def entropy_similarity(true: np.ndarray, predicted: np.ndarray) -> float:
    """The cosine of the angle between the rows' entropies (Uma et al., 2021)."""
    P, Q = normalised_entropy(true), normalised_entropy(predicted)
    return float(P @ Q / np.sqrt((P @ P) * (Q @ Q)))


EXCLUDED = {  # section 3.1: each with its sign turned where low is good
    "entropy similarity": entropy_similarity,
    "cross-entropy": lambda P, Q: float(xlogy(P, Q).sum(axis=1).mean()),
    "Kullback-Leibler divergence": lambda P, Q: float((xlogy(P, Q) + entr(P)).sum(axis=1).mean()),
    # Twice the Jensen-Shannon divergence (Foody, 1996, after Higashi and Klir, 1983).
    "information closeness": lambda P, Q: float(-2 * divergence(P, Q).mean()),
    "Jensen-Shannon distance": lambda P, Q: float(1 - np.sqrt(divergence(P, Q)).mean()),
}
"""Metrics that the paper leaves out, since it expects them to correlate highly with one it has."""
KEPT = ("PO-JSD", "entropy correlation")
"""The metrics that these are expected to correlate with."""


def compute_excluded_metrics(
    parameters: Mapping[str, Any], rng: np.random.Generator
) -> pd.DataFrame:
    """How the excluded metrics correlate with those kept, in one setting of table 2.

    Rows: `metric`, `kept`, their correlation `r` over the pairs of random `matrices`, its error
    `r_se`, and the ends `low` and `high` of its interval (Fisher's).
    """
    matrices, rows, classes = (int(parameters[name]) for name in ("matrices", "rows", "classes"))
    weights = [np.full(classes, float(parameters[name])) for name in ("alpha", "beta")]
    values: dict[str, list[float]] = {name: [] for name in (*EXCLUDED, *KEPT)}
    for _ in range(matrices):
        pair = [rng.dirichlet(weight, rows) for weight in weights]
        for name in EXCLUDED:
            values[name].append(EXCLUDED[name](*pair))
        for name in KEPT:
            values[name].append(MULTICLASS[name](*pair))
    found = []
    for name in EXCLUDED:
        for kept in KEPT:
            r = float(np.corrcoef(values[name], values[kept])[0, 1])
            low, high = fisher_band(min(r, 1 - 1e-12), matrices, float(parameters["level"]))
            found.append({
                "metric": name, "kept": kept, "r": r, "r_se": (1 - r**2) / np.sqrt(matrices),
                "low": low, "high": high, "matrices": matrices,
            })  # fmt: skip
    return pd.DataFrame(found)


EXCLUDED_COMPUTATION = Computation(
    "excluded_metrics", compute_excluded_metrics, SoftMetricCorrelationsParameters
)


@dataclass(frozen=True, kw_only=True)
class SoftMetricCurveParameters(Settings):
    """Soft accuracy and PO-JSD of every prediction for one example of two classes."""

    share: Annotated[float, Between(0, 1), "True share of the first class."]
    points: Annotated[int, AtLeast(2), "Predicted shares from 0 to 1."]


def compute_soft_metric_curve(
    parameters: Mapping[str, Any], rng: np.random.Generator
) -> pd.DataFrame:
    """Both metrics of every prediction of a judgement distribution over two classes."""
    share = float(parameters["share"])
    predicted = np.linspace(0, 1, int(parameters["points"]))
    Q = np.stack([predicted, 1 - predicted], axis=1)
    P = np.broadcast_to([share, 1 - share], Q.shape)
    values = {"soft_accuracy": overlap(P, Q), "po_jsd": 1 - divergence(P, Q)}
    return pd.DataFrame({"share": share, "predicted": predicted, **values})


CURVE_CHECK = Computation("soft_metric_curve", compute_soft_metric_curve, SoftMetricCurveParameters)


@dataclass(frozen=True, kw_only=True)
class MetricStudyParameters(Settings):
    """Simulated studies in which people choose between the results of two methods, and what
    such a study finds of metrics of known quality (HLV, section 6).
    """

    strengths: Annotated[
        object, Each(float, Above(0), least=4), "The methods' true scores; positive."
    ]
    judgements: Annotated[int, AtLeast(1), "Judgements of each pair of methods."]
    judges: Annotated[float, AtLeast(1), "Judges of an instance in the mean."]
    instance_sd: Annotated[
        float, AtLeast(0), "Standard deviation of what an instance does to a pair, in log odds."
    ]
    undecided: Annotated[
        float, Range(least=0, below=1), "Probability that a judge selects both or neither."
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


def compute_metric_study(parameters: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """How sure a correlation of a metric with people's scores is: a row for each true correlation.

    A study as in the paper is drawn many times (`crowdgold.simulate.pairwise_choices`), with the
    scores that the paper prints for the methods' strengths. Metrics are made whose values have a
    known correlation with the strengths: the one that no end of judgements would find. What studies
    find, its mean and quantiles (2.5 %, 50 %, 97.5 %), differs from it because judgements are few;
    that the methods are few as well comes on top, and Fisher's interval of a correlation of so many
    shows it. `significant` is the share of studies in which p is below 5 %, `scores` the mean
    correlation of a study's scores with the strengths, `ranked_right` the share of studies in which
    the metric comes out above the one before it.
    """
    p = parameters
    strength = np.array(p["strengths"], dtype=float)
    wanted = sorted(float(r) for r in p["correlations"])
    studies = int(p["studies"])
    design = (
        int(p["judgements"]), float(p["judges"]), float(p["instance_sd"]), float(p["undecided"]),
    )  # fmt: skip
    correlation, p_values = np.empty((2, studies, len(wanted)))
    scores = np.empty(studies)
    for study in range(studies):
        choices = draw_choices(strength, *design, rng)
        # Half a win for both sides of a pair, so that a method without a win has a score too.
        score = rank_centrality(choices.wins, choices.undecided, prior=0.5)
        scores[study] = np.corrcoef(score, strength)[0, 1]
        for position, true in enumerate(wanted):
            values = made_metric(strength, true, rng)
            r, p_value = permutation_test(values, score, int(p["permutations"]), rng)
            correlation[study, position], p_values[study, position] = r, p_value
    above = np.full(len(wanted), np.nan)
    above[1:] = (correlation[:, 1:] > correlation[:, :-1]).mean(axis=0)
    ends = [fisher_band(r, len(strength), float(p["level"])) for r in wanted]
    low, middle, high = np.quantile(correlation, [0.025, 0.5, 0.975], axis=0)
    return pd.DataFrame({
        "correlation": wanted, "methods": len(strength), "studies": studies,
        "mean": correlation.mean(axis=0), "lower": low, "median": middle, "upper": high,
        "significant": (p_values < 0.05).mean(axis=0), "ranked_right": above,
        "scores": scores.mean(), "fisher_low": [end[0] for end in ends],
        "fisher_high": [end[1] for end in ends],
    })  # fmt: skip


COMPUTATION_METRIC_STUDY = Computation("metric_study", compute_metric_study, MetricStudyParameters)


CLASSES = ("e", "n", "c")


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


def draw_labels(counts: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw some of each item's labels without replacement: (N, K) counts from counts (N, K)."""
    drawn, left = np.zeros_like(counts), np.full(len(counts), size)
    for k in range(counts.shape[1]):
        others = counts[:, k + 1 :].sum(axis=1)
        drawn[:, k] = rng.hypergeometric(counts[:, k], others, left)
        left = left - drawn[:, k]
    return drawn


def _predictions(
    dataset: pd.DataFrame, counts: np.ndarray, rng: np.random.Generator
) -> Iterator[Prediction]:
    """Those of models, fine-tuned on one label an item, as the paper's baseline MV is, but on the
    whole of SNLI or MNLI; and those that need no model, the last three drawn from an item's own
    labels and held against those left:

    majority        all of the probability on the most frequent of the 100 labels
    prevalences     the classes' shares over all items, the same for each
    five labels     the shares of 5 of the labels
    majority of 5   all of the probability on their majority, ties at random
    fifty labels    the shares of 50 of the labels, held against those of the others
    """
    total = counts.sum(axis=1, keepdims=True)
    shares = counts / total
    for model, seed in model_names(dataset):
        columns = [f"{model}:{seed}:{name}" for name in CLASSES]
        predicted = dataset[columns].to_numpy(dtype=float)
        known = np.isfinite(predicted).all(axis=1)
        if known.any():
            # Sources print ten digits; those of a row add to 1 but for rounding.
            rows = predicted[known] / predicted[known].sum(axis=1, keepdims=True)
            yield Prediction(model, seed, shares[known], rows)
    yield Prediction("majority", 0, shares, one_hot(shares))
    yield Prediction("prevalences", 0, shares, np.broadcast_to(shares.mean(axis=0), shares.shape))
    for name, size in (("five labels", 5), ("majority of 5", 5), ("fifty labels", 50)):
        drawn = draw_labels(counts, size, rng)
        left = (counts - drawn) / (total - size)
        ties = rng.random(drawn.shape) / 2
        chosen = one_hot(drawn + ties) if name == "majority of 5" else drawn / size
        yield Prediction(name, 0, left, chosen)


def compute_soft_metric_scores(
    parameters: Mapping[str, Any], rng: np.random.Generator, dataset: pd.DataFrame
) -> pd.DataFrame:
    """Score all predictions of a subset of ChaosNLI: a row for each predictor, seed and metric.

    The `note` says why a value is undefined; metrics of a class have a row for each `label`, which
    is empty for others.
    """
    own = dataset[dataset["subset"] == parameters["subset"]]
    counts = own[[f"count_{name}" for name in CLASSES]].to_numpy(dtype=np.int64)
    rows: list[dict[str, Any]] = []
    for one in _predictions(own, counts, rng):
        about = {"predictor": one.predictor, "seed": one.seed, "examples": len(one.true)}
        for metric, function in MULTICLASS.items():
            value, note = noted(function, one.true, one.predicted)
            rows.append(about | {"metric": metric, "label": "", "value": value, "note": note})
        of_classes, note = noted(class_wise, one.true, one.predicted)
        for metric, values in (
            ("soft precision", of_classes.precision), ("soft recall", of_classes.recall),
            ("soft F1", of_classes.f1),
        ):  # fmt: skip
            rows += [
                about | {"metric": metric, "label": label, "value": float(value), "note": note}
                for label, value in zip(CLASSES, values, strict=True)
            ]
    return pd.DataFrame(rows)


COMPUTATION = Computation(
    "soft_metric_scores",
    compute_soft_metric_scores,
    SoftMetricScoresParameters,
    dataset=lambda parameters: "chaosnli",
)


def score_table(rows: pd.DataFrame, printed: Mapping[str, float] | None = None) -> str:
    """Scores on a subset, over all classes or by class: a line a predictor, a column for each
    metric and class.

    The paper's own MV, where `printed`, stands last, beside numbers of seeds and examples.
    """
    columns = list(dict.fromkeys(zip(rows["metric"], rows["label"], strict=True)))
    lines = []
    for predictor, own in rows.groupby("predictor", sort=False):
        by, cells = own.groupby(["metric", "label"])["value"], []
        for key in columns:
            values = by.get_group(key)
            spread = f" ± {values.std():.3f}" if len(values) > 1 else ""
            known = np.isfinite(values).any()
            cells.append(f"{values.mean():.3f}{spread}" if known else "undefined")
        sizes = [f"{own['seed'].nunique()}", f"{own['examples'].iloc[0]:,.0f}"]
        lines.append([str(predictor), *(sizes if printed else []), *cells])
    labels = {"e": "entailment", "n": "neutral", "c": "contradiction"}
    heads = [f"{metric}, {labels[label]}" if label else metric for metric, label in columns]
    if printed is None:
        return markdown_table(["predictor", *heads], lines)
    last = [f"{printed[name]:.3f}" if name in printed else "" for name in heads]
    lines.append(["printed: MV, RoBERTa", "3", "", *last])
    return markdown_table(["predictor", "seeds", "examples", *heads], lines)
