"""Join the results of an evaluation's jobs, and write its folder with its report."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.evaluation.study import files_and_settings, gather
from crowdgold.experiment.logs import job_log
from crowdgold.models.stan import StanModels
from crowdgold.presentation.page import write_study_report

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    toolchain = next(map(Path, snakemake.input.toolchain), None)
    stan = StanModels.compiled(Path("results/stan"), toolchain)
    job_results = [Path(path) for path in snakemake.input.job_results]
    folder = Path(snakemake.output[0])
    files, settings = files_and_settings(snakemake.input.files, snakemake.params.asked)
    study = Path(snakemake.input.study)
    gather(files, settings, study, job_results, stan, folder)
    write_study_report(folder)
