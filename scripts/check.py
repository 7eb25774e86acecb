"""Run a named computation for a block of replicates."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiments.checks import check_block
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.provenance import provenance
from crowdgold.experiments.results import write_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    task = snakemake.params.task
    write_table(check_block(task), snakemake.output[0], provenance(Path.cwd(), task))
