"""Write the page on time and memory, and draw its figure."""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from matplotlib import rc_context

from crowdgold.data.files import unfinished, write_text
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import read_table
from crowdgold.plotting.style import RC, SVG_METADATA
from crowdgold.studies.maven.pages.scaling import scaling_page
from crowdgold.studies.maven.plots.scaling import draw_scaling

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    table = pd.read_csv(snakemake.input.table)
    joint, study = read_table(snakemake.input.joint), pd.read_csv(snakemake.input.study)
    write_text(
        scaling_page(table, joint, study, pd.read_csv(snakemake.input.em)), snakemake.output.page
    )
    figure, _ = draw_scaling(table)
    with rc_context(RC), unfinished(Path(snakemake.output.figure)) as own:
        figure.savefig(own, format="svg", metadata=SVG_METADATA)
