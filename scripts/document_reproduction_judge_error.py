"""Write the page that holds the judge-error post against ours."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.data.files import write_text
from crowdgold.experiments.configuration import load
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import read_table
from crowdgold.studies.judge_error.pages.reproduction import judge_error_page

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    tables = {Path(path).stem: read_table(path) for path in snakemake.input.tables}
    write_text(judge_error_page(tables, load(snakemake.input.printed)), snakemake.output[0])
