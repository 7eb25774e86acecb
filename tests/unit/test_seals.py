"""A table that was cut short, or with one bit changed anywhere, is not used; nor is a whole one of
another place, seed or configuration certified."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from crowdgold.experiment.data_tables import DataTable, Replicate, write_replicates
from crowdgold.experiment.integrity import compare, configurations
from crowdgold.experiment.logs import job_log
from crowdgold.record.record import joined, read_record
from crowdgold.record.results import concatenate, read_table, write_table
from crowdgold.record.seals import MARK, UNSEALED, DamagedTable, seal, without_seal
from crowdgold.simulate import simulate
from crowdgold.types.errors import InputError

PARAMETERS = {
    "n": 60, "phi": 0.4, "a0": 0.2, "a1": 0.7, "d0": 1.5, "d1": 1.5, "votes_total": 3,
    "gold_fraction": 0.5, "predictors": {"A": {"mu": 1.0, "delta": 1.0}},
}  # fmt: skip


def results(path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"method": ["MV", "GT"] * 50, "estimate": rng.random(100)})
    write_table(frame, path, {"code_version": "x", "seed": 3})


def drawn(path):
    one = simulate("maven", PARAMETERS, np.random.default_rng(1))
    rows = [("only", 0, Replicate(one.table, one.table, one.parameters))]
    write_replicates(path, rows, {"code_version": "x"})


KINDS = {"results": (results, read_table), "data": (drawn, DataTable)}


@pytest.fixture(params=KINDS)
def kind(request, tmp_path):
    write, read = KINDS[request.param]
    path = tmp_path / "table.parquet"
    write(path)
    return path, read, write


def test_a_whole_table_is_read_and_written_again_byte_for_byte(kind):
    path, read, write = kind
    content = path.read_bytes()
    read(path)
    assert read_record(path)["code_version"] == "x"
    pq.read_table(path)  # and by anything else that reads parquet
    path.unlink()
    write(path)
    assert path.read_bytes() == content


def test_one_changed_bit_anywhere_and_a_lost_end_are_found(kind):
    """At 60 places from the first byte to the last, those of the checksum among them; and a table
    that was cut short."""
    path, read, _ = kind
    content = path.read_bytes()
    places = {*np.linspace(0, len(content) - 1, 60, dtype=int), content.rfind(MARK) + len(MARK)}
    for place in places:
        changed = bytearray(content)
        changed[place] ^= 1 << (place % 8)
        path.write_bytes(changed)
        with pytest.raises(DamagedTable, match=r"table\.parquet is damaged"):
            read(path)
        with pytest.raises(DamagedTable):
            read_record(path)
    for length in (0, 1, 4, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(DamagedTable, match="it is not used"):
            read(path)


def test_parquet_itself_would_miss_some_of_it(tmp_path):
    """The control: without the checksum a changed value is read as if nothing were wrong."""
    path = tmp_path / "table.parquet"
    results(path)
    content = bytearray(path.read_bytes())
    content[content.rindex(b'"seed": 3') + len('"seed": ')] = ord("5")
    path.write_bytes(content)
    assert b'"seed": 5' in pq.read_metadata(path).metadata[b"crowdgold"]
    with pytest.raises(DamagedTable):
        read_record(path)


def test_a_job_sets_a_damaged_table_aside(tmp_path, capfd):
    """So that the next run makes it anew; the job ends with one message and no traceback."""
    path = tmp_path / "table.parquet"
    results(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(SystemExit), job_log(tmp_path / "job.log"):
        read_table(path)
    assert f"Error: {path} is damaged" in capfd.readouterr().err
    with pytest.raises(InputError, match="no such table; run the same command again"):
        read_table(path)
    assert (tmp_path / ".table.parquet.damaged").is_file()


def test_a_page_shows_a_sealed_text_without_its_seal(tmp_path):
    path = tmp_path / "verdict.txt"
    path.write_bytes(b"judges: inside all bands\nbug: outside\n" + UNSEALED + b"\n")
    seal(path)
    assert without_seal(path.read_text()) == "judges: inside all bands\nbug: outside\n"


BLOCKS = "estimates/one/all/0-9.parquet", "estimates/two/all/0-9.parquet"
ASKED = {"seed": 7, "configuration": "c"}


@pytest.fixture
def two(tmp_path):
    for number, block in enumerate(BLOCKS):
        write_table(pd.DataFrame({"estimate": [float(number)]}), tmp_path / block, ASKED)
    return tmp_path


def damaged(folder, config):
    return {one.path for one in compare(folder, config, folder, of_this_run=True).damaged}


def test_tables_as_they_were_written_are_read_wherever_the_folder_went(two, tmp_path_factory):
    moved = two.rename(tmp_path_factory.mktemp("elsewhere") / "results")
    assert damaged(moved, ASKED) == set()
    frame, made_from = concatenate([moved / block for block in BLOCKS], seed=7)
    assert list(frame["estimate"]) == [0.0, 1.0]
    assert all("place" not in record for record in made_from)


def test_two_tables_swapped_are_found_and_not_read(two):
    one, other = (two / block for block in BLOCKS)
    one.rename(two / "aside"), other.rename(one), (two / "aside").rename(other)
    assert {damage.path for damage in compare(two, {}, two).damaged} == {one, other}
    for read in (read_table, read_record):
        with pytest.raises(DamagedTable, match=f"written as {BLOCKS[1]}"):
            read(one)


def test_a_table_of_another_seed_is_found_and_not_joined(two):
    """Also where it is a block that another table was joined from."""
    assert len(damaged(two, {"seed": 8})) == 2
    whole = two / "tables/one.parquet"
    frame, made_from = concatenate([two / BLOCKS[0]])
    write_table(frame, whole, joined({}, made_from))
    assert whole in damaged(two, {"seed": 8})
    for table in (two / BLOCKS[0], whole):
        with pytest.raises(InputError, match=r"seed 7, expected 8"):
            concatenate([table], seed=8)


def _experiment(**more):
    """A configuration of one experiment, and place -> hash of the configuration of its blocks."""
    block = {"paper": "P", "simulator": "maven", "parameters": {"n": 5}, "replicates": 2,
             "methods": ["MV"], "metrics": ["AUC"], **more}  # fmt: skip
    config = {"seed": 7, "level": 0.95, "bootstrap": 9, "imputations": 9, "methods": {},
              "together": False, "experiments": {"one": block}}  # fmt: skip
    asked = configurations(config)["one"]
    return config, {place: asked[place] for place in asked if place.startswith("estimates")}


def test_a_table_of_another_configuration_is_found(tmp_path):
    """And what was joined from it; the place, the seed and every byte are right."""
    config, asked = _experiment()
    (place,) = asked
    whole, frame = tmp_path / "tables/one.parquet", pd.DataFrame({"x": [1]})
    for found, wrong in ((asked[place], set()), ("another", {tmp_path / place, whole})):
        write_table(frame, tmp_path / place, {"seed": 7, "configuration": found})
        write_table(frame, whole, joined({}, concatenate([tmp_path / place])[1]))
        assert damaged(tmp_path, config) == wrong


@pytest.mark.parametrize("folder", ["tables", "summaries"])
def test_a_table_of_other_blocks_is_found(tmp_path, folder):
    """Of half of the replicates, made at once in a run of another scale, or made before one of its
    blocks was made anew; the control is of the blocks that the configuration has.
    """
    config, asked = _experiment(replicates=4, block=2)
    whole, frame = tmp_path / folder / "one.parquet", pd.DataFrame({"x": [1]})
    records = [{"seed": 7, "configuration": found} for found in asked.values()]
    first, second = paths = [tmp_path / place for place in asked]
    for path, record in zip(paths, records, strict=True):
        write_table(frame, path, record)
    of_both = joined({}, concatenate([first, second])[1])
    wrong = joined({}, concatenate([first])[1]), {"configuration": "of smoke", "block": "0-3"}
    for record, found in ((of_both, set()), *((one, {whole}) for one in wrong)):
        write_table(frame, whole, record)
        assert damaged(tmp_path, config) == found
    write_table(frame, whole, of_both)
    write_table(frame + 1, first, records[0])
    assert damaged(tmp_path, config) == {whole}
