"""The same seed gives the same tables and figures, however the work is cut up or interrupted."""

import signal
import subprocess
import time

import pandas as pd
import pytest

from crowdgold.record.results import read_table

pytestmark = pytest.mark.faults

TABLE = "results/tables/tiny.parquet"
FIGURES = [f"results/figures/tiny.{ending}" for ending in ("svg", "pdf", "png", "csv")]


def table(checkout):
    return read_table(checkout.folder / TABLE)


def results(checkout):
    """Path -> bytes of every table, summary, figure, CSV and record; the times stand elsewhere."""
    folder = checkout.folder / "results"
    kept = "data", "estimates", "tables", "summaries", "figures"
    found = [path for part in kept for path in folder.joinpath(part).rglob("[!.]*")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found if path.is_file()}


def test_two_runs_in_two_folders_give_equal_bytes_but_for_the_times(finished, checkout):
    """Times are of a machine's moment: two runs of the same never have the same."""
    checkout.run()
    one, other = results(finished), results(checkout)
    assert {"tables/tiny.parquet", "summaries/tiny.csv", "figures/tiny.json"} <= set(one)
    assert len(one) == 2 + 2 + 3 + 5
    assert list(one) == list(other)
    assert [path for path in one if one[path] != other[path]] == []
    times = [read_table(run.folder / "results/times/tiny.parquet") for run in (finished, checkout)]
    assert len(times[0]) == 2 * 2 * 2  # settings, replicates, methods
    assert (times[0]["seconds"] > 0).all()
    pd.testing.assert_frame_equal(*(one.drop(columns="seconds") for one in times))
    assert not times[0]["seconds"].equals(times[1]["seconds"])


def in_order(frame):
    keys = ["gold_fraction", "replicate", "method", "metric"]
    return frame.sort_values(keys, ignore_index=True)


def test_figures_are_equal_byte_by_byte_when_drawn_again(finished):
    before = {path: (finished.folder / path).read_bytes() for path in FIGURES}
    for path in FIGURES:
        (finished.folder / path).unlink()
    finished.run()
    assert {path: (finished.folder / path).read_bytes() for path in FIGURES} == before


def test_block_size_and_together_change_nothing(finished, checkout):
    settings = checkout.folder / "cut.yaml"
    settings.write_text("together: true\n")
    checkout.run("--configfile", "cut.yaml")
    pd.testing.assert_frame_equal(in_order(table(checkout)), in_order(table(finished)))
    settings.write_text("experiments: {tiny: {block: 1, vary: {gold_fraction: [0.3]}}}\n")
    checkout.run("--configfile", "cut.yaml")
    expected = in_order(table(finished)).query("gold_fraction == 0.3")
    pd.testing.assert_frame_equal(in_order(table(checkout)), expected.reset_index(drop=True))


def test_a_killed_run_started_again_gives_the_same_table(finished, checkout):
    started = subprocess.Popen(
        checkout.command(),
        cwd=checkout.folder,
        env=checkout.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 100
    while not list(checkout.folder.glob("results/estimates/*/*/*/*.parquet")):
        assert time.monotonic() < deadline
        assert started.poll() is None
        time.sleep(0.1)
    # The whole session is killed, as by the machine's going down.
    subprocess.run(["kill", "-KILL", "--", f"-{started.pid}"], check=True)
    assert started.wait() == -signal.SIGKILL
    assert not (checkout.folder / TABLE).exists()
    checkout.run("--unlock")
    checkout.run()
    assert results(checkout) == results(finished)
    assert list(checkout.folder.glob("results/**/.*.partial")) == []


def test_the_report_is_built_with_a_caption(finished):
    finished.run("--report", "results/report.html")
    text = (finished.folder / "results/report.html").read_text()
    assert "No caption was written for this figure" in text
