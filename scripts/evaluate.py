"""Join what the jobs of an evaluation found, and write its folder with its report."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.evaluation.study import gather, source_and_settings
from crowdgold.experiment.logs import job_log
from crowdgold.models.stan import StanModels
from crowdgold.presentation.page import write_study_report

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    toolchain = next(map(Path, snakemake.input.toolchain), None)
    stan = StanModels.compiled(Path("results/stan"), toolchain)
    parts = [Path(path) for path in snakemake.input.found]
    folder = Path(snakemake.output[0])
    asked = source_and_settings(snakemake.input.files, snakemake.params.asked)
    gather(*asked, Path(snakemake.input.study), parts, stan, folder)
    write_study_report(folder)
