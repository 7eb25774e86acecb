"""Records of where numbers come from: mixtures found file by file, errors of `crowdgold trace`."""

import hashlib
import json

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread

from crowdgold.cli import main
from crowdgold.experiment import verification
from crowdgold.experiment.verification import changed_since, choose, differences
from crowdgold.plots.style import new_figure, save_figure
from crowdgold.record.record import provenance, read_record, summary
from crowdgold.record.results import write_table
from crowdgold.record.seals import UNSEALED, write_sealed_text
from crowdgold.record.tracing import MixedCode, look_for_mixture, mixtures, stale, trace
from crowdgold.types.errors import InputError

KNOWN = {"configuration": "c", "machine": {"system": "Linux"}, "python": "3", "toolchain": None}
FRAME = pd.DataFrame({"x": [1]})


def block(code, commit="1", data=None, **more):
    made_from = {"made_from": [{"path": "data", "sha256": "d", **data}]} if data else {}
    return {**KNOWN, "code": code, "code_version": commit, "datasets": {}, **made_from, **more}


def tables(**blocks):
    """A table of each block."""
    return [
        {"path": f"results/tables/{name}.parquet", "made_from": [{"path": name, **one}]}
        for name, one in blocks.items()
    ]


def test_records_are_folded_and_read_back(tmp_path):
    """What blocks share is stored once; and so are records as tables published before have them."""
    code, path = {"a.py": "1", "b.py": "2"}, tmp_path / "t.parquet"
    made = block(code, data=block({"c.py": "3"}), block="0-9")
    joined = [{"path": name, "sha256": name, **made} for name in "xy"]
    write_table(FRAME, path, {**block({"j.py": "4"}), "made_from": joined})
    assert path.read_bytes().count(b'"a.py"') == 1
    record = read_record(path)
    assert record == {**block({"j.py": "4"}), "made_from": joined}
    found = summary(record)
    assert (found["blocks"], found["python"]) == (2, ["3"])
    assert found["code"] == {"a.py": ["1"], "b.py": ["2"], "c.py": ["3"], "j.py": ["4"]}
    (data,) = made["made_from"]
    old = [{**{k: v for k, v in one.items() if k not in ("made_from", "block")}, "data": data}
           for one in joined]  # fmt: skip
    write_table(FRAME, path, {"made_from": old, "summarised": block({"j.py": "4"})})
    renamed = [{**one, "block": one["path"]} for one in joined]
    assert read_record(path) == {**block({"j.py": "4"}), "made_from": renamed}


def test_a_record_says_which_result_it_is_and_names_no_users_folder(tmp_path):
    task = {"paper": "P", "experiment": "e", "settings": [{"name": "n=3"}], "seed": 7,
            "replicates": [4, 5, 6], "methods": {"MV": {}, "GT": {}}}  # fmt: skip
    found = {"home": "/home/someone/.cache/cmdstan-2.35", "cmdstan_version": "2.35", "way": "w",
             "stan": "2", "compiler": "g++"}  # fmt: skip
    (toolchain := tmp_path / "toolchain.json").write_text(json.dumps(found))
    record = provenance(tmp_path, task, {}, toolchain=toolchain, scale="smoke")
    assert record.items() >= {
        "paper": "P", "experiment": "e", "setting": "n=3", "block": "4-6", "seed": 7,
        "method": ["MV", "GT"], "scale": "smoke",
    }.items()  # fmt: skip
    assert "someone" not in json.dumps(record)
    write_table(FRAME, path := tmp_path / "t.parquet", {**record, "toolchain": found})
    assert read_record(path)["toolchain"]["home"] == "cmdstan-2.35", "as published before"


def test_a_mixture_is_a_file_that_two_jobs_saw_in_different_states():
    """Other files, commits, settings and machines make none; the data's code and a dataset do."""
    base = block({"a.py": "1"}, "first")
    elsewhere = block({"a.py": "1"}, "second", configuration="d", machine={"system": "other"})
    for other in (block({"b.py": "7"}), elsewhere):
        assert look_for_mixture("f", tables(one=base, two=other), "refuse") == ""
    drawn = block({"b.py": "1"}, data=block({"a.py": "2"}))
    seen = [block({}, datasets={"d": {"sha256": held}}) for held in "ab"]
    (both,), (second,) = tables(x=base), tables(y=block({"a.py": "2"}))
    both["made_from"] += second["made_from"]
    for given, found in (
        (tables(one=base, two=block({"a.py": "2"})), "a.py"),
        (tables(one=base, two=drawn), "a.py"),
        (tables(one=seen[0], two=seen[1]), "dataset d"),
        ([both], "a.py"),
    ):
        assert list(mixtures(given)) == [found]


def test_a_mixture_is_refused_with_what_to_do_or_counted():
    one, two = block({"a.py": "1"}, "abc"), block({"a.py": "2"}, "abc")
    given = tables(one=one, two=two, three=block({"a.py": "1"}))
    with pytest.raises(MixedCode) as caught:
        look_for_mixture("fig", given, "refuse")
    for each in (
        "figure fig", "a.py was not the same", "2: 1 table, at commit abc: two",
        "make figures AGAIN='two'", "mixed_code: allow",
    ):  # fmt: skip
        assert each in str(caught.value)
    counted = "Mixed code: of the tables behind 3 blocks, 1 made by other code than the rest"
    assert look_for_mixture("fig", given, "allow").startswith(counted)


def test_what_has_to_be_made_again_is_what_did_not_see_the_file_as_it_is(tmp_path, monkeypatch):
    """Even where most jobs saw it otherwise."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("now")
    now = hashlib.sha256(b"now").hexdigest()[:16]
    codes = {"one": "1", "two": now, "three": "1"}
    given = tables(**{name: block({"a.py": code}) for name, code in codes.items()})
    assert stale(mixtures(given)) == ["one", "three"]


def test_a_note_stands_below_the_figure_which_stays_as_it_was(tmp_path):
    """The picture grows by the note's line; above it every point is the same."""
    drawn, sizes = [], []
    for note in ("", "Mixed code: 1 table of 3"):
        figure, ((axes,),) = new_figure(1, 1, 2.0)
        axes.plot([0, 1], [0, 1])
        figure.supxlabel("at the foot")
        save_figure(figure, FRAME, tmp_path / "f", note)
        drawn.append(imread(tmp_path / "f.png"))
        sizes.append((tmp_path / "f.svg").stat().st_size)
    without, with_note = drawn
    height = without.shape[0]
    np.testing.assert_array_equal(with_note[:height], without)
    assert (with_note[height:] < 0.9).any()
    assert sizes[1] > sizes[0]


def test_a_prepared_dataset_says_the_checksums_of_its_files(tmp_path, capsys):
    own = {**block({"a.py": "1"}), "dataset": "d", "sources": {"f.csv": "0" * 64}}
    write_table(FRAME, tmp_path / "a.parquet", own)
    assert main(["trace", str(tmp_path / "a.parquet")]) == 0
    assert f"of f.csv: sha256 {'0' * 64}" in capsys.readouterr().out


def _figure(folder, **changes):
    """A figure with its record in results/figures of a folder, which names one table."""
    figures = folder / "results" / "figures"
    figures.mkdir(parents=True)
    (figures / "f.svg").write_text("<svg/>")
    table = {"path": "results/tables/t.parquet", "sha256": hashlib.sha256(b"t").hexdigest(),
             "blocks": 1, "code": {}}  # fmt: skip
    record = {
        "figure": "f", "files": {"f.svg": hashlib.sha256(b"<svg/>").hexdigest()}, "mixed_code": "",
        "tables": [{**table, **changes}], "drawn": {"code_version": "1", "code": {}},
        "checksum": UNSEALED.decode(),
    }  # fmt: skip
    write_sealed_text(json.dumps(record), figures / "f.json")
    return figures / "f.svg"


def state_of_the_table(figure):
    return trace(figure)["tables"][0]["state"]


@pytest.mark.parametrize("path", ["{}/secret", "../secret", "../../secret", "results/../../secret",
                                  "secret", "figures/../../secret", "~/secret"])  # fmt: skip
def test_nothing_outside_the_results_is_read(tmp_path, monkeypatch, path):
    """The sha256 in the record is that of the file, which would be told from one that is gone."""
    (tmp_path / "secret").write_bytes(b"t")
    figure = _figure(tmp_path, path=path.format(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert state_of_the_table(figure) == "gone"


def test_a_link_out_of_the_results_is_not_followed(tmp_path):
    (tmp_path / "secret").write_bytes(b"t")
    figure = _figure(tmp_path)
    (kept := tmp_path / "results" / "tables").mkdir()
    (kept / "t.parquet").symlink_to(tmp_path / "secret")
    assert state_of_the_table(figure) == "a link out of the results folder, not read"
    (kept / "t.parquet").unlink()
    (kept / "u.parquet").write_bytes(b"t")
    (kept / "t.parquet").symlink_to("u.parquet")
    assert state_of_the_table(figure) == "as recorded"
    record = figure.with_suffix(".json")
    record.rename(tmp_path / "f.json")
    record.symlink_to(tmp_path / "f.json")
    with pytest.raises(InputError, match="is a link to another folder, which is not read"):
        trace(figure)


def test_a_table_is_found_where_the_folder_of_results_has_moved(tmp_path):
    """The record has the path of the run, from its own folder or from the root."""
    for k, path in enumerate(("results/tables/t", "/scratch/me/out/tables/t", "../out/tables/t")):
        figure = _figure(tmp_path / str(k), path=path)
        (kept := tmp_path / str(k) / "results/tables").mkdir()
        (kept / "t").write_bytes(b"t")
        assert state_of_the_table(figure) == "as recorded"


def results(n, rng, sd=0.1):
    """A results table whose estimates have the Monte Carlo error of 200 draws."""
    centre = np.linspace(0.2, 0.8, n)
    estimate = centre + rng.normal(0, sd / np.sqrt(200), n)
    return pd.DataFrame(
        {
            "method": "M", "truth": centre, "estimate": estimate, "lower": estimate - 1.96 * sd,
            "upper": estimate + 1.96 * sd, "diagnostics_passed": True,
            "code_version": str(rng.random()),
        }
    )  # fmt: skip


def test_the_same_bits_are_the_same_and_one_ulp_is_not():
    one = results(5, np.random.default_rng(1))
    other = one.assign(code_version="later")
    assert differences(one, other, exact=True) == []
    changed = other.assign(truth=np.nextafter(other["truth"], 1))
    assert "column 'truth' differs in 5 of 5 rows" in differences(one, changed, exact=True)[0]
    assert "5 rows" in differences(one, other.iloc[:4], exact=True)[0]
    assert "became" in differences(one, other.assign(method="N"), exact=True)[0]


def test_elsewhere_two_runs_agree_within_their_monte_carlo_error():
    """400 tables of right numbers: at a false alarm in a thousand, more than 4 have probability
    0.0001. A shift of one posterior standard deviation in one row is found, in all of 50."""
    rng = np.random.default_rng(20260301)
    pairs = [(results(6, rng), results(6, rng)) for _ in range(400)]
    assert sum(bool(differences(*pair, exact=False)) for pair in pairs) <= 4
    for _ in range(50):
        one, other = results(6, rng), results(6, rng)
        other.loc[2, "estimate"] += 0.1
        said = differences(one, other, False)[0]
        assert "column 'estimate' differs in 1 of 6 rows; row 2" in said
    failed = other.assign(diagnostics_passed=[*[True] * 2, False, *[True] * 3])
    assert differences(one, failed, exact=False) == []
    # Of fits that failed nothing is known, so that a table of them is not the same.
    unknown = other.assign(diagnostics_passed=False)
    assert "'diagnostics_passed' differs in 6 of 6" in differences(one, unknown, exact=False)[0]
    assert "'method' differs" in differences(one, one.assign(method="N"), exact=False)[0]


def test_the_means_of_a_checks_columns_are_compared_elsewhere():
    rng = np.random.default_rng(2)
    one, other, shifted = (pd.DataFrame({"r": rng.normal(m, 1, 400)}) for m in (0, 0, 0.5))
    assert differences(one, other, exact=False) == []
    assert "column 'r' differs" in differences(one, shifted, exact=False)[0]
    undefined = one.assign(r=one.r.where(one.index != 7))
    assert "column 'r' differs in 1 of 400 rows; row 7" in differences(one, undefined, False)[0]
    few, many = one.assign(n=100), one.assign(n=5)
    assert "column 'n' differs" in differences(few, many, exact=False)[0]


def test_what_differs_between_two_runs_is_named():
    one = block({"a.py": "1"}, data=block({"b.py": "1"}), packages={})
    assert verification.surroundings_differ(one, one) == []
    assert verification.surroundings_differ(one, {**one, "python": "4"}) == ["python"]
    elsewhere = block({"a.py": "1"}, data=block({}, machine={}), packages={})
    assert verification.surroundings_differ(one, elsewhere) == ["machine"]
    assert changed_since(one, one) == []
    assert changed_since(one, block({"a.py": "2"}, data=block({"b.py": "3"}))) == ["a.py", "b.py"]
    seen = block({}, datasets={"d": {"sha256": "1"}})
    assert changed_since(seen, block({"c.py": "1"}, datasets={})) == ["c.py", "dataset d"]


def test_a_tenth_of_each_papers_blocks_is_chosen_and_at_least_one(tmp_path):
    """The same for the same seed, others for another; only blocks that are there."""
    own = {"simulator": "maven", "replicates": 25, "block": 1, "methods": ["MV"]}
    experiments = {"many": {"paper": "A", **own}, "few": {"paper": "B", **own, "replicates": 2}}
    config = {"experiments": experiments, "together": False, "methods": {}, "imputations": 9,
              "verify": {"fraction": 0.1}}  # fmt: skip
    for name, there in (("many", 20), ("few", 2)):
        folder = tmp_path / f"estimates/{name}/only/without_stan"
        folder.mkdir(parents=True)
        for i in range(there):
            (folder / f"{i}-{i}.parquet").touch()
    chosen = choose(config, tmp_path, 1)
    assert [path.split("/")[1] for path in chosen] == ["many", "many", "few"]
    assert all((tmp_path / path).is_file() for path in chosen)
    assert chosen == choose(config, tmp_path, 1)
    others = [choose(config, tmp_path, seed) for seed in range(2, 6)]
    assert any(other != chosen for other in others)
