"""CmdStan for crowdgold: find a home or make one, and compile models with it.

toolchain = find_toolchain()
compile_model(Path("stan/vote.stan"), Path("build/vote"), toolchain)
"""

from crowdgold.toolchain.compile import (
    cached_model,
    compile_model,
    compiled_model,
    executable_fault,
    included_files,
    model_hash,
)
from crowdgold.toolchain.errors import ToolchainError
from crowdgold.toolchain.home import find_toolchain
from crowdgold.toolchain.record import Toolchain

__all__ = [
    "Toolchain",
    "ToolchainError",
    "cached_model",
    "compile_model",
    "compiled_model",
    "executable_fault",
    "find_toolchain",
    "included_files",
    "model_hash",
]
