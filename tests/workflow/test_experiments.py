"""Seeds, settings, data tables, the import graph: the parts that experiments are made of."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from crowdgold.experiment import computation, data_tables, estimating, plan, settings
from crowdgold.experiment import settings as seeds
from crowdgold.experiment.drawing import simulate_block
from crowdgold.experiment.estimating import estimate_block
from crowdgold.models.stan import StanModels
from crowdgold.record.imports import imported_modules
from crowdgold.record.results import read_table, write_table
from crowdgold.simulate import simulate

PARAMETERS = {
    "n": 60, "phi": 0.4, "a0": 0.2, "a1": 0.7, "d0": 1.5, "d1": 1.5, "votes_total": 3,
    "gold_fraction": 0.5, "predictors": {"A": {"mu": 1.0, "delta": 1.0}},
}  # fmt: skip
BLOCK = {"paper": "MAVEN", "title": "t", "simulator": "maven", "parameters": PARAMETERS}


def whole(**block):
    """A configuration with one experiment."""
    own = {"seed": 1, "methods": {}, "imputations": 9, "sampler": {}, "bootstrap": 20, "level": 0.9}
    return {**own, "experiments": {"e": {**BLOCK, **block}}}


def test_a_stream_is_the_same_in_every_process_and_another_for_each_part_of_its_key():
    assert seeds.text_key("data") == 4210496735630961799
    key = (7, "maven_fig4", "gold_fraction=0.02", 3, "data")
    others = [(*key[:k], part + (1 if k in (0, 3) else "x"), *key[k + 1:])
              for k, part in enumerate(key)]  # fmt: skip
    first, again, *different = (seeds.generator(*one).random(4) for one in (key, key, *others))
    np.testing.assert_array_equal(first, again)
    assert not any(np.any(first == draws) for draws in different)
    # Parts of a key do not run into one another.
    run = [seeds.generator(1, *words, 0, "d").random() for words in (("ab", "c"), ("a", "bc"))]
    assert run[0] != run[1]
    for seed, replicate in ((-1, 0), (0, -1)):
        with pytest.raises(ValueError, match="0 or more"):
            seeds.generator(seed, "a", "b", replicate, "c")


@pytest.mark.parametrize(
    "axes",
    [{}, {"n": 100}, {"gold_fraction": 0.02, "target": "entailment"}, {"x": 1e-07, "y": True}],
)
def test_a_setting_is_read_back_from_its_name(axes):
    assert settings.parse_setting(settings.setting_name(axes)) == axes


@pytest.mark.parametrize("value", ["a,b", "a=b", "a/b", "", "a b", ".."])
def test_values_that_cannot_be_part_of_a_file_name_are_refused(value):
    with pytest.raises(ValueError, match="cannot name a setting"):
        settings.setting_name({"axis": value})


def test_what_varies_is_every_combination_the_last_axis_fastest():
    found = settings.expand({"n": 5, "phi": 0.1}, {"n": [1, 2], "c": [3, 4]})
    assert [one.name for one in found] == ["n=1,c=3", "n=1,c=4", "n=2,c=3", "n=2,c=4"]
    assert found[0].parameters == {"n": 1, "phi": 0.1, "c": 3}
    assert [one.name for one in settings.expand({"n": 5})] == [settings.ONLY]


def test_a_dotted_axis_reaches_into_a_mapping_and_leaves_the_given_parameters_alone():
    given = {"n": 5, "predictors": {"A": {"mu": 1, "delta": 2}, "B": {"mu": 3}}}
    first, second = settings.expand(given, {"predictors.A.mu": [0, 0.5]})
    assert (first.name, second.name) == ("predictors.A.mu=0", "predictors.A.mu=0.5")
    changed = {"A": {"mu": 0.5, "delta": 2}, "B": {"mu": 3}}
    assert second.parameters == {**given, "predictors": changed}
    assert given["predictors"]["A"]["mu"] == 1
    assert settings.parse_setting(second.name) == second.axes == {"predictors.A.mu": 0.5}
    with pytest.raises(ValueError, match="no mapping 'C'"):
        settings.expand(given, {"predictors.C.mu": [0]})


def test_an_axis_of_a_method_changes_its_settings_and_nothing_else():
    """Neither the data's parameters, nor other methods' settings, nor those that were given."""
    scale = "method_settings.MAVEN.mu_prior.scale"
    varied = {"n": [10, 20], scale: [0.5, 2], "method_settings.GT.x": [1]}
    given = {"MAVEN": {"mu_prior": {"shape": 1, "scale": 1}, "cut": "exact"}, "MV": {}}
    first, second, *_ = settings.expand({"n": 5}, varied)
    assert first.parameters == second.parameters == {"n": 10}
    assert f"{scale}=0.5" in first.name
    found = settings.settings_of_methods(given, second.axes)
    assert found == {"MAVEN": {"mu_prior": {"shape": 1, "scale": 2}, "cut": "exact"}, "MV": {}}
    assert given["MAVEN"]["mu_prior"]["scale"] == 1
    with pytest.raises(ValueError, match="no mapping 'mu_prior'"):
        settings.settings_of_methods({"MAVEN": {}}, first.axes)


def test_an_experiment_samples_and_imputes_as_it_says_and_else_as_all_do():
    short, long = ({"chains": 2, "warmup": 3, "draws": draws} for draws in (4, 400))
    experiments = {"plain": {}, "own": {"sampler": long, "imputations": 7}}
    whole = {"sampler": short, "imputations": 9, "methods": {}, "experiments": experiments}
    found = {name: plan.method_settings(whole, name, "MAVEN") for name in experiments}
    assert found["plain"] == {"sampler": short, "imputations": 9}
    assert found["own"] == {"sampler": long, "imputations": 7}
    assert plan.method_settings(whole, "own", "GT") == {"imputations": 7}


def test_settings_that_differ_in_a_method_alone_have_the_same_data(tmp_path, monkeypatch):
    """Item by item; another value of what the data depend on gives others. A method that they do
    not differ in is fitted once, and has a row for each."""
    fitted, fit = [], estimating.fit
    monkeypatch.setattr(estimating, "fit", lambda *given: fitted.append(given[0]) or fit(*given))
    axes = ["n", "method_settings.MAVEN.delta_scale"]
    config = whole(
        parameters={**PARAMETERS, "votes_total": 2}, vary={axes[0]: [30, 40], axes[1]: [1, 10]},
        methods=["MV"], metrics=["AUC", "TNR_H"], replicates=1,
    )  # fmt: skip
    task = plan.experiment_task(config, "e")
    simulate_block(task, tmp_path / "data.parquet", {})
    table = data_tables.DataTable(tmp_path / "data.parquet")
    one, same, other, _ = (table.replicate(each["name"], 0).table for each in task["settings"])
    np.testing.assert_array_equal(one.scores["A"], same.scores["A"])
    assert len(other) == 40
    assert not np.isin(other.scores["A"], one.scores["A"]).any()
    rows, _ = estimate_block(task, tmp_path / "data.parquet", StanModels(), "version")
    assert fitted == ["MV", "MV"]
    assert len(rows) == 2 * len(task["settings"])
    by = rows.pivot_table(columns=axes, index="metric", values="lower")
    assert np.array_equal(by[30, 1], by[30, 10])
    assert np.array_equal(by[40, 1], by[40, 10])
    assert not np.array_equal(by[30, 1], by[40, 1])


def test_the_models_of_a_job_are_those_of_all_its_settings():
    axis = {"method_settings.MAVEN.cut": ["exact", "nested"]}
    config = whole(vary=axis, methods=["MV", "MAVEN"], metrics=["AUC"], replicates=1)
    task = plan.experiment_task(config, "e")
    assert plan.models_of(task) == ["vote", "score"]
    assert plan.models_of({**task, "settings": task["settings"][:1]}) == ["vote"]


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(1)
    full = simulate("maven", PARAMETERS, rng)
    held_out = simulate("maven", {**PARAMETERS, "n": 40}, rng)
    drawn = [
        ("a", k, data_tables.Replicate(full.table, one.table, full.parameters))
        for k, one in enumerate((full, held_out))
    ]
    data_tables.write_replicates(tmp_path / "table.parquet", drawn, {"code_version": "x"})
    return drawn, tmp_path / "table.parquet"


@pytest.mark.parametrize(
    ("replicate", "method", "metric", "said"),
    [(1, "NONE", "AUC", "NONE"), (0, "MV", "mu:B", "'mu:B' is not known")],
)
def test_a_failure_names_experiment_setting_replicate_and_method(
    table, replicate, method, metric, said
):
    """A method that there is not, and a parameter without a known truth."""
    task = {
        "seed": 1, "paper": "MAVEN", "experiment": "mine", "replicates": [replicate],
        "settings": [{"name": "a", "axes": {}, "parameters": {}}], "methods": {method: {}},
        "metrics": [metric], "bootstrap": 20, "level": 0.9,
    }  # fmt: skip
    with pytest.raises(ValueError, match=said) as caught:
        estimate_block(task, table[1], StanModels(), "version")
    if method == "NONE":
        notes = ["experiment mine, setting a, replicate 1, method NONE"]
        assert caught.value.__notes__ == notes


@pytest.fixture
def package(tmp_path):
    root = tmp_path / "pack"
    files = {
        "__init__.py": "",
        "listing/__init__.py": "from pack.listing.one import f\nfrom .two import g\n",
        "listing/one.py": "from pack import base\n",
        "listing/two.py": "import pack.other.deep\n",
        "base.py": "",
        "other/__init__.py": "from . import side\n",
        "other/side.py": "",
        "other/deep.py": "def f():\n    from pack.lazy import x\n",
        "lazy.py": "import typing\nif typing.TYPE_CHECKING:\n    from pack.never import y\n",
        "never.py": "",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def modules(package, script, **options):
    # A name of its own for each script: what a file imports is kept for the process.
    start = package.parent / f"script{abs(hash(script))}.py"
    start.write_text(script)
    found = imported_modules(start, root=package, **options)
    return {name.removeprefix("pack.") for name in found} - {"pack"}


def test_the_import_graph_is_walked_with_parents_lazy_imports_and_attributes(package):
    inside = {"listing.one", "listing.two", "other.side", "other.deep"}
    everything = inside | {"listing", "base", "other", "lazy"}
    assert modules(package, "import pack.listing\n") == everything
    assert modules(package, "from pack.other import side\n") == {"other", "other.side"}
    assert modules(package, "import numpy\n") == set()
    # Entries that a job does not use are not entered from the listing.
    cut = {"without": {"pack.listing.two"}, "registries": {"pack.listing"}}
    assert modules(package, "import pack.listing\n", **cut) == {"listing", "listing.one", "base"}
    assert "listing.two" in modules(package, "import pack.listing.two\n", **cut)


def test_a_setting_added_at_the_end_leaves_the_tasks_of_the_others_as_they_are():
    before = whole(vary={"n": [10, 20]}, replicates=4)
    longer = whole(vary={"n": [10, 20, 30]}, replicates=8, title="other")
    tasks = [plan.data_task(config, "e", "n=20", "0-1") for config in (before, longer)]
    assert tasks[0] == tasks[1]


def test_an_experiment_that_varies_methods_says_in_its_times_which(monkeypatch, tmp_path):
    """And the table of times can be written: no column stands twice."""
    run = lambda given, rng: pd.DataFrame({"value": [rng.random()]})  # noqa: E731
    monkeypatch.setattr(computation, "load", lambda *_: SimpleNamespace(takes=(), run=run))
    block = {"paper": "Judge error", "computation": "judge_error_simulation", "parameters": {},
             "replicates": 1, "vary": {"method": ["soft", "hard"]}}  # fmt: skip
    config = {"seed": 1, "experiments": {"trained": block}}
    task = plan.data_task(config, "trained", plan.ALL, "0-0")
    rows, times = computation.compute_block(task, None)
    assert list(rows["method"]) == list(times["method"]) == ["soft", "hard"]
    write_table(times, tmp_path / "times.parquet", {})
    assert list(read_table(tmp_path / "times.parquet")["method"]) == ["soft", "hard"]
