"""Read and check a user's own data, and split their evaluation into jobs."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.evaluation.study import prepare, source_and_settings
from crowdgold.experiment.logs import job_log

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    source, settings = source_and_settings(snakemake.input.files, snakemake.params.asked)
    prepare(source, settings, Path(snakemake.output[0]))
