"""A table of another place or seed, whole as its bytes are, is neither certified nor read."""

import pandas as pd
import pytest

from crowdgold.experiment.integrity import compare
from crowdgold.record.results import concatenate, read_metadata, read_table, write_table
from crowdgold.record.seals import DamagedTable
from crowdgold.types.errors import InputError

BLOCKS = "estimates/one/all/0-9.parquet", "estimates/two/all/0-9.parquet"


@pytest.fixture
def results(tmp_path):
    for number, block in enumerate(BLOCKS):
        write_table(pd.DataFrame({"estimate": [float(number)]}), tmp_path / block, {"seed": 7})
    return tmp_path


def test_tables_as_they_were_written_are_read_wherever_the_folder_went(results, tmp_path_factory):
    moved = results.rename(tmp_path_factory.mktemp("elsewhere") / "results")
    assert compare(moved, (), moved, seed=7).damaged == []
    frame, made_from = concatenate([moved / block for block in BLOCKS], seed=7)
    assert list(frame["estimate"]) == [0.0, 1.0]
    assert all("place" not in metadata for metadata in made_from.values())


def test_two_tables_swapped_are_found_and_not_read(results):
    one, two = (results / block for block in BLOCKS)
    one.rename(results / "aside"), two.rename(one), (results / "aside").rename(two)
    assert {damage.path for damage in compare(results, (), results).damaged} == {one, two}
    for read in (read_table, read_metadata):
        with pytest.raises(DamagedTable, match=f"written as {BLOCKS[1]}"):
            read(one)


def test_a_table_of_another_seed_is_found_and_not_joined(results):
    assert len(compare(results, (), results, seed=8).damaged) == 2
    with pytest.raises(InputError, match=r"seed 7, expected 8"):
        concatenate([results / block for block in BLOCKS], seed=8)
