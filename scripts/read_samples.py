"""From the samples of experiments: peers' intervals, the truths' errors, the least widths."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiment.logs import job_log
from crowdgold.papers.answer.cells import AT
from crowdgold.papers.answer.least_width import least_widths
from crowdgold.papers.answer.page import read_samples
from crowdgold.record.record import provenance
from crowdgold.record.results import write_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    params = snakemake.params
    files = zip(params.experiments, map(Path, snakemake.input.data), strict=True)
    peers, truths = read_samples(files, params.metrics, params.level)
    least = least_widths(params.blocks.items(), params.seed, AT)
    record = provenance(Path.cwd(), {"metrics": params.metrics}, params.library)
    write_table(peers, snakemake.output.peers, record)
    write_table(truths, snakemake.output.truths, record)
    write_table(least, snakemake.output.least, record)
