"""Fetch a public dataset, or take it from the user's own folder, and prepare its table."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.datasets import DATASETS
from crowdgold.datasets.fetching import fetch
from crowdgold.datasets.pinned import SOURCES
from crowdgold.experiment.logs import job_log
from crowdgold.record.record import provenance
from crowdgold.record.results import write_table
from crowdgold.record.seals import file_hash

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    name, folder = snakemake.wildcards.dataset, Path(snakemake.params.folder)
    fetch(name, folder)
    metadata = {
        **provenance(Path.cwd(), {"dataset": name}, snakemake.params.library),
        "dataset": name,
        "sources": {file.name: file_hash(folder / file.name) for file in SOURCES[name].files},
    }
    write_table(DATASETS[name].prepare(folder), snakemake.output[0], metadata)
