"""Publish the finished tables of a run, and say which are not there."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiments.logs import job_log
from crowdgold.experiments.wiring.published import FOLDER, publish

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    given = snakemake.params
    here, lacking = publish(given.files, given.config, given.scale, Path("config/published.yaml"))
    print(f"{len(here)} files are published in {FOLDER}/; not finished: {len(lacking)}")
    for path in lacking:
        print(f"  {path}")
