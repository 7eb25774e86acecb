"""The published run's blocks, as they are written from its tables."""

from pathlib import Path

import pandas as pd
import pytest

from crowdgold.data import InputError
from crowdgold.experiments import plan
from crowdgold.experiments.configuration import load
from crowdgold.experiments.provenance.made_from import blocks_of
from crowdgold.experiments.provenance.verification import blocks_there
from crowdgold.experiments.results import read_metadata, read_table
from crowdgold.experiments.wiring.published import FOLDER, KEY, RECORD
from crowdgold.experiments.wiring.restored import block_rows, restore_all
from crowdgold.experiments.wiring.scales import PAPER

ROOT = Path(__file__).resolve().parents[2]
CONFIG = {
    "together": False,
    "methods": {},
    "imputations": 9,
    "sampler": {},
    "experiments": {"tiny": {"methods": ["MV", "DS"], "paper": "A", "simulator": "maven"}},
}


def test_rows_are_those_of_the_setting_the_replicates_and_the_methods():
    """A varied number is the setting's also where the table has five digits of it."""
    rows = [
        (share, word, replicate, method)
        for share in (0.12346, 0.12358, 0.5)
        for word in ("a", "b")
        for method in ("MV", "DS")
        for replicate in (0, 1, 2)
    ]
    table = pd.DataFrame(rows, columns=["share", "word", "replicate", "method"])
    setting = "share=0.123456,word=b"
    own = block_rows(table, CONFIG, f"estimates/tiny/{setting}/without_stan/1-2.parquet")
    assert own.to_numpy().tolist() == [[0.12346, "b", 1, "MV"], [0.12346, "b", 2, "MV"]]
    assert len(block_rows(table, CONFIG, "estimates/tiny/all/without_stan/1-2.parquet")) == 12
    assert len(block_rows(table, CONFIG, f"checks/tiny/{setting}/0-0.parquet")) == 2


@pytest.fixture(scope="module")
def restored(tmp_path_factory):
    """What `make restore` makes of this checkout, and how many blocks each experiment has."""
    into = tmp_path_factory.mktemp("restored")
    return into, restore_all(ROOT, into)


def test_the_blocks_of_a_table_have_all_of_its_rows_once(restored):
    """So that none of the papers' scale is left out of what may be made again."""
    into, number = restored
    record = load(ROOT / RECORD)
    paths = {name: ROOT / FOLDER / plan.table(name) for name in number}
    assert set(number) == {
        name
        for name, scale in record[KEY].items()
        if scale == PAPER and (ROOT / FOLDER / plan.table(name)).is_file()
    }
    config = load(into / "config.yaml")
    there = [path for paths in blocks_there(config, into).values() for path in paths]
    assert len(there) == sum(number.values())
    for name, path in paths.items():
        assert number[name] == len(blocks_of(read_metadata(path)))
        blocks = [read_table(into / block) for block in plan.blocks(config, name)]
        assert sum(map(len, blocks)) == len(read_table(path)), name


def test_without_a_published_run_nothing_is_removed(tmp_path):
    (into := tmp_path / "mine").mkdir()
    with pytest.raises(InputError, match=r"published.yaml: no such file; make publish"):
        restore_all(tmp_path, into)
    assert into.is_dir()
