"""Draw a figure from the tables of its experiments."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import concatenate
from crowdgold.plotting import draw

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    figure = snakemake.params.figure
    table, _ = concatenate(snakemake.input.tables)
    draw(
        figure["plot"], table, figure.get("options", {}), Path(snakemake.output[0]).with_suffix("")
    )
