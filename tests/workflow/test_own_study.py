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
    asked = "evaluate={files: [votes.csv, gold.csv, scores.csv], methods: [GT], metrics: [AUC], "
    asked += "about: items}"
    said = checkout.run("--config", asked, "bootstrap=20", "--", "evaluate")
    assert said.count("Evaluating: job") == 2
    found = json.loads((checkout.folder / "results/evaluate/study.json").read_text())
    assert {one["model"] for one in found["headlines"]} == {"large", "small"}
    assert found["settings"]["resamples"] == 20
    assert found["settings"]["about"] == "items"
    assert "AUC" in (checkout.folder / "results/evaluate/report.html").read_text()
