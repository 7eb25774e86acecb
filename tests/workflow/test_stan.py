"""The methods that Stan samples, by the rules of the real run, on models compiled beforehand."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from crowdgold.record.record import blocks_of, read_record
from crowdgold.record.results import read_table
from crowdgold.system.toolchain import executable_fault

from .conftest import TINY, Checkout, module_path

SAMPLED = (
    TINY.replace("methods: [MV, ORACLE]", "methods: [MV, DS, GT, MAVEN]")
    .replace("gold_fraction: [0.3, 0.6]", "gold_fraction: [0.5]")
    .replace("metrics: [TNR_H, AUC, delta_TPR, delta_AUC]", "metrics: [prevalence, TNR_H, AUC, mu]")
    .replace("n: 200", "n: 400")
    .replace("replicates: 2", "replicates: 1")
)
TO_ITS_SUMMARY = ("--configfile", "scale.yaml", "--", "results/summaries/tiny.parquet")
SCALE = "sampler: {chains: 2, warmup: 200, draws: 200}\nimputations: 50\n"


@pytest.fixture
def sampled(tmp_path, toolchain, compiled):
    checkout = Checkout.make(tmp_path / "checkout", SAMPLED)
    (checkout.folder / "scale.yaml").write_text(SCALE)
    models = checkout.folder / "results/stan"
    models.mkdir(parents=True)
    (checkout.folder / "results/toolchain.json").write_text(toolchain.to_json())
    names = ("dawid_skene", "vote", "score")
    for name in names:
        shutil.copy(compiled(name), models / name)
        shutil.copy(compiled(name).with_suffix(".json"), models / f"{name}.json")
    checkout.run("--touch", "results/toolchain.json", *(f"results/stan/{name}" for name in names))
    return checkout


def test_sampled_methods_run_through_the_rules(sampled, tmp_path, monkeypatch):
    """And nothing that Stan wrote on its way is left, in the run's folder or the temporary one."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    assert "compile_model" not in sampled.jobs("--configfile", "scale.yaml")
    sampled.run("--configfile", "scale.yaml")
    assert list(temporary.rglob("*")) == []
    tables = sampled.folder.glob("results/**/*.csv")
    assert {path.parent.name for path in tables} == {"figures", "summaries"}
    table = read_table(sampled.folder / "results/tables/tiny.parquet")
    assert set(table["method"]) == {"MV", "DS", "GT", "MAVEN"}
    times = read_table(sampled.folder / "results/times/tiny.parquet")
    assert set(times["method"]) == set(table["method"])
    assert (times["seconds"] > 0).all()
    maven = table[table["method"] == "MAVEN"].set_index(["replicate", "metric"])
    assert (maven["lower"] < maven["upper"]).all()
    assert maven.loc[(0, "mu"), "truth"] == 1.0
    prevalence = maven.xs("prevalence", level="metric")
    assert ((prevalence["estimate"] - prevalence["truth"]).abs() < 0.15).all()
    made_from = blocks_of(read_record(sampled.folder / "results/tables/tiny.parquet"))
    used = [{name for name in record["code"] if name.endswith(".stan")} for record in made_from]
    assert {"stan/vote.stan"} in used  # the exact cut needs no more
    sampled_by = [record["toolchain"] for record, own in zip(made_from, used, strict=True) if own]
    assert sampled_by
    assert all(known["stanc"] for known in sampled_by)
    # Methods without a Stan model share a job, and their modules concern no other.
    sampled.edit(module_path("method", "GT"))
    assert sampled.jobs("--configfile", "scale.yaml")["estimate"] == 1


def compiled_anew(jobs):
    return {rule: count for rule, count in jobs.items() if rule.startswith("compile_")}


def test_an_edited_file_recompiles_the_models_that_are_made_of_it(sampled):
    """The exact cut needs no model of scores; a file of functions is included by both others."""
    (included,) = sampled.folder.glob("stan/*.stanfunctions")
    one = {"compile_model": 1}
    for name, anew in (
        ("score.stan", {}),
        ("dawid_skene.stan", one),
        (included.name, one | {"compile_vote_model": 1}),
    ):
        sampled.edit(f"stan/{name}", "\n// Edited.\n")
        assert compiled_anew(sampled.jobs("--configfile", "scale.yaml")) == anew, name


@pytest.mark.faults
def test_a_rerun_compiles_a_damaged_model_anew(sampled):
    """Really: about half a minute."""
    vote = sampled.folder / "results/stan/vote"
    content = bytearray(vote.read_bytes())
    content[len(content) // 2] ^= 1
    vote.write_bytes(content)
    said = sampled.run(*TO_ITS_SUMMARY, check=False)
    assert "the compiled model results/stan/vote is damaged" in said
    assert not vote.exists()
    sampled.run("--configfile", "scale.yaml", "--", "results/stan/vote")
    assert executable_fault(vote) is None
    assert compiled_anew(sampled.jobs(*TO_ITS_SUMMARY)) == {}


def running(folder, part):
    """The processes whose command names a folder and a part of what they run."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = process.joinpath("cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if str(folder) in command and part in command:
            found.append(int(process.name))
    return found


def kill_during_a_run(checkout, part, seconds, all_of_it=False):
    """Run until a process of a kind is seen, kill it so many seconds later, or the whole session
    with Snakemake, as by the machine's going down; gives what was said."""
    with (checkout.folder / "run.log").open("w") as log:
        run = subprocess.Popen(
            checkout.command(*TO_ITS_SUMMARY),
            cwd=checkout.folder,
            env=checkout.environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    while not (victims := running(checkout.folder, part)):
        assert run.poll() is None, checkout.folder.joinpath("run.log").read_text()
        time.sleep(0.005)
    time.sleep(seconds)
    if all_of_it:
        os.killpg(run.pid, signal.SIGKILL)
    for victim in victims:
        with contextlib.suppress(ProcessLookupError):  # it may have brought another one down
            os.kill(victim, signal.SIGKILL)
    assert run.wait(timeout=300) != 0
    return checkout.folder.joinpath("run.log").read_text()


@pytest.mark.faults
def test_a_killed_process_fails_its_job_and_a_rerun_gives_the_same_table(sampled):
    """A chain of Stan, a worker, and Snakemake with all that it started, each at a moment drawn
    with a seed from its first 30 ms, which is within a fit of seconds, killed in one run after the
    other."""
    experiments = sampled.folder / "config/experiments/maven.yaml"
    text = experiments.read_text()
    assert "[MV, DS, GT, MAVEN]" in text
    experiments.write_text(text.replace("[MV, DS, GT, MAVEN]", "[GT, MAVEN]"))
    (sampled.folder / "scale.yaml").write_text(SCALE.replace("warmup: 200", "warmup: 5000"))
    table = sampled.folder / "results/tables/tiny.parquet"
    sampled.run(*TO_ITS_SUMMARY)
    expected = table.read_bytes()
    shutil.rmtree(sampled.folder / "results/estimates")
    for path in (table, *sampled.folder.glob("results/summaries/*")):
        path.unlink()
    rng = np.random.default_rng(20261122)
    chain, worker = "results/stan/vote id=", ".estimate.py"
    for part, all_of_it in ((chain, False), (worker, False), (chain, True)):
        said = kill_during_a_run(sampled, part, rng.uniform(0, 0.03), all_of_it)
        assert all_of_it or "Error in rule estimate" in said
        assert not table.exists()
    sampled.run("--unlock")
    sampled.run(*TO_ITS_SUMMARY)
    assert table.read_bytes() == expected
