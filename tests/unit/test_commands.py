"""The command `crowdgold`: fit, answer a stream, choose a threshold; messages for bad input."""

import os
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from crowdgold.cli import main, parser, terminal
from crowdgold.models.clara.gibbs import run_chain
from crowdgold.models.clara.labelling import (
    LabellingModel,
    LabelStream,
    read_labelling_model,
    write_labelling_model,
)
from unit.labelled_by_three import RATES, three_reviewers, true_model

COMMAND = [sys.executable, "-m", "crowdgold.cli"]
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


def started(*arguments, **options):
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [*COMMAND, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, text=True, **options
    )


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
    ("arguments", "needed"),
    [(["--help"], set()), (["correct-rate", "--help"], {"numpy", "scipy"}),
     (RATE, {"numpy", "scipy"})],
)  # fmt: skip
def test_a_command_loads_nothing_that_it_does_not_need(arguments, needed):
    """Counted in packages: seconds depend on what else the machine does."""
    code = (
        "import atexit, sys\n"
        "from crowdgold.cli import main\n"
        "atexit.register(lambda: print(*{one.partition('.')[0] for one in sys.modules}))\n"
        f"main({arguments!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert HEAVY & set(done.stdout.splitlines()[-1].split()) == needed


def test_it_is_a_console_script():
    pyproject = (os.path.dirname(__file__), "..", "..", "pyproject.toml")
    with open(os.path.join(*pyproject)) as file:
        assert 'crowdgold = "crowdgold.cli:main"' in file.read()


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
    first, second = (
        LabelStream(true_model()).add(*row) for row in (("i", "R1", "0"), ("i", "R3", "1"))
    )
    assert out == [
        HEADER,
        f'"one, two",1,0,{first.confidence:.8f},yes',
        f"ä,1,{second.label},{second.confidence:.8f},yes",
    ]
    assert error == ""


def test_columns_can_have_other_names_and_a_stream_no_header(model, tmp_path, capsys):
    named = written(tmp_path, ["task,worker,label", *ROWS[1:]])
    renamed = ["--column", "task=item", "--column", "worker=annotator"]
    assert main(["confidence", model, named, *renamed]) == 0
    assert said(capsys)[0] == expected(ROWS)
    bare = written(tmp_path, ROWS[1:])
    assert main(["confidence", model, bare, "--header", "item, annotator, label"]) == 0
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
        3: "found 2 fields, expected 3, as in the header",
        4: "column 'annotator': found '', expected a value",
        5: "found what is no row of CSV",
        6: "found 'R1' on item 'a' again, expected each annotator once",
        7: "found bytes that are not UTF-8",
        8: "column 'label': found '2', expected one of 0, 1",
    }.items():
        assert f"row {row}: " in error
        assert why in error
    assert "6 rows were passed over" in error


def test_no_more_labels_than_there_may_be_are_asked_for(model, tmp_path, capsys):
    rows = [ROWS[0], *(f"a,{name},{label}" for name, label in zip(RATES, "010", strict=True))]
    main(["confidence", model, written(tmp_path, rows), "--threshold", "1", "--most", "2"])
    assert [line.split(",")[-1] for line in said(capsys)[0]] == ["ask", "yes", "no", "no"]


def test_unknown_annotators_are_named_until_there_are_many(model, tmp_path, capsys):
    rows = [ROWS[0], *(f"i{i},N{i},0" for i in range(30))]
    main(["confidence", model, written(tmp_path, rows)])
    out, error = said(capsys)
    assert len(out) == 31
    assert error.count("does not know") == 10
    assert error.count("no more unknown names are shown") == 1


def test_a_model_of_groups_needs_their_column(tmp_path, capsys):
    matrix = true_model().matrix[:2]
    model = LabellingModel(
        true_model().category, true_model().prevalence, "group", np.array(["g"], object), matrix
    )
    path = str(tmp_path / "groups.json")
    write_labelling_model(model, path)
    assert main(["confidence", path, written(tmp_path, ROWS)]) == 2
    assert "column 'group': found 0 of it among item, annotator, label" in said(capsys)[1]
    rows = written(tmp_path, ["item,annotator,label,group", "a,x,1,g", "b,x,1,h"])
    assert main(["confidence", path, rows]) == 0
    out, error = said(capsys)
    assert out[1].split(",")[3] != out[2].split(",")[3]
    assert "does not know 'h'" in error
    assert main(["labelling-threshold", path, written(tmp_path, ROWS), "--accuracy", "1"]) == 2
    assert "column 'group' is missing" in said(capsys)[1]


@pytest.mark.parametrize(
    ("arguments", "rows", "why"),
    [
        (["--threshold", "1.5"], ROWS, "threshold: found 1.5, expected from 0 to 1"),
        (["--threshold", "nan"], ROWS, "threshold: found nan, expected from 0 to 1"),
        (["--most", "0"], ROWS, "most: found 0, expected 1 or more"),
        ([], [], "found no rows, expected a header line with the columns item, annotator, label"),
        ([], ["item,label", "a,0"], "column 'annotator': found 0 of it among item, label"),
        ([], ["item,item,annotator,label"], "column 'item': found 2 of it"),
        ([], ['item,"annotator'], "row 1: found what is no row of CSV"),
    ],
)
def test_streams_that_cannot_be_used_are_refused(model, tmp_path, capsys, arguments, rows, why):
    assert main(["confidence", model, written(tmp_path, rows), *arguments]) == 2
    assert why in said(capsys)[1]


def test_files_that_are_not_there_are_named(model, tmp_path, capsys):
    for arguments in (
        ["confidence", model, str(tmp_path / "no.csv")],
        ["confidence", str(tmp_path / "no.json"), model],
        ["confidence", model, str(tmp_path)],
        ["fit-labelling", str(tmp_path / "no.csv"), "-o", str(tmp_path / "m.json")],
        ["fit-labelling", model, "-o", str(tmp_path / "no" / "m.json")],
        ["labelling-threshold", model, str(tmp_path / "no.csv"), "--accuracy", "0.9"],
    ):
        assert main(arguments) == 2
        assert str(tmp_path) in said(capsys)[1]


def test_an_interrupt_ends_it_quietly(model, monkeypatch, capsys):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("crowdgold.cli.confidence.answer", interrupt)
    assert main(["confidence", model, model, "--header", "item,annotator,label"]) == 130
    assert said(capsys)[1] == "Interrupted.\n"


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


def test_a_chain_lets_the_thread_of_the_progress_run():
    assert run_chain.targetoptions["nogil"]


def test_every_command_explains_itself_with_an_example(capsys):
    (commands,) = [a for a in parser()._actions if a.dest == "command"]
    for name, command in commands.choices.items():
        text = command.format_help()
        assert f"example:\n  crowdgold {name}" in text.replace("$ ", "")
        assert max(map(len, text.splitlines())) <= 100
    known = {
        "check", "confidence", "correct-rate", "evaluate", "fit-labelling", "labelling-threshold",
        "plan", "report", "sample", "trace",
    }  # fmt: skip
    assert set(commands.choices) == known


def split(frame, size):
    """The first items of a table of three labels an item, and the others."""
    return frame.iloc[: 3 * size], frame.iloc[3 * size :]


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """1,000 training and 1,000 validation items of reviewers who are good, and the fitted model."""
    folder = tmp_path_factory.mktemp("fitted")
    train, valid = split(three_reviewers(2000, np.random.default_rng(1), GOOD, 0.3), 1000)
    train.drop(columns="truth").to_csv(folder / "train.csv", index=False)
    valid.to_csv(folder / "valid.csv", index=False)
    arguments = ["fit-labelling", str(folder / "train.csv"), "-o", str(folder / "model.json")]
    assert main([*arguments, *SHORT, "--seed", "7"]) == 0
    return folder


def test_a_fit_is_written_with_how_it_was_made(fitted, capsys):
    """The truth is within 4 posterior deviations, about 0.02 for each rate, and 0.1 is more."""
    model = read_labelling_model(fitted / "model.json")
    made = model.made
    assert (made["from"], made["items"], made["labels"], made["seed"]) == (
        "train.csv",
        1000,
        3000,
        7,
    )
    assert (made["diagnostics_passed"], made["diagnostics_message"]) == (True, "")
    place = model.name.tolist().index("R3")
    assert abs(model.matrix[place, 0, 0] - GOOD["R3"]) < 0.1
    assert abs(model.prevalence[1] - 0.3) < 0.1
    files = {path.name for path in fitted.iterdir()}
    assert files == {"train.csv", "valid.csv", "model.json"}
    again = ["fit-labelling", str(fitted / "train.csv"), "-o", str(fitted / "again.json")]
    assert main([*again, *SHORT, "--seed", "7"]) == 0
    assert "prevalence of 1: " in said(capsys)[0][1]
    other = (fitted / "again.json").read_text()
    (fitted / "again.json").unlink()
    assert other == (fitted / "model.json").read_text()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--chains", "1"], "chains: found 1, expected 2 or more, to compare them"),
        (["--draws", "0"], "draws: found 0, expected 1 or more"),
        (["--categories", "0,0,1"], "categories: found '0,0,1', expected two or more different"),
        (["--column", "item=label"], "two columns are named 'label'"),
        (["--gamma", "-1"], "gamma: found -1.0, expected a positive number"),
        (["--seed", "-1"], "seed: found -1, expected 0 or more"),
        (["--confusion", "group"], "the table needs a column 'group'"),
        (["--categories", "0,2"], "found '1', expected one of 0, 2"),
        (["--column", "who=annotator"], "no column 'who'"),
    ],
)
def test_fits_that_cannot_be_made_are_refused(fitted, tmp_path, capsys, arguments, why):
    output = tmp_path / "model.json"
    assert main(["fit-labelling", str(fitted / "train.csv"), "-o", str(output), *arguments]) == 2
    assert why in said(capsys)[1]
    assert not output.exists()


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
    assert said(capsys)[0][0].startswith("No threshold reaches an accuracy of 0.999")
    assert main([*base, "--accuracy", "1", "--against", "majority"]) in (0, 1)
    assert main([*base, "--accuracy", "1.5"]) == 2
    assert main([*base, "--budget", "0.5"]) == 2
    assert "budget: found 0.5, expected 1 or more" in said(capsys)[1]


def test_a_validation_set_with_unknown_annotators_says_so(fitted, tmp_path, capsys):
    frame = pd.read_csv(fitted / "valid.csv").replace({"annotator": {"R2": "R7"}})
    frame.to_csv(tmp_path / "valid.csv", index=False)
    base = ["labelling-threshold", str(fitted / "model.json"), str(tmp_path / "valid.csv")]
    assert main([*base, "--accuracy", "0.5"]) == 0
    assert "does not know 'R7'; its fallback stands in" in said(capsys)[1]


def test_without_true_labels_the_majority_has_to_be_named(fitted, capsys):
    base = ["labelling-threshold", str(fitted / "model.json"), str(fitted / "train.csv")]
    assert main([*base, "--accuracy", "0.9"]) == 2
    assert "column 'truth' is missing" in said(capsys)[1]
    assert main([*base, "--accuracy", "0.9", "--against", "majority"]) == 0
