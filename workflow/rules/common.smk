# What: functions that the rules share, and the only place for Python functions in the workflow.
# Needs: the configuration.
# Makes: nothing; defines wildcard constraints, paths, input functions and the environment of jobs.

import fcntl
import importlib.util
import os
import sys
import time
from functools import cache
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from crowdgold.experiments import configuration, integrity, plan, slurm
from crowdgold.experiments.figure_record import ENDINGS
from crowdgold.experiments.dependencies import kernel_cache, rule_code
from crowdgold.experiments.imports import package_root
from crowdgold.experiments.leftovers import remove_leftovers
from crowdgold.experiments.made_from import file_hash
from crowdgold.experiments.registries import known_names, metric_problem, stan_models
from crowdgold.experiments.schema import METHOD_FILES, read_schema
from crowdgold.experiments.seals import was_set_aside
from crowdgold.experiments.times import path_of_times
from crowdgold.methods import registry
from crowdgold.toolchain import assemble

ROOT = Path(workflow.basedir)

# Compiled kernels are shared between jobs, and live as long as the code that they were made from.
os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(Path("results/.kernels").resolve() / kernel_cache())
)
os.environ.setdefault("NUMBA_NUM_THREADS", "1")


# Where a dataset comes from does not change it: an environment variable makes nothing run again.
if config.get("data_folder"):
    os.environ.update(CROWDGOLD_DATA=str(config["data_folder"]))

# Jobs read this variable; this process has read the methods that there were before.
if own_methods := [str(Path(path).resolve()) for path in config.get(METHOD_FILES, [])]:
    already = filter(None, [os.environ.get(registry.VARIABLE)])
    os.environ[registry.VARIABLE] = os.pathsep.join([*already, *own_methods])
    registry.register(*own_methods)

# Jobs use the library that this process uses, also in an environment where it is not installed.
library_path = [str(package_root().parent), os.environ.get("PYTHONPATH", "")]
os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, library_path)))


def check_configuration():
    """Stop before anything runs where the configuration cannot be used."""
    try:
        schema = read_schema(ROOT / "workflow/schemas/config.schema.yaml")
        configuration.check(config, schema, known_names(), metric_problem, PLACES)
    except configuration.ConfigurationError as error:
        raise WorkflowError(str(error)) from None


# On a cluster each job reads this file again, what was checked with it.
if workflow.is_main_process:
    check_configuration()
    if slurm.PLUGIN in sys.modules:
        slurm.mend(sys.modules[slurm.PLUGIN], logger)


def stages():
    """The stages that are included; an experiment is one of them, or three."""
    parts = (
        ["together"] if config["together"] else ["simulate", "estimate", "summarise"]
    )
    shared = ["figures", "validate", "answer", "evaluate", "benchmarks", "docs"]
    return ["toolchain", "datasets", "label_variation", *parts, *shared]


wildcard_constraints:
    experiment="|".join(config["experiments"]),
    dataset="[a-z0-9_]+",
    model="[a-z0-9_]+",
    setting="[^/]+",
    group="[^/]+",
    # No folder: else a template of a page would be sought as a page, with a template of its own.
    page="[^/]+",
    replicates=r"\d+-\d+",
    job=r"\d+",


HELD = []  # the open file of the lock on this folder


def hold_folder():
    """Stop where another run is at work in this folder; the lock ends with the run that holds it.

    Snakemake's own lock has to be removed by hand after a run was killed, and `make` goes without.
    """
    lock = Path("results/.running")
    lock.parent.mkdir(exist_ok=True)
    HELD.append(lock.open("w"))
    try:
        fcntl.flock(HELD[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WorkflowError(
            "another run is at work in this folder; wait for its end"
        ) from None
    except OSError as error:
        logger.warning(
            f"{lock}: no lock here ({error.strerror}): never start two runs in this folder"
        )


def write_merged_configuration():
    """Keep the configuration that the results were made with beside them."""
    path = Path(config["pathvars"]["results"], "config.yaml")
    path.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
    unfinished = path.with_name(".config.yaml.partial")
    unfinished.write_text(text)
    unfinished.replace(path)


def take_away_damage():
    """Name what is not as its job wrote it, and set it aside, so that it is made again."""
    start = time.monotonic()
    found = integrity.compare(
        Path(config["pathvars"]["results"]), integrity.names_of(config)
    )
    for line in integrity.told(found, time.monotonic() - start):
        logger.warning(line)
    integrity.take_away(found.damaged)
    if found.damaged:
        logger.warning(
            "What is damaged was set aside as .NAME.damaged beside it; the run that it belongs to "
            "makes it anew"
        )


def begin_run(local):
    """Do what a run does before it looks which files are there.

    Jobs on other nodes can outlive the run that submitted them: what they are writing is left.

    Raises:
        WorkflowError: where the folder is another run's, or cannot be written.
    """
    results = Path(config["pathvars"]["results"])
    try:
        hold_folder()
        folders = [results / name for name in (*integrity.FOLDERS, "evaluation")]
        folders += [
            Path("results", name) for name in ("datasets", "embeddings", "stan")
        ]
        remove_leftovers(folders, 0 if local else 24 * 3600)
        take_away_damage()
        write_merged_configuration()
    except OSError as error:
        raise WorkflowError(
            f"{error.filename} cannot be written: {error.strerror}; expected a folder with room, "
            "and that you may write to. Mend it and run again: what is finished is kept"
        ) from None


def begin_before_files_are_looked_for():
    """Have `begin_run` called before the graph of jobs is made: Snakemake's `onstart` comes after,
    and not at all where there is nothing to do. A dry run takes nothing and changes nothing.

    Where there are no results yet `onstart` is early enough, and a run that is refused makes none.
    """
    execute = workflow.execute

    def begin_and_execute(executor_plugin, **settings):
        kind = executor_plugin.common_settings
        if not kind.dryrun_exec and Path("results").is_dir():
            begin_run(kind.local_exec)
        return execute(executor_plugin=executor_plugin, **settings)

    workflow.execute = begin_and_execute


if workflow.is_main_process:
    begin_before_files_are_looked_for()


onstart:
    if not HELD:
        begin_run(local=True)


def relative(file):
    """A path that stays the same when the folder is moved, so that nothing runs again."""
    return os.path.relpath(file)


def library(script, **used):
    """A parameter that stands for a script and the library files that it imports.

    It is file -> hash. It changes, and the job runs again, when one of them does; tables keep it as
    their provenance. As inputs they would be dozens for each job, which the scheduler looks through
    for each job that ends. A keyword names a registry and, by a function of the wildcards, the
    entries that the job uses.
    """

    def code(wildcards):
        chosen = {registry: names(wildcards) for registry, names in used.items()}
        return rule_code(ROOT / "scripts" / script, chosen)

    return code


def arena_record():
    """The hash of what the arena found, which verdicts on a user's own data cite.

    As an input it would have the arena run for an evaluation.
    """
    record = ROOT / "src/crowdgold/arena/worlds.json"
    return file_hash(record) if record.is_file() else ""


def block_of(wildcards):
    return config["experiments"][wildcards.experiment]


def all_cores():
    """The threads of a job beside which nothing is to run: the run's cores; on a cluster, where
    a job has cores of its own, the two that a benchmark uses at most."""
    return workflow.resource_settings.cores or 2


def none(wildcards):
    """Say that a job uses no entry of a registry that its imports reach."""
    return []


def source_of(kind):
    """An input function for the simulator, dataset or check of an experiment, if any."""
    return lambda wildcards: [
        value for key, value in block_of(wildcards).items() if key == kind
    ]


def methods_of(wildcards):
    """The methods of a job; none where it is a check."""
    if "methods" not in block_of(wildcards):
        return []
    group = getattr(wildcards, "group", plan.ALL)
    return plan.methods_of(config, wildcards.experiment, group)


def prepared_dataset(wildcards):
    """The prepared dataset that an experiment's tables are drawn from, if any."""
    name = plan.dataset(block_of(wildcards))
    return [f"results/datasets/{name}.parquet"] if name else []


def features_of(wildcards):
    """The file of the texts' features that a check reads, if any."""
    return plan.features(block_of(wildcards))


def data_task(wildcards):
    return plan.data_task(
        config, wildcards.experiment, wildcards.setting, wildcards.replicates
    )


def estimate_task(wildcards):
    return plan.estimate_task(
        config,
        wildcards.experiment,
        wildcards.setting,
        wildcards.group,
        wildcards.replicates,
    )


def axes_of(wildcards):
    """The names of what varies in an experiment."""
    return list(block_of(wildcards).get("vary", {}))


def models_of(wildcards):
    """The Stan models that the methods of a job, or its check, need."""
    is_check = plan.source(block_of(wildcards)) == "check"
    return plan.models_of((data_task if is_check else estimate_task)(wildcards))


def executables_of(wildcards):
    return [f"results/stan/{model}" for model in models_of(wildcards)]


def toolchain_of(wildcards):
    return ["results/toolchain.json"] if models_of(wildcards) else []


def programs_of(wildcards):
    return programs_in(models_of(wildcards))


def programs_in(models):
    """The Stan programs of models and the files that they include, each once."""
    from crowdgold.toolchain import included_files

    programs = [ROOT / "stan" / f"{model}.stan" for model in models]
    files = [file for one in programs for file in (one, *included_files(one))]
    return list(dict.fromkeys(map(relative, files)))


def program_files(wildcards):
    """A Stan program, first, and the files that it includes."""
    return programs_in([wildcards.model])


def rows_of(wildcards):
    """The tables that an experiment's results are joined from."""
    return [f"<results>/{path}" for path in plan.blocks(config, wildcards.experiment)]


def times_of(wildcards):
    """The tables of the times of what an experiment's results are joined from."""
    blocks = plan.blocks(config, wildcards.experiment)
    return [f"<results>/{path_of_times(path)}" for path in blocks]


def judged_table(experiment):
    """The table that an experiment's verdict is about: ranks, or a summary of coverage."""
    kind = "tables" if "check" in config["experiments"][experiment] else "summaries"
    return f"<results>/{kind}/{experiment}.parquet"


def verdicts(figure=None):
    """The verdicts on all experiments that something is expected of, or those of a figure.

    None at the smallest scale, whose few replicates say nothing of coverage.
    """
    if config["together"]:
        return []
    named = (
        config["figures"][figure]["experiments"] if figure else config["experiments"]
    )
    return [
        f"<results>/summaries/{name}_verdict.txt"
        for name in named
        if "expect" in config["experiments"][name]
    ]


def tables_of(figure):
    """An input function for the tables that a figure is drawn from."""
    block = config["figures"][figure]
    if "benchmark" in block:
        return [f"<results>/benchmarks/{block['benchmark']}.parquet"]
    kind = block.get("table", "summaries")
    return lambda wildcards: [
        f"<results>/{kind}/{experiment}.parquet"
        for experiment in drawn_experiments(figure)
    ]


def caption_of(figure):
    """The caption's file, relative to the folder of the rules."""
    own = ROOT / "workflow/report" / f"{figure}.rst"
    return f"../report/{figure if own.is_file() else 'figure'}.rst"


def figure_jobs():
    """The figures of each job that draws, by the first: those of the same tables, or, at the
    smallest scale, those of a paper."""
    jobs = {}
    for figure, block in config["figures"].items():
        target = block.get("target", "figures")
        tables = (
            block.get("table"),
            block.get("benchmark"),
            *block.get("experiments", []),
        )
        missing = any(map(unavailable, plan.datasets(config, figure)))
        shared = config["together"] and not missing and target != "none"
        key = (block["paper"], target) if shared else (target, *tables)
        jobs.setdefault(key, []).append(figure)
    return {names[0]: names for names in jobs.values()}


def experiment_jobs():
    """The experiments of each job that runs whole experiments."""
    return plan.experiment_jobs(config, unavailable)


def values_in(experiments, kind):
    """The simulators or checks of experiments, each once."""
    blocks = [config["experiments"][name] for name in experiments]
    return list(dict.fromkeys(block[kind] for block in blocks if kind in block))


def datasets_in(experiments):
    """The datasets that experiments need, each once."""
    blocks = [config["experiments"][name] for name in experiments]
    return list(dict.fromkeys(filter(None, map(plan.dataset, blocks))))


def methods_in(experiments):
    """The methods of experiments, each once."""
    blocks = [config["experiments"][name] for name in experiments]
    found = [method for block in blocks for method in block.get("methods", [])]
    return list(dict.fromkeys(found))


def models_in(experiments):
    """The Stan models that experiments need, each once."""
    tasks = [plan.experiment_task(config, name) for name in experiments]
    return list(
        dict.fromkeys(model for task in tasks for model in plan.models_of(task))
    )


def experiments_in(figures):
    """The experiments of figures, each once."""
    blocks = [config["figures"][name] for name in figures]
    found = [name for block in blocks for name in block.get("experiments", [])]
    return list(dict.fromkeys(found))


def plots_in(figures):
    """The plotting functions of figures, each once."""
    return list(dict.fromkeys(config["figures"][name]["plot"] for name in figures))


def entries(names):
    """An input function for entries of a registry that do not depend on wildcards."""
    return lambda wildcards: names


@cache
def unavailable(dataset):
    """Say why a dataset cannot be had; empty where it can, or is prepared already."""
    from crowdgold.data.datasets import availability

    if Path(f"results/datasets/{dataset}.parquet").exists():
        return ""
    available, reason = availability(dataset)
    return "" if available else reason


@cache
def drawn_figures(target):
    """A target's figures whose datasets can be had; say which are skipped, and why."""
    drawn = []
    for figure in plan.figures(config, target):
        reasons = [
            f"dataset {why}"
            for name in plan.datasets(config, figure)
            if (why := unavailable(name))
        ]
        reasons += [
            f"the package {package}, which is not installed ({plan.how_to_install(package)})"
            for package, without in plan.figure_without(config, figure).items()
            if not without
        ]
        if reasons:
            logger.warning(f"Skipped: figure {figure} needs {'; '.join(reasons)}")
        else:
            drawn.append(figure)
    return drawn


def gallery():
    """The figures that can be drawn with the packages that are installed.

    Without those of `make hlv`, a study of its own, and of `make answer`, which takes hours.
    """
    return [
        name
        for name, block in config["figures"].items()
        if block.get("target") not in ("hlv", "answer")
        and all(plan.figure_without(config, name).values())
    ]


@cache
def drawn_experiments(figure):
    """A figure's experiments, without the optional ones whose data cannot be had; say which."""
    drawn = list(config["figures"][figure].get("experiments", []))
    for experiment, dataset in plan.optional_datasets(config, figure).items():
        if reason := unavailable(dataset):
            logger.warning(
                f"Left out of figure {figure}: {experiment}, which needs dataset {reason}"
            )
            drawn.remove(experiment)
    for package, without in plan.figure_without(config, figure).items():
        if without:
            logger.warning(
                f"Left out of figure {figure}: {package}, a package that is not installed "
                f"({plan.how_to_install(package)})"
            )
    return drawn


def drawn_tables(target):
    """The tables that a target's figures are drawn from, each once."""
    named = [
        name for figure in drawn_figures(target) for name in drawn_experiments(figure)
    ]
    return [f"<results>/tables/{name}.parquet" for name in dict.fromkeys(named)]


def page_if_drawn(target, page):
    """An input function for a page that is made of a target's figures' tables, if any is drawn.

    The smallest scale, whose numbers say nothing, leaves the page as it is.
    """
    written = not config["together"]
    return lambda wildcards: [page] if written and drawn_figures(target) else []


def data_tables(figure):
    """The experiment of each data table behind a figure, and the table."""
    return [
        (name, f"<results>/data/{name}/{setting}/{replicates}.parquet")
        for name in drawn_experiments(figure)
        for setting, replicates in plan.batches(config, name)
    ]


def available_tables(experiments):
    """The tables of experiments, without those whose dataset cannot be had; say which."""
    tables = []
    for name in experiments:
        dataset = plan.dataset(config["experiments"][name])
        if dataset and (reason := unavailable(dataset)):
            logger.warning(f"Left out: {name}, for {reason}")
        else:
            tables.append(f"<results>/tables/{name}.parquet")
    return tables


def own_files(wildcards):
    """The files of the user's own data; without any the run ends with a message."""
    files = config.get("evaluate", {}).get("files", [])
    if not files:
        logger.error(
            "Error: evaluate.files: none; expected votes, gold labels and scores, for instance"
            " --config 'evaluate={files: [votes.csv, gold.csv, scores.csv]}'"
        )
        raise SystemExit(1)
    return files


def found_parts(wildcards):
    """What each job of an evaluation found, once it is known which jobs there are."""
    study = Path(checkpoints.prepare_evaluation.get().output[0])
    places = sorted(int(file.stem) for file in study.glob("*.job"))
    return [f"<results>/evaluation/found/{place}.pickle" for place in places]


def made_of(experiment):
    """What the jobs of an experiment make: tables, summary, times, and damaged blocks."""
    made = [
        f"<results>/{path}"
        for path in (
            f"tables/{experiment}.parquet",
            f"summaries/{experiment}.parquet",
            f"summaries/{experiment}.csv",
            f"times/{experiment}.parquet",
        )
    ]
    if config["together"]:
        return made
    results = Path(config["pathvars"]["results"])
    blocks = [
        path
        for block in plan.blocks(config, experiment)
        for path in (block, path_of_times(block))
    ]
    if "check" not in config["experiments"][experiment]:
        blocks += [
            f"data/{experiment}/{setting}/{replicates}.parquet"
            for setting, replicates in plan.batches(config, experiment)
        ]
    lost = [path for path in blocks if was_set_aside(results / path)]
    return [*made, *(f"<results>/{path}" for path in lost)]


def figures_of(target):
    """An input function, so that only the run that asks for the target looks for datasets.

    All that their jobs make is asked for too: what was lost or damaged is made again.
    """

    def asked(wildcards):
        figures = drawn_figures(target)
        endings = [*ENDINGS, "json"]
        drawn = expand(
            "<results>/figures/{name}.{ending}", name=figures, ending=endings
        )
        tables = [tables_of(name) for name in figures]
        found = [one(wildcards) if callable(one) else one for one in tables]
        named = [one for name in figures for one in drawn_experiments(name)]
        behind = [path for one in dict.fromkeys(named) for path in made_of(one)]
        paths = [*drawn, *(path for own in found for path in own), *behind]
        return list(dict.fromkeys(paths))

    return asked
