"""Write the page that holds the tables of the STABLEVAL paper against ours."""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from crowdgold.data.files import write_text
from crowdgold.documents.stableval_reproduction import stableval_page
from crowdgold.experiments.logs import job_log

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    tables = {Path(path).stem: pd.read_parquet(path) for path in snakemake.input.tables}
    printed = pd.read_csv(snakemake.input.printed, dtype=str)
    write_text(stableval_page(tables, printed), snakemake.output[0])
