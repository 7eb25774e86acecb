"""Find a CmdStan home, or make one, and record which."""

from pathlib import Path

from snakemake.script import snakemake

from crowdgold.experiments.logs import job_log
from crowdgold.toolchain import find_toolchain

with job_log(snakemake.log[0]):
    Path(snakemake.output[0]).write_text(find_toolchain().to_json(), encoding="utf-8")
