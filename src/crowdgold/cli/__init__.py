"""The command `crowdgold`: what can be done with a user's own labels, without a workflow.

Each subcommand is a module with `ABOUT`, `EXAMPLE`, `add_options(parser)` and `run`. Exit codes: 0,
done; 1, nothing reaches what was asked for; 2, input that cannot be used, with a message; 3, done,
and a condition of the user's holds; 130, interrupted; 141, whoever reads the output has stopped to,
as with `crowdgold ... | head`; 143 and 129, as of SIGTERM and SIGHUP.

What takes long to load is imported within: until `ended_in_time`, an interrupt has no answer.
"""

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from crowdgold import __version__
from crowdgold.cli.endings import refusal, remark
from crowdgold.cli.terminal import Parser

__all__ = ["main", "parser"]

COMMANDS = {
    "plan": "how many items, votes and gold labels a study needs",
    "sample": "say which items to send to experts next",
    "check": "say what votes, gold labels and scores can support",
    "evaluate": "evaluate models and rates from votes, gold labels and scores",
    "report": "write the report of an evaluation: one HTML file, and its figures as PDF",
    "correct-rate": "correct a rate for the errors of its judges",
    "fit-labelling": "fit a model of prevalence and annotators to labels",
    "confidence": "say of each label of a stream how sure its item is by now",
    "labelling-threshold": "choose the confidence from which on no label is asked for",
    "trace": "say which code, configuration, data and machine a figure or table is from",
}
"""Command -> what it is for. Its module has its name, with _ for -."""
BAD_INPUT, READER_GONE = 2, 141


def parser(loaded: Collection[str] = tuple(COMMANDS)) -> argparse.ArgumentParser:
    """The command line, with the options of some commands: to load those of all takes seconds."""
    top = Parser(
        prog="crowdgold",
        description="Work with imperfect labels: plan a study; check what data can support; "
        "evaluate models, voters and rates, and report on them; correct a rate for its judges' "
        "errors; fit a model of annotators, and let it say how sure each item's label is and "
        "whether to ask for another; trace where a figure or a table comes from.",
        epilog="`crowdgold COMMAND --help` explains a command, with an example.",
    )
    top.add_argument("--version", action="version", version=f"crowdgold {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, purpose in COMMANDS.items():
        own = commands.add_parser(
            name, help=purpose, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        if name in loaded:
            module = importlib.import_module(f"crowdgold.cli.{name.replace('-', '_')}")
            own.description, own.epilog = module.ABOUT, module.EXAMPLE
            own.set_defaults(run=module.run)
            module.add_options(own)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code, after a message where it is not 0."""
    if said := refusal(sys.platform) or remark(sys.platform):
        print(said, file=sys.stderr, flush=True)
    if refusal(sys.platform):
        return BAD_INPUT
    # Here, since signals of Unix are asked for.
    from crowdgold.cli.endings import SAID, ended_in_time, exit_code

    with ended_in_time(stays=arguments is None):
        try:
            return _run(list(sys.argv[1:] if arguments is None else arguments))
        except KeyboardInterrupt:
            print(SAID[signal.SIGINT], file=sys.stderr, flush=True)
            return exit_code(signal.SIGINT)


def _run(given: Sequence[str]) -> int:
    """Run one command, as `main` does, but for an interrupt."""
    from crowdgold.cli.terminal import STUDY_FILE, say
    from crowdgold.system.packages import lack_of
    from crowdgold.types.errors import InputError

    try:
        if any(one.endswith(STUDY_FILE) for one in given):
            from crowdgold.cli.study_file import parse

            # It may have keys of other commands, which are passed over.
            asked = parse(parser(), given)
        else:
            asked = parser(given[:1]).parse_args(given)
        for value in vars(asked).values():
            for one in value if isinstance(value, list | tuple) else [value]:
                # A name that is no text could stand in no report.
                if isinstance(one, Path) and (name := os.fsencode(one)) != str(one).encode(
                    errors="replace"
                ):
                    raise InputError(
                        f"{name!r}: found a name that is not UTF-8, expected one that is; rename it"
                    )
        if getattr(asked, "seed", 0) < 0:
            raise InputError(f"--seed: found {asked.seed}, expected 0 or more")
        code: int = asked.run(asked)
        if sys.stdout is not None:  # it was closed before the command began
            sys.stdout.flush()
    except InputError as error:
        say(f"Error: {error}")
        return BAD_INPUT
    except ModuleNotFoundError as error:
        if not (lack := lack_of(error.name or "")):
            raise
        said = error.msg if lack in error.msg else f"{given[0]} needs {lack}"
        say(f"Error: {said}")
        return BAD_INPUT
    except BrokenPipeError:
        # Python flushes standard output once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        say(f"Error: {where}{error.strerror or error}")
        return BAD_INPUT
    return code
