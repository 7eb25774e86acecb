"""Write the page that holds the paper's figures and tables against ours."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.data.files import write_text
from crowdgold.experiments.configuration import load
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import read_table
from crowdgold.studies.maven.pages.reproduction import reproduction_page

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    paths = [*snakemake.input.tables, *snakemake.input.benchmarks]
    tables = {Path(path).stem: read_table(path) for path in paths}
    page = reproduction_page(tables, load(snakemake.input.printed), snakemake.params.labelling)
    write_text(page, snakemake.output[0])
