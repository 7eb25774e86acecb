"""Made tables of CLARA's figures: each error, width and rate is chosen, with a little noise."""

import numpy as np
import pandas as pd

from crowdgold.experiment.summaries import summarise
from crowdgold.papers.clara.claims import CLARA
from crowdgold.papers.clara.experiments import compute_sigmoid_scores

PREVALENCES = (0.01, 0.1, 0.2, 0.4)


def replicate_rows(off, half, rng, size=12, truth=0.5, **columns):
    """Replicates whose estimates are off by so much, with a tenth of it as noise."""
    estimate = truth + off + 0.1 * abs(off) * rng.normal(size=size)
    return pd.DataFrame(
        {"experiment": "e", "metric": "prevalence", "replicate": np.arange(size), "truth": truth,
         "estimate": estimate, "lower": estimate - half, "upper": estimate + half,
         "diagnostics_passed": True} | columns
    )  # fmt: skip


def joined(rows):
    return pd.concat(rows, ignore_index=True)


def prevalence_results(clara=0.01, mv=0.03, half=None, size=12):
    """Figure 2: errors of CLARA and MV; half their intervals, by method and TPR."""
    half = half or {(CLARA, 0.8): 0.04, (CLARA, 0.9): 0.02, ("MV", 0.8): 0.01,
                    ("MV", 0.9): 0.01}  # fmt: skip
    rng = np.random.default_rng(1)
    return joined(
        replicate_rows(off, half[method, tpr], rng, size, prevalence, method=method, tpr=tpr,
                       prevalence=prevalence)
        for method, off in (("MV", mv), (CLARA, clara))
        for tpr in (0.8, 0.9)
        for prevalence in PREVALENCES
    )  # fmt: skip


def scores_results(none=0.03, weak=0.02, strong=0.01, half=0.05, method=CLARA):
    """Figure 11: errors by how far the scores separate; intervals are in proportion."""
    rng = np.random.default_rng(2)
    return joined(
        replicate_rows(off, half * off / none, rng, 12, prevalence, method=method,
                       separation=separation, prevalence=prevalence)
        for separation, off in (("none", none), ("1", weak), ("4", strong))
        for prevalence in PREVALENCES
    )  # fmt: skip


def recovery_results(constant=0.4, replicates=3):
    """Figure 3: errors of TPR and TNR fall with the root of the items of the class."""
    rng = np.random.default_rng(3)
    rows = [
        {"experiment": "e", "method": CLARA, "metric": f"{rate}:each", "n_reviewers": reviewers,
         "prevalence": prevalence, "replicate": k, "truth": 0.9, "estimate": 0.9
         + constant * rng.normal(1, 0.1) / np.sqrt(50_000 * share * 2.18 / reviewers),
         "lower": np.nan, "upper": np.nan, "diagnostics_passed": True}
        for reviewers in (10, 100, 1000) for prevalence in (0.1, 0.3)
        for rate, share in (("TPR", prevalence), ("TNR", 1 - prevalence))
        for k in range(replicates) for _ in range(min(reviewers, 30))
    ]  # fmt: skip
    return pd.DataFrame(rows)


def recovery_summary():
    summary = summarise(recovery_results(), ["n_reviewers", "prevalence"])
    return summary.assign(error_sd=summary["error"] * 1.2)


def audit_results(clara=0.01, mv=0.1, slope=1.0):
    """Figure 4: the majority vote's errors grow as the auditors' precision falls."""
    rng = np.random.default_rng(4)
    return joined(
        replicate_rows(off, 0.02, rng, 6, 0.7, method=method, metric=f"{metric}:reviewers",
                       auditor_precision=auditors, reviewer_precision=reviewers)
        for metric in ("precision", "recall")
        for auditors in (0.7, 0.8, 0.9)
        for reviewers in (0.6, 0.9)
        for method, off in (("MV", mv * (1 + slope * (0.9 - auditors) / 0.2)), (CLARA, clara))
    )  # fmt: skip


def day_results(experiment="b", drop=0.2, gap=0.02, days=30, half=0.03):
    """Figure 7: prevalence, TPR and TNR by day; from day 15 on TPR falls and MV is off by `gap`."""
    rng = np.random.default_rng(5)
    table = pd.DataFrame(
        {"experiment": experiment, "day": day, "replicate": 0, "method": method, "metric": metric,
         "truth": truth - fall * (day >= 15), "reach": reach, "diagnostics_passed": True,
         "estimate": truth + off * (day >= 15) + 0.003 * rng.normal()}
        for day in range(1, days + 1)
        for metric, method, truth, fall, off, reach in (
            ("prevalence", "MV", 0.1, 0, gap, half / 2), ("prevalence", CLARA, 0.1, 0, 0, half),
            ("TPR", CLARA, 0.9, drop, -drop, half), ("TNR", CLARA, 0.95, 0, 0, half),
        )
    )  # fmt: skip
    reach = table.pop("reach")
    return table.assign(lower=table["estimate"] - reach, upper=table["estimate"] + reach)


def audit_day_results(clara=0.005, mv=0.05, sd=0.02, replicates=1):
    """Figure 8: errors of precision and recall by day."""
    rng = np.random.default_rng(6)
    return joined(
        replicate_rows(off, sd, rng, replicates, 0.8, method=method, metric=f"{metric}:reviewers",
                       day=day)
        for day in range(1, 31)
        for metric in ("precision", "recall")
        for method, off in (("MV", mv), (CLARA, clara))
    )  # fmt: skip


def density_table():
    rng = np.random.default_rng(0)
    return joined(
        compute_sigmoid_scores({"separation": separation, "sd": 2.0, "bins": 20}, rng)
        for separation in (4.0, 1.0)
    )


def policy_results(gain=0.05, bias=0.03, replicates=8, top=0.97):
    """Figure 5: CLARA's accuracy is above the random policy's by `gain`, at every share."""
    rng = np.random.default_rng(7)
    rows = []
    for k in range(replicates):
        for share in np.linspace(0, 1, 6):
            used = 1 / 3 + share * 0.45
            rows.append(("random stratified", share, used, top - gain - 0.1 * (1 - share),
                         0.1 + bias * (1.5 - share), k))  # fmt: skip
        rows.append(("tie-breaking", np.nan, 0.79, top - gain, 0.1 + bias, k))
        for threshold in np.linspace(0.5, 1, 11):
            used = 1 / 3 + (threshold - 0.5) * 4 / 3
            rows.append(("CLARA", threshold, used, top - 0.1 * (1 - threshold), 0.1, k))
    columns = ["policy", "threshold_or_share", "share_of_labels", "accuracy", "prevalence_estimate",
               "replicate"]  # fmt: skip
    table = pd.DataFrame(rows, columns=columns)
    table = table.assign(prevalence_truth=0.1, items=2000)
    noise = rng.normal(0, 0.002, (len(table), 2))
    table[["accuracy", "prevalence_estimate"]] += noise
    return table


def tables_of_clara():
    """Plot -> a table and options that it draws."""
    by_grid = summarise(prevalence_results(), ["tpr", "prevalence"])
    return {
        "clara_prevalence": (by_grid, {"by": ["tpr"]}),
        "clara_recovery": (
            recovery_summary(),
            {"n": 50_000, "tpr": 0.9, "tnr": 0.9,
             "printed": [{"metric": "TPR", "items": 100, "error": 0.045}]},
        ),
        "clara_audits": (
            summarise(audit_results(), ["auditor_precision", "reviewer_precision"]), {},
        ),
        "clara_days": (
            joined([day_results("a", 0.0, 0.0), day_results("b")]),
            {"show": "estimates", "labels": {"a": "Metric A", "b": "Metric B"}},
        ),
        "clara_scores": (density_table(), {}),
        "clara_policy": (
            policy_results(), {"printed": [{"share_of_labels": 0.5, "accuracy": 0.95}]},
        ),
    }  # fmt: skip
