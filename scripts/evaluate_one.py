"""Run one job of the evaluation of a user's own data."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.evaluation.run import run_one
from crowdgold.experiment.logs import job_log
from crowdgold.models.stan import StanModels

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    toolchain = next(map(Path, snakemake.input.toolchain), None)
    stan = StanModels.compiled(Path("results/stan"), toolchain)
    place = int(snakemake.wildcards.job)
    run_one(Path(snakemake.input.study), place, stan, Path(snakemake.output[0]))
