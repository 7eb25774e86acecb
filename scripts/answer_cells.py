"""Write the table of the cells of the page on the recommended answer."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import concatenate, write_csv
from crowdgold.studies.answer.bars import answers_of
from crowdgold.studies.answer.page import cells_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    results, _ = concatenate(snakemake.input)
    options = snakemake.params.options
    found = answers_of(results, options["answer"], options["baseline"], options.get("again", {}))
    write_csv(cells_table(found, options["labels"]), Path(snakemake.output[0]))
