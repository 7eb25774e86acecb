"""The command `crowdgold`: fit, answer a stream, choose a threshold."""

import re
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crowdgold.cli import main, terminal
from crowdgold.models.clara.labelling import (
    LabelStream,
    read_labelling_model,
    write_labelling_model,
)
from unit.labelled_by_three import RATES, three_reviewers, true_model

HEADER = "item,labels,label,confidence,ask"
ROWS = ["item,annotator,label", "a,R1,0", "b,R3,1", "a,R2,1", "c,R9,0", "b,R1,1"]
SHORT = ["--chains", "2", "--warmup", "500", "--draws", "1500", "--lag", "25"]
GOOD = {"R1": 0.8, "R2": 0.85, "R3": 0.95}


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.json"
    write_labelling_model(true_model(), path)
    return str(path)


def written(folder, rows, name="rows.csv", ending="\n"):
    path = folder / name
    path.write_bytes(ending.join([*rows, ""]).encode())
    return str(path)


def expected(rows, threshold=0.95):
    """What the library says of such rows, as the command writes it."""
    stream, lines = LabelStream(true_model()), [HEADER]
    for row in rows[1:]:
        item, annotator, label = row.split(",")
        found = stream.add(item, annotator, label)
        ask = "yes" if found.confidence < threshold else "no"
        lines.append(f"{item},{found.labels},{found.label},{found.confidence:.8f},{ask}")
    return lines


def started(*arguments):
    pipe, command = subprocess.PIPE, [sys.executable, "-m", "crowdgold.cli", *arguments]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def test_a_stream_is_answered_row_by_row(model):
    """Each answer is there before the next row is sent; then a bad row ends it with code 2."""
    with started("confidence", model, "--threshold", "0.9") as process:
        answers = []
        for row in ROWS:
            process.stdin.write(f"{row}\n")
            process.stdin.flush()
            answers.append(process.stdout.readline().rstrip("\n"))
        out, error = process.communicate("a,R3,maybe\nd,R1,0\n")
    assert answers == expected(ROWS, 0.9)
    assert (out, process.returncode) == ("", 2)
    assert "does not know 'R9'" in error
    assert "Error: standard input, row 7: column 'label': found 'maybe', expected one of" in error
    assert "Traceback" not in error


def test_whoever_stops_reading_ends_it_quietly(model, tmp_path):
    rows = [f"i{i},R1,0" for i in range(50_000)]
    path = written(tmp_path, ROWS[:1] + rows)
    with started("confidence", model, path) as process:
        assert process.stdout.readline() == f"{HEADER}\n"
        process.stdout.close()
        error = process.stderr.read()
        assert (process.wait(), error) == (141, "")


HEAVY = {"numpy", "scipy", "pandas", "pyarrow", "numba", "matplotlib", "sklearn", "cmdstanpy",
         "openpyxl", "yaml", "jinja2", "xarray", "snakemake"}  # fmt: skip
RATE = ["correct-rate", "645/1000", "--positives", "180/200", "--negatives", "190/200"]


@pytest.mark.parametrize(
    ("arguments", "needed"), [(None, set()), (["--help"], set()), (RATE, {"numpy", "scipy"})]
)
def test_a_command_loads_nothing_that_it_does_not_need_nor_does_the_package(arguments, needed):
    """Counted in packages: seconds depend on what else the machine does."""
    code = (
        "import atexit, sys, crowdgold\n"
        "atexit.register(lambda: print(*{one.partition('.')[0] for one in sys.modules}))\n"
    )
    if arguments:
        code += f"from crowdgold.cli import main\nmain({arguments!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert HEAVY & set(done.stdout.splitlines()[-1].split()) == needed


def said(capsys):
    found = capsys.readouterr()
    assert "Traceback" not in found.err
    return found.out.splitlines(), found.err


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_rows_of_a_file_are_answered(model, tmp_path, capsys, ending):
    """With a byte order mark, empty lines, other columns and quoted values."""
    rows = ["\ufeffnote,label , annotator,item", "", '"a, b",0,R1,"one, two"', "", 'x,1,R3,"ä"']
    assert main(["confidence", model, written(tmp_path, rows, ending=ending)]) == 0
    out, error = said(capsys)
    alone = expected(["", "one,R1,0", "ä,R3,1"])
    assert out == [one.replace("one", '"one, two"') for one in alone]
    assert error == ""


def test_columns_can_have_other_names(model, tmp_path, capsys):
    named = written(tmp_path, ["task,worker,label", *ROWS[1:]])
    renamed = ["--column", "task=item", "--column", "worker=annotator"]
    assert main(["confidence", model, named, *renamed]) == 0
    assert said(capsys)[0] == expected(ROWS)


def test_bad_rows_can_be_passed_over(model, tmp_path, capsys):
    bad = {3: "a,R1", 4: "a,,0", 5: 'a,"R1,0', 6: "a,R1,0", 7: "\udcff,R1,0", 8: "e,R1,2"}
    rows = [*ROWS[:2], *bad.values(), *ROWS[2:]]
    path = tmp_path / "rows.csv"
    path.write_bytes("\n".join(rows).encode(errors="surrogateescape"))
    assert main(["confidence", model, str(path), "--bad-rows", "skip"]) == 0
    out, error = said(capsys)
    assert out == expected(ROWS)
    for row, why in {
        3: "2 fields, expected 3", 4: "'annotator': found ''", 5: "no row of CSV",
        6: "'R1' on item 'a' again", 7: "not UTF-8", 8: "'label': found '2'",
    }.items():  # fmt: skip
        assert re.search(f"row {row}: .*{re.escape(why)}", error)
    assert "6 rows were passed over" in error


def test_labels_asked_for_and_unknown_names_have_an_end(model, tmp_path, capsys):
    rows = [ROWS[0], *(f"a,{name},{label}" for name, label in zip(RATES, "010", strict=True))]
    main(["confidence", model, written(tmp_path, rows), "--threshold", "1", "--most", "2"])
    assert [line.split(",")[-1] for line in said(capsys)[0]] == ["ask", "yes", "no", "no"]
    main(["confidence", model, written(tmp_path, [ROWS[0], *(f"i{i},N{i},0" for i in range(30))])])
    out, error = said(capsys)
    assert len(out) == 31
    assert error.count("does not know") == 10
    assert error.count("no more unknown names are shown") == 1


def test_a_model_of_groups_has_a_matrix_for_each(tmp_path, capsys):
    model, path = true_model(), str(tmp_path / "groups.json")
    model = replace(model, confusion="group", name=np.array(["g"], object), matrix=model.matrix[:2])
    write_labelling_model(model, path)
    rows = written(tmp_path, ["item,annotator,label,group", "a,x,1,g", "b,x,1,h"])
    assert main(["confidence", path, rows]) == 0
    out, error = said(capsys)
    assert out[1].split(",")[3] != out[2].split(",")[3]
    assert "does not know 'h'" in error


def test_what_takes_long_says_how_far_it_is(capsys, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(terminal, "EVERY", 0.02)
        with terminal.progress(lambda: "row 7"):
            time.sleep(0.1)
    with terminal.progress(lambda: "never"):
        pass
    lines = said(capsys)[1].splitlines()
    assert 1 <= len(lines) <= 5
    assert set(lines) == {"row 7; 0 s so far"}


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """1,000 training and 1,000 validation items of reviewers who are good, and the fitted model."""
    folder = tmp_path_factory.mktemp("fitted")
    rows = three_reviewers(2000, np.random.default_rng(1), GOOD, 0.3)
    rows[:3000].drop(columns="truth").to_csv(folder / "train.csv", index=False)
    rows[3000:].to_csv(folder / "valid.csv", index=False)
    arguments = ["fit-labelling", str(folder / "train.csv"), "-o", str(folder / "model.json")]
    assert main([*arguments, *SHORT, "--seed", "7"]) == 0
    return folder


def test_a_fit_is_written_with_how_it_was_made(fitted, tmp_path):
    """The truth is within 4 posterior deviations, about 0.02 for each rate, and 0.1 is more."""
    model = read_labelling_model(fitted / "model.json")
    made = [model.made[name] for name in ("from", "items", "labels", "diagnostics_passed")]
    assert made == ["train.csv", 1000, 3000, True]
    place = model.name.tolist().index("R3")
    assert abs(model.matrix[place, 0, 0] - GOOD["R3"]) < 0.1
    assert abs(model.prevalence[1] - 0.3) < 0.1
    assert {path.name for path in fitted.iterdir()} == {"train.csv", "valid.csv", "model.json"}
    again = tmp_path / "again.json"
    line = ["fit-labelling", str(fitted / "train.csv"), "-o", str(again)]
    assert main([*line, *SHORT, "--seed", "7"]) == 0
    assert again.read_text() == (fitted / "model.json").read_text()


def test_a_failed_gate_is_said_by_whoever_uses_the_model(tmp_path, capsys):
    three_reviewers(50, np.random.default_rng(2)).to_csv(tmp_path / "few.csv", index=False)
    output = str(tmp_path / "model.json")
    draws = ["--chains", "2", "--warmup", "1", "--draws", "20"]
    assert main(["fit-labelling", str(tmp_path / "few.csv"), "-o", output, *draws]) == 0
    assert "Warning: the fit of this model failed its diagnostics (R-hat" in said(capsys)[1]
    assert main(["confidence", output, written(tmp_path, ROWS[:2])]) == 0
    assert "failed its diagnostics" in said(capsys)[1]


def test_a_threshold_is_chosen_for_an_accuracy_or_a_budget(fitted, tmp_path, capsys):
    base = ["labelling-threshold", str(fitted / "model.json"), str(fitted / "valid.csv")]
    output = tmp_path / "frontier.csv"
    assert main([*base, "--accuracy", "0.93", "-o", str(output)]) == 0
    (line,), _ = said(capsys)
    frontier = pd.read_csv(output)
    good = frontier[frontier["accuracy"] >= 0.93]
    best = good[good["labels"] == good["labels"].min()].iloc[0]
    assert line.startswith(f"threshold {best['threshold']:g}: accuracy {best['accuracy']:.4f} ")
    assert len(frontier) == 51
    assert main([*base, "--budget", "1.5"]) == 0
    (line,), _ = said(capsys)
    top = frontier.loc[frontier["labels"] <= 1.5, "accuracy"].max()
    assert f": accuracy {top:.4f} " in line
    assert main([*base, "--accuracy", "0.999"]) == 1


def test_a_validation_set_may_have_unknown_annotators(fitted, tmp_path, capsys):
    frame = pd.read_csv(fitted / "valid.csv").replace({"annotator": {"R2": "R7"}})
    frame.to_csv(tmp_path / "valid.csv", index=False)
    files = [str(fitted / "model.json"), str(tmp_path / "valid.csv")]
    assert main(["labelling-threshold", *files, "--accuracy", "0.5"]) == 0
    assert "does not know 'R7'" in said(capsys)[1]
