# What: what the rules share; no other file of rules/ may define Python functions.
# Needs: the configuration.
# Makes: nothing; checks the configuration, defines wildcard constraints, and three objects whose
#        methods are the rules' input functions and parameters: `jobs` (of experiments), `drawn`
#        (the figures of this run) and `pages` (of docs/); begins the run.

import importlib.util
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from crowdgold.claims.pages import Pages, judged_claims
from crowdgold.experiment import configuration, plan
from crowdgold.experiment import run as slurm
from crowdgold.experiment.publication import Published, scale_note
from crowdgold.experiment.registries import known_names, metric_problem, stan_models
from crowdgold.experiment.run import Run, set_environment
from crowdgold.experiment.schema import read_schema
from crowdgold.experiment.wiring import Drawn, Jobs, entries, none
from crowdgold.methods.registry import offered
from crowdgold.system import toolchain
from crowdgold.types.errors import InputError

set_environment(config)


def source(path):
    """A file of the workflow's own, as seen from the folder of the run."""
    return os.path.relpath(ROOT / path)


def check_configuration():
    """Stop before anything runs where the configuration cannot be used."""
    try:
        schema = read_schema(ROOT / "workflow/schemas/config.schema.yaml")
        configuration.check(config, schema, known_names(), metric_problem, PLACES)
    except configuration.ConfigurationError as error:
        raise WorkflowError(str(error)) from None


# On a cluster each job reads this file again; the main process has checked the configuration.
if workflow.is_main_process:
    check_configuration()
    if slurm.PLUGIN in sys.modules:
        slurm.replace_query(sys.modules[slurm.PLUGIN], logger)

jobs = Jobs(config, ROOT)
if "published" in config:
    drawn = Published(jobs, logger.warning)
else:
    drawn = Drawn(jobs, logger.warning)
pages = Pages(drawn, ROOT / "config/pages.yaml")
library = jobs.library


def stages():
    """The files of rules/ to include: experiments run by one of them (`together`) or by three, and by
    none where figures and pages are made of published tables."""
    if "published" in config:
        return ["figures", "how_to", "docs"]
    parts = (
        ["together"] if config["together"] else ["simulate", "estimate", "summarise"]
    )
    shared = [
        "figures",
        "validate",
        "studies",
        "answer",
        "evaluate",
        "benchmarks",
        "how_to",
        "publish",
    ]
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


run_here = Run(config, logger.warning)


def begin_run(local=True):
    """Begin the run (`Run.begin`): called before Snakemake looks which files are there."""
    try:
        run_here.begin(local)
    except InputError as error:
        raise WorkflowError(str(error)) from None


def begin_before_job_graph():
    """Have `begin_run` called before the graph of jobs is made: Snakemake calls `onstart` after that,
    and not at all where there is nothing to do. A dry run does not begin: it changes nothing.

    Without results yet `onstart` is early enough, and a run that `begin_run` refuses then makes no
    folder for them. A module has no `onstart`.
    """
    execute, module = workflow.execute, workflow.modifier.namespace is not None

    def begin_and_execute(executor_plugin, **settings):
        kind = executor_plugin.common_settings
        if not kind.dryrun_exec and (module or Path("results").is_dir()):
            begin_run(kind.local_exec)
        return execute(executor_plugin=executor_plugin, **settings)

    workflow.execute = begin_and_execute


if workflow.is_main_process:
    begin_before_job_graph()


onstart:
    begin_run()


def all_cores():
    """The threads of a job beside which nothing is to run: the run's cores; on a cluster, where
    a job has cores of its own, the two that a benchmark uses at most."""
    return workflow.resource_settings.cores or 2


def study_files(wildcards):
    """The files of the user's own data; without any the run ends with a message."""
    files = config.get("evaluate", {}).get("files", [])
    if not files:
        logger.error(
            "Error: evaluate.files: none; expected votes, gold labels and scores, for instance"
            " --config 'evaluate={files: [votes.csv, gold.csv, scores.csv]}'"
        )
        raise SystemExit(1)
    return files


def job_results(wildcards):
    """The results of an evaluation's jobs, once its checkpoint has said which jobs there are."""
    study = Path(checkpoints.prepare_evaluation.get().output[0])
    numbers = sorted(int(file.stem) for file in study.glob("*.job"))
    return [f"<results>/evaluation/found/{number}.job" for number in numbers]
