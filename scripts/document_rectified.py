"""Write the page on what to trust whatever the truth is."""

from typing import TYPE_CHECKING

from crowdgold.data.files import write_text
from crowdgold.documents.rectified import rectified_page
from crowdgold.evaluation.ratios import relative_to
from crowdgold.evaluation.worlds import split_worlds
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import concatenate

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    summary, _ = concatenate(snakemake.input.summaries)
    options = snakemake.params.options
    shown = relative_to(summary, options["baseline"])
    shown = shown[shown["method"].isin(options["methods"])]
    worlds = split_worlds(shown, options["by"], options["labels"])
    write_text(rectified_page(worlds, options["baseline"]), snakemake.output[0])
