"""Say whether coverage is what it must be; fail where it is not."""

from typing import TYPE_CHECKING

import pandas as pd

from crowdgold.evaluation import check_coverage
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import write_text

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    verdicts = check_coverage(
        pd.read_parquet(snakemake.input.summary), snakemake.params.covers, snakemake.params.misses
    )
    failed = [sentence for sentence, holds in verdicts if not holds]
    if failed:
        raise ValueError("coverage is not what it must be:\n  " + "\n  ".join(failed))
    write_text("".join(f"{sentence}\n" for sentence, _ in verdicts), snakemake.output[0])
