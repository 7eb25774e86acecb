"""Write a page whose commands are run: on the files that it is given, or on simulated ones."""

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.claims.how_to import fill_template, link_clone, write_files
from crowdgold.cli import main
from crowdgold.experiment.logs import job_log
from crowdgold.reading.outputs import write_text
from crowdgold.simulate.examples import draw_studies

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]), tempfile.TemporaryDirectory() as made:
    given = snakemake.input.get("study", [])
    for file in given:
        shutil.copy(file, made)
    if not given:
        write_files(draw_studies(), Path(made))
        link_clone(Path.cwd(), Path(made))
    template = Path(snakemake.input.template).read_text(encoding="utf-8")
    write_text(fill_template(template, Path(made), main), snakemake.output[0])
    for figure in map(Path, snakemake.output[1:]):
        shutil.copy(Path(made, "results/figures", figure.name), figure)
