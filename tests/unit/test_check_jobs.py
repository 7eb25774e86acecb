"""A job of a check: its rows, and the seconds of each."""

from types import SimpleNamespace

import pandas as pd

from crowdgold.experiment import checks, plan
from crowdgold.record.results import read_table, write_table

CONFIG = {
    "seed": 1,
    "experiments": {
        "trained": {
            "paper": "Judge error",
            "check": "judge_error_simulation",
            "parameters": {},
            "vary": {"method": ["soft", "hard"]},
            "replicates": 1,
        }
    },
}


def test_an_experiment_that_varies_methods_says_in_its_times_which(monkeypatch, tmp_path):
    """And the table of times can be written: no column stands twice."""
    check = SimpleNamespace(
        takes=(), run=lambda given, rng: pd.DataFrame({"value": [rng.random()]})
    )
    monkeypatch.setattr(checks, "load", lambda kind, name: check)
    task = plan.data_task(CONFIG, "trained", plan.ALL, "0-0")
    rows, times = checks.check_block(task, None)
    assert list(rows["method"]) == list(times["method"]) == ["soft", "hard"]
    write_table(times, tmp_path / "times.parquet", {})
    assert list(read_table(tmp_path / "times.parquet")["method"]) == ["soft", "hard"]
