"""Seeds, settings, data tables, the import graph: the parts that experiments are made of."""

import numpy as np
import pytest

from crowdgold.experiment import data_tables, estimating, plan, settings
from crowdgold.experiment import settings as seeds
from crowdgold.experiment.drawing import simulate_block
from crowdgold.experiment.estimating import estimate_block
from crowdgold.models.stan import StanModels
from crowdgold.record.imports import imported_modules
from crowdgold.simulate import simulate

PARAMETERS = {
    "n": 60,
    "phi": 0.4,
    "a0": 0.2,
    "a1": 0.7,
    "d0": 1.5,
    "d1": 1.5,
    "votes_total": 3,
    "gold_fraction": 0.5,
    "predictors": {"A": {"mu": 1.0, "delta": 1.0}},
}


def test_a_stream_is_the_same_in_every_process_and_on_every_machine():
    key = (7, "maven_fig4", "gold_fraction=0.02", 3, "data")
    assert seeds.word("data") == 4210496735630961799
    first = seeds.generator(*key).integers(0, 2**63, 3)
    np.testing.assert_array_equal(first, seeds.generator(*key).integers(0, 2**63, 3))


@pytest.mark.parametrize("position", range(5))
def test_each_part_of_the_key_gives_another_stream(position):
    key = [7, "one", "setting", 3, "data"]
    other = list(key)
    other[position] = other[position] + (1 if position in (0, 3) else "x")
    draws = [seeds.generator(*each).random(4) for each in (key, other)]
    assert not np.any(draws[0] == draws[1])


def test_parts_of_a_key_cannot_run_into_one_another():
    assert (
        seeds.generator(1, "ab", "c", 0, "d").random()
        != seeds.generator(1, "a", "bc", 0, "d").random()
    )


@pytest.mark.parametrize("key", [(-1, 0), (0, -1)])
def test_negative_seeds_are_refused(key):
    with pytest.raises(ValueError, match="0 or more"):
        seeds.seed_sequence(key[0], "a", "b", key[1], "c")


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
    assert second.parameters == {
        **given,
        "predictors": {"A": {"mu": 0.5, "delta": 2}, "B": {"mu": 3}},
    }
    assert given["predictors"]["A"]["mu"] == 1
    assert settings.parse_setting(second.name) == second.axes == {"predictors.A.mu": 0.5}
    with pytest.raises(ValueError, match="no mapping 'C'"):
        settings.expand(given, {"predictors.C.mu": [0]})


VARIED = {
    "n": [10, 20],
    "method_settings.MAVEN.mu_prior.scale": [0.5, 2],
    "method_settings.GT.x": [1],
}


def test_an_axis_of_a_method_changes_its_settings_and_nothing_else():
    """Neither the data's parameters, nor other methods' settings, nor those that were given."""
    given = {"MAVEN": {"mu_prior": {"shape": 1, "scale": 1}, "cut": "exact"}, "MV": {}}
    first, second, *_ = settings.expand({"n": 5}, VARIED)
    assert first.parameters == second.parameters == {"n": 10}
    assert "method_settings.MAVEN.mu_prior.scale=0.5" in first.name
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
    block = {
        "paper": "MAVEN",
        "title": "t",
        "simulator": "maven",
        "parameters": {**PARAMETERS, "votes_total": 2},
        "vary": {"n": [30, 40], "method_settings.MAVEN.delta_scale": [1, 10]},
        "methods": ["MV"],
        "metrics": ["AUC", "TNR_H"],
        "replicates": 1,
    }
    whole = {"seed": 1, "experiments": {"e": block}, "methods": {}, "imputations": 9}
    task = plan.experiment_task({**whole, "bootstrap": 20, "level": 0.9}, "e")
    simulate_block(task, tmp_path / "data.parquet", {})
    table = data_tables.DataTable(tmp_path / "data.parquet")
    one, same, other, _ = (table.replicate(each["name"], 0).table for each in task["settings"])
    np.testing.assert_array_equal(one.scores["A"], same.scores["A"])
    assert len(other) == 40
    assert not np.isin(other.scores["A"], one.scores["A"]).any()
    rows, _ = estimate_block(task, tmp_path / "data.parquet", StanModels(), "version")
    assert fitted == ["MV", "MV"]
    assert len(rows) == 2 * len(task["settings"])
    by = rows.pivot(
        columns=["n", "method_settings.MAVEN.delta_scale"], index="metric", values="lower"
    )
    assert np.array_equal(by[30, 1], by[30, 10])
    assert np.array_equal(by[40, 1], by[40, 10])
    assert not np.array_equal(by[30, 1], by[40, 1])


def test_the_models_of_a_job_are_those_of_all_its_settings():
    axis = {"method_settings.MAVEN.cut": ["exact", "nested"]}
    block = {"paper": "MAVEN", "simulator": "maven", "vary": axis, "methods": ["MV", "MAVEN"]}
    block |= {"metrics": ["AUC"], "replicates": 1, "parameters": PARAMETERS}
    config = {
        "seed": 1,
        "experiments": {"e": block},
        "methods": {},
        "imputations": 9,
        "sampler": {},
    }
    whole = plan.experiment_task({**config, "bootstrap": 20, "level": 0.9}, "e")
    assert plan.models_of(whole) == ["vote", "score"]
    exact = {**whole, "settings": whole["settings"][:1]}
    assert plan.models_of(exact) == ["vote"]


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(1)
    full = simulate("maven", PARAMETERS, rng)
    held_out = simulate("maven", {**PARAMETERS, "n": 40}, rng)
    drawn = [
        ("a", 0, data_tables.Drawn(full.table, full.table, full.parameters)),
        ("a", 1, data_tables.Drawn(full.table, held_out.table, full.parameters)),
    ]
    data_tables.write_replicates(tmp_path / "table.parquet", drawn, {"code_version": "x"})
    return drawn, data_tables.DataTable(tmp_path / "table.parquet"), tmp_path


def test_a_data_table_gives_back_what_was_written(table):
    written, read, folder = table
    for setting, number, drawn in written:
        found = read.replicate(setting, number)
        assert dict(found.parameters) == dict(drawn.parameters)
        for before, after in ((drawn.table, found.table), (drawn.reference, found.reference)):
            for name in (
                "item",
                "votes_positive",
                "votes_total",
                "gold",
                "tie_break",
                "truth",
                "oracle",
            ):
                np.testing.assert_array_equal(getattr(after, name), getattr(before, name))
            np.testing.assert_array_equal(after.order("A"), before.order("A"))
    assert not list(folder.glob(".*"))


def test_a_replicate_that_is_not_there_is_named(table):
    with pytest.raises(ValueError, match="setting b, replicate 0"):
        table[1].replicate("b", 0)


def test_a_failure_names_experiment_setting_replicate_and_method(table):
    task = {
        "seed": 1,
        "paper": "MAVEN",
        "experiment": "mine",
        "settings": [{"name": "a", "axes": {}, "parameters": {}}],
        "replicates": [1],
        "methods": {"NONE": {}},
        "metrics": ["AUC"],
        "bootstrap": 20,
        "level": 0.9,
    }
    with pytest.raises(ValueError, match="NONE") as caught:
        estimate_block(task, table[2] / "table.parquet", StanModels(), "version")
    assert caught.value.__notes__ == ["experiment mine, setting a, replicate 1, method NONE"]


def test_a_parameter_without_a_known_truth_is_named(table):
    task = {
        "seed": 1,
        "paper": "MAVEN",
        "experiment": "mine",
        "settings": [{"name": "a", "axes": {}, "parameters": {}}],
        "replicates": [0],
        "methods": {"MV": {}},
        "metrics": ["mu:B"],
        "bootstrap": 20,
        "level": 0.9,
    }
    with pytest.raises(ValueError, match="'mu:B' is not known"):
        estimate_block(task, table[2] / "table.parquet", StanModels(), "version")


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
    everything = {
        "listing",
        "listing.one",
        "listing.two",
        "base",
        "other",
        "other.side",
        "other.deep",
        "lazy",
    }
    assert modules(package, "import pack.listing\n") == everything
    assert modules(package, "from pack.other import side\n") == {"other", "other.side"}
    assert modules(package, "import numpy\n") == set()


def test_entries_that_a_job_does_not_use_are_not_entered_from_the_listing(package):
    cut = {"without": {"pack.listing.two"}, "registries": {"pack.listing"}}
    assert modules(package, "import pack.listing\n", **cut) == {"listing", "listing.one", "base"}
    assert "listing.two" in modules(package, "import pack.listing.two\n", **cut)


def test_a_setting_added_at_the_end_leaves_the_tasks_of_the_others_as_they_are():
    block = {
        "paper": "MAVEN",
        "title": "t",
        "simulator": "maven",
        "parameters": PARAMETERS,
        "vary": {"n": [10, 20]},
        "replicates": 4,
    }
    longer = {**block, "vary": {"n": [10, 20, 30]}, "replicates": 8, "title": "other"}
    tasks = [
        plan.data_task({"seed": 1, "experiments": {"e": one}}, "e", "n=20", "0-1")
        for one in (block, longer)
    ]
    assert tasks[0] == tasks[1]
