"""Write the page that holds STABLEVAL's tables, on real data and simulated, against ours."""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from crowdgold.data.files import write_text
from crowdgold.experiments.configuration import load
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import read_table
from crowdgold.studies.stableval.pages.reproduction import stableval_page
from crowdgold.studies.stableval.pages.synthetic_claims import synthetic_section

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    tables = {Path(path).stem: read_table(path) for path in snakemake.input.tables}
    printed = pd.read_csv(snakemake.input.printed, dtype=str)
    times = read_table(snakemake.input.times)
    synthetic = synthetic_section(tables, load(snakemake.input.synthetic), times)
    write_text(f"{stableval_page(tables, printed)}\n{synthetic}", snakemake.output[0])
