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
    library = snakemake.params.library
    simulate_block(
        task,
        Path(snakemake.output[0]),
        metadata=provenance(
            Path.cwd(),
            task,
            library,
            datasets=snakemake.input.dataset,
            scale=snakemake.config.get("scale", "default"),
        ),
        dataset=prepared[0] if prepared else None,
    )
