"""Write the page that compares MAVEN with gold labels alone."""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from crowdgold.evaluation import compare
from crowdgold.experiments.logs import job_log
from crowdgold.plotting.pages import comparison_page

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    axis = snakemake.params.axis
    comparisons = {
        title: compare(pd.read_parquet(table), [axis], "MAVEN", "GT")
        for title, table in zip(snakemake.params.titles, snakemake.input.tables, strict=True)
    }
    Path(snakemake.output[0]).write_text(comparison_page(comparisons, axis), encoding="utf-8")
