"""Join the rows of an experiment, and summarise them over the replicates."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiment.logs import job_log
from crowdgold.experiment.summaries import summarise
from crowdgold.record.record import joined, provenance
from crowdgold.record.results import concatenate, write_summary, write_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    table, made_from = concatenate(snakemake.input.rows, snakemake.params.seed)
    # A computation's rows are its result: they hold no estimates to compare with a truth.
    axes, level = snakemake.params.axes, snakemake.params.level
    summary = table if snakemake.params.computation else summarise(table, axes, level)
    chosen = {"axes": list(axes), "level": level}
    scale = snakemake.config.get("scale", "default")
    this_job = provenance(Path.cwd(), chosen, snakemake.params.library, scale=scale)
    record = joined(this_job, made_from)
    write_table(table, snakemake.output.table, record)
    write_summary(summary, snakemake.output.summary, record)
    times, measured_in = concatenate(snakemake.input.times, snakemake.params.seed)
    write_table(times, snakemake.output.times, joined(this_job, measured_in))
