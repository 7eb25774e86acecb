"""Compute the features of a dataset's texts by a frozen pretrained encoder, once."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiment.logs import job_log
from crowdgold.papers.label_variation.encoders import embeddings, read_prepared
from crowdgold.record.results import read_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    names, table = snakemake.wildcards, read_table(snakemake.input.dataset)
    texts = read_prepared(names.dataset, table).texts
    embeddings(names.encoder, texts, Path(snakemake.output[0]), snakemake.threads)
