"""Write the page on which method to use, and the arena's record that comes with the library."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.arena.pages.which_method import which_method_page
from crowdgold.arena.record import arena_of, record_text
from crowdgold.arena.table import arena_cells, judged
from crowdgold.arena.world_features import world_features, world_kinds
from crowdgold.data.files import write_text
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.provenance.made_from import condensed, file_hash
from crowdgold.experiments.results import concatenate, read_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

KEPT = ("code_version", "seed", "configuration", "blocks")
"""Of the provenance: what says which code and which settings, and no machine."""

with job_log(snakemake.log[0]):
    summary, made_from = concatenate(snakemake.input.summaries)
    options, tasks = snakemake.params.options, snakemake.params.tasks
    baseline, named = options["baseline"], (options["by"], options["labels"])
    cells = judged(arena_cells(summary, baseline, *named))
    datasets = {Path(path).stem: read_table(path) for path in snakemake.input.datasets}
    worlds = world_features(tasks, datasets, *named)
    kinds = world_kinds(tasks, *named)
    times, _ = concatenate(snakemake.input.times)
    seconds = {str(name): own.median() for name, own in times.groupby("method")["seconds"]}
    page = which_method_page(cells, worlds, baseline, snakemake.params.real, kinds, seconds)
    write_text(page, snakemake.output.page)
    origin = {
        Path(path).stem: {"sha256": file_hash(Path(path))}
        | {key: value for key, value in condensed(found).items() if key in KEPT}
        for path, found in made_from.items()
    }
    write_text(record_text(arena_of(cells, worlds, baseline), origin), snakemake.output.record)
