"""Write the page on the coverage of the intervals."""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from crowdgold.data.files import write_text
from crowdgold.documents.coverage import coverage_page
from crowdgold.evaluation.ratios import relative_to
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import concatenate

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    settings, _ = concatenate(snakemake.input.settings)
    page = coverage_page(
        pd.read_parquet(snakemake.input.summary),
        Path(snakemake.input.verdict[0]).read_text(),
        relative_to(settings, "GT"),
    )
    write_text(page, snakemake.output[0])
