"""Compute the features of a dataset's texts by a frozen pretrained encoder, once."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import read_table
from crowdgold.studies.label_variation.encoders import embeddings
from crowdgold.studies.label_variation.prepared import read_prepared

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    wanted, table = snakemake.wildcards, read_table(snakemake.input.dataset)
    texts = read_prepared(wanted.dataset, table).texts
    embeddings(wanted.encoder, texts, Path(snakemake.output[0]), snakemake.threads)
