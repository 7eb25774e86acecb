"""Run a computation for a block of replicates: its rows, and their seconds."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiment.computation import compute_block
from crowdgold.experiment.logs import job_log
from crowdgold.models.stan import StanModels
from crowdgold.record.record import provenance
from crowdgold.record.results import read_table, write_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    task = snakemake.params.task
    toolchain = next(map(Path, snakemake.input.toolchain), None)
    programs = [Path(program) for program in snakemake.input.programs]
    stan = StanModels.compiled(Path("results/stan"), toolchain)
    datasets = [read_table(path) for path in snakemake.input.dataset]
    rows, times = compute_block(task, stan, *datasets)
    sources = (snakemake.params.library, programs, toolchain, snakemake.input.dataset)
    record = provenance(Path.cwd(), task, *sources, scale=snakemake.config.get("scale", "default"))
    write_table(rows, snakemake.output.rows, record)
    write_table(times, snakemake.output.times, record)
