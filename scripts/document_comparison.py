"""Write the page that compares MAVEN with gold labels alone."""

from typing import TYPE_CHECKING

from crowdgold.data.files import write_text
from crowdgold.evaluation.ratios import compare
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import read_table
from crowdgold.methods.maven import PUBLISHED
from crowdgold.methods.registry import baseline
from crowdgold.studies.maven.pages.comparison import comparison_page

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    axis = snakemake.params.axis
    comparisons = {
        title: compare(read_table(table), [axis], PUBLISHED.name, baseline())
        for title, table in zip(snakemake.params.titles, snakemake.input.tables, strict=True)
    }
    write_text(comparison_page(comparisons, axis), snakemake.output[0])
