"""Publish the finished tables of a run, and say which are not there."""

from typing import TYPE_CHECKING

from crowdgold.experiments.logs import job_log
from crowdgold.experiments.wiring.published import FOLDER, RECORD, publish

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    given = snakemake.params
    here, lacking = publish(given.files, given.config, given.scale, RECORD, given.hours)
    print(f"{len(here)} files are published in {FOLDER}/; not finished: {len(lacking)}")
    for path in lacking:
        print(f"  {path}")
