"""Checks of MAVEN's parts: how long its nested fits must be (section 3.3, footnote 5: "b = 10 was
enough"), how well ranks stand for raw scores (appendix A, figure 6), how far estimated
precision-recall curves are from exact ones (figure 7), where the bias of MAVEN-C comes from
(sections 3.1 to 3.3), and what shared imputed labels change for the difference of two models.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from scipy.signal import find_peaks
from scipy.special import logit
from scipy.stats import gaussian_kde, ks_2samp

from crowdgold.experiment.computation import Computation
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.labels import LabelPosterior, evaluate
from crowdgold.inference.rectified import ITEMS as RECTIFIED_ITEMS
from crowdgold.methods.maven import CALIBRATED as CALIBRATED_MAVEN
from crowdgold.methods.maven import FREE_SD, PUBLISHED, MavenSettings, fit_maven, summarise_ranking
from crowdgold.methods.method import Run
from crowdgold.methods.votes_and_gold import GOLD_ALONE
from crowdgold.metrics.binary import parse_metric, true_value
from crowdgold.metrics.metric import LabelMass, RankedItems
from crowdgold.models.exact_cut import ScoreDraws, sample_exact_cut
from crowdgold.models.nested_cut import sample_nested_cut
from crowdgold.models.stan import SamplerSettings, StanModels, spread_draws
from crowdgold.models.utility import tabulate_utility
from crowdgold.models.vote_sets import VoteParameters, find_vote_sets, fit_votes
from crowdgold.simulate import simulate
from crowdgold.simulate.design import Predictor, PredictorGiven, draw_scores
from crowdgold.simulate.irt import draw_irt
from crowdgold.simulate.maven import VotesGiven, draw_labels, draw_maven
from crowdgold.simulate.score_shapes import ShapeGiven, read_shape
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.parameters import LEVEL, Above, AtLeast, Each, Given, Json, Settings, unknown

EXACT_AGAIN = 0
"""The length of the rows that compare the exact cut with itself."""
PRINTED = MavenSettings.nested_iterations
"""The length that the paper prints."""
FAR = 5.0
"""Deviations from the exact cut's median beyond which a draw is in a tail."""


@dataclass(frozen=True, kw_only=True)
class NestedLengthsParameters(Settings):
    """Nested fits of several lengths against the exact cut, given the same draws of the vote
    model.
    """

    simulator: Annotated[object, Json({"type": "string"}), "The process of the study."]
    study: Annotated[
        object,
        Json({"type": "object", "additionalProperties": {}}),
        "Its parameters; the first predictor is used.",
    ]
    lengths: Annotated[object, Each(int, AtLeast(1)), "Iterations of the nested fits."]
    chains: Annotated[int, AtLeast(2), "Chains of the vote model and of the pilot fit."]
    warmup: Annotated[int, AtLeast(1), "Iterations of each chain that are thrown away."]
    draws: Annotated[int, AtLeast(1), "Iterations of each chain that are kept."]
    vote_draws: Annotated[
        int, AtLeast(2), "Draws of the vote model that (mu and delta) are drawn for."
    ]


def _spread(values: np.ndarray) -> float:
    """The interquartile range as a normal's standard deviation, so that tails hardly count."""
    return float(np.subtract(*np.quantile(values, [0.75, 0.25])) / 1.349)


def modes(values: np.ndarray) -> int:
    """How many modes draws have, by a kernel density with Scott's bandwidth, without their tails.

    A peak counts whose prominence is at least a tenth of the highest density.
    """
    low, high = np.quantile(values, [0.005, 0.995])
    inner = values[(values >= low) & (values <= high)]
    if np.ptp(inner) == 0:
        return 1
    grid = np.linspace(low - (high - low) / 4, high + (high - low) / 4, 400)
    density = gaussian_kde(inner)(grid)
    return len(find_peaks(density, prominence=0.1 * density.max())[0])


def compare(draws: ScoreDraws, exact: ScoreDraws) -> list[dict[str, Any]]:
    """How far draws lie from those of the exact cut: a row for log mu and one for delta.

    `distance` is the largest difference of their distribution functions (Kolmogorov and Smirnov),
    `shift` that of their medians in deviations of the exact cut's, `spread` the ratio of their
    deviations. `modes` and `far` are how many modes the draws have and the share of them in tails
    (`FAR`), with those of the exact cut beside them.
    """
    rows = []
    for name, own, other in (
        ("log mu", np.log(draws.mu), np.log(exact.mu)), ("delta", draws.delta, exact.delta),
    ):  # fmt: skip
        centre, spread = np.median(other), _spread(other)
        far, exact_far = (float((np.abs(x - centre) > FAR * spread).mean()) for x in (own, other))
        rows.append({
            "quantity": name, "distance": float(ks_2samp(own, other).statistic),
            "shift": float(np.median(own) - centre) / spread, "spread": _spread(own) / spread,
            "modes": modes(own), "exact_modes": modes(other), "far": far, "exact_far": exact_far,
        })  # fmt: skip
    return rows


def compute_nested_lengths(
    parameters: Mapping[str, Any], rng: np.random.Generator, stan: StanModels
) -> pd.DataFrame:
    """Compare nested fits of several lengths with the exact cut, in one simulated study.

    (mu, delta) comes twice from the exact cut: the second (length `EXACT_AGAIN`) says what chance
    alone makes of such a comparison. Rows are those of `compare`, with the `seconds` of each way
    and `failures`, draws that are not to be trusted.
    """
    given = Given("computation nested_lengths", parameters, NestedLengthsParameters)
    given.check_names()
    sampler = SamplerSettings(**{name: given.whole(name) for name in ("chains", "warmup", "draws")})
    items = simulate(parameters["simulator"], parameters["study"], rng).table
    sets, settings = find_vote_sets(items), MavenSettings()
    ranking = summarise_ranking(items.ranking(items.predictors[0]), sets, settings)
    vote_rng, exact_rng, *others = rng.spawn(3 + len(parameters["lengths"]))
    fit = fit_votes("vote", sets, vote_rng, stan, sampler, settings.phi_prior)
    wanted = given.whole("vote_draws")
    vote = fit.parameters.select(spread_draws(len(fit.parameters), wanted))
    exact = sample_exact_cut(ranking, sets, vote, exact_rng)
    rows = []
    for length, own_rng in zip([EXACT_AGAIN, *parameters["lengths"]], others, strict=True):
        start, passed = time.perf_counter(), True
        if length == EXACT_AGAIN:
            draws = sample_exact_cut(ranking, sets, vote, own_rng)
        else:
            draws, pilot = sample_nested_cut(ranking, sets, vote, own_rng, stan, sampler, length, 1)
            passed = pilot.passed
        known = {
            "length": length, "seconds": time.perf_counter() - start,
            "failures": int(draws.failures), "exact_failures": int(exact.failures),
            "diagnostics_passed": passed and fit.diagnostics.passed,
        }  # fmt: skip
        rows += [{**known, **row} for row in compare(draws, exact)]
    return pd.DataFrame(rows)


@dataclass(frozen=True, kw_only=True)
class OrderStatisticsParameters(PredictorGiven, VotesGiven):
    """Posterior probabilities that see only the ranks of the scores, against those that see the
    scores, both at the true parameters (MAVEN, appendix A).
    """

    n: Annotated[int, AtLeast(2), "Items."]
    votes_total: Annotated[int, AtLeast(1), "Votes on each item."]
    percentiles: Annotated[
        object,
        Each(float, Above(0, 100), least=1),
        "Percentiles of the scores at which the probabilities are compared.",
    ]
    datasets: Annotated[int, AtLeast(1), "Simulated data sets."]
    draws: Annotated[int, AtLeast(1), "Draws of the order statistics."]


def compute_order_statistics(
    parameters: Mapping[str, Any], rng: np.random.Generator
) -> pd.DataFrame:
    """Log odds of a positive label from an item's rank beside those from its raw score, at known
    parameters: mean and central 95 % by percentile, number of positive votes and source.

    For the source "score" only data sets whose item of that rank has those votes count.
    """
    vote = VoteParameters(
        np.array([parameters["phi"]]),
        np.array([[parameters["a0"], parameters["a1"]]]),
        np.array([[parameters["d0"], parameters["d1"]]]),
    )
    n, total, datasets = (int(parameters[name]) for name in ("n", "votes_total", "datasets"))
    predictor = Predictor(parameters["mu"], parameters["delta"])
    # One vote set for each number of positive votes, without gold.
    counts = np.arange(total + 1)
    no_gold = np.full(total + 1, NO_GOLD)
    sets = find_vote_sets(Items(counts, counts, np.full(total + 1, total), no_gold, {}, counts))
    table = tabulate_utility(vote, predictor.mu, predictor.delta, sets)
    ranks = np.array([max(1, round(n * share / 100)) for share in parameters["percentiles"]])
    block = max(1, 2_000_000 // n)
    scores, votes = [], []
    for start in range(0, datasets, block):  # data sets by Algorithm 1, sorted by score
        truth, chance = draw_labels(parameters, (min(block, datasets - start), n), rng)
        score = draw_scores({"score": predictor}, truth, chance, rng)["score"]
        positive = rng.binomial(total, chance)
        order = np.argsort(score, axis=1)[:, ranks - 1]
        scores.append(np.take_along_axis(score, order, 1))
        votes.append(np.take_along_axis(positive, order, 1))
    true_score, true_votes = np.concatenate(scores), np.concatenate(votes)
    rows = []
    for column, (percentile, rank) in enumerate(zip(parameters["percentiles"], ranks, strict=True)):
        # The i-th of n uniform order statistics, a sum of i of n + 1 Dirichlet gaps.
        utility = table.quantile(rng.beta(rank, n + 1 - rank, int(parameters["draws"])))
        for positive_votes in counts.tolist():
            # The table's probabilities can be 0 or 1 to the last digit; log odds stay finite.
            odds = logit(np.clip(table.probability[positive_votes], 1e-15, 1 - 1e-15))
            held = true_votes[:, column] == positive_votes
            for source, at in (("rank", utility), ("score", true_score[held, column])):
                if len(at):
                    values = np.interp(at, table.utility, odds)
                    lower, upper = np.quantile(values, [0.025, 0.975])
                    rows.append({
                        "n": n, "percentile": percentile, "votes_positive": positive_votes,
                        "source": source, "mean": float(values.mean()), "lower": float(lower),
                        "upper": float(upper), "datasets": len(at),
                    })  # fmt: skip
    return pd.DataFrame(rows)


CALIBRATION, PRECISION = "calibration", "precision"
DENSITIES = ("density_0", "density_1")
"""Values of the column `curve`."""

ITEMS = "true labels"
"""Stands in the place of a method for the curve of the items' own true labels."""

BASELINE = GOLD_ALONE.name
"""Gold labels alone, with whose distances the others' are compared."""


@dataclass(frozen=True, kw_only=True)
class ScoreCurvesParameters(ShapeGiven):
    """The exact curves of a shape of scores, by quadrature (MAVEN, appendix D): calibration
    curve, density of the scores in each class, and precision against recall.
    """

    phi: Annotated[float, Above(0, 1), "Probability of a positive label."]
    points: Annotated[int, AtLeast(2), "Points of each curve."] = 200


def compute_score_curves(parameters: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """The population's exact curves of a shape of scores, by quadrature: a row for each point.

    `at` is a score at the middle of `points` equal parts of (0, 1), or a recall k / points; `m` is
    that of the calibration curve. Nothing is drawn from `rng`.
    """
    given = Given("computation score_curves", parameters, ScoreCurvesParameters)
    given.check_names()
    shape = read_shape(given, given.real("phi"))
    points = given.whole("points")
    score = (np.arange(points) + 0.5) / points
    recall = np.arange(1, points + 1) / points
    curves = {
        CALIBRATION: (score, shape.calibration(score)),
        **{name: (score, shape.density(label, score)) for label, name in enumerate(DENSITIES)},
        PRECISION: (recall, shape.precision_at_recall(recall)),
    }
    frames = [
        pd.DataFrame({"curve": name, "at": at, "value": value, "m": shape.m})
        for name, (at, value) in curves.items()
    ]
    return pd.concat(frames, ignore_index=True)


def precision_rows(results: pd.DataFrame) -> pd.DataFrame:
    """The rows of a results table that are points of a precision-recall curve, `at` a recall."""
    rows = results[results["metric"].str.startswith("precision_at_recall", na=False)]
    return rows.assign(at=[parse_metric(metric).threshold for metric in rows["metric"]])


def distances_by_replicate(
    results: pd.DataFrame, curves: pd.DataFrame, settings: Sequence[str]
) -> pd.DataFrame:
    """How far each estimated precision-recall curve is from the exact one, and from the items' own.

    One row for each setting (of the columns `settings`), method and `replicate`, and for the items'
    own labels (`ITEMS`): `distance`, the integral of |estimate - exact| over the recalls of the
    table by the trapezoidal rule; `from_items`, the same of |estimate - curve of the items' own
    labels|, and `from_items_gold`, that of gold labels alone in the same replicate; `width`, the
    integral of the interval's width; `coverage`, the share of these recalls at which the interval
    holds the exact curve. `curves` are rows of `compute_score_curves` in the same settings.
    """
    rows = precision_rows(results)
    precision = curves[curves["curve"] == PRECISION]
    labels = rows.drop_duplicates([*settings, "replicate", "at"])
    own = labels.assign(method=ITEMS, estimate=labels["truth"], lower=np.nan, upper=np.nan)
    distances = []
    for key, group in pd.concat([rows, own]).groupby([*settings], sort=False):
        setting = dict(zip(settings, key, strict=True))
        exact = precision[(precision[list(setting)] == pd.Series(setting)).all(axis=1)]
        if exact.empty:
            raise ValueError(f"there is no exact curve for {setting}")
        exact = exact.sort_values("at")
        for (method, replicate), points in group.groupby(["method", "replicate"], sort=False):
            columns = points.sort_values("at")[["at", "estimate", "lower", "upper", "truth"]]
            at, estimate, lower, upper, items = columns.to_numpy(float).T
            truth = np.interp(at, exact["at"], exact["value"])
            inside = (lower <= truth) & (truth <= upper)
            distances.append({
                **setting, "method": method, "replicate": replicate,
                "distance": float(np.trapezoid(np.abs(estimate - truth), at)),
                "from_items": float(np.trapezoid(np.abs(estimate - items), at)),
                "width": float(np.trapezoid(upper - lower, at)),
                "coverage": float("nan") if method == ITEMS else float(inside.mean()),
            })  # fmt: skip
    table = pd.DataFrame(distances)
    alone = table.loc[table["method"] == BASELINE, [*settings, "replicate", "from_items"]]
    return table.merge(alone, how="left", on=[*settings, "replicate"], suffixes=("", "_gold"))


def curve_distances(
    results: pd.DataFrame, curves: pd.DataFrame, settings: Sequence[str]
) -> pd.DataFrame:
    """The means of `distances_by_replicate` over all replicates, a row for each setting and method.

    `of_gold` is the mean of `from_items` over that of gold labels alone, whose error takes
    replicates as pairs. Curves that are undefined at some recall are left out, and counted in
    `undefined`.
    """
    table = distances_by_replicate(results, curves, settings)
    rows = []
    for key, group in table.groupby([*settings, "method"], sort=False):
        known = group[np.isfinite(group["distance"])]
        row = dict(zip((*settings, "method"), key, strict=True))
        row |= {"replicates": len(known), "undefined": len(group) - len(known)}
        for name in ("distance", "from_items", "width", "coverage"):
            row |= {name: float(known[name].mean()), f"{name}_se": float(known[name].sem())}
        both = known[["from_items", "from_items_gold"]].dropna()
        own, alone = both["from_items"], both["from_items_gold"]
        ratio = error = float("nan")
        if len(both) and alone.mean() != 0:
            ratio = float(own.mean() / alone.mean())
            error = float((own - ratio * alone).sem() / alone.mean())
        rows.append(row | {"of_gold": ratio, "of_gold_se": error})
    return pd.DataFrame(rows)


@dataclass(frozen=True, kw_only=True)
class FitsGiven(Settings):
    """How MAVEN is fitted in a computation."""

    chains: Annotated[int, AtLeast(2), "Chains of the vote model."]
    warmup: Annotated[int, AtLeast(1), "Iterations of each chain that are thrown away."]
    draws: Annotated[int, AtLeast(1), "Iterations of each chain that are kept."]
    imputations: Annotated[int, AtLeast(2), "Label sets imputed for each fit."]


def fit_settings(given: Given, stan: StanModels) -> Run:
    """The models, sampler and imputations of MAVEN's fits, from parameters that are `FitsGiven`."""
    chains, warmup, draws = (given.whole(name) for name in ("chains", "warmup", "draws"))
    return Run(stan, SamplerSettings(chains, warmup, draws), given.whole("imputations"))


@dataclass(frozen=True, kw_only=True)
class BiasCausesParameters(FitsGiven):
    """Versions of MAVEN on the same simulated studies, each with one suspect of bias removed."""

    simulator: Annotated[Literal["maven", "irt"], "The process of the studies."]
    study: Annotated[object, Json({"type": "object"}), "Its parameters with one predictor."]
    n: Annotated[int, AtLeast(2), "Items of a study where `study` does not say."]
    versions: Annotated[object, Each(str), "Some of the versions; all where not given."]
    metrics: Annotated[object, Each(str), "Metrics whose errors are wanted."]


VOTES_KNOWN = f"{CALIBRATED_MAVEN.name}, votes known"
PUBLISHED_VOTES_KNOWN = f"{PUBLISHED.name}, votes known"
WIDER_PRIOR = f"{CALIBRATED_MAVEN.name}, prior of mu at 5"
CALIBRATED = {"score_likelihood": "calibrated"}
VERSIONS: dict[str, dict[str, Any]] = {
    PUBLISHED.name: {},
    CALIBRATED_MAVEN.name: CALIBRATED,
    f"{CALIBRATED_MAVEN.name}, prior of mu at 0.05": CALIBRATED | {"mu_prior": {"scale": 0.1}},
    WIDER_PRIOR: CALIBRATED | {"mu_prior": {"scale": 10.0}},
    FREE_SD.name: CALIBRATED | {"positive_sd": True},
    PUBLISHED_VOTES_KNOWN: {},
    VOTES_KNOWN: CALIBRATED,
}
"""Name -> settings; versions whose vote models are alike come one after the other."""
ALL_GOLD = (PUBLISHED_VOTES_KNOWN, VOTES_KNOWN)
"""The versions whose vote model is fitted with every true label as gold."""


def compute_bias_causes(
    parameters: Mapping[str, Any], rng: np.random.Generator, stan: StanModels
) -> pd.DataFrame:
    """Fit the versions to one simulated study: a row for each version and metric.

    Each version removes a suspect from the same data: the uncertainty of the vote model, which the
    cut hands on (the score model does not see the labels); the prior of mu (its scale, and so its
    mode, a tenth, and ten times, of the paper's); the one standard deviation that negatives and
    positives share.
    """
    given = Given("computation bias_causes", parameters, BiasCausesParameters)
    given.check_names()
    run = fit_settings(given, stan)
    simulate_study, process = {
        "maven": (draw_maven, "Algorithm 1"), "irt": (draw_irt, "Algorithm 2"),
    }[given.choice("simulator")]  # fmt: skip
    size = {"n": parameters["n"]} if "n" in parameters else {}
    drawn = simulate_study({**parameters["study"], **size}, rng)
    items = drawn.table
    all_gold = items.with_gold(np.ones(len(items), dtype=bool))
    seed = int(rng.integers(2**63))
    wanted = given.values.get("versions", list(VERSIONS))
    for name in wanted:
        if name not in VERSIONS:
            raise InputError(unknown("version", name, VERSIONS))

    def truth(metric: str) -> float:
        parsed = parse_metric(metric)
        if not parsed.is_parameter:
            return true_value(metric, drawn.reference)
        (predictor,) = items.predictors
        return drawn.parameters.get(f"{parsed.name}:{predictor}", float("nan"))

    n_gold = int((items.gold != NO_GOLD).sum())
    world = f"{process}, {len(items):,} items, {n_gold:,} gold labels"
    rows = []
    for name in (version for version in VERSIONS if version in wanted):
        fit_rng, evaluate_rng = np.random.default_rng(seed).spawn(2)
        settings, votes = MavenSettings(**VERSIONS[name]), all_gold if name in ALL_GOLD else items
        fitted = fit_maven(items, fit_rng, settings, run, vote_items=votes)
        rows += [
            {"metric": one.metric, "estimate": one.estimate, "lower": one.lower,
             "upper": one.upper, "truth": truth(one.metric), "version": name,
             "diagnostics_passed": fitted.diagnostics.passed, "world": world}
            for one in evaluate(
                fitted, items, parameters["metrics"], evaluate_rng, target=RECTIFIED_ITEMS
            )
        ]  # fmt: skip
    return pd.DataFrame(rows)


METRIC = "delta_AUC"
WAYS = ("coupled", "independent", "votes alone")
"""How the labels of two predictors are imputed (`imputed_differences`)."""


@dataclass(frozen=True, kw_only=True)
class SharedLabelsParameters(FitsGiven):
    """The difference of two models by MAVEN where their imputed labels are coupled and where
    not.
    """

    study: Annotated[
        object, Json({"type": "object"}), "Parameters of Algorithm 2 with two predictors."
    ]
    score_likelihood: Annotated[Literal["pairwise", "calibrated"], "MAVEN's score likelihood."]


def imputed_differences(
    posterior: LabelPosterior, items: Items, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """The difference of the two predictors' AUC imputed from MAVEN's fit in each way: (draws,).

    MAVEN imputes labels for each predictor given its own ranking, so that labels of two predictors
    are not the same.

    coupled      as everywhere: one uniform number an item and draw decides the label for all
                 predictors, and labels differ only where the rankings speak differently of an item
    independent  a uniform number of its own for each predictor
    votes alone  the very same labels for both, from P(Y | V), which knows no ranking
    """
    metric, names = parse_metric(METRIC), items.predictors
    ranked = [RankedItems.of(items, name) for name in names]
    known, sets = posterior.parameters, find_vote_sets(items)
    a, d = (np.stack([known[f"{name}{y}"] for y in (0, 1)], axis=1) for name in "ad")
    # P(Y_i = 1 | V_i) of each draw of the vote model: (draws, n); gold labels are known.
    of_votes = VoteParameters(known["phi"], a, d).label_probability(sets)[:, sets.member]
    label_rng, own_rng, probability_rng = rng.spawn(3)
    values = {way: np.empty(posterior.draws) for way in WAYS}
    for draw in range(posterior.draws):
        shared = label_rng.random(len(items))
        chance = [posterior.probability(draw, name, probability_rng) for name in names]
        labels = {
            "coupled": [shared < own for own in chance],
            "independent": [own_rng.random(len(items)) < own for own in chance],
            "votes alone": [shared < of_votes[draw]] * len(names),
        }
        for way, imputed in labels.items():
            masses = [LabelMass.of_labels(own.astype(int)) for own in imputed]
            values[way][draw] = metric.value(masses, ranked)
    return values


def compute_shared_labels(
    parameters: Mapping[str, Any], rng: np.random.Generator, stan: StanModels
) -> pd.DataFrame:
    """Estimate the difference of two predictors' AUC from one simulated study: a row for each of
    `WAYS`.
    """
    given = Given("computation shared_labels", parameters, SharedLabelsParameters)
    given.check_names()
    settings = MavenSettings(score_likelihood=parameters["score_likelihood"])
    items = draw_irt(parameters["study"], rng).table
    fitted = fit_maven(items, rng, settings, fit_settings(given, stan))
    assert isinstance(fitted.labels, LabelPosterior)
    truth = true_value(METRIC, items)
    rows = []
    for way, values in imputed_differences(fitted.labels, items, rng).items():
        one = Estimate.of_draws(METRIC, values, LEVEL)
        rows.append({
            "labels": way, "estimate": one.estimate, "lower": one.lower, "upper": one.upper,
            "truth": truth, "diagnostics_passed": fitted.diagnostics.passed,
        })  # fmt: skip
    return pd.DataFrame(rows)


def _models(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    return ("vote",)


COMPUTATION = Computation("bias_causes", compute_bias_causes, BiasCausesParameters, _models)
COMPUTATION_NESTED_LENGTHS = Computation(
    "nested_lengths", compute_nested_lengths, NestedLengthsParameters, lambda _: ("vote", "score")
)
COMPUTATION_ORDER_STATISTICS = Computation(
    "order_statistics", compute_order_statistics, OrderStatisticsParameters
)
COMPUTATION_SCORE_CURVES = Computation("score_curves", compute_score_curves, ScoreCurvesParameters)
COMPUTATION_SHARED_LABELS = Computation(
    "shared_labels", compute_shared_labels, SharedLabelsParameters, _models
)
