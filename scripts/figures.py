"""Draw figures, each from the tables of its experiments."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiments.figure_record import write_figure_record
from crowdgold.experiments.logs import job_log
from crowdgold.experiments.mixed_code import look_for_mixture
from crowdgold.experiments.provenance import provenance
from crowdgold.experiments.results import concatenate
from crowdgold.plotting import draw

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    stems = {Path(path).stem: Path(path).with_suffix("") for path in snakemake.output}
    for name, figure in snakemake.params.figures.items():
        # A single table is a path of its own.
        found = snakemake.input[name]
        table, made_from = concatenate([found] if isinstance(found, str) else found)
        note = look_for_mixture(name, made_from, snakemake.params.mixed_code)
        draw(figure["plot"], table, figure.get("options", {}), stems[name], note)
        drawn = provenance(Path.cwd(), figure, snakemake.params.library)
        write_figure_record(stems[name], drawn, made_from, note)
