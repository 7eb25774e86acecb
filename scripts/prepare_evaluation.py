"""Read and check a user's own data, and split their evaluation into jobs."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.evaluation.study import files_and_settings, prepare
from crowdgold.experiment.logs import job_log

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    files, settings = files_and_settings(snakemake.input.files, snakemake.params.asked)
    prepare(files, settings, Path(snakemake.output[0]))
