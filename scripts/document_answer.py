"""Write the page on how often the recommended interval is right, and the table of its cells."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.data.files import write_text
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import concatenate, read_table, write_csv
from crowdgold.methods import METHODS
from crowdgold.studies.answer.bars import answers_of
from crowdgold.studies.answer.pages.answer import answer_page, cells_table
from crowdgold.studies.answer.pages.predictions import predictions_section

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    results, _ = concatenate(snakemake.input.tables)
    read = {name: read_table(snakemake.input[name]) for name in ("peers", "truths", "least")}
    options = snakemake.params.options
    baseline = options["baseline"]
    found = answers_of(results, options["answer"], baseline, options.get("again", {}))
    compared, _ = concatenate(snakemake.input.predictions)
    titles = {name: method.title for name, method in METHODS.items()}
    section = predictions_section(compared, baseline, titles)
    page = answer_page(found, results, **read, labels=options["labels"], predictions=section)
    write_text(page, snakemake.output.page)
    write_csv(cells_table(found, options["labels"]), Path(snakemake.output.cells))
