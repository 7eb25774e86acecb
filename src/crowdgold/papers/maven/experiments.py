"""Where the bias of MAVEN-C comes from: the same data fitted with one suspect removed at a time.

The suspects (MAVEN, sections 3.1 to 3.3): the uncertainty of the vote model, which the cut hands
on (a version whose vote model is told every true label, while the score model is not); the prior
of mu (its scale, and so its mode, a tenth, and ten times, of the paper's); and the one standard
deviation that negatives and positives share (a version with one each).

How long a nested fit has to be (MAVEN, section 3.3, footnote 5: "b = 10 was enough").

Given the same draws of the vote model, (mu, delta) comes from nested fits of several lengths and
twice from the exact cut. Each set of draws is compared with the first exact one; the second exact
one says what chance alone makes of such a comparison, and the longest nested fits which of the two
ways is right where they part.

How well ranks stand for raw scores (MAVEN, appendix A and figure 6).

At known parameters, the log odds of a positive label that MAVEN gives an item from its rank among n
items, beside the log odds from its raw score, for items at chosen percentiles of the scores and
each number of positive votes.

Exact curves of simulated scores, and how far estimated ones are from them (MAVEN, figure 7).

The curves are the population's: the calibration curve, the density of the scores in each class and
the precision-recall curve of the generator copula, by quadrature and not from a sample.

What it changes for the difference of two models that their imputed labels are shared.

MAVEN imputes labels for each predictor given its own ranking, so that labels of two predictors are
not the same. They are coupled: one uniform number an item and draw decides the label for all
(`inference.labels`), and labels differ only where the rankings speak differently of an item.
Here the difference of their AUC is imputed three ways from the same fit:

coupled      as everywhere
independent  a uniform number of its own for each predictor
votes alone  the very same labels for both, from P(Y | V), which knows no ranking
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

from crowdgold.experiment.check import Check
from crowdgold.inference.engine import evaluate
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.labels import LabelPosterior
from crowdgold.inference.rectified import ITEMS as RECTIFIED_ITEMS
from crowdgold.methods.maven import CALIBRATED as CALIBRATED_MAVEN
from crowdgold.methods.maven import FREE_SD, PUBLISHED, MavenSettings, fit_maven, summarise_ranking
from crowdgold.methods.method import Run
from crowdgold.methods.votes_and_gold import GOLD_ALONE
from crowdgold.metrics.binary import parse_metric, true_value
from crowdgold.metrics.ranked import LabelMass, RankedItems
from crowdgold.models.exact_cut import ScoreDraws, sample_exact_cut
from crowdgold.models.nested_cut import sample_nested_cut
from crowdgold.models.stan import SamplerSettings, StanModels, spread_draws
from crowdgold.models.utility import tabulate_utility
from crowdgold.models.vote_fit import fit_votes
from crowdgold.models.vote_sets import VoteParameters, VoteSets, find_vote_sets
from crowdgold.simulate import simulate
from crowdgold.simulate.design import Predictor, PredictorGiven, draw_scores
from crowdgold.simulate.generator import Replicate
from crowdgold.simulate.irt import draw_irt
from crowdgold.simulate.maven import VotesGiven, draw_labels, draw_maven
from crowdgold.simulate.score_shapes import ShapeGiven, read_shape
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.parameters import (
    LEVEL,
    Above,
    AtLeast,
    Each,
    Given,
    Json,
    Parameters,
    Settings,
    unknown,
)

EXACT_AGAIN = 0
"""The length of the rows that compare the exact cut with itself."""
PRINTED = MavenSettings.nested_iterations
"""The length that the paper prints."""
QUARTILES_OF_NORMAL = 1.349
FAR = 5.0
"""Deviations from the exact cut's median beyond which a draw is in a tail."""
LEAST_PEAK = 0.1
"""Prominence of a mode of a density, as a share of its highest value."""


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
    """The interquartile range, in standard deviations of a normal; tails do not rule it."""
    return float(np.subtract(*np.quantile(values, [0.75, 0.25])) / QUARTILES_OF_NORMAL)


def modes(values: np.ndarray) -> int:
    """How many modes draws have, by a kernel density with Scott's bandwidth, tails left out."""
    low, high = np.quantile(values, [0.005, 0.995])
    inner = values[(values >= low) & (values <= high)]
    if np.ptp(inner) == 0:
        return 1
    grid = np.linspace(low - (high - low) / 4, high + (high - low) / 4, 400)
    density = gaussian_kde(inner)(grid)
    return len(find_peaks(density, prominence=LEAST_PEAK * density.max())[0])


def _far(values: np.ndarray, exact: np.ndarray) -> float:
    """The share of draws further than `FAR` deviations of the exact cut's from its median."""
    return float((np.abs(values - np.median(exact)) > FAR * _spread(exact)).mean())


def compare(found: ScoreDraws, exact: ScoreDraws) -> list[dict[str, Any]]:
    """How far draws lie from those of the exact cut: a row for log mu and one for delta.

    `distance` is the largest difference of their distribution functions (Kolmogorov and Smirnov),
    `shift` that of their medians in deviations of the exact cut's, `spread` the ratio of their
    deviations. `modes` and `far` are how many modes the draws have and the share of them in tails
    (`FAR`), with those of the exact cut beside them.
    """
    pairs = {
        "log mu": (np.log(found.mu), np.log(exact.mu)),
        "delta": (found.delta, exact.delta),
    }
    return [
        {
            "quantity": name,
            "distance": float(ks_2samp(one, other).statistic),
            "shift": float(np.median(one) - np.median(other)) / _spread(other),
            "spread": _spread(one) / _spread(other),
            "modes": modes(one),
            "exact_modes": modes(other),
            "far": _far(one, other),
            "exact_far": _far(other, other),
        }
        for name, (one, other) in pairs.items()
    ]


def check_nested_lengths(
    parameters: Mapping[str, Any], rng: np.random.Generator, stan: StanModels
) -> pd.DataFrame:
    """Compare nested fits of several lengths with the exact cut, in one simulated study.

    Args:
        parameters: `simulator` and `study`, its name and parameters; `lengths` of nested fits;
            chains, warmup and draws of the vote model and of the pilot fit; `vote_draws`, the draws
            of the vote model that (mu, delta) is drawn for.

    Returns:
        the rows of `compare` for each length, and for a second exact cut with length
        `EXACT_AGAIN`; `seconds` of each way, and `failures`, draws that are not to be trusted.
    """
    given = Given("check nested_lengths", parameters, NestedLengthsParameters)
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
    for length, own in zip([EXACT_AGAIN, *parameters["lengths"]], others, strict=True):
        start, passed = time.perf_counter(), True
        if length == EXACT_AGAIN:
            found = sample_exact_cut(ranking, sets, vote, own)
        else:
            found, pilot = sample_nested_cut(ranking, sets, vote, own, stan, sampler, length, 1)
            passed = pilot.passed
        known = {
            "length": length, "seconds": time.perf_counter() - start,
            "failures": int(found.failures), "exact_failures": int(exact.failures),
            "diagnostics_passed": passed and fit.diagnostics.passed,
        }  # fmt: skip
        rows += [{**known, **row} for row in compare(found, exact)]
    return pd.DataFrame(rows)


CHECK_NESTED_LENGTHS = Check(
    "nested_lengths",
    check_nested_lengths,
    NestedLengthsParameters,
    stan_models=lambda parameters: ("vote", "score"),
)


EXTREME = 1e-15
COLUMNS = ("n", "percentile", "votes_positive", "source", "mean", "lower", "upper", "datasets")


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


def _all_vote_sets(votes_total: int) -> VoteSets:
    """One vote set for each number of positive votes, without gold."""
    size = votes_total + 1
    votes = np.arange(size)
    return find_vote_sets(
        Items(votes, votes, np.full(size, votes_total), np.full(size, NO_GOLD), {}, votes)
    )


def _summary(values: np.ndarray) -> dict[str, float]:
    lower, upper = np.quantile(values, [0.025, 0.975])
    return {"mean": float(values.mean()), "lower": float(lower), "upper": float(upper)}


def _simulate_scores(
    parameters: Mapping[str, Any], datasets: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw (datasets, n) scores and votes by Algorithm 1, each row sorted by score."""
    truth, chance = draw_labels(parameters, (datasets, int(parameters["n"])), rng)
    predictor = Predictor(parameters["mu"], parameters["delta"])
    score = draw_scores({"score": predictor}, truth, chance, rng)["score"]
    votes = rng.binomial(int(parameters["votes_total"]), chance)
    order = np.argsort(score, axis=1)
    return np.take_along_axis(score, order, 1), np.take_along_axis(votes, order, 1)


def check_order_statistics(parameters: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Compare log odds from ranks with log odds from raw scores.

    Args:
        parameters: as `OrderStatisticsParameters` declares them.

    Returns:
        rows with the columns `COLUMNS`: mean and central 95 % of the log odds for each percentile,
        number of positive votes and source, "rank" or "score". For "score" only data sets whose
        item of that rank has those votes count; `datasets` says how many they are.
    """
    vote = VoteParameters(
        np.array([parameters["phi"]]),
        np.array([[parameters["a0"], parameters["a1"]]]),
        np.array([[parameters["d0"], parameters["d1"]]]),
    )
    n, total = int(parameters["n"]), int(parameters["votes_total"])
    sets = _all_vote_sets(total)
    table = tabulate_utility(vote, parameters["mu"], parameters["delta"], sets)
    ranks = np.array([max(1, round(n * share / 100)) for share in parameters["percentiles"]])
    block = max(1, 2_000_000 // n)
    score, votes = [], []
    for start in range(0, int(parameters["datasets"]), block):
        size = min(block, int(parameters["datasets"]) - start)
        some = _simulate_scores(parameters, size, rng)
        score.append(some[0][:, ranks - 1])
        votes.append(some[1][:, ranks - 1])
    true_score, true_votes = np.concatenate(score), np.concatenate(votes)
    rows = []
    for column, (percentile, rank) in enumerate(zip(parameters["percentiles"], ranks, strict=True)):
        # The i-th of n uniform order statistics, a sum of i of n + 1 Dirichlet gaps.
        utility = table.quantile(rng.beta(rank, n + 1 - rank, int(parameters["draws"])))
        for positive in range(total + 1):
            # The table's probabilities can be 0 or 1 to the last digit; log odds stay finite.
            odds = logit(np.clip(table.probability[positive], EXTREME, 1 - EXTREME))
            held = true_votes[:, column] == positive
            known = {"n": n, "percentile": percentile, "votes_positive": positive}
            for source, at in (("rank", utility), ("score", true_score[held, column])):
                if len(at):
                    values = np.interp(at, table.utility, odds)
                    rows.append(
                        {**known, "source": source, **_summary(values), "datasets": len(at)}
                    )
    return pd.DataFrame(rows, columns=list(COLUMNS))


CHECK_ORDER_STATISTICS = Check(
    "order_statistics", check_order_statistics, OrderStatisticsParameters
)


COLUMNS_SCORE_CURVES = ("curve", "at", "value", "m")
CALIBRATION, PRECISION = "calibration", "precision"
DENSITIES = ("density_0", "density_1")
"""Values of the column `curve`."""

METRIC_SCORE_CURVES = "precision_at_recall"
ITEMS = "true labels"
"""Stands in the place of a method for the curve of the items' own true labels."""

BASELINE = GOLD_ALONE.name
"""Gold labels alone, against whose distances the others' are held."""

SUMMARISED = ("distance", "from_items", "width", "coverage")


@dataclass(frozen=True, kw_only=True)
class ScoreCurvesParameters(ShapeGiven):
    """The exact curves of a shape of scores, by quadrature (MAVEN, appendix D): calibration
    curve, density of the scores in each class, and precision against recall.
    """

    phi: Annotated[float, Above(0, 1), "Probability of a positive label."]
    points: Annotated[int, AtLeast(2), "Points of each curve."] = 200


def check_score_curves(parameters: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Tabulate the exact curves of a shape of scores.

    Args:
        parameters: as `ScoreCurvesParameters` declares them.
        rng: not used; the curves are exact.

    Returns:
        rows with the columns `COLUMNS`: the curve, where it is taken (a score at the middle of
        `points` equal parts of (0, 1), or a recall k / points), its value, and the m of the
        calibration curve.
    """
    given = Given("check score_curves", parameters, ScoreCurvesParameters)
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
    return pd.concat(
        [
            pd.DataFrame({"curve": name, "at": at, "value": value, "m": shape.m})
            for name, (at, value) in curves.items()
        ],
        ignore_index=True,
    )[list(COLUMNS_SCORE_CURVES)]


def precision_rows(results: pd.DataFrame) -> pd.DataFrame:
    """The rows of a results table that are points of a precision-recall curve.

    Returns:
        these rows, with their recall in the column `at`.
    """
    rows = results[results["metric"].str.startswith(METRIC_SCORE_CURVES, na=False)]
    recall = [parse_metric(metric).threshold for metric in rows["metric"]]
    return rows.assign(at=recall)


def distances_by_replicate(
    results: pd.DataFrame, curves: pd.DataFrame, settings: Sequence[str]
) -> pd.DataFrame:
    """How far each estimated precision-recall curve is from the exact one, and from the items' own.

    Args:
        results: the long results table, with the metric precision_at_recall at several recalls.
        curves: rows of `check_score_curves` in the same settings.
        settings: columns that tell the settings apart.

    Returns:
        one row for each setting, method and `replicate`, and for the items' own labels (`ITEMS`):
        `distance`, the integral of |estimate - exact| over the recalls of the table by the
        trapezoidal rule; `from_items`, the same of |estimate - curve of the items' own labels|, and
        `from_items_gold`, that of gold labels alone in the same replicate; `width`, the integral of
        the interval's width; `coverage`, the share of these recalls at which the interval holds the
        exact curve.
    """
    rows = precision_rows(results)
    exact = curves[curves["curve"] == PRECISION]
    labels = rows.drop_duplicates([*settings, "replicate", "at"])
    own = labels.assign(method=ITEMS, estimate=labels["truth"], lower=np.nan, upper=np.nan)
    fitted = [
        {**dict(zip(settings, key, strict=True)), **one}
        for key, group in pd.concat([rows, own]).groupby([*settings], sort=False)
        for one in _distances(group, _of_setting(exact, settings, key))
    ]
    table = pd.DataFrame(fitted)
    alone = table.loc[table["method"] == BASELINE, [*settings, "replicate", "from_items"]]
    return table.merge(alone, how="left", on=[*settings, "replicate"], suffixes=("", "_gold"))


def curve_distances(
    results: pd.DataFrame, curves: pd.DataFrame, settings: Sequence[str]
) -> pd.DataFrame:
    """The distances of `distances_by_replicate`, which has the arguments, over all replicates.

    Returns:
        one row for each setting and method: the means of its columns over `replicates`, with their
        standard errors (`_se`; missing where there is one replicate); `of_gold`, the mean of
        `from_items` over that of gold labels alone, whose error takes replicates as pairs.
        Curves that are undefined at some recall are left out, and counted in `undefined`.
    """
    table = distances_by_replicate(results, curves, settings)
    return pd.DataFrame(
        [
            {**dict(zip((*settings, "method"), key, strict=True)), **_over_replicates(group)}
            for key, group in table.groupby([*settings, "method"], sort=False)
        ]
    )


def _of_setting(
    exact: pd.DataFrame, settings: Sequence[str], values: Sequence[Any]
) -> pd.DataFrame:
    """The exact precision-recall curve of a setting.

    Raises:
        ValueError: where the table has none.
    """
    for name, value in zip(settings, values, strict=True):
        exact = exact[exact[name] == value]
    if exact.empty:
        raise ValueError(f"there is no exact curve for {dict(zip(settings, values, strict=True))}")
    return exact.sort_values("at")


def _distances(group: pd.DataFrame, exact: pd.DataFrame) -> list[dict[str, Any]]:
    """Distance, width and coverage of each method's curve in each replicate of a setting."""
    found = []
    for (method, replicate), one in group.groupby(["method", "replicate"], sort=False):
        curve = one.sort_values("at")
        at, estimate, lower, upper, items = (
            curve[name].to_numpy(float) for name in ("at", "estimate", "lower", "upper", "truth")
        )
        truth = np.interp(at, exact["at"], exact["value"])
        inside = (lower <= truth) & (truth <= upper)
        found.append(
            {
                "method": method,
                "replicate": replicate,
                "distance": float(np.trapezoid(np.abs(estimate - truth), at)),
                "from_items": float(np.trapezoid(np.abs(estimate - items), at)),
                "width": float(np.trapezoid(upper - lower, at)),
                "coverage": float("nan") if method == ITEMS else float(inside.mean()),
            }
        )
    return found


def _over_replicates(group: pd.DataFrame) -> dict[str, float]:
    known = group[np.isfinite(group["distance"])]
    size = len(known)
    summary: dict[str, float] = {"replicates": size, "undefined": len(group) - size}
    for name in SUMMARISED:
        values = known[name]
        summary[name] = float(values.mean())
        summary[f"{name}_se"] = float(values.sem()) if size > 1 else float("nan")
    both = known[["from_items", "from_items_gold"]].dropna()
    own, alone = both["from_items"], both["from_items_gold"]
    if len(both) == 0 or alone.mean() == 0:
        return summary | dict.fromkeys(("of_gold", "of_gold_se"), float("nan"))
    ratio = own.mean() / alone.mean()
    error = (own - ratio * alone).sem() / alone.mean() if len(both) > 1 else float("nan")
    return summary | {"of_gold": float(ratio), "of_gold_se": float(error)}


CHECK_SCORE_CURVES = Check("score_curves", check_score_curves, ScoreCurvesParameters)


SIMULATORS = {"maven": draw_maven, "irt": draw_irt}
WORLDS = {"maven": "Algorithm 1", "irt": "Algorithm 2"}


@dataclass(frozen=True, kw_only=True)
class FitsGiven(Settings):
    """How MAVEN is fitted in a check."""

    chains: Annotated[int, AtLeast(2), "Chains of the vote model."]
    warmup: Annotated[int, AtLeast(1), "Iterations of each chain that are thrown away."]
    draws: Annotated[int, AtLeast(1), "Iterations of each chain that are kept."]
    imputations: Annotated[int, AtLeast(2), "Label sets imputed for each fit."]


def run_of(given: Given, stan: StanModels) -> Run:
    """What a fit of MAVEN is given in a check whose parameters are `FitsGiven`."""
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


@dataclass(frozen=True)
class Version:
    """A version of MAVEN: its settings, and whether its vote model is told every true label."""

    settings: Mapping[str, Any]
    told: bool = False


VOTES_KNOWN = f"{CALIBRATED_MAVEN.name}, votes known"
NARROWER_PRIOR = f"{CALIBRATED_MAVEN.name}, prior of mu at 0.05"
WIDER_PRIOR = f"{CALIBRATED_MAVEN.name}, prior of mu at 5"
CALIBRATED = {"score_likelihood": "calibrated"}
VERSIONS = {
    PUBLISHED.name: Version({}),
    CALIBRATED_MAVEN.name: Version(CALIBRATED),
    NARROWER_PRIOR: Version(CALIBRATED | {"mu_prior": {"scale": 0.1}}),
    WIDER_PRIOR: Version(CALIBRATED | {"mu_prior": {"scale": 10.0}}),
    FREE_SD.name: Version(CALIBRATED | {"positive_sd": True}),
    f"{PUBLISHED.name}, votes known": Version({}, told=True),
    VOTES_KNOWN: Version(CALIBRATED, told=True),
}
"""The versions by name; those whose vote models are alike come one after the other."""


def _versions(given: Parameters) -> dict[str, Version]:
    """The wanted versions, in the order of `VERSIONS`."""
    wanted = given.values.get("versions", list(VERSIONS))
    for name in wanted:
        if name not in VERSIONS:
            raise InputError(unknown("version", name, VERSIONS))
    return {name: version for name, version in VERSIONS.items() if name in wanted}


def _true(metric: str, drawn: Replicate[Items]) -> float:
    """The true value of a metric of the one predictor."""
    parsed = parse_metric(metric)
    if not parsed.is_parameter:
        return true_value(metric, drawn.reference)
    (predictor,) = drawn.table.predictors
    return drawn.parameters.get(f"{parsed.name}:{predictor}", float("nan"))


def check_bias_causes(
    parameters: Mapping[str, Any], rng: np.random.Generator, stan: StanModels
) -> pd.DataFrame:
    """Fit the versions to one simulated study.

    Args:
        parameters: as `BiasCausesParameters` declares them; `n` where `study` has none.

    Returns:
        a row for each version and metric: `world` in words, `version`, `metric`, `estimate`,
        `lower`, `upper`, `truth`, and whether the fit passed its diagnostics gate.
    """
    given = Given("check bias_causes", parameters, BiasCausesParameters)
    given.check_names()
    run = run_of(given, stan)
    simulator = given.choice("simulator")
    size = {"n": parameters["n"]} if "n" in parameters else {}
    drawn = SIMULATORS[simulator]({**parameters["study"], **size}, rng)
    items = drawn.table
    told = items.with_gold(np.ones(len(items), dtype=bool))
    seed = int(rng.integers(2**63))
    parts = []
    for name, version in _versions(given).items():
        fit_rng, evaluate_rng = np.random.default_rng(seed).spawn(2)
        settings, votes = MavenSettings(**version.settings), told if version.told else items
        fitted = fit_maven(items, fit_rng, settings, run, vote_items=votes)
        found = evaluate(fitted, items, parameters["metrics"], evaluate_rng, target=RECTIFIED_ITEMS)
        own = pd.DataFrame(
            [(one.metric, one.estimate, one.lower, one.upper, _true(one.metric, drawn))
             for one in found],
            columns=["metric", "estimate", "lower", "upper", "truth"],
        )  # fmt: skip
        parts.append(own.assign(version=name, diagnostics_passed=fitted.diagnostics.passed))
    n_gold = int((items.gold != NO_GOLD).sum())
    world = f"{WORLDS[simulator]}, {len(items):,} items, {n_gold:,} gold labels"
    return pd.concat(parts, ignore_index=True).assign(world=world)


CHECK = Check(
    "bias_causes", check_bias_causes, BiasCausesParameters, stan_models=lambda parameters: ("vote",)
)


METRIC = "delta_AUC"
WAYS = ("coupled", "independent", "votes alone")


@dataclass(frozen=True, kw_only=True)
class SharedLabelsParameters(FitsGiven):
    """The difference of two models by MAVEN where their imputed labels are coupled and where
    not.
    """

    study: Annotated[
        object,
        Json({"type": "object"}),
        "Parameters of Algorithm 2 with two predictors.",
    ]
    score_likelihood: Annotated[Literal["pairwise", "calibrated"], "MAVEN's score likelihood."]


def _of_votes(posterior: LabelPosterior, items: Items) -> np.ndarray:
    """P(Y_i = 1 | V_i) of each draw of the vote model: (draws, n); gold labels are known."""
    known, sets = posterior.parameters, find_vote_sets(items)
    a, d = (np.stack([known[f"{name}{y}"] for y in (0, 1)], axis=1) for name in "ad")
    probability: np.ndarray = VoteParameters(known["phi"], a, d).label_probability(sets)
    return probability[:, sets.member]


def imputed_differences(
    posterior: LabelPosterior, items: Items, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Impute the difference of the two predictors' AUC in each way: (draws,).

    Args:
        posterior: of MAVEN, fitted to both predictors.
        items: the table; two predictors.
    """
    metric, names = parse_metric(METRIC), items.predictors
    ranked = {name: RankedItems.of(items, name) for name in names}
    of_votes = _of_votes(posterior, items)
    label_rng, own_rng, probability_rng = rng.spawn(3)
    values = {way: np.empty(posterior.draws) for way in WAYS}
    for draw in range(posterior.draws):
        shared = label_rng.random(len(items))
        chance = {name: posterior.probability(draw, name, probability_rng) for name in names}
        labels = {
            "coupled": {name: shared < chance[name] for name in names},
            "independent": {name: own_rng.random(len(items)) < chance[name] for name in names},
            "votes alone": dict.fromkeys(names, shared < of_votes[draw]),
        }
        for way, own in labels.items():
            masses = [LabelMass.of_labels(own[name].astype(int)) for name in names]
            values[way][draw] = metric.value(masses, [ranked[name] for name in names])
    return values


def check_shared_labels(
    parameters: Mapping[str, Any], rng: np.random.Generator, stan: StanModels
) -> pd.DataFrame:
    """Estimate the difference of two predictors' AUC from one simulated study in each way.

    Args:
        parameters: as `SharedLabelsParameters` declares them.

    Returns:
        a row for each of `WAYS`: `labels`, `estimate`, `lower`, `upper`, `truth`, and whether the
        fit passed its diagnostics gate.
    """
    given = Given("check shared_labels", parameters, SharedLabelsParameters)
    given.check_names()
    settings = MavenSettings(score_likelihood=parameters["score_likelihood"])
    items = draw_irt(parameters["study"], rng).table
    fitted = fit_maven(items, rng, settings, run_of(given, stan))
    assert isinstance(fitted.labels, LabelPosterior)
    truth = true_value(METRIC, items)
    found = imputed_differences(fitted.labels, items, rng)
    estimates = {way: Estimate.of_draws(METRIC, values, LEVEL) for way, values in found.items()}
    return pd.DataFrame(
        [
            {"labels": way, "estimate": one.estimate, "lower": one.lower, "upper": one.upper,
             "truth": truth, "diagnostics_passed": fitted.diagnostics.passed}
            for way, one in estimates.items()
        ]
    )  # fmt: skip


CHECK_SHARED_LABELS = Check(
    "shared_labels",
    check_shared_labels,
    SharedLabelsParameters,
    stan_models=lambda parameters: ("vote",),
)
