"""Write a page by running its commands: on the rule's study files, else on simulated studies."""

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

with job_log(snakemake.log[0]), tempfile.TemporaryDirectory() as folder:
    study_files = snakemake.input.get("study", [])
    for file in study_files:
        shutil.copy(file, folder)
    if not study_files:
        write_files(draw_studies(), Path(folder))
        link_clone(Path.cwd(), Path(folder))
    template = Path(snakemake.input.template).read_text(encoding="utf-8")
    write_text(fill_template(template, Path(folder), main), snakemake.output[0])
    for figure in map(Path, snakemake.output[1:]):
        shutil.copy(Path(folder, "results/figures", figure.name), figure)
