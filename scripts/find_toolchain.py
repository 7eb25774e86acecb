"""Find a CmdStan home, or make one, and record which."""

from typing import TYPE_CHECKING

from crowdgold.experiment.logs import job_log
from crowdgold.reading.outputs import write_text
from crowdgold.system.toolchain import find_toolchain

if TYPE_CHECKING:
    from snakemake.script import snakemake

with job_log(snakemake.log[0]):
    write_text(find_toolchain().to_json(), snakemake.output[0])
