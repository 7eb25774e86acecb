"""A tiny CLARA experiment from YAML to its table, by the rules of the real run."""

import pandas as pd
import yaml

from crowdgold.experiment import configuration, plan
from crowdgold.experiment.drawing import simulate_block
from crowdgold.experiment.estimating import estimate_block
from crowdgold.models.stan import StanModels
from crowdgold.record.results import read_table

from .conftest import Checkout

TINY = """
experiments:
  tiny:
    paper: CLARA
    title: A run that ends in seconds
    simulator: clara
    parameters: {n: 150, n_reviewers: 4, tpr: 0.85, tnr: 0.9, quality_sd: 0.05, scores: {sd: 2}}
    vary:
      separation: ["none", "2"]
      prevalence: [0.3]
    methods: [MV, CLARA]
    method_settings: {CLARA: {warmup: 30, draws: 40}}
    metrics: [prevalence, "TPR:each"]
    replicates: 2
    block: 2
    settings_together: true
figures: {}
"""
KEYS = ["separation", "replicate", "method", "metric", "annotator"]


def in_order(frame):
    kept = frame.drop(columns="code_version")
    return kept.sort_values(KEYS, ignore_index=True)


def test_a_tiny_experiment_runs_from_yaml_to_its_summary(tmp_path):
    """One job for all settings and methods; jobs of one setting and replicate give the same."""
    checkout = Checkout.make(tmp_path / "checkout", TINY)
    target = "results/summaries/tiny.parquet"
    assert checkout.jobs("--", target) == {"simulate": 1, "estimate": 1, "summarise": 1}
    checkout.run("--", target)
    table = read_table(checkout.folder / "results/tables/tiny.parquet")
    each = table[table["metric"] == "TPR:each"]
    assert set(each["annotator"]) == {"R1", "R2", "R3", "R4"}
    assert set(table.loc[table["metric"] == "prevalence", "annotator"]) == {""}
    assert each.groupby(["separation", "replicate"])["truth"].nunique().tolist() == [4] * 4
    rates = table[table["method"] != "MV"]
    assert rates["estimate"].between(rates["lower"], rates["upper"], inclusive="neither").all()
    summary = read_table(checkout.folder / target)
    assert set(summary["replicates"]) == {2}
    assert summary.loc[summary["metric"] == "TPR:each", "error_sd"].notna().all()

    own = configuration.load(checkout.folder / "config.yaml")
    single = {"experiments": {"tiny": {"block": 1, "settings_together": False}}}
    config = configuration.overlay(yaml.safe_load(TINY), own, single)
    parts, data = [], tmp_path / "data.parquet"
    for setting, replicates in plan.batches(config, "tiny"):
        task = plan.estimate_task(config, "tiny", setting, plan.WITHOUT_STAN, replicates)
        simulate_block(task, data, {})
        parts.append(estimate_block(task, data, StanModels(), "version")[0])
    assert len(parts) == 4
    pd.testing.assert_frame_equal(in_order(table), in_order(pd.concat(parts)), check_dtype=False)
