"""Changed files are evaluated or refused: by every method, and by the command with its report."""

import io
import json
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score, roc_auc_score

from crowdgold.checking.study import check_data
from crowdgold.cli import main
from crowdgold.evaluation import fitting
from crowdgold.evaluation.assumed_errors import assumed_errors
from crowdgold.evaluation.jobs import plan_study
from crowdgold.evaluation.questions import METRICS, Settings
from crowdgold.evaluation.study import evaluate_study, join_findings, require_answers
from crowdgold.inference.labels import Fit, LabelPosterior, LabelPrediction
from crowdgold.methods.registry import METHODS, offered
from crowdgold.models.stan import StanModels
from crowdgold.presentation.text import describe
from crowdgold.reading.outputs import plain
from crowdgold.reading.study import read_study
from crowdgold.types.errors import InputError
from properties.test_own_study_properties import (
    GOOD,
    LONG,
    MUTATIONS,
    mutated,
)

DRAWS = 4
NUMBERS = (0.5, 0.0, -0.0, 1.0, 0.3, 0.30000000000001, -2.0, 5e-324, 1e300, np.nan, np.inf)

WIDE = {
    "all.csv": "item,votes_positive,votes_total,gold,score,score_b,stratum\n"
    + "".join(
        f"i{n},{n // 2 % 2 * 2 + (n % 3 == 0)},3,{'' if n % 2 else n // 2 % 2},"
        f"{n / 40},{n % 7},{n % 2}\n"
        for n in range(40)
    )
}
STUDIES = (GOOD[0], GOOD[1], WIDE)

FAST = {"chains": 2, "warmup": 5, "draws": 8, "lag": 1}


@pytest.fixture(scope="module", autouse=True)
def in_place_of_stan():
    """Chances that are any, some of them 0 and 1, in place of the fits of Stan models; the rest of
    these methods is as it is. CLARA runs short chains."""

    def posterior(items):
        chance = np.random.default_rng(len(items)).uniform(-0.2, 1.2, (DRAWS, len(items)))
        chance = chance.clip(0, 1)
        chances = lambda draw, model, rng: np.where(items.gold >= 0, items.gold, chance[draw])  # noqa: E731
        return LabelPosterior(DRAWS, chances), dict.fromkeys(items.predictors, chance.mean(axis=0))

    def fit(method, data, *rest):
        if method == "MAVEN-R":
            return Fit(method, LabelPrediction(posterior(data)[1]))
        if method in ("DS", "MAVEN", "MAVEN-C"):
            return Fit(method, posterior(data)[0])
        return true_fit(method, data, *rest)

    true_fit = fitting.fit
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fitting, "fit", fit)
        clara = METHODS["CLARA"]
        short = replace(clara, offer=replace(clara.offer, settings=FAST))
        patch.setitem(METHODS, "CLARA", short)
        yield


def swap_in_column(text, draw, separator):
    """Exchange two cells of a column below its name, which leaves a table readable."""
    rows = [line.split(separator) for line in text.splitlines()]
    one, other = (draw(st.integers(1, len(rows) - 1)) for _ in range(2))
    column = draw(st.integers(0, len(rows[0]) - 1))
    rows[one][column], rows[other][column] = rows[other][column], rows[one][column]
    return "\n".join(map(separator.join, rows)) + "\n"


@st.composite
def changed_files(draw):
    """Files with votes, gold and scores: cells of one of them change places, which leaves it
    readable, and every third study is changed once more in any way."""
    files = dict(draw(st.sampled_from(STUDIES)))
    name = draw(st.sampled_from(sorted(files)))
    for _ in range(draw(st.integers(1, 3))):
        files[name] = swap_in_column(files[name], draw, ",")
    if draw(st.integers(0, 2)) == 0:
        name = draw(st.sampled_from(sorted(files)))
        files[name] = draw(st.sampled_from(MUTATIONS))(files[name], draw, ",")
    return {name: text.encode("utf-8", "replace") for name, text in files.items()}


@st.composite
def asked(draw):
    """Settings, of which some cannot be used."""
    names = st.sampled_from([""] * 9 + ["gpt", "score", "nobody"])
    values = st.lists(st.sampled_from(NUMBERS[:9] * 5 + NUMBERS), min_size=1, max_size=3)
    return Settings(
        methods=offered(),
        metrics=tuple(draw(st.lists(st.sampled_from(METRICS), min_size=3, max_size=9))),
        thresholds=draw(st.dictionaries(names, values.map(tuple), max_size=2)),
        level=draw(st.sampled_from([0.95] * 20 + [0.5, 1e-9, 1 - 1e-9, 0.0, 1.0, float("nan")])),
        about=draw(st.sampled_from(["population", "items"])),
        imputations=DRAWS,
        expert_error=draw(st.sampled_from(["estimate", "none", "0.05"])),
    )


def evaluated_here(folder, files, chosen):
    """Evaluate by every method in this process; give what it found, or None where it is refused."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    stan = StanModels()
    try:
        study = read_study([folder / name for name in files])
        study = study.with_expert_error(chosen.expert_error)
        check = check_data(study, np.random.default_rng(1), resamples=5, permutations=5)
        planned = plan_study(study, chosen)
        found = [one for job in planned.jobs for one in fitting.run_job(job, planned, stan)]
        assumed = assumed_errors(planned)
        joined = join_findings(planned, found, check, 0.0, assumed)
        require_answers(joined)
    except InputError as error:
        joined, message = None, str(error)
    if joined is None:
        assert message.strip()
        return None
    assert json.dumps(plain(joined.as_json()), allow_nan=False)
    assert describe(joined)
    for table in joined.tables.values():
        table.to_csv(index=False)
    estimates = joined.tables["estimates"]
    keys = ["stratum", "model", "against", "metric", "method"]
    assert not estimates.duplicated(keys).any()
    known = estimates.dropna(subset=["lower", "upper"])
    assert (known["lower"] <= known["upper"]).all()
    assert np.isfinite(known[["estimate", "lower", "upper"]].to_numpy(float)).all()
    return joined


def unforeseen(joined):
    """The reasons of methods that failed by an error that is named, and no refusal in words."""
    reasons = [one.reason for one in joined.summary.not_run if one.failed]
    return [why for why in reasons if re.match(r"[A-Z]\w+(Error|Exception)\b", why)]


@pytest.mark.parametrize("files", GOOD[:2], ids=lambda files: next(iter(files)))
def test_good_files_are_evaluated_by_every_method_that_has_what_it_needs(files, tmp_path):
    bytes_of = {name: text.encode() for name, text in files.items()}
    joined = evaluated_here(tmp_path, bytes_of, Settings(imputations=DRAWS))
    ran = {one.method for one in joined.summary.fits}
    assert {"GT", "GT+MV", "DS", "MAVEN", "MAVEN-C"} <= ran
    assert unforeseen(joined) == []


def test_changed_files_are_evaluated_by_every_method(tmp_path_factory):
    """Whatever is wrong with files or settings: tables and a summary without NaN, or a message.
    Enough of the 120 are evaluated, and by enough methods, for that to say something."""
    ran = Counter()

    @settings(max_examples=120, deadline=None, derandomize=True)
    @given(changed_files(), asked())
    def evaluate(files, chosen):
        joined = evaluated_here(tmp_path_factory.mktemp("files"), files, chosen)
        if joined is not None:
            assert unforeseen(joined) == []
            ran.update(["any", *{one.method for one in joined.summary.fits}])

    evaluate()
    assert ran["any"] > 40
    assert min(ran[name] for name in offered()) > 1, ran


SAMPLED = ("CLARA", "judges", "judges-R")
"""Methods that run chains here."""


def study_of_systems(tied):
    """A study's three tables: votes of named annotators, gold labels of two experts, and scores of
    three models, of which one lacks some; tied scores are classes, halves and grades."""
    rng, size = np.random.default_rng(7), 240
    level, item = rng.standard_normal(size), np.array([f"i{n}" for n in range(size)])
    chance = 1 / (1 + np.exp(-2 * level))
    truth = (rng.random(size) < chance).astype(int)
    votes = [
        (item[n], f"a{voter}", int(rng.random() < chance[n]))
        for n in range(size)
        for voter in rng.choice(8, 3, replace=False)
    ]
    scores = {name: level * share + rng.standard_normal(size)
              for name, share in (("c", 1.0), ("a", 0.7), ("b", 0.4))}  # fmt: skip
    if tied:
        scores = {"c": scores["c"] > 0.3, "a": np.round(scores["a"] * 2) / 2,
                  "b": np.clip(np.round(scores["b"]), -2, 2)}  # fmt: skip
    columns = {f"score_{name}": one.astype(float) for name, one in scores.items()}
    table = pd.DataFrame({"item": item, **columns, "site": np.where(level > 0, "x", "y")})
    table.loc[table.index[:20], "score_b"] = np.nan
    gold = rng.choice(size, 90, replace=False)
    said = [(item[n], f"E{expert}", truth[n] if rng.random() < 0.95 else 1 - truth[n])
            for expert in (2, 1) for n in gold[: 90 // expert]]  # fmt: skip
    return {
        "votes.csv": pd.DataFrame(votes, columns=["item", "annotator", "label"]),
        "gold.csv": pd.DataFrame(said, columns=["item", "expert", "label"]),
        "scores.csv": table.rename(columns={"site": "stratum"}),
    }


@pytest.mark.parametrize("tied", [True, False])
def test_the_order_of_rows_columns_and_files_does_not_matter(tmp_path, tied):
    """All tables are the same to the last digit, of all methods and metrics, in strata too."""
    tables, stan = study_of_systems(tied), StanModels()
    chosen = Settings(
        methods=tuple(name for name in offered() if name not in SAMPLED), imputations=DRAWS,
        thresholds={"a": (0.5,), "b": (0.0,), "c": (0.5, 1.0)},
    )  # fmt: skip
    found = []
    for number in range(3):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        for name, table in tables.items():
            moved = table.sample(frac=1.0, random_state=number) if number else table
            moved = moved[list(table)[:: -1 if number == 2 else 1]]
            moved.to_csv(folder / name, index=False)
        names = sorted(tables, reverse=number == 1)
        study = read_study([folder / name for name in names])
        planned = plan_study(study, chosen)
        jobs = [fitting.run_job(job, planned, stan) for job in planned.jobs]
        assumed = assumed_errors(planned)
        joined = join_findings(planned, [one for job in jobs for one in job], None, 0.0, assumed)
        found.append((joined, [one for job in jobs for one in job]))
    (first, jobs), *others = found
    ran = {one.method for one in first.summary.fits}
    assert {"GT", "GT+MV", "votes-R", "logistic-R", "AutoEval", "Rogan-Gladen", "DS", "GT-E",
            "logistic-E"} <= ran  # fmt: skip
    assert unforeseen(first) == []
    for other, others_jobs in others:
        for name, table in first.tables.items():
            pd.testing.assert_frame_equal(table, other.tables[name], check_exact=True)
        assert first.answers == other.answers
        for one, two in zip(jobs, others_jobs, strict=True):
            if one.sample is not None and hasattr(one.sample, "points"):
                np.testing.assert_array_equal(one.sample.points, two.sample.points)
                np.testing.assert_array_equal(one.sample.expected, two.sample.expected)


def test_of_tied_scores_gold_alone_has_the_area_of_scikit_learn(tmp_path):
    """Classes, halves and grades: GT's AUC, recall, precision, F1 and accuracy are those of the
    gold items, ties counting half in AUC; no curve of the answer falls."""
    tables = study_of_systems(tied=True)
    for name, table in tables.items():
        table.to_csv(tmp_path / name, index=False)
    study = read_study([tmp_path / name for name in tables])
    metrics = ("AUC", "recall", "precision", "F1", "accuracy")
    chosen = Settings(methods=("GT", "logistic-R"), metrics=metrics, thresholds={"": (0.5,)})
    joined = evaluate_study(study, chosen, StanModels())
    estimates, gold = joined.tables["estimates"], study.items.gold
    for model, scores in study.items.scores.items():
        known = (gold >= 0) & np.isfinite(scores)
        labels, own = gold[known], scores[known]
        flagged = own >= 0.5
        expected = {
            "AUC": roc_auc_score(labels, own), "recall@0.5": recall_score(labels, flagged),
            "precision@0.5": precision_score(labels, flagged), "F1@0.5": f1_score(labels, flagged),
            "accuracy@0.5": (labels == flagged).mean(),
        }  # fmt: skip
        asked = f"method == 'GT' and model == '{model}' and against == '' and stratum == 'all'"
        rows = estimates.query(asked)
        found = dict(zip(rows["metric"], rows["estimate"], strict=True))
        assert found == pytest.approx(expected, abs=1e-9)
    curves = joined.tables["curves"]
    for _, rows in curves[curves["curve"] == "ROC"].groupby(["stratum", "model", "method"]):
        for column in ("estimate", "lower", "upper"):
            assert (np.diff(rows[column].dropna()) >= 0).all()
        assert ((rows["lower"] <= rows["estimate"]) & (rows["estimate"] <= rows["upper"])).all()


def evaluated(folder, files):
    """Evaluate files by the command, and report; give its exit code."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    out = folder / "out"
    code = main(
        ["evaluate", *(str(folder / name) for name in files), "--out", str(out), "--cores", "1",
         "--methods", "GT", "Rogan-Gladen", "--metrics", "prevalence", "TPR_H", "AUC", "--report"]
    )  # fmt: skip
    assert (code == 0) == (out / "report.html").is_file()
    assert not list(folder.glob(".*"))
    return code


def parquet_of(text):
    buffer = io.BytesIO()
    pd.read_csv(io.StringIO(text)).to_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_good_files_are_evaluated(tmp_path, kind):
    """The first of the good files has gold of both classes, as it is and as parquet."""
    files = {name.replace("csv", kind): parquet_of(text) if kind == "parquet" else text.encode()
             for name, text in GOOD[0].items()}  # fmt: skip
    assert evaluated(tmp_path, files) == 0


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(mutated(), st.booleans())
def test_changed_files_are_evaluated_or_refused(tmp_path_factory, changed, cut_parquet):
    """Whatever is wrong, the command ends with 0, 1 or 2 and leaves a whole report or none; parquet
    whose bytes are cut or changed as well."""
    files, _ = changed
    folder = tmp_path_factory.mktemp("files")
    if cut_parquet:
        whole = parquet_of(LONG)
        place = len(repr(files)) % len(whole)
        files = {"votes.parquet": whole[:place] + b"\x00" + whole[place + 1 :][: place // 2]}
    assert evaluated(folder, files) in (0, 1, 2)
