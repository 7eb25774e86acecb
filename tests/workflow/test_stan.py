"""The methods that Stan samples, by the rules of the real run, on models compiled beforehand."""

import shutil

import pytest

from crowdgold.experiments.results import read_metadata, read_table

from .conftest import TINY, Checkout, module_path

SAMPLED = (
    TINY.replace("methods: [MV, ORACLE]", "methods: [MV, DS, GT, MAVEN]")
    .replace("gold_fraction: [0.3, 0.6]", "gold_fraction: [0.5]")
    .replace("metrics: [TNR_H, AUC, delta_TPR, delta_AUC]", "metrics: [prevalence, TNR_H, AUC, mu]")
    .replace("n: 200", "n: 400")
    .replace("replicates: 2", "replicates: 1")
)
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


def test_sampled_methods_run_through_the_rules(sampled):
    assert "compile_model" not in sampled.jobs("--configfile", "scale.yaml")
    sampled.run("--configfile", "scale.yaml")
    table = read_table(sampled.folder / "results/tables/tiny.parquet")
    assert set(table["method"]) == {"MV", "DS", "GT", "MAVEN"}
    assert (table["seconds"] > 0).all()
    maven = table[table["method"] == "MAVEN"].set_index(["replicate", "metric"])
    assert (maven["lower"] < maven["upper"]).all()
    assert maven.loc[(0, "mu"), "truth"] == 1.0
    prevalence = maven.xs("prevalence", level="metric")
    assert ((prevalence["estimate"] - prevalence["truth"]).abs() < 0.15).all()
    made_from = read_metadata(sampled.folder / "results/tables/tiny.parquet")["made_from"]
    used = [set(record["stan_files"]) for record in made_from]
    assert {"vote"} in used  # the exact cut needs no more
    sampled_by = [record["toolchain"] for record in made_from if record["stan_files"]]
    assert sampled_by
    assert all(known["stanc"] for known in sampled_by)
    # Methods without a Stan model share a job, and their modules concern no other.
    sampled.edit(module_path("method", "GT"))
    assert sampled.jobs("--configfile", "scale.yaml")["estimate"] == 1


def compiled_anew(jobs):
    return {rule: count for rule, count in jobs.items() if rule.startswith("compile_")}


def test_an_edited_stan_file_recompiles_just_that_model(sampled):
    sampled.edit("stan/score.stan", "\n// Edited.\n")
    assert compiled_anew(sampled.jobs("--configfile", "scale.yaml")) == {}
    sampled.edit("stan/dawid_skene.stan", "\n// Edited.\n")
    assert compiled_anew(sampled.jobs("--configfile", "scale.yaml")) == {"compile_model": 1}


def test_an_edited_function_file_recompiles_the_models_that_include_it(sampled):
    included = next(sampled.folder.glob("stan/*.stanfunctions"))
    users = {
        path.stem
        for path in sampled.folder.glob("stan/*.stan")
        if included.name in path.read_text()
    }
    assert users == {"vote", "dawid_skene"}
    sampled.edit(f"stan/{included.name}", "\n// Edited.\n")
    assert compiled_anew(sampled.jobs("--configfile", "scale.yaml")) == {
        "compile_model": 1,
        "compile_vote_model": 1,
    }
