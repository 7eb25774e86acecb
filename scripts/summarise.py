"""Join the rows of an experiment, and summarise them over the replicates."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiment.logs import job_log
from crowdgold.experiment.summaries import summarise
from crowdgold.record.record import provenance
from crowdgold.record.results import concatenate, write_summary, write_table
from crowdgold.record.seals import fold

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    table, made_from = concatenate(snakemake.input.rows, snakemake.params.seed)
    # A check's rows are its result: there is no estimate in them to hold against a truth.
    axes, level = snakemake.params.axes, snakemake.params.level
    summary = table if snakemake.params.check else summarise(table, axes, level)
    chosen = {"axes": list(axes), "level": level}
    own = provenance(Path.cwd(), chosen, snakemake.params.library)
    metadata = {**fold(made_from), "summarised": own}
    write_table(table, snakemake.output.table, metadata)
    write_summary(summary, snakemake.output.summary, metadata)
    times, measured_in = concatenate(snakemake.input.times, snakemake.params.seed)
    write_table(times, snakemake.output.times, fold(measured_in))
