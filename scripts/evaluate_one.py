"""Run one job of the evaluation of a user's own data."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.evaluation.study import files_and_settings, run_one
from crowdgold.experiment.logs import job_log
from crowdgold.models.stan import StanModels

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    toolchain = next(map(Path, snakemake.input.toolchain), None)
    stan = StanModels.compiled(Path("results/stan"), toolchain)
    files, settings = files_and_settings(snakemake.input.files, snakemake.params.asked)
    job, out = int(snakemake.wildcards.job), Path(snakemake.output[0])
    run_one(files, settings, Path(snakemake.input.study), job, stan, out)
