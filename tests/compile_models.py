"""Find or assemble CmdStan and compile every model that tests need, into the user's cache.

Run beside the workers of the whole suite (conftest.py), so that few of its tests wait for a
compiler; a worker that needs a model first compiles it itself, under the same lock.
"""

from pathlib import Path

from crowdgold.system.toolchain import ToolchainError, cached_model, find_toolchain

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = tuple(
    ROOT / folder for folder in ("stan", "tests/statistics/models", "tests/conformance/models")
)


def main() -> None:
    """Compile the models one after the other; tests of a model that does not compile say so."""
    toolchain = find_toolchain()
    for folder in FOLDERS:
        for stan_file in sorted(folder.glob("*.stan")):
            try:
                cached_model(stan_file, toolchain)
            except ToolchainError as error:
                print(error)


if __name__ == "__main__":
    main()
