"""Draw the data of a block of replicates."""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from crowdgold.experiments.drawing import simulate_block
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.provenance import provenance

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    task = snakemake.params.task
    prepared = [pd.read_parquet(path) for path in snakemake.input.dataset]
    simulate_block(
        task,
        Path(snakemake.output[0]),
        metadata=provenance(Path.cwd(), task),
        dataset=prepared[0] if prepared else None,
    )
