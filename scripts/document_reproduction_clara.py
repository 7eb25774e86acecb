"""Write the page that holds the figures of the CLARA paper against ours."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.data.files import write_text
from crowdgold.experiments.configuration import load
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import read_table
from crowdgold.studies.clara.pages.reproduction import clara_page

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    tables = {Path(path).stem: read_table(path) for path in snakemake.input.tables}
    write_text(clara_page(tables, load(snakemake.input.printed)), snakemake.output[0])
