"""Where numbers come from, through real runs: traced, never mixed, never of a damaged file."""

import json
from pathlib import Path

import pandas as pd
import pytest

from crowdgold.cli import main
from crowdgold.experiment import configuration, verification
from crowdgold.experiment.publication import published_blocks, restore
from crowdgold.record.record import ROUNDED, blocks_of, read_record
from crowdgold.record.results import DIGITS, read_table, rounded, write_table

pytestmark = pytest.mark.faults

FIGURE = "results/figures/tiny"
TABLE = "results/tables/tiny.parquet"
BLOCKS = [f"results/estimates/tiny/gold_fraction={x}/without_stan/0-1.parquet" for x in (0.3, 0.6)]
EDITED = "crowdgold/experiment/estimating.py"


def record_of(checkout):
    return json.loads((checkout.folder / f"{FIGURE}.json").read_text())


def flip(path, place):
    """Flip one bit of a file."""
    content = bytearray(path.read_bytes())
    content[place] ^= 4
    path.write_bytes(content)


def traced(path, capsys, code):
    assert main(["trace", str(path), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_a_figure_says_all_that_made_it(finished, capsys):
    """Code, configuration, seed, data, Stan files, toolchain and machine; by any of its files."""
    found = traced(finished.folder / f"{FIGURE}.pdf", capsys, 0)
    assert found["figure"] == "tiny"
    assert set(found["files"]) == {f"tiny.{ending}" for ending in ("svg", "pdf", "png", "csv")}
    (table,) = found["tables"]
    assert (table["path"], table["state"]) == ("results/summaries/tiny.parquet", "as recorded")
    assert (table["blocks"], table["seed"], len(table["configuration"])) == (2, [20260301], 2)
    assert {EDITED, "crowdgold/simulate/maven.py", "scripts/summarise.py"} <= set(table["code"])
    assert all(len(states) == 1 for states in table["code"].values())
    assert set(table["machine"][0]) == {"system", "processor", "c_library"}
    assert (len(table["python"]), table["toolchain"]) == (1, [])
    assert not [name for name in table["code"] if name.startswith("stan/")]
    blocks = traced(finished.folder / TABLE, capsys, 0)["made_from"]
    assert [block["path"] for block in blocks] == BLOCKS
    assert {block["state"] for block in blocks} == {"as recorded"}
    assert blocks[0]["made_from"][0]["seed"] == 20260301
    assert main(["trace", str(finished.folder / f"{FIGURE}.svg")]) == 0
    in_words = capsys.readouterr().out
    for each in ("as recorded", "20260301", table["sha256"], table["packages"][0]["numpy"]):
        assert each in in_words
    # Records of blocks are stored once and read back whole.
    kept = blocks_of(read_record(finished.folder / TABLE))
    for block, path in zip(kept, BLOCKS, strict=True):
        own = read_record(finished.folder / path)
        assert {key: block[key] for key in own} == own


def test_what_has_changed_since_is_told(finished, capsys):
    """A lost table is made again though its figure is there."""
    (finished.folder / BLOCKS[0]).unlink()
    states = [block["state"] for block in traced(finished.folder / TABLE, capsys, 0)["made_from"]]
    assert states == ["gone", "as recorded"]
    with (finished.folder / f"{FIGURE}.svg").open("a") as file:
        file.write(" ")
    (finished.folder / "results/summaries/tiny.parquet").unlink()
    found = traced(finished.folder / f"{FIGURE}.svg", capsys, 1)
    assert found["files"]["tiny.svg"]["state"] == "changed since"
    assert found["tables"][0]["state"] == "gone"
    assert traced(finished.folder / f"{FIGURE}.pdf", capsys, 0)["as_recorded"]
    assert finished.jobs()["summarise"] == 1


def test_other_code_and_damage_are_refused_and_an_ordinary_run_mends_both(finished):
    """By times alone Snakemake makes one of two blocks again after an edit, by its profile both.

    Then one bit of a block is flipped: no table is made of it, and an ordinary run makes both anew.
    """
    before, whole = record_of(finished)["tables"][0]["sha256"], read_table(finished.folder / TABLE)
    finished.edit(f"src/{EDITED}")
    by_time = ("--rerun-triggers", "mtime", "--forcerun", BLOCKS[0])
    in_words = finished.run(*by_time, check=False)
    assert "figure tiny would mix numbers of different code" in in_words
    assert f"{EDITED} was not the same:" in in_words
    assert f"make figures AGAIN='{BLOCKS[1]}'" in in_words
    assert not (finished.folder / f"{FIGURE}.svg").exists()
    flip(finished.folder / BLOCKS[0], 2000)
    in_words = finished.run()
    assert f"{BLOCKS[0]} is damaged: its bytes are not those that were written" in in_words
    assert "Traceback" not in in_words
    record = record_of(finished)
    assert record["tables"][0]["sha256"] != before
    assert len(record["tables"][0]["code"][EDITED]) == 1
    assert record["mixed_code"] == ""
    assert read_table(finished.folder / TABLE).equals(whole)


def test_blocks_made_again_are_the_same_and_an_altered_one_is_found(finished, monkeypatch, capsys):
    """The smallest change of one number."""
    monkeypatch.chdir(finished.folder)
    results = Path("results")
    (chosen,), seed = verification.prepare(results)
    finished.run("--configfile", "results/verify/run.yaml", "--", f"results/verify/{chosen}")
    assert verification.compare(results)
    assert f"same          {chosen} (bit by bit)" in capsys.readouterr().out
    path = results / chosen
    table, record = read_table(path), read_record(path)
    altered = table.copy()
    altered.loc[3, "estimate"] *= 1 + 2**-52
    write_table(altered, path, record)
    assert not verification.compare(results)
    in_words = capsys.readouterr()
    assert f"differs       {chosen} (bit by bit)" in in_words.out
    assert "column 'estimate' differs in 1 of" in in_words.out
    assert chosen in in_words.err
    row = ["tiny", chosen, False, "bit by bit", seed, len(BLOCKS)]
    assert pd.read_csv(results / verification.COMPARED).to_numpy().tolist() == [row]
    # Code that changed since does not keep equal numbers from being equal.
    write_table(table, path, {**record, "code": {**record["code"], EDITED: "other"}})
    assert verification.compare(results)
    assert f"{chosen} (bit by bit; changed since: {EDITED})" in capsys.readouterr().out
    write_table(table, path, {**record, "configuration": "other"})
    assert not verification.compare(results)
    assert "the configuration has changed since" in capsys.readouterr().out
    assert pd.read_csv(results / verification.COMPARED).empty


def test_the_blocks_of_a_published_table_are_those_that_it_was_made_from(finished, tmp_path):
    """Also from a table with few digits; a number that was altered in the table is found."""
    config = configuration.load(finished.folder / "results/config.yaml")
    published, blocks = finished.folder / TABLE, [Path(path) for path in BLOCKS]
    names = [str(path.relative_to("results")) for path in blocks]
    found = published_blocks(published)
    assert list(found) == names
    restore(published, config, found, tmp_path / "whole")
    table, record = read_table(published), read_record(published)
    few = tmp_path / "few/tiny.parquet"
    write_table(rounded(table), few, record | {ROUNDED: DIGITS})
    restore(few, config, found, tmp_path / "few")
    altered = tmp_path / "altered/tiny.parquet"
    write_table(table.assign(estimate=table.estimate + 1e-9), altered, record)
    restore(altered, config, found, tmp_path / "altered")
    for name, path in zip(names, blocks, strict=True):
        made = finished.folder / path
        assert read_table(tmp_path / "whole" / name).equals(read_table(made))
        assert read_record(tmp_path / "whole" / name) == read_record(made)
        assert not read_table(tmp_path / "few" / name).equals(read_table(made))
        for folder, how in (("whole", verification.EXACTLY), ("few", verification.TO_DIGITS)):
            found = verification.compare_block(tmp_path / folder / name, made)
            assert found == verification.BlockComparison(how, [], [])
        assert verification.compare_block(tmp_path / "altered" / name, made).differ


@pytest.mark.parametrize(
    ("step", "why"), [("choose", "run make figures first"), ("compare", "run make verify")]
)
def test_verification_says_what_it_lacks(tmp_path, monkeypatch, capsys, step, why):
    monkeypatch.setattr("sys.argv", ["verification", step, str(tmp_path / "results")])
    assert verification.main() == 2
    assert why in capsys.readouterr().err
