"""Publish the finished tables of a run, and say which are not there."""

from typing import TYPE_CHECKING

from crowdgold.experiment.logs import job_log
from crowdgold.experiment.published import FOLDER, RECORD, publish

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    given = snakemake.params
    here, lacking, left = publish(given.files, given.config, given.scale, RECORD, given.hours)
    if left:
        print(f"{len(left)} files stay as they are, published at a larger scale:")
    for path in left:
        print(f"  {path}")
    print(f"{len(here)} files are published in {FOLDER}/; not finished: {len(lacking)}")
    for path in lacking:
        print(f"  {path}")
