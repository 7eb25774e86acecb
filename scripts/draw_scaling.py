"""Draw the run time of MAVEN's parts against the number of items."""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from matplotlib import rc_context

from crowdgold.experiment.logs import job_log
from crowdgold.papers.maven.plots import draw_scaling
from crowdgold.plots.style import RC, SVG_METADATA
from crowdgold.system.temporary import unfinished

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]), rc_context(RC):
    figure, _ = draw_scaling(pd.read_csv(snakemake.input[0]))
    with unfinished(Path(snakemake.output[0])) as partial:
        figure.savefig(partial, format="svg", metadata=SVG_METADATA)
