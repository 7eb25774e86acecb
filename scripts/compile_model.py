"""Compile a Stan model; one at a time, also where the workflow was started without that limit."""

import fcntl
from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.experiment.logs import job_log
from crowdgold.system.toolchain import Toolchain, compile_model

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    executable = Path(snakemake.output[0])
    with (executable.parent / ".compiling").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        toolchain = Toolchain.from_json(Path(snakemake.input.toolchain))
        compile_model(Path(snakemake.input.program[0]), executable, toolchain)
