"""Say whether coverage is what it must be; fail where it is not."""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from crowdgold.evaluation import check_coverage
from crowdgold.experiments.logs import job_log

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    verdicts = check_coverage(
        pd.read_parquet(snakemake.input.summary), snakemake.params.covers, snakemake.params.misses
    )
    failed = [sentence for sentence, holds in verdicts if not holds]
    if failed:
        raise ValueError("coverage is not what it must be:\n  " + "\n  ".join(failed))
    Path(snakemake.output[0]).write_text("".join(f"{sentence}\n" for sentence, _ in verdicts))
