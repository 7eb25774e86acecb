"""Fit the methods of a job to a block of replicates and evaluate them."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiment.estimating import estimate_block
from crowdgold.experiment.logs import job_log
from crowdgold.models.stan import StanModels
from crowdgold.record.record import provenance
from crowdgold.record.results import write_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    task = snakemake.params.task
    toolchain = next(map(Path, snakemake.input.toolchain), None)
    stan = StanModels.compiled(Path("results/stan"), toolchain)
    programs = [Path(program) for program in snakemake.input.programs]
    data, library = Path(snakemake.input.data), snakemake.params.library
    scale = snakemake.config.get("scale", "default")
    record = provenance(Path.cwd(), task, library, programs, toolchain, data=data, scale=scale)
    rows, times = estimate_block(task, data, stan, record["code_version"], snakemake.threads)
    write_table(rows, snakemake.output.rows, record)
    write_table(times, snakemake.output.times, record)
