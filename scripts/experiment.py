"""Run a whole experiment in one job: draw its data, fit its methods or run its check, summarise."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from crowdgold.evaluation.summaries import summarise
from crowdgold.experiments.checks import check_block
from crowdgold.experiments.drawing import simulate_block
from crowdgold.experiments.estimating import estimate_block
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.provenance import provenance
from crowdgold.experiments.results import write_csv, write_table
from crowdgold.models.stan import StanModels

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    task = snakemake.params.task
    toolchain = next(map(Path, snakemake.input.toolchain), None)
    stan = StanModels.compiled(Path("results/stan"), toolchain)
    programs = [Path(program) for program in snakemake.input.programs]
    metadata = provenance(Path.cwd(), task, programs, toolchain)
    prepared = [pd.read_parquet(path) for path in snakemake.input.dataset]
    if "check" in task:
        summary = table = check_block(task, stan, *prepared)
    else:
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder, "data.parquet")
            simulate_block(task, data, metadata, prepared[0] if prepared else None)
            version = metadata["code_version"]
            table = estimate_block(task, data, stan, version, snakemake.threads)
        summary = summarise(table, snakemake.params.axes, task["level"])
    write_table(table, snakemake.output.table, metadata)
    write_table(summary, snakemake.output.summary, metadata)
    write_csv(summary, Path(snakemake.output.text))
