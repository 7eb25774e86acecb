"""The command `crowdgold`: what can be done with a user's own labels, without a workflow.

Each subcommand is a module with `add_to(commands)`. Exit codes: 0, done; 1, nothing reaches what
was asked for; 2, input that cannot be used, with a message; 130, interrupted; 141, whoever reads
the output has stopped to, as with `crowdgold ... | head`; 143 and 129, as of SIGTERM and SIGHUP.

What takes long to load is imported within: until `ended_in_time`, an interrupt has no answer.
"""

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Collection, Sequence

from crowdgold import __version__
from crowdgold.commands.printable import Parser
from crowdgold.commands.systems import refusal, remark

__all__ = ["main", "parser"]

COMMANDS = {
    "plan": "plan", "check": "check", "evaluate": "evaluate", "report": "report",
    "correct-rate": "correct_rate", "fit-labelling": "fit_labelling", "confidence": "confidence",
    "labelling-threshold": "labelling_threshold", "trace": "trace",
}  # fmt: skip
"""Command -> its module."""
BAD_INPUT, READER_GONE = 2, 141


def parser(names: Collection[str] = tuple(COMMANDS)) -> argparse.ArgumentParser:
    """The command line, with some of the commands: to load the modules of all takes seconds."""
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
    for name in names:
        importlib.import_module(f"crowdgold.commands.{COMMANDS[name]}").add_to(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code, after a message where it is not 0."""
    if said := refusal(sys.platform) or remark(sys.platform):
        print(said, file=sys.stderr, flush=True)
    if refusal(sys.platform):
        return BAD_INPUT
    # Here, since signals of Unix are asked for.
    from crowdgold.commands.endings import SAID, ended_in_time, exit_code

    with ended_in_time(stays=arguments is None):
        try:
            return _run(list(sys.argv[1:] if arguments is None else arguments))
        except KeyboardInterrupt:
            print(SAID[signal.SIGINT], file=sys.stderr, flush=True)
            return exit_code(signal.SIGINT)


def _run(given: Sequence[str]) -> int:
    """Run one command, as `main` does, but for an interrupt."""
    from crowdgold.commands.study_file import ENDINGS, parse
    from crowdgold.commands.terminal import say
    from crowdgold.data import InputError

    try:
        # A study file may have keys of other commands, which are passed over.
        has_file = any(one.endswith(ENDINGS) for one in given)
        alone = given[:1] and given[0] in COMMANDS and not has_file
        asked = parse(parser(given[:1] if alone else COMMANDS), given)
        code: int = asked.run(asked)
        sys.stdout.flush()
    except InputError as error:
        say(f"Error: {error}")
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
