"""Damaged results, through real runs: named, set aside, and made again with the bytes as before."""

import shutil
import subprocess

import pytest

from crowdgold.experiment.configuration import load
from crowdgold.experiment.integrity import compare, lines_on
from crowdgold.record.seals import UNSEALED, write_sealed_text

from .conftest import ROOT, TINY, Checkout
from .test_reproducibility import results

pytestmark = pytest.mark.faults


def truncate(path):
    path.write_bytes(path.read_bytes()[:-7])


def flip_a_byte(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 255
    path.write_bytes(content)


def edit(path):
    path.write_bytes(path.read_bytes() + b"<!-- nicer -->\n")


def set_aside(path):
    return path.with_name(f".{path.name}.damaged")


BLOCK = "estimates/tiny/gold_fraction=0.3/without_stan/0-1.parquet"
HARMED = {
    "figures/tiny.svg": edit,
    "figures/tiny.csv": flip_a_byte,
    "figures/tiny.json": truncate,
    "summaries/tiny.parquet": truncate,
    "summaries/tiny.csv": flip_a_byte,
    "tables/tiny.parquet": flip_a_byte,
    BLOCK: truncate,
}
KEEPERS = {"figures/tiny.json": 5, "summaries/tiny.parquet": 2}
"""Files that have the checksums of others -> how many are of no known content without them."""


def test_every_damaged_result_is_named_and_made_again(finished):
    """One after the other, since a job that one brings about makes others again too. A run after
    them finds nothing to do."""
    folder, before = finished.folder / "results", results(finished)
    for name, harm in HARMED.items():
        harm(folder / name)
        harmed = (folder / name).read_bytes()
        said = finished.run()
        assert f"results/{name} is damaged: " in said
        assert said.count(" is damaged: ") == KEEPERS.get(name, 1), name
        assert "Traceback" not in said
        assert set_aside(folder / name).read_bytes() == harmed, name
        assert results(finished) == before, name
    said = finished.run()
    assert "Nothing to be done" in said
    assert "is damaged" not in said


@pytest.mark.parametrize("harm", [truncate, flip_a_byte, edit])
def test_every_kind_of_result_and_of_damage_is_found(finished, harm):
    """Of all files that a run made, whichever is harmed is named, and no whole one is."""
    folder = finished.folder / "results"
    config = load(folder / "config.yaml")
    assert compare(folder, config, folder, of_this_run=True).damaged == []
    for name in (*results(finished), "times/tiny.parquet"):
        whole = (folder / name).read_bytes()
        harm(folder / name)
        damaged = compare(folder, config, folder).damaged
        assert [one.path for one in damaged][:1] == [folder / name]
        assert len(damaged) == KEEPERS.get(name, 1)
        (folder / name).write_bytes(whole)


def test_a_file_that_no_job_made_is_left_alone_and_named(finished):
    folder = finished.folder / "results"
    own = folder / "figures/mine.csv"
    own.write_text("x\n")
    found = compare(folder, {"figures": {"tiny": {}}}, folder)
    assert (found.damaged, found.strangers) == ([], [own])
    assert "No job made" in lines_on(found, 0.0)[0]


def test_a_figure_that_is_asked_for_by_its_name_is_made_again_with_its_csv(finished):
    before = results(finished)
    truncate(finished.folder / "results/figures/tiny.csv")
    said = finished.run("results/figures/tiny.svg")
    assert "results/figures/tiny.csv is damaged: its bytes are not those" in said
    assert results(finished) == before


def test_a_dry_run_takes_nothing_away(finished):
    damaged = finished.folder / "results/figures/tiny.svg"
    truncate(damaged)
    finished.run("--dry-run")
    assert damaged.exists()
    assert not set_aside(damaged).exists()


def test_what_killed_writers_left_is_removed_by_the_next_run(finished):
    """Under the lock of the folder; what is not of the workflow stays."""
    left = finished.folder / "results/tables/.tiny.parquet.0123456789ab.partial"
    other = finished.folder / "results/example/.mine.0123456789ab.partial"
    other.mkdir(parents=True)
    left.write_text("half")
    finished.run()
    assert not left.exists()
    assert other.exists()


def test_make_checksums_names_a_changed_file_and_changes_nothing(finished):
    shutil.copy(ROOT / "Makefile", finished.folder)
    (finished.folder / ".venv").symlink_to(ROOT / ".venv")
    make = ["make", "-o", ".venv/.made-from-requirements", "checksums"]

    def said(code):
        done = subprocess.run(
            make, cwd=finished.folder, env=finished.environment, capture_output=True, text=True
        )
        assert done.returncode == code, done.stderr
        return done.stdout

    assert "as written" in said(0)
    flip_a_byte(finished.folder / "results/summaries/tiny.csv")
    before = results(finished)
    assert "results/summaries/tiny.csv is damaged" in said(2)
    assert results(finished) == before


BROKEN = """
  broken:
    paper: MAVEN
    experiments: [tiny]
    plot: error_and_width
    options: {x: gold_fraction, metrics: [precision]}
"""


def test_one_figure_that_cannot_be_drawn_leaves_the_others_of_its_job(tmp_path):
    """It is named, and the run fails; mended, it is drawn, and the others have the same bytes."""
    checkout = Checkout.make(tmp_path / "checkout", TINY + BROKEN.removeprefix("\n"))
    said = checkout.run(check=False)
    assert "1 figure not drawn; of the job's others 1 are there" in said
    assert "figure broken: " in said
    assert "Traceback" not in said
    kept = (checkout.folder / "results/figures/tiny.svg").read_bytes()
    assert (checkout.folder / "results/figures/tiny.json").is_file()
    assert not (checkout.folder / "results/figures/broken.svg").exists()
    assert "not drawn" in checkout.run(check=False), "a second run fails as well"
    own = checkout.folder / "config/experiments/maven.yaml"
    own.write_text(own.read_text().replace("metrics: [precision]", "metrics: [AUC]"))
    checkout.run()
    assert (checkout.folder / "results/figures/broken.svg").is_file()
    assert (checkout.folder / "results/figures/tiny.svg").read_bytes() == kept


def test_a_verdict_in_the_results_is_compared_and_stops_nothing(finished):
    """`make validate` writes it, a text with its own seal and nothing beside it."""
    folder = finished.folder / "results"
    verdict = folder / "summaries/tiny_verdict.txt"
    verdict.parent.mkdir(exist_ok=True)
    write_sealed_text(f"It covers.\n{UNSEALED.decode()}\n", verdict)
    compared = compare(folder, {"experiments": {"tiny": {}}}, folder)
    assert compared.damaged == []
    verdict.write_text(verdict.read_text(encoding="utf-8").replace("covers", "misses"))
    (damage,) = compare(folder, {"experiments": {"tiny": {}}}, folder).damaged
    assert damage.path == verdict
    verdict.unlink()
