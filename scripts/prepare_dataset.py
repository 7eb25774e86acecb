"""Fetch a public dataset, or take it from the user's own folder, and prepare its table."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.data.datasets import DATASETS, SOURCES, fetch
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.provenance.made_from import file_hash
from crowdgold.experiments.provenance.record import provenance
from crowdgold.experiments.results import write_table

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
