"""Write whether coverage, or the ranks of samplers, are as expected; fail where they are not."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiment.logs import job_log
from crowdgold.experiment.summaries import check_coverage
from crowdgold.papers.calibration.simulation_based import check_uniformity
from crowdgold.record.results import read_table
from crowdgold.record.seals import UNSEALED, write_sealed_text

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    table = read_table(snakemake.input.table, snakemake.config["seed"])
    expect = snakemake.params.expect
    if expect.get("uniform_ranks"):
        verdicts = check_uniformity(table)
    else:
        verdicts = check_coverage(table, expect.get("covers", {}), expect.get("misses", {}))
    failed = [sentence for sentence, holds in verdicts if not holds]
    if failed:
        raise ValueError("not as it must be:\n  " + "\n  ".join(failed))
    text = "".join(f"{sentence}\n" for sentence, _ in verdicts)
    write_sealed_text(f"{text}{UNSEALED.decode()}\n", Path(snakemake.output[0]))
