"""Finished tables are published as they are; pages and figures are made of them."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml
from test_wiring import CONFIG

from crowdgold.claims.pages import Pages
from crowdgold.experiment import configuration
from crowdgold.experiment import publication as published_module
from crowdgold.experiment.integrity import configurations
from crowdgold.experiment.publication import (
    RECORD,
    RESTORED,
    TAKEN,
    VERIFIED,
    Published,
    block_hash,
    kept,
    laid_over,
    publish,
    read_published,
)
from crowdgold.experiment.verification import experiment_of
from crowdgold.experiment.wiring import Jobs
from crowdgold.record.record import joined, read_record
from crowdgold.record.results import read_table, write_table

ROOT = Path(__file__).resolve().parents[2]
FILES = [f"<results>/{kind}/{name}.parquet" for name in ("simulated", "real")
         for kind in ("tables", "summaries")]  # fmt: skip
PAGES = {
    "sure": {"tables": ["simulated"], "files": {"printed": "config/published.csv"}},
    "whole": {"available": ["simulated", "other"], "told": ["sure"]},
    "part": {"available": ["simulated", "real"], "told": ["sure", "whole"]},
}


def run_of(path, scale="paper"):
    """Where a run has one of FILES."""
    return Path(path.replace("<results>", f"results/{scale}"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a run of one experiment at the papers' scale."""
    monkeypatch.chdir(tmp_path)
    for path in FILES[:2]:
        made(path, path)
    (tmp_path / "pages.yaml").write_text(yaml.safe_dump(PAGES, sort_keys=False))
    (tmp_path / "config").mkdir()
    return tmp_path


def made(path, content, scale="paper"):
    """A table of a run that holds a text, made of the blocks that the configuration has."""
    file, own = run_of(path, scale), {"code_version": "abc"}
    asked = configurations(CONFIG).get(file.stem, {})
    blocks = [
        {"path": place, "sha256": "", "configuration": asked[place], **own}
        for place in asked
        if not place.startswith("data/")
    ]
    write_table(pd.DataFrame({"text": [content]}), file, joined(own, blocks) if blocks else own)
    return file


def text_of(path):
    return read_table(path)["text"].item()


def published(folder, scale="paper", hours=None, **more):
    config = {**CONFIG, "pathvars": {"results": f"results/{scale}"}, **more}
    return publish(FILES, config, scale, folder / RECORD, hours or {})


def compared(path, *rows):
    """A table of comparisons: (experiment, block, same, seed) each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = [f"{name},{block},{same},bit by bit,{seed},9\n" for name, block, same, seed in rows]
    path.write_text("experiment,block,same,compared,seed,drawn_from\n" + "".join(text))
    return path


def test_finished_tables_are_kept_as_they_are(folder):
    """Another run replaces its own experiments alone."""
    assert published(folder) == (FILES[:2], FILES[2:], [])
    assert (folder / kept(FILES[0])).read_bytes() == run_of(FILES[0]).read_bytes()
    row = {"experiment": "simulated", "scale": "paper", "commit": "abc",
           "configuration": block_hash(CONFIG, "simulated")}  # fmt: skip
    assert read_published(folder / RECORD) == {"simulated": row}
    made(FILES[2], "real", "default")
    own = {**CONFIG["experiments"]["simulated"], "replicates": 99}
    changed = {"experiments": {**CONFIG["experiments"], "simulated": own}}
    published(folder, "default", **changed)
    record = read_published(folder / RECORD)
    assert (record["simulated"], record["real"]["scale"]) == (row, "default")
    assert text_of(folder / kept(FILES[0])) == FILES[0]


def test_a_table_that_is_not_as_its_job_wrote_it_is_not_published(folder):
    whole = run_of(FILES[0]).read_bytes()
    run_of(FILES[0]).write_bytes(whole[:-1])
    here, lacking, _ = published(folder)
    assert here == FILES[1:2]
    assert lacking[0] == f"{FILES[0]}: its bytes are not those that were written (sha256)"
    assert not (folder / kept(FILES[0])).exists()


def test_a_smaller_scale_leaves_what_is_published_of_a_larger_one(folder):
    """The other way round it is replaced."""
    made(FILES[0], "few replicates", "default")
    assert published(folder, "default")[0] == FILES[:1]
    assert published(folder) == (FILES[:2], FILES[2:], [])
    assert published(folder, "default") == ([], FILES[1:], FILES[:1])
    assert text_of(folder / kept(FILES[0])) == FILES[0]
    assert read_published(folder / RECORD)["simulated"]["scale"] == "paper"


def test_a_benchmark_is_recorded_with_how_it_was_run(folder):
    """The caption of its figure, drawn at the scale `published`, says so."""
    made("<results>/benchmarks/timed.parquet", "timed")
    config = {**CONFIG, "pathvars": {"results": "results/paper"},
              "benchmarks": {"timed": {"seconds": 1400}, "other": {"seconds": 1}}}  # fmt: skip
    publish(["<results>/benchmarks/timed.parquet"], config, "paper", folder / RECORD, {})
    (folder / "config/paper.yaml").write_text("benchmarks: {timed: {runs: 5}, other: {runs: 9}}")
    laid = laid_over(config, folder / "config")
    assert laid["published"] == {"timed": "paper"}
    assert laid["benchmarks"] == {"timed": {"seconds": 1400, "runs": 5}}


def test_a_large_table_keeps_five_digits_and_what_made_it(folder, monkeypatch):
    """Of a coverage of thousands of replicates more digits say nothing, and take megabytes."""
    source = run_of(FILES[0])
    frame = pd.DataFrame({"replicate": [0, 1, 2, 3], "name": list("abcd"),
                          "value": [0.123456, -98765.4, 0.0, np.nan]})  # fmt: skip
    record = read_record(source)
    write_table(frame, source, record)
    published(folder)
    assert (folder / kept(FILES[0])).read_bytes() == source.read_bytes()
    monkeypatch.setattr(published_module, "LARGE", 100)
    published(folder)
    kept_table = read_table(folder / kept(FILES[0]))
    expected = frame.assign(value=[0.12346, -98765.0, 0.0, np.nan])
    pd.testing.assert_frame_equal(kept_table, expected, check_dtype=False, rtol=0, atol=1e-12)
    assert read_record(folder / kept(FILES[0])) == {**record, "digits": 5}


def test_hours_are_those_of_the_run_that_is_published(folder):
    """What a run took goes when other tables come in its place of which it is not known."""
    published(folder, hours={"simulated": 1.5, "real": 2.0})
    row = ["maven", "figures", "simulated", "paper", 1.5]
    assert pd.read_csv(TAKEN).to_numpy().tolist() == [row]
    published(folder, hours={"simulated": 1.25})
    published(folder)
    assert pd.read_csv(TAKEN).core_hours.tolist() == [1.25]
    made(FILES[0], "another run's")
    published(folder)
    assert pd.read_csv(TAKEN).empty


def test_what_was_verified_is_kept_until_the_tables_are_others(folder):
    """Of published experiments alone; a later comparison does not hide an earlier difference."""
    path = folder / "results/paper/verify/compared.csv"
    one, two = "estimates/simulated/a", "estimates/simulated/b"
    for _ in range(2):
        compared(path, ("simulated", one, False, 1), ("other", "computations/other/a", True, 1))
        published(folder)
    compared(path, ("simulated", one, True, 2), ("simulated", two, True, 2))
    published(folder)
    rows = pd.read_csv(VERIFIED)
    found = rows[["block", "same", "seed"]].to_numpy().tolist()
    assert found == [[one, False, 1], [one, True, 2], [two, True, 2]]
    assert set(rows.scale) == {"paper"}
    # Tables that were made later than they were compared were not verified.
    later = path.stat().st_mtime + 1
    os.utime(run_of(FILES[0]), (later, later))
    os.utime(compared(path, ("simulated", two, False, 3)), (later - 1, later - 1))
    published(folder)
    assert set(pd.read_csv(VERIFIED).seed) == {1, 2}
    path.unlink()
    made(FILES[0], "another run's")
    published(folder)
    assert pd.read_csv(VERIFIED).empty


def test_restored_blocks_were_verified_of_the_tables_that_they_are_of(folder):
    """Not of one that was published after they were restored, whenever the comparison ended.

    A table that is published again with equal bytes is the same table.
    """
    published(folder)
    block = "estimates/simulated/a"
    compared(folder / RESTORED / "verify/compared.csv", ("simulated", block, True, 1))
    (record := folder / RESTORED / "config.yaml").touch()
    published(folder)
    published(folder)
    assert pd.read_csv(VERIFIED).block.tolist() == [block]
    table = folder / kept(FILES[0])
    os.utime(table, (later := record.stat().st_mtime + 1, later))
    VERIFIED.unlink()
    published(folder)
    assert pd.read_csv(VERIFIED).empty


def test_an_experiment_took_what_all_of_its_jobs_did(tmp_path):
    """Of one job nothing is recorded: then nothing is said of the experiment."""
    jobs = Jobs(CONFIG, tmp_path)
    asked = []

    def records(path):
        asked.append(path)
        return {"starttime": 1000.0, "endtime": 1360.0}

    whole = jobs.hours(records)["simulated"]
    parts = [path for path in asked if "/simulated/" in path]
    assert len(parts) > 1
    assert whole == pytest.approx(0.1 * len(parts))
    assert any("/data/simulated/" in path for path in parts)
    last = parts[-1]
    assert "simulated" not in jobs.hours(lambda path: None if path == last else records(path))


def test_a_path_of_the_repository_is_read_where_it_is_and_a_block_names_its_experiment():
    blocks = ["estimates/tiny/a=1/without_stan/0-9.parquet", "computations/tiny/only/0-0.parquet",
              "tables/tiny.parquet"]  # fmt: skip
    assert {experiment_of(block) for block in blocks} == {"tiny"}
    assert kept("config/printed/maven.yaml") == "config/printed/maven.yaml"
    assert kept("results/benchmarks/a.csv") == "docs/results/benchmarks/a.csv"


def test_what_is_not_published_leaves_its_page_and_figure_as_they_are(folder):
    """An experiment of a dataset, which may be out of reach, is no reason; one of our own is."""
    published(folder)
    said = []
    drawn = Published(Jobs(CONFIG, folder), said.append)
    assert drawn.gallery() == ["curve", "optional"]
    assert drawn.tables_of("optional")(None) == ["docs/results/summaries/simulated.parquet"]
    pages = Pages(drawn, folder / "pages.yaml")
    assert pages.ready(said.append) == ["sure", "part"]
    assert "docs/whole.md stays as it is: no docs/results/tables/other.parquet" in said
    files = pages.files(SimpleNamespace(page="part"))
    assert files == {"tables": ["docs/results/tables/simulated.parquet"], "told": ["docs/sure.md"]}


def test_what_was_published_with_another_configuration_leaves_its_page_and_figure(folder):
    """As what is not published at all; it is said once. A title is no number."""
    published(folder)
    for change, wrong in (({"title": "another"}, False), ({"replicates": 9}, True)):
        block = {**CONFIG["experiments"]["simulated"], **change}
        config = {**CONFIG, "experiments": {**CONFIG["experiments"], "simulated": block}}
        said = []
        drawn = Published(Jobs(config, folder), said.append)
        assert [one.startswith("simulated: published with another") for one in said] == [
            True
        ] * wrong
        assert drawn.gallery() == ([] if wrong else ["curve", "optional"])
        assert ("part" in Pages(drawn, folder / "pages.yaml").ready(said.append)) != wrong


KEPT = sorted((ROOT / "docs/results").rglob("*.parquet"))


@pytest.fixture(scope="module")
def as_published():
    config = configuration.at_scale(ROOT, "published")
    return configuration.overlay(config, laid_over(config, ROOT / "config"))


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_is_published_here_is_as_its_job_wrote_it(path, as_published):
    """And of the configuration; tables that are of no experiment are of none."""
    table, record = read_table(path), read_record(path)
    assert "/root" not in json.dumps(record)
    if path.parent.name == "tables" and "experiment" in table:
        assert path.stem in as_published["published"]
        if "replicate" in table:
            block = as_published["experiments"][path.stem]
            assert table["replicate"].nunique() == block["replicates"]


def test_all_that_is_published_is_of_todays_configuration(as_published):
    """Where that is changed on purpose, and what is published is not made anew, name it here."""
    known = set()
    rows = read_published(ROOT / RECORD)
    changed = {
        name for name in rows if rows[name]["configuration"] != block_hash(as_published, name)
    }
    assert changed == known
