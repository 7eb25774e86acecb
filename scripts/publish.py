"""Publish the finished tables of a run, and say which are not there."""

from typing import TYPE_CHECKING

from crowdgold.experiment.logs import job_log
from crowdgold.experiment.publication import FOLDER, RECORD, publish

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    params = snakemake.params
    files, config, scale, hours = params.files, params.config, params.scale, params.hours
    published, unfinished, kept = publish(files, config, scale, RECORD, hours)
    if kept:
        print(f"{len(kept)} files stay as they are, published at a larger scale:")
    for path in kept:
        print(f"  {path}")
    print(f"{len(published)} files are published in {FOLDER}/; not finished: {len(unfinished)}")
    for path in unfinished:
        print(f"  {path}")
