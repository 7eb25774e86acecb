"""The same seed gives the same tables and figures, however the work is cut up or interrupted."""

import signal
import subprocess
import time

import pandas as pd
import pytest

from crowdgold.experiments.results import read_metadata, read_table

pytestmark = pytest.mark.faults

TABLE = "results/tables/tiny.parquet"
FIGURES = [f"results/figures/tiny.{ending}" for ending in ("svg", "pdf", "png", "csv")]
VARIABLE = ["seconds"]


def table(checkout):
    return read_table(checkout.folder / TABLE).drop(columns=VARIABLE)


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
    pd.testing.assert_frame_equal(table(checkout), table(finished))
    partial = [path for path in checkout.folder.glob("results/**/.*.partial") if path.is_file()]
    assert len(partial) <= 2


def test_a_table_says_where_its_numbers_come_from(finished):
    (made_from, *_) = read_metadata(finished.folder / TABLE)["made_from"]
    assert {"code_version", "configuration", "stan_files", "toolchain", "machine", "python"} <= set(
        made_from
    )


def test_the_merged_configuration_is_kept_with_the_results(finished):
    text = (finished.folder / "results/config.yaml").read_text()
    assert "tiny" in text
    assert "seed:" in text


def test_the_report_is_built_with_a_caption(finished):
    finished.run("--report", "results/report.html")
    text = (finished.folder / "results/report.html").read_text()
    assert "No caption was written for this figure" in text
