"""Compare STABLEVAL's published posteriors and bootstrap with ours."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiment.logs import job_log
from crowdgold.papers.stableval.published_posteriors import (
    DATASET_NAMES,
    annotations_of,
    bootstraps,
    posterior_differences,
)
from crowdgold.record.record import provenance
from crowdgold.record.results import read_table, write_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    *prepared, published = map(read_table, snakemake.input.datasets)
    pairs = zip(DATASET_NAMES, prepared, strict=True)
    tables = {name: annotations_of(name, frame) for name, frame in pairs}
    settings = {"seed": snakemake.params.seed, "resamples": snakemake.params.resamples}
    library, datasets = snakemake.params.library, snakemake.input.datasets
    record = provenance(Path.cwd(), settings, library, datasets=datasets)
    posteriors, bootstrap = snakemake.output.posteriors, snakemake.output.bootstrap
    differences = posterior_differences(tables, published)
    write_table(differences, posteriors, record)
    intervals = bootstraps(tables, snakemake.params.seed, snakemake.params.resamples)
    write_table(intervals, bootstrap, record)
