"""An output never takes the place of an input, nor of what the same command did not write."""

import os
from pathlib import Path

import pytest

from crowdgold.cli import main
from crowdgold.evaluation.questions import read_thresholds
from crowdgold.metrics.binary import parse_metric
from crowdgold.types.errors import InputError
from unit.test_endings import start
from unit.test_evaluate_command import ASKED, EXAMPLE, files

LABELS = "item,annotator,label\n" + "".join(
    f"i{i},a{a},{int((i + a) % 3 == 0)}\n" for i in range(40) for a in range(4)
)
TRUTHS = "item,annotator,label,truth\n" + "".join(
    f"i{i},a{a},{int((i + a) % 3 == 0)},{int(i % 3 == 0)}\n" for i in range(40) for a in range(4)
)
SHORT = ["--chains", "2", "--warmup", "20", "--draws", "20", "--lag", "1"]


@pytest.fixture
def lab(tmp_path):
    """A folder of the user's: labels to fit, a model of them, labels with the truth."""
    (tmp_path / "lab.csv").write_text(LABELS)
    (tmp_path / "val.csv").write_text(TRUTHS)
    assert fit(tmp_path, "m.json") == 0
    return tmp_path


def fit(folder, output, *more):
    return main(
        ["fit-labelling", str(folder / "lab.csv"), "-o", str(folder / output), *SHORT, *more]
    )


def choose(folder, output, *more):
    asked = [str(folder / "m.json"), str(folder / "val.csv"), "--accuracy", "0.1"]
    return main(["labelling-threshold", *asked, "-o", output and str(folder / output), *more])


WRITERS = {"fit-labelling": fit, "labelling-threshold": choose}


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize(
    ("write", "name"),
    [(fit, "lab.csv"), (choose, "val.csv"), (choose, "m.json")],
)
@pytest.mark.parametrize("way", ["itself", "hard link", "symbolic link", "by another way"])
@pytest.mark.parametrize("more", [[], ["--force"]])
def test_an_output_that_is_an_input_is_refused(lab, capsys, write, name, way, more):
    """By whatever name, and with --force too."""
    output = "other" if "link" in way else name
    if way == "hard link":
        os.link(lab / name, lab / output)
    elif way == "symbolic link":
        (lab / output).symlink_to(name)
    elif way == "by another way":
        output = f"../{lab.name}/{name}"
    before = contents(lab)
    capsys.readouterr()
    assert write(lab, output, *more) == 2
    assert f"{name}, which the command reads; give another -o" in capsys.readouterr().err
    assert contents(lab) == before


@pytest.mark.parametrize("command", WRITERS)
def test_what_the_command_did_not_write_is_left_or_kept(lab, capsys, command):
    """A rerun replaces its own; anything else takes --force, which says where it is kept."""
    write = WRITERS[command]
    (lab / "out").write_text("mine, first\n")
    assert write(lab, "out") == 2
    said = capsys.readouterr().err
    assert f"was not written by `crowdgold {command}`" in said
    assert "--force" in said
    assert (lab / "out").read_text() == "mine, first\n"
    assert write(lab, "out", "--force") == 0
    assert f"is kept as {lab}/out.old" in capsys.readouterr().err
    assert (lab / "out.old").read_text() == "mine, first\n"
    for more in ([], ["--force"]):  # its own: nothing is kept, with or without
        assert write(lab, "out", *more) == 0
        assert not (lab / "out.old2").exists()
    (lab / "out").write_text("mine, again\n")
    assert write(lab, "out", "--force") == 0
    assert (lab / "out.old").read_text() == "mine, first\n"
    assert (lab / "out.old2").read_text() == "mine, again\n"


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_what_another_command_wrote_is_not_its_own(lab, write):
    other = "frontier.csv" if write is fit else "m2.json"
    assert (choose if write is fit else fit)(lab, other) == 0
    assert write(lab, other) == 2


@pytest.mark.parametrize("command", WRITERS)
def test_a_name_that_is_none_is_refused_before_anything_is_read(lab, capsys, command):
    (lab / "lab.csv").write_text("not read\n")
    (lab / "val.csv").write_text("not read\n")
    os.mkfifo(lab / "pipe")
    reading = ["lab.csv"] if command == "fit-labelling" else ["m.json", "val.csv", "--budget", "2"]
    asked = [str(lab / one) if "." in one else one for one in reading]
    refused = {
        "": "found no name",
        str(lab): "is a folder",
        f"{lab}/pipe": "is no file",
        f"{lab}/no/where": "no such folder",
        "/dev/new": "is no file",  # as /dev/stdout, which can lead to a file, and is no one's
        f"/proc/{os.getpid()}/fd/1": "is no file",
    }
    for name, why in refused.items():
        capsys.readouterr()
        assert main([command, *asked, "-o", name]) == 2
        said = capsys.readouterr().err
        assert why in said, said
        assert said.count("\n") == 1


@pytest.mark.parametrize("read", ["m.json", "rows.csv", "standard input"])
def test_rows_are_not_answered_into_what_is_read(lab, read):
    """Where the shell appends standard output to the model, or to the rows."""
    rows = lab / "rows.csv"
    rows.write_text(LABELS)
    written = lab / ("m.json" if read == "m.json" else "rows.csv")
    before = written.read_bytes()
    asked = ["confidence", lab / "m.json", *([] if read == "standard input" else [rows])]
    with rows.open() as given, written.open("a") as out:
        process = start(*asked, stdin=given, stdout=out)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "standard output goes to" in said
    assert read in said
    assert written.read_bytes() == before


@pytest.fixture
def study(tmp_path):
    """The three files of the example in a folder of their own."""
    for path in map(Path, files(EXAMPLE)):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def evaluate(folder, out, *more):
    return main(["evaluate", *files(folder), "--out", str(out), *ASKED, *more])


@pytest.mark.parametrize("way", ["the folder itself", "a hard link", "a symbolic link"])
@pytest.mark.parametrize("more", [[], ["--force"]])
def test_an_evaluation_does_not_take_the_place_of_its_input(study, capsys, way, more):
    out, votes = study / "out", study / "votes.csv"
    if way == "the folder itself":
        out = study
    else:
        assert evaluate(study, out) == 0
        (out / "items.csv").unlink()
        if way == "a hard link":
            os.link(votes, out / "items.csv")
        else:  # the data are in the folder, and a link elsewhere leads to them
            votes.rename(out / "items.csv")
            votes.symlink_to(out / "items.csv")
    before = votes.read_bytes()
    assert evaluate(study, out, *more) == 2
    assert "which is to be replaced; give another --out" in capsys.readouterr().err
    assert votes.read_bytes() == before


@pytest.mark.parametrize("there", ["a folder", "a file", "a folder of the same names"])
def test_a_folder_of_another_hand_is_left_or_kept(study, capsys, there):
    out = study / "out"
    if there == "a file":
        out.write_text("mine")
    else:
        out.mkdir()
        (out / ("thesis.tex" if there == "a folder" else "items.csv")).write_text("mine")
        if there != "a folder":
            (out / "study.json").write_text("{}")
    assert evaluate(study, out) == 2
    assert f"--force, which keeps it as {out}.old" in capsys.readouterr().err
    assert evaluate(study, out, "--force") == 0
    assert f"is kept as {out}.old" in capsys.readouterr().err
    kept = study / "out.old"
    assert "mine" in ([kept.read_text()] if kept.is_file() else map(Path.read_text, kept.iterdir()))


def test_a_report_does_not_take_the_place_of_a_page_of_the_user(study, capsys):
    out = study / "out"
    assert evaluate(study, out, "--report") == 0
    written = contents(out)
    assert main(["report", str(out)]) == 0  # its own
    assert contents(out) == written
    for name in ("report.html", "figures.pdf"):
        (out / name).write_text("mine")
        capsys.readouterr()
        assert main(["report", str(out)]) == 2
        assert (
            f"{name} is there and was not written by `crowdgold report`" in capsys.readouterr().err
        )
        assert (out / name).read_text() == "mine"
        assert main(["report", str(out), "--force"]) == 0
        assert (out / f"{name}.old").read_text() == "mine"
        (out / f"{name}.old").unlink()
    assert contents(out) == written


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (["--accuracy", "0.9", "--step", "1e-9"], "step: found 1e-09, expected from 0.0001 to 0.5"),
        (["--budget", "inf"], "budget: found inf, expected 1 or more"),
        (["--accuracy", "nan"], "accuracy: found nan, expected above 0 and at most 1"),
    ],
)
def test_a_threshold_without_end_is_refused_before_anything_is_read(tmp_path, capsys, asked, why):
    missing = [str(tmp_path / name) for name in ("m.json", "val.csv")]
    assert main(["labelling-threshold", *missing, *asked]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("read", "text"),
    [
        *[(parse_metric, one) for one in ("recall@", "AUC@", "recall:@0.5", "AUC:")],
        (lambda text: read_thresholds([text]), "=0.7"),
    ],
)
def test_a_metric_or_a_threshold_with_an_empty_part_is_refused(read, text):
    with pytest.raises(InputError, match=r"form|no name after ':'|expected a number, or MODEL"):
        read(text)
