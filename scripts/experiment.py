"""Run whole experiments in one job: draw their data, fit or compute, summarise."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiment.computation import compute_block
from crowdgold.experiment.drawing import simulate_block
from crowdgold.experiment.estimating import estimate_block
from crowdgold.experiment.logs import job_log
from crowdgold.experiment.summaries import summarise
from crowdgold.models.stan import StanModels
from crowdgold.record.record import provenance
from crowdgold.record.results import read_table, write_summary, write_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    toolchain = next(map(Path, snakemake.input.toolchain), None)
    stan = StanModels.compiled(Path("results/stan"), toolchain)
    programs = [Path(program) for program in snakemake.input.programs]
    prepared = {Path(path).stem: path for path in snakemake.input.datasets}
    # Outputs are in the order of the tasks.
    tasks, out = snakemake.params.tasks.items(), snakemake.output
    jobs = zip(tasks, out.tables, out.summaries, out.times, strict=True)
    for (name, task), table_path, summary_path, times_path in jobs:
        dataset_name = snakemake.params.datasets[name]
        used = [prepared[dataset_name]] if dataset_name else []
        library = snakemake.params.library
        scale = snakemake.config.get("scale", "default")
        record = provenance(Path.cwd(), task, library, programs, toolchain, used, scale=scale)
        dataset = read_table(used[0]) if used else None
        if "computation" in task:
            table, times = compute_block(task, stan, dataset)
            summary = table
        else:
            with tempfile.TemporaryDirectory() as folder:
                data, version = Path(folder, "data.parquet"), record["code_version"]
                simulate_block(task, data, record, dataset)
                table, times = estimate_block(task, data, stan, version, snakemake.threads)
            summary = summarise(table, snakemake.params.axes[name], task["level"])
        write_table(table, table_path, record)
        write_summary(summary, summary_path, record)
        write_table(times, times_path, record)
