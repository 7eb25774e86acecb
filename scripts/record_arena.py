"""Write what the arena found: tables for its page."""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from crowdgold.experiment.logs import job_log
from crowdgold.papers.arena.table import arena_cells, judged
from crowdgold.papers.arena.world_features import world_features, world_kinds, worlds_table
from crowdgold.record.record import provenance
from crowdgold.record.results import concatenate, read_table, write_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    summary, _ = concatenate(snakemake.input.summaries)
    options, tasks = snakemake.params.options, snakemake.params.tasks
    baseline, named = options["baseline"], (options["by"], options["labels"])
    cells = judged(arena_cells(summary, baseline, *named))
    datasets = {Path(path).stem: read_table(path) for path in snakemake.input.datasets}
    worlds = world_features(tasks, datasets, *named)
    kinds = world_kinds(tasks, *named)
    real = pd.DataFrame(snakemake.params.real.items(), columns=["experiment", "dataset"])
    made = provenance(Path.cwd(), options, snakemake.params.library)
    for name, table in {
        "cells": cells,
        "worlds": worlds_table(worlds, kinds),
        "real": real,
    }.items():
        write_table(table, snakemake.output[name], made)
