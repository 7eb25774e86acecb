"""Write the page on the coverage of the intervals."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.data.files import write_text
from crowdgold.documents.clara_coverage import clara_section
from crowdgold.documents.coverage import coverage_page
from crowdgold.evaluation.ratios import relative_to
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import concatenate, read_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    settings, _ = concatenate(snakemake.input.settings)
    page = coverage_page(
        read_table(snakemake.input.summary),
        Path(snakemake.input.verdict).read_text(),
        relative_to(settings, "GT"),
    )
    clara = clara_section(
        read_table(snakemake.input.clara), Path(snakemake.input.clara_verdict).read_text()
    )
    write_text(f"{page}\n{clara}", snakemake.output[0])
