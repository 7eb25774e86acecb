"""A table's own checksum: cut short, or with one bit changed anywhere, it is not used."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from crowdgold.experiment.data_tables import DataTable, Drawn, write_replicates
from crowdgold.experiment.logs import job_log
from crowdgold.record.results import read_metadata, read_table, write_table
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
    rows = [("only", 0, Drawn(one.table, one.table, one.parameters))]
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
    assert read_metadata(path)["code_version"] == "x"
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
            read_metadata(path)
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
        read_metadata(path)


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
