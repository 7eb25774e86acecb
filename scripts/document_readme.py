"""Write README.md: its commands are run on the example study."""

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.commands import main
from crowdgold.data.files import write_text
from crowdgold.documents.how_to import make_page
from crowdgold.experiments.logs import job_log

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]), tempfile.TemporaryDirectory() as made:
    for file in snakemake.input.study:
        shutil.copy(file, made)
    template = Path(snakemake.input.template).read_text(encoding="utf-8")
    write_text(make_page(template, Path(made), main), snakemake.output[0])
