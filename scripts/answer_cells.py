"""Write the table of the cells of the page on the recommended answer."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiment.logs import job_log
from crowdgold.papers.answer.cells import answers_of
from crowdgold.papers.answer.page import cells_table
from crowdgold.record.results import concatenate, write_csv

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    results, _ = concatenate(snakemake.input)
    options = snakemake.params.options
    found = answers_of(results, options["answer"], options["baseline"], options.get("again", {}))
    write_csv(cells_table(found, options["labels"]), Path(snakemake.output[0]))
