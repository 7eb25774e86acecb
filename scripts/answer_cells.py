"""Write docs/answer-cells.csv: coverage and width of the recommended answer, cell by cell."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiment.logs import job_log
from crowdgold.papers.answer.cells import answers_of
from crowdgold.papers.answer.page import cells_table
from crowdgold.record.results import concatenate, write_csv

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    results, _ = concatenate(snakemake.input, snakemake.config["seed"])
    options = snakemake.params.options
    answers = answers_of(results, options["answer"], options["baseline"], options.get("again", {}))
    write_csv(cells_table(answers, options["labels"]), Path(snakemake.output[0]))
