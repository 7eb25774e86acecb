"""The published run's blocks, as they are written from its tables."""

import itertools
import shutil
from pathlib import Path

import pandas as pd
import pytest

from crowdgold.experiment import plan
from crowdgold.experiment.configuration import load
from crowdgold.experiment.publication import (
    FOLDER,
    PAPER,
    RECORD,
    block_rows,
    read_published,
    restore_all,
)
from crowdgold.experiment.verification import blocks_there
from crowdgold.record.record import blocks_of, read_record
from crowdgold.record.results import read_table, write_table
from crowdgold.types.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
SMALL = "tables/judge_error_formula.parquet"
CONFIG = {
    "together": False, "methods": {}, "imputations": 9, "sampler": {},
    "experiments": {"tiny": {"methods": ["MV", "DS"], "paper": "A", "simulator": "maven"}},
}  # fmt: skip


def test_rows_are_those_of_the_setting_the_replicates_and_the_methods():
    """A varied number is the setting's also where the table has five digits of it."""
    rows = itertools.product((0.12346, 0.12358, 0.5), "ab", (0, 1, 2), ("MV", "DS"))
    table = pd.DataFrame(rows, columns=["share", "word", "replicate", "method"])
    setting = "share=0.123456,word=b"
    own = block_rows(table, CONFIG, f"estimates/tiny/{setting}/without_stan/1-2.parquet")
    assert own.to_numpy().tolist() == [[0.12346, "b", 1, "MV"], [0.12346, "b", 2, "MV"]]
    assert len(block_rows(table, CONFIG, "estimates/tiny/all/without_stan/1-2.parquet")) == 12
    assert len(block_rows(table, CONFIG, f"computations/tiny/{setting}/0-0.parquet")) == 2


@pytest.fixture(scope="module")
def restored(tmp_path_factory):
    """What `make restore` makes of this checkout, and how many blocks each experiment has."""
    into = tmp_path_factory.mktemp("restored")
    return (into, *restore_all(ROOT, into))


def test_the_blocks_of_a_table_have_all_of_its_rows_once(restored):
    """So that none of the papers' scale is left out of what may be made again, but for packages."""
    into, number, left_out = restored
    rows = read_published(ROOT / RECORD)
    paths = {name: ROOT / FOLDER / plan.table(name) for name in number}
    published = {name for name, row in rows.items() if row["scale"] == PAPER}
    there = {name for name in published if (ROOT / FOLDER / plan.table(name)).is_file()}
    assert set(number) == there - set(left_out)
    assert all("a package that is not installed" in why for why in left_out.values())
    config = load(into / "config.yaml")
    blocks = [path for paths in blocks_there(config, into).values() for path in paths]
    assert len(blocks) == sum(number.values())
    for name, path in paths.items():
        assert number[name] == len(blocks_of(read_record(path)))
        own = [read_table(into / block) for block in plan.blocks(config, name)]
        assert sum(map(len, own)) == len(read_table(path)), name


@pytest.fixture
def checkout(tmp_path):
    """The configuration of this checkout with one published table, and an older restored folder."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    (tmp_path / FOLDER / "tables").mkdir(parents=True)
    shutil.copy(ROOT / FOLDER / SMALL, tmp_path / FOLDER / SMALL)
    (into := tmp_path / "results/restored").mkdir(parents=True)
    (into / "older").touch()
    return tmp_path


def test_what_was_restored_before_is_removed_once_all_can_be_read(checkout):
    into, table = checkout / "results/restored", checkout / FOLDER / SMALL
    whole = table.read_bytes()
    table.write_bytes(whole[:-9] + b"x" * 9)
    with pytest.raises(InputError, match=rf"damaged.*git checkout .*{SMALL} brings it back"):
        restore_all(checkout, into)
    assert (into / "older").is_file()
    table.write_bytes(whole)
    assert restore_all(checkout, into)[0] == {Path(SMALL).stem: 1}
    assert not (into / "older").exists()
    # Rows that no block has are an error.
    frame, record = read_table(table), read_record(table)
    write_table(frame.assign(replicate=[9, *frame.replicate[1:]]), table, record)
    with pytest.raises(InputError, match=r"its blocks have .* rows; expected all"):
        restore_all(checkout, into)


def test_what_was_published_with_another_configuration_is_left_out_and_said(checkout):
    """How an experiment is cut into jobs is no other configuration."""
    own = checkout / "config/experiments/judge_error.yaml"
    text, into, name = own.read_text(), checkout / "results/restored", Path(SMALL).stem
    own.write_text(text.replace(f"  {name}:\n", f"  {name}:\n    block: 1\n", 1))
    assert restore_all(checkout, into) == ({name: 1}, {})
    own.write_text(text.replace("points: 101}", "points: 11}"))
    number, left_out = restore_all(checkout, into)
    assert (number, list(left_out)) == ({}, [name])
    assert "is not that of config/ any more" in left_out[name]
    assert (into / plan.blocks(load(into / "config.yaml"), name)[0]).is_file()


@pytest.mark.parametrize("lost", [RECORD, FOLDER / "tables"])
def test_without_what_is_published_nothing_is_removed(checkout, lost):
    if (checkout / lost).is_dir():
        shutil.rmtree(checkout / lost)
    else:
        (checkout / lost).write_text("")
    into = checkout / "results/restored"
    with pytest.raises(InputError, match="make publish writes"):
        restore_all(checkout, into)
    assert (into / "older").is_file()
