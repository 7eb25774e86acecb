"""Draw the data of a block of replicates."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiment.drawing import simulate_block
from crowdgold.experiment.logs import job_log
from crowdgold.record.record import provenance
from crowdgold.record.results import read_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    task = snakemake.params.task
    prepared = [read_table(path) for path in snakemake.input.dataset]
    library, datasets = snakemake.params.library, snakemake.input.dataset
    scale = snakemake.config.get("scale", "default")
    record = provenance(Path.cwd(), task, library, datasets=datasets, scale=scale)
    simulate_block(task, Path(snakemake.output[0]), record, prepared[0] if prepared else None)
