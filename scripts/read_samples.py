"""Read the samples of experiments: ppi_py's means of them, and the error of their truth."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiments.logs import job_log
from crowdgold.experiments.provenance import provenance
from crowdgold.experiments.results import write_table
from crowdgold.experiments.sample_peers import read_samples

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    params = snakemake.params
    files = zip(params.experiments, map(Path, snakemake.input.data), strict=True)
    peers, truths = read_samples(files, params.metrics, params.level)
    made = provenance(Path.cwd(), {"metrics": params.metrics}, params.library)
    write_table(peers, snakemake.output.peers, made)
    write_table(truths, snakemake.output.truths, made)
