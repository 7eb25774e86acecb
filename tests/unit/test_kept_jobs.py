"""`crowdgold evaluate` that is stopped keeps its finished models; the same command goes on."""

import json
import os
import shutil
import signal
import threading
import time
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from crowdgold.cli import main
from crowdgold.evaluation import folder, run_key
from crowdgold.evaluation import processes as jobs_in_processes
from crowdgold.evaluation.fitting import Finding
from crowdgold.evaluation.folder import check_folder, clean_up, kept_folder, write_folder
from crowdgold.evaluation.questions import Settings
from crowdgold.evaluation.run_key import UNFINISHED, key_of, read_findings, write_findings
from crowdgold.inference.design import SimpleRandom
from crowdgold.inference.estimate import Draws, Estimate, Named, Stated
from crowdgold.inference.rectified import Rectified
from crowdgold.metrics.metric import Scale
from crowdgold.models.stan import StanModels
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.reading.study import read_study
from crowdgold.system.temporary import held_folder
from crowdgold.types.errors import InputError
from crowdgold.types.notes import GRAVE, Note
from unit.made_files import first_items
from unit.test_endings import start
from unit.test_evaluation_jobs import content

ASKED = ["--methods", "GT", "CLARA", "DS", "--metrics", "prevalence", "AUC", "--cores", "1"]
"""Two models, of which CLARA is sampled first."""
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}
ANEW = "Begun anew"


def files(folder):
    return [str(folder / f"{name}.csv") for name in ("votes", "gold", "scores")]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """The first 400 items of the example, and the evaluation of a run that nothing stopped."""
    made = tmp_path_factory.mktemp("study")
    assert main(["evaluate", *first_items(made, 400), "--out", str(made / "whole"), *ASKED]) == 0
    return made


def stop(study, out, number):
    """Begin the command, and end it once its first model is finished; what it said."""
    process = start("evaluate", *files(study), "--out", out, *ASKED, start_new_session=True)
    until = time.monotonic() + 120
    while not list((out / UNFINISHED).glob("*.job")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.005)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == CODES[number], said
    return said


def result(of):
    """All that a folder holds, but for what names --out or lies as seen from it."""
    summary, signals_held = content(of)
    signals_held.pop("study.yaml")
    summary.pop("data")
    return summary, signals_held


def again(study, out, *options):
    return main(["evaluate", *files(study), "--out", str(out), *ASKED, *options])


@pytest.mark.parametrize("number", CODES)
def test_a_stopped_run_goes_on_from_its_finished_models(study, tmp_path, number, capsys):
    """The kept model has the measured seconds of the first run: it is not sampled again."""
    out = tmp_path / "mine"
    said = stop(study, out, number)
    assert (os.listdir(tmp_path), os.listdir(out)) == (["mine"], [UNFINISHED])
    (path,) = (out / UNFINISHED).iterdir()
    (found,) = read_findings(path)
    assert found.method == "CLARA"
    if number != signal.SIGKILL:
        assert f"Finished models kept in {out}: 1. The same command goes on" in said
    assert again(study, out) == 0
    said = capsys.readouterr().err
    assert "1 of 2 models are kept and not sampled again (CLARA)" in said
    assert ANEW not in said
    fits = json.loads((out / "study.json").read_text())["fits"]
    assert {one["seconds"] for one in fits if one["method"] == "CLARA"} == {round(found.seconds, 3)}
    assert result(out) == result(study / "whole")
    assert os.listdir(tmp_path) == ["mine"]


@pytest.fixture(scope="module")
def stopped(study, tmp_path_factory):
    out = tmp_path_factory.mktemp("stopped") / "mine"
    stop(study, out, signal.SIGKILL)
    return out


@pytest.fixture
def out(stopped, tmp_path):
    """What a killed run left, of one's own."""
    shutil.copytree(stopped, tmp_path / "mine")
    return tmp_path / "mine"


@pytest.mark.parametrize("options", [["--seed", "3"], ["--no-models"]])
def test_another_option_begins_anew(study, out, tmp_path, options, capsys):
    """With numbers of its own, to the last digit."""
    assert again(study, out, *options) == 0
    said = capsys.readouterr().err
    assert said.count(ANEW) == 1
    assert "not sampled again" not in said
    assert again(study, tmp_path / "direct", *options) == 0
    assert result(out) == result(tmp_path / "direct")
    assert result(out) != result(study / "whole")


def test_a_damaged_job_is_made_again(study, out, capsys):
    (path,) = (out / UNFINISHED).iterdir()
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 1
    path.write_bytes(whole)
    assert again(study, out) == 0
    assert "not sampled again" not in capsys.readouterr().err
    assert result(out) == result(study / "whole")


def test_a_job_that_failed_is_not_kept(study, tmp_path, monkeypatch, capsys):
    """Nor does a run that is stopped later say that it is: it could end well another time. One
    that ends without an answer was not stopped, and keeps nothing: CLARA says nothing of AUC."""

    def fail(job, *shared):
        if job.methods == ("DS",):
            os._exit(1)  # as of the system, for want of memory
        why = Note("failed", {"error": "no room"})
        return [Finding(job.stratum, job.model, name, problem=why) for name in job.methods]

    asked = ["--methods", "CLARA", "--metrics", "AUC", "--out", str(tmp_path / "mine")]
    assert main(["evaluate", *files(study), *asked]) == 1
    assert "no metric that was asked for has an estimate" in capsys.readouterr().err
    assert os.listdir(tmp_path) == []
    monkeypatch.setattr(jobs_in_processes, "run_job", fail)
    assert again(study, tmp_path / "mine") == 2
    said = capsys.readouterr().err
    assert "models kept in" not in said
    assert "a process was ended from outside" in said
    assert os.listdir(tmp_path) == []


def changed(study, settings):
    """The same in every way but one."""
    items, votes = study.items, study.annotations
    for name in ("votes_positive", "votes_total", "gold", "tie_break"):
        array = getattr(items, name).copy()
        array[-1] += 1
        yield replace(study, items=replace(items, **{name: array})), settings
    first, *_ = items.predictors
    scores = {**items.scores, first: np.nextafter(items.scores[first], 1)}
    renamed = np.array([*items.item[:-1], "another"], dtype=object)
    turned = dict(reversed(items.scores.items()))
    for other in ({"scores": scores}, {"scores": turned}, {"item": renamed}):
        yield replace(study, items=replace(items, **other)), settings
    voters = replace(votes, annotator_of=votes.annotator_of[::-1])
    strata, weights = {"a": items.gold.astype(str)}, np.full(len(items), 2.0)
    for other in ({"annotations": voters}, {"strata": strata}, {"weights": weights}):
        yield replace(study, **other), settings
    another = {"methods": ("DS",), "metrics": ("AUC",), "thresholds": {"": (0.4,)}, "level": 0.9,
               "about": "items", "seed": 3, "imputations": 20, "anytime": 300,
               "expert_error": "0.05", "one_look": 0.99}  # fmt: skip
    assert set(another) == {one.name for one in fields(Settings)}
    for name, value in another.items():
        yield study, replace(settings, **{name: value})


def test_the_key_is_of_all_that_numbers_depend_on(study, monkeypatch):
    """And of nothing else: read twice, it is the same."""
    stan, settings = StanModels(), Settings()
    read, same = read_study(files(study)), read_study(files(study))
    keys = [key_of(read, settings, stan)]
    assert key_of(same, Settings(), StanModels()) == keys[0]
    keys += [key_of(other, asked, stan) for other, asked in changed(read, settings)]
    for name, value in (("source_digest", "edited"), ("versions", {"crowdgold": "0"})):
        with monkeypatch.context() as patch:
            patch.setattr(run_key, name, lambda *_, value=value: value)
            keys.append(key_of(read, settings, stan))
    assert len(set(keys)) == len(keys) == 23


def test_what_a_job_found_is_read_as_it_was_written(tmp_path):
    """Every class that a method gives, to the last bit; NaN, infinity and what is missing too."""
    rng = np.random.default_rng(1)
    scales = [Scale.LOGIT, Scale.IDENTITY]
    ranges = rng.random((3, 2, 2))
    named = Named(["AUC", "précision@0.1"], ranges[0], scales, *ranges[1:])
    few = rng.random((4, 2))
    few[1] = np.nan
    notes = (Note("exact_bound", {"number": 2, "units": '"a" → b'}, GRAVE), Note("vague"))
    estimate = Estimate("AUC", 0.1 + 0.2, float("nan"), float("inf"), notes=notes)
    checks = pd.DataFrame({"check": ["votes", "wins"], "gold": pd.array([1, pd.NA], "Int64"),
                           "observed": [0.1, np.nan], "items": [3, 4]})  # fmt: skip
    one = Rectified(
        few, few, few, few, few, few, np.stack([few, few]), np.array([True, False]), np.arange(2),
        2, SimpleRandom(4, 0.25),
    )  # fmt: skip
    rectified = one.minus(replace(one, points=few[::-1]))
    bad = Diagnostics(float("inf"), failures=("a", "b"), chains=4)
    found = [
        Finding("all", "large", "MAVEN", named, Draws(few, few[0]), Draws(few, None, few[:, 0]),
              curves=few, probability=few[:, 1], checks=checks, diagnostics=bad,
              parameters=[("mu", 1 / 3, 0.1, 0.2)], seconds=1e-300),
        Finding("a=b", "", "MAVEN-R", named, rectified, rectified.about_items(), whole=False),
        Finding("all", "", "DS", sample=Stated([estimate]), annotators=[estimate]),
    ]  # fmt: skip
    write_findings(found, tmp_path / "found")
    read = read_findings(tmp_path / "found")
    # What is written names every class, type and shape.
    write_findings(read, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "found").read_bytes()
    pd.testing.assert_frame_equal(read[0].checks, checks, check_exact=True)
    assert_array_equal(read[0].sample.values, few)
    assert repr(read[2]) == repr(found[2])
    assert read[0].diagnostics == bad
    assert read_findings(tmp_path / "none") is None
    with pytest.raises(TypeError):
        write_findings([replace(found[0], curves=np.array([{}]))], tmp_path / "other")
    assert set(os.listdir(tmp_path)) == {"found", "again"}


def test_a_folder_with_finished_jobs_is_one_of_ours_and_with_anything_else_is_not(out, tmp_path):
    check_folder(out)
    assert kept_folder(out) == out / UNFINISHED
    (out / UNFINISHED / "thesis.tex").write_text("")
    with pytest.raises(InputError, match=r"other things in it \(\.unfinished\)"):
        check_folder(out)
    assert kept_folder(out) is None
    assert kept_folder(tmp_path / "new") == tmp_path / "new" / UNFINISHED


TABLES = {"estimates": pd.DataFrame({"estimate": [0.5]})}
SUMMARY = {"settings": {}, "answers": []}


def test_what_killed_runs_left_beside_the_folder_is_removed(tmp_path):
    """Not what a run at work holds, what is another folder's, or what holds anything else."""
    out, code = tmp_path / "mine", "0123456789ab"
    write_folder(TABLES, SUMMARY, {}, out)
    left = [tmp_path / f".mine.{code}.{ending}" for ending in ("partial", "before")]
    others = [tmp_path / f".{name}.{code}.partial" for name in ("other", "mine.x", "mineX")]
    for one in (*left, *others):
        shutil.copytree(out, one)
    thesis = tmp_path / f".mine.{code[::-1]}.partial/thesis.tex"
    thesis.parent.mkdir()
    thesis.write_text("")
    with held_folder(left[0]) as free:
        assert free
        assert clean_up(out) == [left[1]]
        assert left[0].is_dir()
    assert clean_up(out) == [left[0]]
    assert {one.name for one in tmp_path.iterdir()} == {
        "mine", thesis.parent.name, *(one.name for one in others)
    }  # fmt: skip


def test_a_run_leaves_what_another_is_writing(tmp_path, monkeypatch):
    """The other one has its new folder, and no lock file in it. An evaluation whose successor was
    killed is put back."""
    out, mended = tmp_path / "mine", []

    def write(tables, partial):
        mended.append(clean_up(out))
        (partial / "estimates.csv").write_text("")

    monkeypatch.setattr(folder, "_write_tables", write)
    write_folder(TABLES, SUMMARY, {}, out)
    assert mended == [[]]
    assert set(os.listdir(out)) == {"estimates.csv", "check.json", "study.json"}
    assert os.listdir(tmp_path) == ["mine"]
    out.rename(tmp_path / ".mine.0123456789ab.before")
    clean_up(out)
    assert os.listdir(tmp_path) == ["mine"]
    assert json.loads((out / "study.json").read_text()).items() >= SUMMARY.items()


def test_a_link_to_an_evaluation_gives_way_and_the_evaluation_stays(tmp_path):
    """Also a link that a killed run had put aside."""
    first, out = tmp_path / "first", tmp_path / "mine"
    write_folder(TABLES, SUMMARY, {}, first)
    for name in ("mine", ".mine.0123456789ab.before"):
        (tmp_path / name).symlink_to("first")
    left = tmp_path / ".mine.0123456789ab.before"
    assert clean_up(out) == [left]
    write_folder(TABLES, SUMMARY, {}, out)
    assert set(os.listdir(tmp_path)) == {"first", "mine"}
    assert not out.is_symlink()
    assert set(os.listdir(first)) == set(os.listdir(out))


def test_a_signal_that_another_thread_takes_is_kept_until_processes_have_begun():
    """A mask, which is one thread's, would not have held it back."""
    inside, done = [], threading.Event()
    other = threading.Thread(target=done.wait)

    def begin():
        with jobs_in_processes.signals_held([signal.SIGINT]):
            signal.pthread_kill(other.ident, signal.SIGINT)
            time.sleep(0.05)
            inside.append("to the end")

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    other.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            begin()
        assert inside == ["to the end"]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
        done.set()
        other.join()
