"""Write a how-to page: its commands are run on simulated files."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.commands import main
from crowdgold.data.files import write_text
from crowdgold.documents.how_to import make_page, write_files
from crowdgold.experiments.logs import job_log
from crowdgold.simulate.how_to import draw_studies

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]), tempfile.TemporaryDirectory() as made:
    write_files(draw_studies(), Path(made))
    template = Path(snakemake.input.template).read_text(encoding="utf-8")
    write_text(make_page(template, Path(made), main), snakemake.output[0])
