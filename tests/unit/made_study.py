"""A small folder as `crowdgold evaluate` writes it, made from nothing: numbers are invented; and
files of items, with what commands must make of them.
"""

import json
from itertools import combinations

import numpy as np
import pandas as pd

from crowdgold.cli import main
from crowdgold.evaluation.answer import Answer, Quantity, value_of
from crowdgold.evaluation.choosing import answers_of
from crowdgold.evaluation.folder import Evaluation, FitTold, NotRun, StratumCounts, Summary
from crowdgold.evaluation.questions import Settings
from crowdgold.evaluation.rows import KEYS
from crowdgold.inference.labels import evaluate
from crowdgold.methods.needs import CHOSEN
from crowdgold.methods.registry import fit
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.presentation.folder import read_study_folder
from crowdgold.reading.study import read_study
from crowdgold.types.notes import Note


def write_items(items, path, **columns):
    """Items as a user has them, without the truth; the path."""
    frame = items.to_frame().drop(columns=["truth", "oracle", "tie_break"])
    frame.assign(**columns).to_csv(path, index=False)
    return str(path)


ASKED = ("--no-models", "--methods", "GT", "logistic-R", "--json")


def numbers_are_of_the_engine(path, folder, capsys, target):
    """Insist that `evaluate` gives what the engine gives; the items, and what the command said."""
    metrics = ("--about", target, "--metrics", "prevalence", "TNR_H", "AUC")
    assert main(["evaluate", path, "--out", str(folder / "out"), *ASKED, *metrics]) == 0
    told = capsys.readouterr()
    answers = json.loads(told.out)["answers"]
    items, rng = read_study([path]).items, np.random.default_rng(1)
    fitted = fit("logistic-R", items, rng)
    for metric in ("prevalence", "TNR_H", "AUC:A", "delta_AUC"):
        (expected,) = evaluate(fitted, items, [metric], rng, target=target)
        found = next(one for one in answers if one["model"] in ("A", "")
                     and one["metric"] == metric.partition(":")[0])  # fmt: skip
        assert found["method"] == "logistic-R"
        for name in ("estimate", "lower", "upper", "standard_error"):
            np.testing.assert_allclose(found[name], getattr(expected, name), rtol=1e-8)
    return items, " ".join(told.err.split())


def refused_in_one_line(path, folder, capsys, *texts):
    """Insist that `check` and `evaluate` refuse a file, whose last line holds these texts."""
    for command in (["check", path], ["evaluate", path, "--out", str(folder / "out")]):
        assert main(command) == 2
        told = capsys.readouterr()
        assert not told.out
        line = told.err.strip().splitlines()[-1]
        assert all(text in line for text in texts)
    assert not (folder / "out").exists()


METHODS = ("logistic-R", "GT", "GT+MV", "DS", "MAVEN", "MAVEN-C")
LABEL_METRICS = {"prevalence": 0.2, "TPR_H": 0.72, "TNR_H": 0.94}
MODEL_METRICS = {
    "AUC": 0.86, "delta_TPR": 0.04, "accuracy@0.5": 0.9, "precision@0.5": 0.7, "recall@0.5": 0.55,
    "F1@0.5": 0.62,
}  # fmt: skip
WIDTHS = {"GT": 0.09, "GT+MV": 0.03, "DS": 0.05, "MAVEN": 0.04, "MAVEN-C": 0.05, "logistic-R": 0.06}
GOLD = 300
ABOUT = "Intervals are about the population that these 3,000 items were drawn from."
HOSTILE = "<script>alert('x')</script>\"'&$a$"


def _estimate(stratum, model, against, metric, value, method, rng):
    width = WIDTHS[method] * (0.5 if metric.startswith("delta") else 1)
    value = value + rng.normal(0, width / 8) + (0.06 if method == "GT+MV" else 0)
    of_gold, wrong = (
        method in ("GT", "GT+MV", "logistic-R"),
        (method, metric) == ("DS", "prevalence"),
    )
    failed = (method, model) == ("MAVEN", "small")
    return {
        "stratum": stratum, "model": model, "against": against, "metric": metric, "method": method,
        "estimate": value, "lower": value - width / 2, "upper": min(1.0, value + width / 2),
        "standard_error": width / 4, "effective_gold": GOLD * (WIDTHS["GT"] / WIDTHS[method]) ** 2,
        "effective_gold_lower": 400.0 if method == "logistic-R" else np.nan,
        "effective_gold_upper": 1200.0 if method == "logistic-R" else np.nan,
        "misfit": np.nan if of_gold else float(wrong),
        "misfit_p": np.nan if of_gold else 0.001 if wrong else 0.5,
        "diagnostics_passed": not failed, "message": "R-hat 1.2" if failed else "", "note": "",
        "codes": "",
    }  # fmt: skip


def _estimates(models, strata, metrics, rng):
    asked = [("", "", metric, value) for metric, value in LABEL_METRICS.items()]
    for metric, value in metrics.items():
        against = "humans" if metric == "delta_TPR" else ""
        asked += [(model, against, metric, value - 0.03 * k) for k, model in enumerate(models)]
    for (one, first), (other, second) in combinations(enumerate(models), 2):
        for metric in metrics:
            name = metric if metric.startswith("delta_") else f"delta_{metric}"
            turned = -1 if metric == "precision@0.5" else 1
            asked.append((first, second, name, 0.03 * (other - one) * turned))
    return pd.DataFrame(
        _estimate(stratum, *one, method, rng)
        for stratum in strata for one in asked for method in METHODS
    )  # fmt: skip


def _answers(table, reason):
    for key, group in table.groupby(list(KEYS), sort=False):
        stratum, model, against, metric = key
        by = {row["method"]: value_of(row) for row in group.to_dict("records")}
        yield Answer(stratum, Quantity(metric, model, against), by["logistic-R"], by["MAVEN-C"],
                     by["GT"], gold=GOLD, reason=reason)  # fmt: skip


def _curves(models):
    at = np.arange(0, 101) / 100
    parts = []
    for place, model in enumerate(models):
        power = 0.2 + 0.06 * place
        curves = {"ROC": (at, at**power), "PR": (at[1:], 1 - 0.75 * at[1:] ** (1.6 - power))}
        for method in ("GT", "logistic-R"):
            for name, (x, y) in curves.items():
                band = 0.05 if method == "GT" else 0.03
                parts.append(
                    pd.DataFrame({
                        "stratum": "all", "model": model, "method": method, "curve": name, "at": x,
                        "estimate": y, "lower": np.maximum(y - band, 0),
                        "upper": np.minimum(y + band, 1),
                    })
                )  # fmt: skip
    return pd.concat(parts)


def _predictive(models, rng):
    rows = []
    for model in models:
        for gold, items, share in ((0, 240, 0.06), (1, 60, 0.72), (None, 2700, 0.2)):
            for total in (3, 5):
                counts = rng.binomial(total, share, size=items // 2)
                for votes in range(total + 1):
                    seen = int((counts == votes).sum())
                    rows.append({
                        "check": "votes", "gold": gold, "votes_total": total,
                        "votes_positive": votes, "items": items // 2, "observed": seen,
                        "expected": seen + 1.0, "lower": max(0, seen - 9), "upper": seen + 9,
                    })  # fmt: skip
        for _ in range(20):
            seen = rng.uniform(0.3, 0.95)
            drawn = seen + rng.normal(0, 0.012)
            rows.append({
                "check": "wins", "gold": 0, "votes_total": 3, "votes_positive": 1, "items": 9,
                "observed": seen, "expected": drawn, "lower": drawn - 0.03, "upper": drawn + 0.03,
            })  # fmt: skip
        for row in rows:
            row.setdefault("model", model)
    return pd.DataFrame(rows).assign(stratum="all", method="MAVEN-C")


def _check(models, annotator, p):
    return {
        "about": {
            "items": ["3,000"], "annotators": ["3, one against the others", annotator],
            "scores": [f"{name}: 0 to 1" for name in models],
        },
        "gold_sample": {"p": p, "shifts": [], "note": ""},
        "verdicts": [
            {"method": "GT", "verdict": "usable", "why": "gold labels alone", "mend": ""},
            {"method": "MAVEN", "verdict": "weak", "why": "too short", "mend": "read logistic-R"},
            {"method": "CLARA", "verdict": "not usable", "why": "no annotators", "mend": "name"},
        ],
        "warnings": ["1 annotator labels against the majority of the others"],
    }  # fmt: skip


def _fits(models):
    """A fit of each method and model; one misses its gate."""
    return [
        {"stratum": "all", "method": method, "model": model,
         "diagnostics_passed": not (method == "MAVEN" and model == "small"),
         "problems": ["R-hat 1.2"] if method == "MAVEN" and model == "small" else [],
         "notes": [], "rhat": 1.002, "chains": 4, "divergences": 0, "seconds": 1.2}
        for method in METHODS for model in models
    ]  # fmt: skip


def _rates(annotator):
    """Rates of two annotators."""
    return pd.DataFrame(
        {"stratum": "all", "method": "CLARA", "annotator": name, "metric": metric,
         "estimate": 0.8, "lower": 0.7, "upper": 0.9, "note": ""}
        for name in (annotator, "ann") for metric in ("TPR", "TNR")
    )  # fmt: skip


def make_study(
    folder, models=("large", "small"), annotator="eve", strata=(), p=0.4, reason=None,
    metrics=tuple(MODEL_METRICS),
):  # fmt: skip
    """Write a folder, with gold of this `p` of being a random sample; give it."""
    rng = np.random.default_rng(11)
    folder.mkdir(parents=True, exist_ok=True)
    names = ["all", *strata]
    table = _estimates(models, names, {name: MODEL_METRICS[name] for name in metrics}, rng)
    counts = {"items": 3000, "votes": 12000, "gold": GOLD, "gold_positive": 60,
              "gold_negative": 240, "gold_random": p >= CHOSEN}  # fmt: skip
    summary = {
        "date": "2026-03-01",
        "settings": {"methods": METHODS, "thresholds": {"": [0.5]}, "level": 0.95,
                     "about": "population", "seed": 7},
        "models": models,
        "thresholds": {name: [0.5] for name in models},
        "strata": [{"name": name, **counts, "about": ABOUT} for name in names],
        "held_against": "logistic-R",
        "weighted": False,
        "notes": [f"votes.csv: column {annotator!r} read as annotator"],
        "answers": [one.as_json() for one in _answers(table, reason)],
        "fits": _fits(models),
        "not_run": [{"stratum": "all", "method": "CLARA", "model": "", "failed": False,
                     "reason": "it needs to know who gave each vote"}],
        "seconds": 12.5,
    }  # fmt: skip
    table.to_csv(folder / "estimates.csv", index=False)
    if models:
        _curves(models).to_csv(folder / "curves.csv", index=False)
        _predictive(models, rng).to_csv(folder / "predictive.csv", index=False)
    _rates(annotator).to_csv(folder / "annotators.csv", index=False)
    parameters = [
        {"stratum": "all", "model": models[0] if models else "", "method": "MAVEN-C",
         "parameter": "phi", "median": 0.2, "lower": 0.18, "upper": 0.22}
    ]  # fmt: skip
    pd.DataFrame(parameters).to_csv(folder / "parameters.csv", index=False)
    (folder / "study.json").write_text(json.dumps(summary))
    (folder / "check.json").write_text(json.dumps(_check(models, annotator, p)))
    return folder


def evaluation_in(folder):
    """What a folder holds, as it was before it was written."""
    held = read_study_folder(folder)
    return Evaluation(held.tables, summary_of(held.summary), tuple(held.all_answers))


def summary_of(held):
    """The summary that a study.json of `make_study` has."""
    told, fits = held["settings"], held["fits"]
    settings = Settings(tuple(told["methods"]), level=told["level"])
    counts = ("items", "votes", "gold", "gold_positive", "gold_negative")
    strata = [StratumCounts(one["name"], *(one[name] for name in counts), True, None, one["about"])
              for one in held["strata"]]  # fmt: skip
    fits = [FitTold(one["stratum"], one["method"], one["model"],
                    Diagnostics(failures=tuple(one["problems"]), chains=4), 1.2)
            for one in fits]  # fmt: skip
    lacks = [NotRun(one["stratum"], one["method"], one["model"], Note("no_annotators"))
             for one in held["not_run"]]  # fmt: skip
    return Summary(settings, held["models"], {}, False, (), tuple(strata), held["held_against"],
                   tuple(fits), tuple(lacks), 1.0)  # fmt: skip


def changed(folder, **summary):
    """Write some keys of study.json anew, answers as records; the folder read."""
    path = folder / "study.json"
    if "answers" in summary:
        summary["answers"] = [one.as_json() for one in summary["answers"]]
    path.write_text(json.dumps(json.loads(path.read_text()) | summary))
    return read_study_folder(folder)


def answers_in(table, gold, aside=None, unusable=()):
    """The answers that are chosen from rows of all items, with so many gold labels."""
    asked = zip(table["stratum"], table["model"], table["against"], strict=True)
    against = {"all": dict.fromkeys(unusable, (Note("no_votes"),))}
    sizes = dict.fromkeys(asked, (gold, 2 * gold))
    return tuple(answers_of(table, sizes, {"all": gold}, {"all": aside}, against))
