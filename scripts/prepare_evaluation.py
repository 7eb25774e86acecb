"""Read and check a user's own data, and split their evaluation into jobs."""

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.evaluation.questions import STANDARD, Settings, read_thresholds
from crowdgold.evaluation.run import Source, prepare
from crowdgold.experiment.logs import job_log
from crowdgold.inference.rectified import POPULATION
from crowdgold.methods.registry import offered
from crowdgold.reading.options import Reading

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    asked = snakemake.params.asked
    said = {one.name: asked[one.name] for one in fields(Reading) if one.name in asked}
    source = Source([Path(path) for path in snakemake.input.files], Reading(**said))
    settings = Settings(
        methods=tuple(asked.get("methods", offered())),
        metrics=tuple(asked.get("metrics", STANDARD)),
        thresholds=read_thresholds(asked.get("thresholds", [])),
        about=asked.get("about", POPULATION),
        **snakemake.params.settings,
    )
    prepare(source, settings, Path(snakemake.output[0]))
