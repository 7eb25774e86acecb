"""Evaluate a user's own data; the answers are said in the log, and written to a folder."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.evaluation.own_study import (
    METHODS,
    METRICS,
    Settings,
    Source,
    evaluate_checked,
    read_and_check,
    read_thresholds,
    write_evaluation,
)
from crowdgold.experiments.logs import job_log
from crowdgold.models.stan import StanModels

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    asked = snakemake.params.asked
    stan = StanModels.compiled(Path("results/stan"), Path(snakemake.input.toolchain))
    source = Source(
        [Path(path) for path in snakemake.input.files],
        asked.get("columns", {}),
        asked.get("positive"),
        asked.get("repeated", "refuse"),
    )
    settings = Settings(
        methods=tuple(asked.get("methods", METHODS)),
        metrics=tuple(asked.get("metrics", METRICS)),
        thresholds=read_thresholds(asked.get("thresholds", [])),
        **snakemake.params.settings,
    )
    study, check = read_and_check(source, settings)
    found = evaluate_checked(study, check, source, settings, stan, snakemake.threads, print)
    write_evaluation(found, check, Path(snakemake.output[0]))
