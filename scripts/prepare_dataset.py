"""Fetch a public dataset, or take it from the user's own folder, and prepare its table."""

import os
from pathlib import Path

from snakemake.script import snakemake

from crowdgold.data.datasets import DATASETS
from crowdgold.data.sources import fetch
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import write_table

with job_log(snakemake.log[0]):
    local = os.environ.get("CROWDGOLD_DATA")
    name, folder = snakemake.wildcards.dataset, Path(snakemake.params.folder)
    fetch(name, folder, Path(local) if local else None, print)
    write_table(DATASETS[name].prepare(folder), snakemake.output[0], {"dataset": name})
