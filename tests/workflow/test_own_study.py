"""`snakemake evaluate`: a job for each model and method, and a message where there are no files."""

import json
import shutil

from .conftest import ROOT

EXAMPLE = ROOT / "src/crowdgold/example"


def test_without_files_it_ends_with_a_message(checkout):
    said = checkout.run("evaluate", check=False)
    (line,) = [line for line in said.splitlines() if "Error" in line]
    assert "evaluate.files: none; expected votes" in line
    assert "Traceback" not in said
    assert not (checkout.folder / "results").exists()


def test_each_model_is_a_job_and_they_are_joined(checkout):
    for name in ("gold", "scores", "votes"):
        shutil.copy(EXAMPLE / f"{name}.csv", checkout.folder)
    asked = "evaluate={files: [votes.csv, gold.csv, scores.csv], methods: [logistic-R, AutoEval], "
    asked += "metrics: [AUC, accuracy], about: items}"
    said = checkout.run("--config", asked, "--", "evaluate")
    # What is the same for all models is one job; AutoEval takes the scores of one at a time.
    assert said.count("Evaluating: job") == 3
    found = json.loads((checkout.folder / "results/evaluate/study.json").read_text())
    assert {one["model"] for one in found["answers"]} == {"large", "small"}
    assert {one["method"] for one in found["answers"]} == {"logistic-R"}
    assert found["settings"]["about"] == "items"
    assert "AUC" in (checkout.folder / "results/evaluate/report.html").read_text()
