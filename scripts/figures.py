"""Draw figures, each from the tables of its experiments."""

from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiments.logs import job_log
from crowdgold.experiments.results import concatenate
from crowdgold.plotting import draw

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    stems = {Path(path).stem: Path(path).with_suffix("") for path in snakemake.output}
    for name, figure in snakemake.params.figures.items():
        # A single table is a path of its own.
        found = snakemake.input[name]
        table, _ = concatenate([found] if isinstance(found, str) else found)
        draw(figure["plot"], table, figure.get("options", {}), stems[name])
