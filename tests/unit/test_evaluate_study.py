"""A user's own study evaluated: answers that hold the truth, pairs, rules, files and ends."""

import os
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from crowdgold.cli import main
from crowdgold.evaluation.folder import write_folder
from crowdgold.evaluation.jobs import Job, groups, plan_study, reason_against
from crowdgold.evaluation.questions import Settings
from crowdgold.evaluation.study import evaluate_study
from crowdgold.inference.estimate import Draws, Named
from crowdgold.inference.labels import evaluate
from crowdgold.methods.registry import fit, offered
from crowdgold.metrics.binary import POINTS, true_value
from crowdgold.metrics.metric import Scale
from crowdgold.models.stan import StanModels
from crowdgold.reading.study import Study
from crowdgold.simulate.maven import draw_maven
from crowdgold.types.items import NO_GOLD
from crowdgold.types.notes import Note, texts
from unit.reference import make_items

SEED = 20260301
TEXTS = {
    "prevalence": "prevalence", "TPR_H": "TPR_H", "TNR_H": "TNR_H", "AUC": "AUC:{}",
    "delta_TPR": "delta_TPR:{}", "accuracy@1": "accuracy:{}@1", "precision@1": "precision:{}@1",
    "recall@1": "recall:{}@1", "F1@1": "F1:{}@1",
}  # fmt: skip


def simulated(n=700, n_gold=250, seed=SEED):
    """Items by Algorithm 1, with two models that see the same chances of a positive vote."""
    values = {
        "n": n, "n_gold": n_gold, "phi": 0.35, "a0": 0.2, "a1": 0.75, "d0": 3.0, "d1": 3.0,
        "votes_total": 3,
        "predictors": {"large": {"mu": 1.5, "delta": 1.5}, "small": {"mu": 0.7, "delta": 1.5}},
    }  # fmt: skip
    return draw_maven(values, np.random.default_rng(seed)).table


def as_file(items, folder):
    path = folder / "study.csv"
    items.to_frame().drop(columns=["truth", "oracle", "tie_break"]).to_csv(path, index=False)
    return str(path)


@pytest.fixture(scope="module")
def stan(compiled, toolchain, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stan")
    for name in ("vote", "dawid_skene"):
        (folder / name).symlink_to(compiled(name))
    return StanModels(folder, toolchain)


@pytest.fixture(scope="module")
def items():
    return simulated()


def evaluated(items, stan, cores=2, **settings):
    """Few imputations: what is tested does not need more."""
    chosen = {"imputations": 100, "thresholds": {"": (1.0,)}, **settings}
    return evaluate_study(Study(items), Settings(**chosen), stan, cores)


@pytest.fixture(scope="module")
def found(items, stan):
    return evaluated(items, stan, level=0.99)


@pytest.fixture(scope="module")
def of_items(items, stan):
    """The same about the items at hand, where models and gold are held against each other."""
    methods = ("logistic-R", "GT", "DS", "MAVEN")
    return evaluated(items, stan, level=0.99, about="items", methods=methods)


def free_of_models(items, methods, weights=None, **settings):
    """Evaluated by methods that sample nothing."""
    asked = Settings(methods=methods, **settings)
    return evaluate_study(Study(items, weights=weights), asked, StanModels())


def truth_of(items, row):
    """The true value of a row of estimates."""
    name = row["metric"].removeprefix("delta_") if row["against"] in items.predictors else None
    if name is None:
        return true_value(TEXTS[row["metric"]].format(row["model"]), items)
    name = name if name in TEXTS else f"delta_{name}"
    values = [true_value(TEXTS[name].format(row[key]), items) for key in ("model", "against")]
    return values[0] - values[1]


def misses(rows, items):
    """How many intervals miss the truth."""
    return sum(not row["lower"] <= truth_of(items, row) <= row["upper"] for row in rows)


def test_answers_hold_the_truth_and_counting_votes_does_not(found, items):
    """21 intervals of 99 % on a seed set before the first run: of independent ones two or more miss
    with a chance of 1.9 %. The control: the majority vote where there is no gold."""
    answers = found.as_json()["answers"]
    assert {one["method"] for one in answers} == {"logistic-R"}
    assert len(answers) == 3 + 2 * 6 + 6
    most = binom.ppf(0.981, len(answers), 0.01)
    assert misses(answers, items) <= most == 1
    table = found.tables["estimates"]
    assert misses(table[table["method"] == "GT+MV"].to_dict("records"), items) > most


@pytest.mark.parametrize("about", ["population", "items"])
def test_values_are_those_of_the_evaluation_of_one_table(items, about):
    """Of what samples nothing, to the 10 digits of a table; the random numbers do not matter."""
    methods = ("logistic-R", "votes-R", "GT", "GT+MV")
    found = free_of_models(items, methods, about=about, thresholds={"": (1.0,)}, level=0.9)
    ours, numbers = found.tables["estimates"], ["estimate", "lower", "upper"]
    for method in methods:
        rng = np.random.default_rng(1)
        fitted = fit(method, items, rng)
        for model in ("", "large", "small"):
            own = ours[(ours["model"] == model) & (ours["method"] == method)]
            own = own[own["against"].isin(["", "humans"])]
            at = f":{model}" if model else ""
            texts = [f"{name}{at}{mark}{value}" for name, mark, value in
                     (text.partition("@") for text in own["metric"])]  # fmt: skip
            theirs = evaluate(fitted, items, texts, rng, 0.9, target=about)
            expected = [[getattr(other, name) for name in numbers] for other in theirs]
            assert own[numbers].to_numpy() == pytest.approx(np.array(expected), abs=1e-9)
            assert len(own) == (6 if model else 3)


def test_without_scores_the_answer_is_corrected_too(items):
    """Votes alone are a prediction; with 100 gold labels as with 250. Gold alone is wider."""
    bare, gold = replace(items, scores={}), items.gold.copy()
    gold[np.flatnonzero(items.gold != NO_GOLD)[100:]] = NO_GOLD
    for table in (bare, replace(bare, gold=gold)):
        for methods, expected in (
            (groups()[0], "logistic-R"),
            (("GT", "GT+MV", "votes-R", "Rogan-Gladen"), "votes-R"),
        ):
            found = free_of_models(table, methods)
            assert {one.value.method for one in found.answers} == {expected}
            estimates = found.tables["estimates"]
            width = (estimates["upper"] - estimates["lower"]).groupby(estimates["method"]).sum()
            assert width[expected] < width["GT"]


def test_two_seeds_give_the_same_answer(items, stan):
    """To the last digit, though the models' numbers differ; and so it is before them."""
    told, methods = [], ("logistic-R", "GT", "DS")
    runs = [
        evaluate_study(Study(items), Settings(methods=methods, seed=seed, imputations=20), stan, 1,
                       answered=told.append) for seed in (1, 2)
    ]  # fmt: skip
    answers = [[one.value for one in found.answers] for found in (*runs, *told)]
    assert {one.method for one in answers[0]} == {"logistic-R"}
    assert answers == answers[:1] * 4
    models = [one.tables["estimates"].query("method == 'DS'")["estimate"] for one in runs]
    assert not models[0].equals(models[1])


def test_every_method_is_there_or_says_why_not(found):
    lacks = dict.fromkeys(("CLARA", "judges", "judges-R"), "who gave each vote")
    lacks |= dict.fromkeys(("GT-E", "logistic-E"), "how often experts err")
    assert {one.method for one in found.summary.fits} == set(offered()) - set(lacks)
    missing = found.summary.not_run
    assert {one.method for one in missing} == set(lacks)
    assert all(lacks[one.method] in one.reason for one in missing)
    assert not any(one.failed for one in missing)
    for one in found.answers:
        assert one.beside.method == "MAVEN-C"
        assert isinstance(one.beside.contradicted, bool)


def test_models_are_compared_on_the_same_labels(found):
    """A difference of AUC is that of the two, and varies less than that of two studies would."""
    own = by_key(found).xs("GT", level="method")
    large, small = (own.loc[name, "", "AUC"] for name in ("large", "small"))
    pair = own.loc["large", "small", "delta_AUC"]
    apart = np.hypot(large["standard_error"], small["standard_error"])
    assert pair["standard_error"] < 0.97 * apart
    assert pair["estimate"] == pytest.approx(large["estimate"] - small["estimate"], abs=1e-12)


def test_a_difference_is_that_of_the_draws():
    """By hand: the draws' differences, in which what both share drops out."""
    shared = np.random.default_rng(1).normal(size=(50, 1))
    limits = np.array([[-1.0, 1.0]])
    named = Named(["d"], limits, [Scale.LOGIT], np.full((1, 2), np.nan), 2 * limits)
    (apart,) = Draws(shared + 0.3).minus(Draws(shared.copy())).estimates(named, 0.95)
    assert (apart.lower, apart.upper) == pytest.approx((0.3, 0.3))


def by_key(evaluation):
    """The estimates of all items, by (model, against, metric, method)."""
    table = evaluation.tables["estimates"]
    return table.set_index(["model", "against", "metric", "method"]).drop(columns="stratum")


@pytest.mark.parametrize("about", ["population", "items"])
def test_effective_gold_by_hand(found, of_items, items, about):
    """So many gold labels have an interval of its width: of the population, of which they are no
    more than all items, whose interval is no narrower, or of all items without replacement."""
    table = by_key(found if about == "population" else of_items)
    alone = table.loc["", "", "prevalence", "GT"]
    assert alone["effective_gold"] == pytest.approx(250)
    for method in ("logistic-R", "DS"):
        own = table.loc["", "", "prevalence", method]
        left = 250 / own["effective_gold"]
        if about == "items":
            left *= (1 - own["effective_gold"] / len(items)) / (1 - 250 / len(items))
        width = (alone["upper"] - alone["lower"]) * np.sqrt(left)
        if about == "population" and own["effective_gold"] == len(items):
            assert width > own["upper"] - own["lower"]
        else:
            assert width == pytest.approx(own["upper"] - own["lower"])
    assert (table["effective_gold"].dropna() <= len(items)).all()


def test_what_intervals_are_about_changes_neither_estimates_nor_misfits(found, of_items):
    """A misfit is one of the items, by hand: more than two of logistic-R's standard errors there.
    About the population intervals are wider, by what the items do not show of it."""
    there, here = by_key(found), by_key(of_items)
    there = there.loc[here.index]
    pd.testing.assert_series_equal(there["estimate"], here["estimate"])
    pd.testing.assert_series_equal(there["misfit"], here["misfit"])
    for method in ("DS", "MAVEN"):
        own, rectified = (here.xs(name, level="method") for name in (method, "logistic-R"))
        far = (own["estimate"] - rectified["estimate"]).abs() > 2 * rectified["standard_error"]
        assert (own["misfit"] == far.reindex(own.index)).all()
        wider = there["standard_error"] > here["standard_error"]
        assert wider.xs("logistic-R", level="method").all()
        # Of 100 draws each: a model's standard errors are known to 7 %.
        assert wider.xs(method, level="method").mean() > 0.9
    assert by_key(found).xs("GT", level="method")["misfit"].isna().all()


def test_other_tables(found, items):
    own = found.tables["items"]
    assert (own.loc[items.gold == 1, "MAVEN:large"] == 1).all()
    known = items.gold != NO_GOLD
    assert 0 < own.loc[~known, "MAVEN-R:small"].min() < own.loc[~known, "MAVEN-R:small"].max() < 1
    curves = found.tables["curves"].groupby(["method", "model"]).size()
    assert set(curves) == {POINTS}
    at_most_one = found.tables["curves"].query("method == 'MAVEN'")
    assert (at_most_one["lower"] <= at_most_one["upper"]).all()
    checks = found.tables["predictive"].query("method == 'MAVEN-C' and check == 'votes'")
    totals = checks.groupby(["model", checks["gold"].astype(str)])[["observed", "expected"]].sum()
    np.testing.assert_allclose(totals["observed"], totals["expected"])
    inside = checks["observed"].between(checks["lower"], checks["upper"])
    assert inside.mean() > 0.8  # 99 % each, where the model is true
    assert {"phi", "mu:large"} <= set(found.tables["parameters"]["parameter"])


def test_numbers_depend_on_the_seed_and_not_on_processes_or_other_methods(items, stan, tmp_path):
    few = {"imputations": 20, "metrics": ("prevalence", "AUC")}
    methods = {"methods": ("GT", "MAVEN", "MAVEN-R", "DS")}
    runs = {
        "one": evaluated(items, stan, 1, **few, **methods),
        "two": evaluated(items, stan, 2, **few, **methods),
        "seed": evaluated(items, stan, 2, **few, methods=("DS",), seed=2),
    }
    for name, one in runs.items():
        write_folder(one.tables, one.as_json(), {}, tmp_path / name)
    for file in ("estimates.csv", "curves.csv", "items.csv", "predictive.csv", "estimates.parquet"):
        one, two = ((tmp_path / name / file).read_bytes() for name in ("one", "two"))
        assert one == two, file
    alone = evaluated(items, stan, 1, **few, methods=("DS",)).tables["estimates"]
    together = runs["two"].tables["estimates"].query("method == 'DS'").reset_index(drop=True)
    own = ["metric", "model", "estimate", "lower", "upper"]
    pd.testing.assert_frame_equal(alone[own], together[own])
    assert not alone["lower"].equals(runs["seed"].tables["estimates"]["lower"])


def test_strata_are_studies_of_their_own(items, stan):
    half = np.where(np.arange(700) < 350, "a", "b").astype(object)
    half[:5], half[5:15] = "", "few"
    study = Study(items, strata={"language": half})
    settings = Settings(methods=("GT", "Rogan-Gladen"), metrics=("prevalence", "AUC"))
    found = evaluate_study(study, settings, stan)
    assert [one.name for one in found.summary.strata] == ["all", "language=a", "language=b"]
    assert "language=few with 10" in texts(found.summary.notes)
    table = found.tables["estimates"].query("method == 'GT' and metric == 'prevalence'")
    part = items.gold[half == "b"]
    share = (part == 1).sum() / (part != NO_GOLD).sum()
    assert table.set_index("stratum").loc["language=b", "estimate"] == pytest.approx(share)


def test_weights_are_those_of_the_items(items):
    """A weight of 3 is the same as three items; a constant one is none."""
    weights, methods = np.where(items.votes_positive > 1, 3.0, 1.0), ("GT", "AutoEval")
    found, plain, same = (
        free_of_models(items, methods, own, metrics=("prevalence",))
        for own in (weights, None, np.full(700, 7.0))
    )
    known = items.gold != NO_GOLD
    expected = np.average(items.gold[known], weights=weights[known])
    assert found.tables["estimates"]["estimate"].item() == pytest.approx(expected)
    assert found.summary.not_run[0].why == Note("takes_no_weights")
    own = plain.tables["estimates"].query("method == 'GT'").reset_index(drop=True)
    pd.testing.assert_frame_equal(same.tables["estimates"], own)


def _weighted(items, weights, method):
    metrics = ("prevalence", "TPR_H", "AUC")
    found = free_of_models(items, (method,), weights, metrics=metrics, about="population")
    return found.tables["estimates"].set_index(["metric", "model"])["standard_error"]


def test_weights_count_in_the_interval():
    """Of gold alone: the standard error is that of the weighted metric with each gold item left out
    once (jackknife), to 3 %; without the weights, the control, another by more than 15 %. With gold
    on every item what is corrected has the error of gold alone."""
    items = simulated(2_000, 400)
    weights = np.where(items.votes_positive > 1, 12.0, 1.0)
    known = items.gold != NO_GOLD
    gold, weight = items.gold[known] == 1, weights[known]
    votes, total = items.votes_positive[known], items.votes_total[known]
    scores = items.scores["large"][known]

    def values(left):
        y, w = gold[left], weight[left]
        share = np.average(y, weights=w)
        tpr = (w * y * votes[left]).sum() / (w * y * total[left]).sum()
        above = (scores[left][y][:, None] > scores[left][~y]).astype(float)
        return share, tpr, w[y] @ above @ w[~y] / (w[y].sum() * w[~y].sum())

    n = int(known.sum())
    without = np.array([values(np.delete(np.arange(n), one)) for one in range(n)])
    expected = np.sqrt((n - 1) ** 2 / n * without.var(axis=0, ddof=1))
    found, alike = _weighted(items, weights, "GT"), _weighted(items, None, "GT")
    keys = [("prevalence", ""), ("TPR_H", ""), ("AUC", "large")]
    np.testing.assert_allclose([found[key] for key in keys], expected, rtol=0.03)
    assert all(abs(alike[key] / found[key] - 1) > 0.15 for key in keys)
    full, weights = simulated(400, 400), np.random.default_rng(3).choice([1.0, 12.0], 400)
    corrected, gold = (_weighted(full, weights, name) for name in ("logistic-R", "GT"))
    np.testing.assert_allclose(corrected, gold.loc[corrected.index], rtol=1e-6)
    assert (corrected > 1.1 * _weighted(full, None, "logistic-R")).all()


def test_jobs_and_reasons():
    items = simulated(60, 20)
    study = Study(items)
    planned = plan_study(study, Settings(methods=("MAVEN", "MAVEN-R", "CLARA")))
    assert planned.jobs == [Job("all", ("MAVEN-R", "MAVEN"), name) for name in ("large", "small")]
    assert list(planned.against) == [("all", "CLARA")]
    without = make_items(items.votes_positive, 3, NO_GOLD, {})
    assert reason_against("MAVEN", Study(without), without).code == "no_scores"
    for method in ("GT", "GT+MV", "votes-R", "Rogan-Gladen"):
        assert "needs gold labels" in reason_against(method, Study(without), without).text
    assert reason_against("DS", Study(without), without) is None
    one = make_items([0, 1, 2], 3, [1, 1, -1])
    assert reason_against("Rogan-Gladen", Study(one), one).code == "one_class"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--methods", "GT", "--metrics", "F1"], "has an estimate: - large, small: no F1"),
        (["--methods", "CLARA"], "who gave each vote"),
    ],
)
def test_what_cannot_be_answered_is_said(items, tmp_path, capsys, more, message):
    asked = ["evaluate", as_file(items, tmp_path), "--out", str(tmp_path / "out")]
    assert main([*asked, *more]) == 1
    said = capsys.readouterr()
    assert message in " ".join(said.err.split())
    assert said.out == ""
    assert os.listdir(tmp_path) == ["study.csv"]
