"""Tables of judge error, soft metrics and judged agents, from small runs of checks or made."""

from functools import cache

import numpy as np
import pandas as pd

from crowdgold.experiment.summaries import summarise
from crowdgold.papers.judge_error.simulation import (
    VARIANTS,
    compute_judge_error_formula,
    compute_judge_error_simulation,
)
from crowdgold.papers.soft_metrics.experiments import (
    compute_metric_study,
    compute_soft_metric_correlations,
    compute_soft_metric_curve,
    compute_soft_metric_scores,
)

POST = {
    "n": 1000, "prevalence": 0.7, "tpr": 0.9, "tnr": 0.95, "gold_positives": 200,
    "gold_negatives": 200, "simulations": 20_000,
}  # fmt: skip
METHODS = ("MV", "Rogan-Gladen", "PPI++")
MIXES = [(10, 10), (0.1, 0.1), (10, 0.1), (0.1, 10)]


def rng(seed=0):
    return np.random.default_rng(seed)


@cache
def judge_error_tables():
    frames = [
        compute_judge_error_simulation(POST | {"variant": variant}, rng([place, run])).assign(
            variant=variant, replicate=run
        )
        for place, variant in enumerate(VARIANTS)
        for run in range(6)
    ]
    published = [
        compute_judge_error_simulation(
            POST | {"variant": "published", "false_positives": wrong}, rng(wrong)
        ).assign(false_positives=wrong, replicate=0)
        for wrong in (10, 11)
    ]
    qualities = ("1-1", "0.9-1", "1-0.9", "0.9-0.95")
    formula = [
        compute_judge_error_formula({"quality": one, "n": 1000, "n_gold": 200, "points": 21}, rng())
        for one in qualities
    ]
    return {
        "judge_error_simulation": pd.concat(frames, ignore_index=True),
        "judge_error_printed_run": pd.concat(published, ignore_index=True),
        "judge_error_formula": pd.concat(formula, ignore_index=True),
    }


def method_results(seed=1, shift=0.0):
    """Estimates of three methods in four settings; MV is off by 0.05, the others by `shift`."""
    own = rng(seed)
    rows = []
    for prevalence in (0.1, 0.7):
        for n_gold in (50, 200):
            for replicate in range(30):
                for method in METHODS:
                    off = 0.05 if method == "MV" else shift
                    estimate = prevalence + off + own.normal(0, 0.01)
                    rows.append(
                        {
                            "paper": "Judge error", "experiment": "judge_error_grid",
                            "quality": "0.9-0.95", "n_gold": n_gold, "prevalence": prevalence,
                            "replicate": replicate, "method": method, "metric": "prevalence",
                            "annotator": "", "truth": prevalence, "estimate": estimate,
                            "lower": estimate - 0.02, "upper": estimate + 0.02,
                            "standard_error": 0.01, "undefined": 0.0, "note": "",
                            "diagnostics_passed": True, "diagnostics_message": "",
                        }
                    )  # fmt: skip
    return pd.DataFrame(rows)


@cache
def soft_metric_tables():
    correlations = [
        compute_soft_metric_correlations(
            {"matrices": 60, "rows": 60, "classes": classes, "alpha": alpha, "beta": beta,
             "printed_matrices": 500, "level": 0.9995},
            rng([classes, int(10 * alpha), int(10 * beta)]),
        ).assign(classes=classes, alpha=alpha, beta=beta)
        for classes in (10, 100)
        for alpha, beta in MIXES
    ]  # fmt: skip
    curve = [
        compute_soft_metric_curve({"share": share, "points": 51}, rng()).assign(share=share)
        for share in (0.5, 0.8)
    ]
    study = {
        "strengths": [0.126, 0.109, 0.098, 0.085, 0.07, 0.048, 0.024], "judgements": 8,
        "judges": 2.3, "undecided": 0.33, "correlations": [0.6, 0.7, 0.8], "studies": 20,
        "permutations": 19, "level": 0.95,
    }  # fmt: skip
    studies = [
        compute_metric_study(study | {"instance_sd": sd}, rng(sd)).assign(instance_sd=sd)
        for sd in (0, 1)
    ]
    scores = [
        compute_soft_metric_scores({"subset": subset}, rng(3), chaosnli()).assign(subset=subset)
        for subset in ("snli", "mnli_m")
    ]
    return {
        "soft_metric_curve": pd.concat(curve, ignore_index=True),
        "soft_metric_correlations": pd.concat(correlations, ignore_index=True),
        "metric_study": pd.concat(studies, ignore_index=True),
        "soft_metric_scores": pd.concat(scores, ignore_index=True),
    }


def chaosnli(items=60):
    """A table as `prepare` makes it: counts of 100 labels, and predictions of two models."""
    own = rng(9)
    shares = own.dirichlet([1, 1, 1], 2 * items)
    counts = np.array([own.multinomial(100, share) for share in shares])
    frame = pd.DataFrame(counts, columns=["count_e", "count_n", "count_c"])
    frame.insert(0, "subset", np.repeat(["snli", "mnli_m"], items))
    for model, seed in (("roberta-base", 0), ("bert-base-uncased", 1)):
        predicted = own.dirichlet([1, 1, 1], 2 * items)
        for place, name in enumerate("enc"):
            frame[f"{model}:{seed}:{name}"] = predicted[:, place]
    frame.loc[frame["subset"] == "mnli_m", [f"bert-base-uncased:1:{k}" for k in "enc"]] = np.nan
    frame.loc[0, [f"roberta-base:0:{k}" for k in "enc"]] = np.nan
    return frame


TRUE = np.array([0.2, 0.4, 0.6])
SIGNS = np.array([1, -1, 1])


def agent_scores(experiment, mse, replicates=4, seed=1):
    """Scores of three agents whose MSE is mse[configuration][method], a little more or less."""
    rng, rows = np.random.default_rng(seed), []
    for configuration, methods in mse.items():
        for method, value in methods.items():
            wobble = rng.uniform(0.9, 1.1, replicates)
            wobble *= 1 / wobble.mean()
            for replicate in range(replicates):
                estimate = TRUE + SIGNS * np.sqrt(value * wobble[replicate])
                rows += [
                    {"experiment": experiment, "configuration": configuration, "method": method,
                     "metric": "score:each", "replicate": replicate, "agent": f"A{agent}",
                     "truth": TRUE[agent], "estimate": estimate[agent]}
                    for agent in range(3)
                ]  # fmt: skip
    return pd.DataFrame(rows)


def judged_results(
    methods=("MV", "DS", "PEC"), lead=0.3, tau=(0.9, 0.95, 0.99), spread=(0.3, 0.2, 0.1)
):
    """A results table of two agents, two annotators and two responses."""
    rows = []

    def add(method, metric, value, **more):
        rows.append(
            {"method": method, "metric": metric, "annotator": "", "agent": "", "item": "",
             "estimate": value, "lower": value - 0.1, "upper": value + 0.1,
             "standard_error": np.nan, "diagnostics_passed": method == "MV",
             "diagnostics_message": "EM: 321 steps", "replicate": 0, "experiment": "e",
             "mapping": "baseline", "undefined": 0, "note": "", "truth": np.nan, **more}
        )  # fmt: skip

    for place, method in enumerate(methods):
        for agent, score in (("A", 0.5 + lead / 2 + place / 100), ("B", 0.5 - lead / 2)):
            add(method, "score:each", score, agent=agent)
            add(method, "rank:each", 1.0 if agent == "A" else 2.0, agent=agent)
            add(method, "responses:each", 30, agent=agent)
        for name, value in (("labels", 120), ("responses", 60), ("agents", 2), ("annotators", 2)):
            add(method, name, value)
        for name, value in (("labels_per_response", 2), ("unanimous", 0.5), ("pairwise", 0.5)):
            add(method, name, value)
        for name in ("accuracy", "leniency", "strictness"):
            add(method, f"{name}:each", 0.6, annotator="R1")
            add(method, f"{name}:each", 0.7, annotator="R2")
        for name, value in (("ambiguity", 0.4), ("entropy", 0.9), ("level", 1)):
            add(method, f"{name}:top", value, item="i1")
        for name, value in (("ambiguity", 0.1), ("entropy", 0.2), ("ambiguous", 0.05)):
            add(method, name, value)
        add(method, "rank_sd", spread[place])
        add(method, "rank_range", 1.0)
        add(method, "stability", tau[place], standard_error=0.005)
    return pd.DataFrame(rows)


def interval_results():
    """Intervals of three agents' scores by two methods, with and without copied labels."""
    tables = []
    for copying in (0.0, 0.4):
        mse = {"c": {"PEC": 1e-3, "PEC-posterior": 2e-3}}
        rows = agent_scores("e", mse).assign(copying=copying, diagnostics_passed=True)
        half = np.where(rows["method"] == "PEC", 0.02, 0.06)
        tables.append(rows.assign(lower=rows["estimate"] - half, upper=rows["estimate"] + half))
    return summarise(pd.concat(tables, ignore_index=True), ["copying"])


def tables_of_judged():
    """Plot -> a table and options, for the plots of judge error, soft metrics and agents."""
    panels = [{"label": "Labels", "configurations": {"labels_3": 3, "labels_9": 9}}]
    groups = [{"title": "Labels", "configurations": {"labels_3": "3", "labels_9": "9"}}]
    mse = {name: {"MV": 0.02, "DS": 0.01, "PEC": 0.015} for name in ("labels_3", "labels_9")}
    ablation = agent_scores("stableval_synthetic", mse)
    simulations = judge_error_tables()
    runs = [simulations[f"judge_error_{one}"] for one in ("simulation", "printed_run")]
    summary = summarise(method_results(), ["quality", "n_gold", "prevalence"])
    mappings = [judged_results(["PEC"]).assign(mapping=name) for name in ("baseline", "tie_win")]
    numbers = {"statistics": 1, "scores": 8, "stability": 9, "quality": 10, "ambiguous": 11}
    return {
        "agent_ablation": (ablation, {"quantity": "mse", "panels": panels}),
        "agent_ablation_table": (
            ablation, {"quantity": "mse", "scale": 1000, "digits": 2, "groups": groups}
        ),
        "agent_intervals": (interval_results(), {"by": ["copying"]}),
        "agent_scores": (judged_results(), {"title": "T"}),
        "agent_tables": (judged_results(), {"numbers": numbers | {"findings": 12}}),
        "agent_mappings": (pd.concat(mappings, ignore_index=True), {}),
        "judge_error_simulation": (
            pd.concat(runs, ignore_index=True), {"prevalence": 0.7, "printed_false_positives": 11}
        ),
        "judge_error_formula": (simulations["judge_error_formula"], {}),
        "judge_error_methods": (summary, {"columns": ["n_gold"]}),
        **{name: (table, {}) for name, table in soft_metric_tables().items()},
    }  # fmt: skip
