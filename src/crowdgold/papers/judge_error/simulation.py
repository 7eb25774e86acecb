"""The published simulation of judges' errors, as it should be and with its code's two slips.

The post ends with the R code of its simulation. Its false positives are `rbinom(1, n - n.pos,
...)`, one number shared by all simulations, in place of one for each: the naive mean is then p q+
plus that number over n, and not what the judges find in the mean. Its variance has the true q+ in
place of its estimate. Variants:

    exact          as the text describes it
    shared draw    one number of false positives for all
    true quality   the true q+ in the last term of the variance
    published      both slips

`false_positives` fixes the shared number, which follows from the printed results. Another,
`judge_error_formula`, draws nothing: the corrected rate against the rate that judges find (judge
error, "The first formula"). `graded_judgements` simulates ratings of relevance and DCG, to which
the post extends its formulas in words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from crowdgold.experiment.computation import Computation
from crowdgold.methods.judge_error import ROGAN_GLADEN
from crowdgold.models.graded_judgements import correct_gain, discounts, grade_weights
from crowdgold.models.judge_error import (
    JudgementCounts,
    correct_rate,
    corrected_rate,
    corrected_variance,
)
from crowdgold.simulate.design import Prevalence
from crowdgold.simulate.judge_error import JudgesTNR, JudgesTPR, read_quality
from crowdgold.types.parameters import Above, AtLeast, Between, Given, Json, Settings


@dataclass(frozen=True, kw_only=True)
class JudgeErrorFormulaParameters(Settings):
    """The corrected rate and its standard error against the rate that judges find."""

    quality: Annotated[
        object,
        Json({"type": "string", "pattern": "^[0-9.]+-[0-9.]+$"}),
        "The judges' TPR and TNR as text, `0.9-0.95`.",
    ]
    n: Annotated[int, AtLeast(1), "Judged items."]
    n_gold: Annotated[int, AtLeast(1), "Gold labels of each class."]
    points: Annotated[int, AtLeast(2), "True rates from 0 to 1."]


def compute_judge_error_formula(
    parameters: Mapping[str, Any], rng: np.random.Generator
) -> pd.DataFrame:
    """The corrected rate and its standard error for judges of one quality.

    A row for each true rate: `rate`, what judges then find, `judged_rate`, what the formula makes
    of it, `corrected`, and its standard error `error`; `naive_error` is that of the judged rate.
    """
    tpr, tnr = read_quality(str(parameters["quality"]))
    n, n_gold = int(parameters["n"]), int(parameters["n_gold"])
    rate = np.linspace(0, 1, int(parameters["points"]))
    judged = rate * tpr + (1 - rate) * (1 - tnr)
    variance = np.asarray(corrected_variance(judged, tpr, tnr, n, n_gold, n_gold))
    return pd.DataFrame(
        {"tpr": tpr, "tnr": tnr, "rate": rate, "judged_rate": judged,
         "corrected": corrected_rate(judged, tpr, tnr), "error": np.sqrt(variance),
         "naive_error": np.sqrt(judged * (1 - judged) / n)}
    )  # fmt: skip


FORMULA_COMPUTATION = Computation(
    "judge_error_formula", compute_judge_error_formula, JudgeErrorFormulaParameters
)


EXACT, SHARED, TRUE_QUALITY, PUBLISHED = VARIANTS = (
    "exact", "shared_draw", "true_quality", "published",
)  # fmt: skip
NAIVE, CORRECTED = "naive", ROGAN_GLADEN.name
BIN = 0.005
"""The width of the histogram's bins."""
Z = 1.96
"""Standard errors on each side of an error bar, as in the published code."""


@dataclass(frozen=True, kw_only=True)
class JudgeErrorSimulationParameters(Settings):
    """The simulation of the judge-error post, as described and with the slips of its published
    code.
    """

    n: Annotated[int, AtLeast(1), "Judged items."]
    prevalence: Prevalence
    tpr: JudgesTPR
    tnr: JudgesTNR
    gold_positives: Annotated[int, AtLeast(1), "Gold positives."]
    gold_negatives: Annotated[int, AtLeast(1), "Gold negatives."]
    simulations: Annotated[int, AtLeast(1), "Simulations of a run."]
    variant: Annotated[
        Literal["exact", "shared_draw", "true_quality", "published"],
        "`exact`; `shared_draw`, one number of false positives for all simulations; "
        "`true_quality`, the true q+ in the variance; `published`, both.",
    ]
    false_positives: Annotated[
        int,
        AtLeast(0),
        "The shared number of false positives; drawn where not given.",
    ]


class Truth(NamedTuple):
    """What is simulated, by the published code's names without their dots."""

    prevalence: float
    tpr: float
    tnr: float
    n: int
    gold_positives: int
    gold_negatives: int


def _counts(
    truth: Truth, size: int, shared: bool, fixed: int | None, rng: np.random.Generator
) -> JudgementCounts:
    """`size` simulated counts; the false positives are one `shared` number, `fixed` if not None."""
    positives = rng.binomial(truth.n, truth.prevalence, size)
    right_positive = rng.binomial(truth.gold_positives, truth.tpr, size)
    right_negative = rng.binomial(truth.gold_negatives, truth.tnr, size)
    true_positives = rng.binomial(positives, truth.tpr)
    negatives = truth.n - positives
    if shared:
        # R's rbinom(1, ...) takes the first of the sizes that it is given.
        false_positives = rng.binomial(negatives[0], 1 - truth.tnr) if fixed is None else fixed
    else:
        false_positives = rng.binomial(negatives, 1 - truth.tnr)
    return JudgementCounts(
        true_positives + false_positives, np.full(size, truth.n),
        right_positive, truth.gold_positives - right_positive,
        right_negative, truth.gold_negatives - right_negative,
    )  # fmt: skip


def _with_true_quality(counts: JudgementCounts, tpr: float) -> np.ndarray:
    """The standard error with the true q+ in (p_J - q+)^2 / D^4 of the printed variance."""
    judged_rate = np.asarray(counts.positive / counts.judged)
    q_pos = np.asarray(counts.true_positives / counts.gold_positives)
    q_neg = np.asarray(counts.true_negatives / counts.gold_negatives)
    sizes = counts.judged, counts.gold_positives, counts.gold_negatives
    variance = corrected_variance(judged_rate, q_pos, q_neg, *sizes)
    spread = q_neg * (1 - q_neg) / counts.gold_negatives / (q_pos + q_neg - 1) ** 4
    difference = (judged_rate - tpr) ** 2 - (judged_rate - q_pos) ** 2
    return np.sqrt(np.asarray(variance) + spread * difference)


def simulate_estimates(
    truth: Truth, variant: str, size: int, fixed: int | None, rng: np.random.Generator
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Draw simulations of a variant, and give estimates and their standard errors, (size,) each.

    `fixed` is the shared number of false positives; drawn where it is None.
    """
    counts = _counts(truth, size, variant in (SHARED, PUBLISHED), fixed, rng)
    corrected = correct_rate(counts, interval="paper", outside="keep")
    naive = np.asarray(corrected.judged_rate)
    error = np.asarray(corrected.standard_error)
    if variant in (TRUE_QUALITY, PUBLISHED):
        error = _with_true_quality(counts, truth.tpr)
    naive_error = np.sqrt(naive * (1 - naive) / truth.n)
    return {NAIVE: (naive, naive_error), CORRECTED: (np.asarray(corrected.estimate), error)}


def compute_judge_error_simulation(
    parameters: Mapping[str, Any], rng: np.random.Generator
) -> pd.DataFrame:
    """Run the simulation once, in one variant.

    Rows `estimator`, `quantity`, `low` and `value`: of each estimator the mean, sd, MSE, coverage
    and mean reach of its error bars, and its histogram, "bin" from `low` on.
    """
    truth = Truth(**{name: parameters[name] for name in Truth._fields})
    size, fixed = int(parameters["simulations"]), parameters.get("false_positives")
    estimates = simulate_estimates(truth, str(parameters["variant"]), size, fixed, rng)
    rows: list[dict[str, Any]] = []
    for estimator, (estimate, error) in estimates.items():
        distance = estimate - truth.prevalence
        summary = {
            "mean": float(estimate.mean()),
            "sd": float(estimate.std()),
            "mse": float((distance**2).mean()),
            "coverage": float((np.abs(distance) < Z * error).mean()),
            "reach": float(Z * error.mean()),
        }
        rows += [
            {"estimator": estimator, "quantity": quantity, "low": np.nan, "value": value}
            for quantity, value in summary.items()
        ]
        # Shares of n are bin edges too; half a step keeps rounding from deciding.
        place = np.floor((estimate + BIN / 10) / BIN).astype(int)
        bins, count = np.unique(place, return_counts=True)
        for low, value in zip(bins * BIN, count / size, strict=True):
            rows.append({"estimator": estimator, "quantity": "bin", "low": low, "value": value})
    return pd.DataFrame(rows)


COMPUTATION = Computation(
    "judge_error_simulation", compute_judge_error_simulation, JudgeErrorSimulationParameters
)


@dataclass(frozen=True, kw_only=True)
class GradedJudgementsParameters(Settings):
    """Lists of documents whose relevance judges grade with errors: shares of grades, mean gain and
    DCG, as the grades stand and corrected.
    """

    queries: Annotated[int, AtLeast(2), "Judged lists, of a query each."]
    documents: Annotated[int, AtLeast(1), "Documents in a list."]
    grades: Annotated[int, AtLeast(2), "Grades of relevance, from 0; grade k has the gain 2^k - 1."]
    gold: Annotated[int, AtLeast(2), "Gold items of each grade, of other lists."]
    right: Annotated[float, Above(0, 1), "The judges' probability of the right grade."]
    lenient: Annotated[
        float, Between(0, 1), "The share of wrong grades that are one too high, the others too low."
    ]
    simulations: Annotated[int, AtLeast(2), "Simulated studies."]


QUERIES_OF_TRUTH = 400_000
"""Simulated lists whose mean is taken for the truth: its error is far below a study's."""


def confusion_of(grades: int, right: float, lenient: float) -> np.ndarray:
    """The chances (K, K) of judged grades given true ones: errors are one grade off."""
    confusion = np.eye(grades) * right
    for grade in range(grades):
        up = lenient if 0 < grade < grades - 1 else float(grade == 0)
        for other, share in ((grade + 1, up), (grade - 1, 1 - up)):
            if 0 <= other < grades:
                confusion[grade, other] = (1 - right) * share
    return confusion


def draw_grades(queries: int, documents: int, grades: int, rng: np.random.Generator) -> np.ndarray:
    """True grades (Q, L). Each query has rates of its own, and better documents rank higher."""
    common = 0.6 ** np.arange(grades)
    rates = rng.dirichlet(6 * common / common.sum(), queries)[:, None, :]
    tilt = np.exp(np.linspace(0.4, -0.4, documents))[None, :, None] ** np.arange(grades)
    return _drawn(rates * tilt, rng)


def _drawn(weight: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Categories drawn by weights along the last axis."""
    below = weight.cumsum(axis=-1)
    chosen = rng.random((*below.shape[:-1], 1)) * below[..., -1:]
    return np.asarray((below < chosen).sum(axis=-1))


def compute_graded_judgements(
    parameters: Mapping[str, Any], rng: np.random.Generator
) -> pd.DataFrame:
    """Bias and coverage of quantities of graded lists, over simulated studies.

    Rows: `quantity` (the share of the highest grade, the mean gain, DCG), `estimator` (naive,
    corrected), `truth`, `bias` and `coverage` with their Monte Carlo errors `bias_se` and
    `coverage_se`, the mean `width` of intervals, and `simulations`.
    """
    given = Given("computation graded_judgements", parameters, GradedJudgementsParameters)
    given.check_names()
    queries, documents, grades, gold, size = (
        given.whole(name) for name in ("queries", "documents", "grades", "gold", "simulations")
    )
    confusion = confusion_of(grades, given.real("right"), given.real("lenient"))
    gains, even = 2.0 ** np.arange(grades) - 1, np.full(documents, 1 / documents)
    quantities = {
        "share of the highest grade": (even, np.eye(grades)[-1]),
        "mean gain": (even, gains),
        "DCG": (discounts(documents), gains),
    }
    lists = draw_grades(QUERIES_OF_TRUTH, documents, grades, rng)
    truth = {
        name: float(weights @ own[lists].mean(axis=0))
        for name, (weights, own) in quantities.items()
    }
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}  # estimate, half its interval
    for _ in range(size):
        judged = _drawn(confusion[draw_grades(queries, documents, grades, rng)], rng)
        labels = rng.multinomial(gold, confusion)
        for name, (weights, own) in quantities.items():
            one = correct_gain(grade_weights(judged, weights, grades), labels, own)
            found.setdefault((name, NAIVE), []).append((one.judged, Z * one.judged_error))
            reach = (one.upper - one.lower) / 2
            found.setdefault((name, "corrected"), []).append((one.estimate, reach))
    rows = []
    for (name, estimator), pairs in found.items():
        estimate, half = np.array(pairs).T
        off = estimate - truth[name]
        covered = float((np.abs(off) <= half).mean())
        rows.append({
            "quantity": name, "estimator": estimator, "truth": truth[name],
            "bias": float(off.mean()), "bias_se": float(off.std(ddof=1) / np.sqrt(size)),
            "coverage": covered, "coverage_se": float(np.sqrt(covered * (1 - covered) / size)),
            "width": float(2 * half.mean()), "simulations": size,
        })  # fmt: skip
    return pd.DataFrame(rows)


GRADED_COMPUTATION = Computation(
    "graded_judgements", compute_graded_judgements, GradedJudgementsParameters
)
