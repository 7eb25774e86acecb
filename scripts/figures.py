"""Draw figures, each from the tables of its experiments."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiment.logs import job_log
from crowdgold.plots.figure_jobs import draw, draw_each
from crowdgold.record.record import write_figure_record
from crowdgold.record.results import concatenate
from crowdgold.record.tracing import look_for_mixture

if TYPE_CHECKING:
    from snakemake.script import snakemake


def draw_one(name: str) -> None:
    """Draw a figure, and write the record of what it is from."""
    figure, stem = snakemake.params.figures[name], stems[name]
    # Snakemake gives a single file as a path, not as a list.
    files = snakemake.input[name]
    paths = [files] if isinstance(files, str) else files
    table, made_from = concatenate(paths, snakemake.config["seed"])
    note = look_for_mixture(name, made_from, snakemake.params.mixed_code)
    draw(figure["plot"], table, figure.get("options", {}), stem, note)
    write_figure_record(stem, snakemake.params.library, made_from, note)


with job_log(snakemake.log[0]):
    stems = {Path(path).stem: Path(path).with_suffix("") for path in snakemake.output}
    draw_each(snakemake.params.figures, draw_one)
