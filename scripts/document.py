"""Write the pages of the documentation, and copy the figures of the gallery, from results."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from crowdgold.evaluation import compare
from crowdgold.experiments.logs import job_log
from crowdgold.plotting.pages import comparison_page, coverage_page, scaling_page

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    axis = snakemake.params.axis
    comparisons = {
        title: compare(pd.read_parquet(table), [axis], "MAVEN", "GT")
        for title, table in zip(snakemake.params.titles, snakemake.input.tables, strict=True)
    }
    pages = {
        snakemake.output.comparison: comparison_page(comparisons, axis),
        snakemake.output.coverage: coverage_page(
            pd.read_parquet(snakemake.input.coverage), snakemake.params.level
        ),
        snakemake.output.scaling: scaling_page(pd.read_csv(snakemake.input.scaling)),
    }
    for path, text in pages.items():
        Path(path).write_text(text, encoding="utf-8")
    for source, target in zip(snakemake.input.figures, snakemake.output.gallery, strict=True):
        shutil.copyfile(source, target)
