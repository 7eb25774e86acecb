"""A job of a check: its rows, and the seconds of each."""

from types import SimpleNamespace

import pandas as pd

from crowdgold.experiment import checks, plan
from crowdgold.record.results import read_table, write_table

BLOCK = {
    "paper": "Judge error", "check": "judge_error_simulation", "parameters": {}, "replicates": 1,
    "vary": {"method": ["soft", "hard"]},
}  # fmt: skip


def test_an_experiment_that_varies_methods_says_in_its_times_which(monkeypatch, tmp_path):
    """And the table of times can be written: no column stands twice."""
    run = lambda given, rng: pd.DataFrame({"value": [rng.random()]})  # noqa: E731
    monkeypatch.setattr(checks, "load", lambda *_: SimpleNamespace(takes=(), run=run))
    config = {"seed": 1, "experiments": {"trained": BLOCK}}
    task = plan.data_task(config, "trained", plan.ALL, "0-0")
    rows, times = checks.check_block(task, None)
    assert list(rows["method"]) == list(times["method"]) == ["soft", "hard"]
    write_table(times, tmp_path / "times.parquet", {})
    assert list(read_table(tmp_path / "times.parquet")["method"]) == ["soft", "hard"]
