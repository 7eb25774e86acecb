"""Write the page on clusters."""

from typing import TYPE_CHECKING

import pandas as pd

from crowdgold.data.files import write_text
from crowdgold.documents.cluster import cluster_page
from crowdgold.experiments.logs import job_log

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    write_text(cluster_page(pd.read_csv(snakemake.input.table)), snakemake.output[0])
