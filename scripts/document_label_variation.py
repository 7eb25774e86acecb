"""Write the page on training with human label variation."""

from typing import TYPE_CHECKING

from crowdgold.data.files import write_text
from crowdgold.experiments.configuration import load
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import read_table
from crowdgold.studies.label_variation.pages.reproduction import label_variation_page

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    tables = [read_table(path) for path in snakemake.input.tables]
    page = label_variation_page(tables, load(snakemake.input.printed))
    write_text(page, snakemake.output[0])
