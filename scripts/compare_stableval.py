"""Hold STABLEVAL's published posteriors against ours, and its bootstrap against ours."""

from typing import TYPE_CHECKING

import pandas as pd

from crowdgold.experiments.logs import job_log
from crowdgold.experiments.published_stableval import (
    NAMES,
    annotations_of,
    bootstraps,
    posterior_differences,
)
from crowdgold.experiments.results import write_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    *prepared, published = map(pd.read_parquet, snakemake.input.datasets)
    pairs = zip(NAMES, prepared, strict=True)
    tables = {name: annotations_of(name, frame) for name, frame in pairs}
    write_table(posterior_differences(tables, published), snakemake.output.posteriors, {})
    found = bootstraps(tables, snakemake.params.seed, snakemake.params.resamples)
    write_table(found, snakemake.output.bootstrap, {})
