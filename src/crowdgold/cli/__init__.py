"""The command `crowdgold`: what can be done with a user's own labels, without a workflow.

Each subcommand is a module with `ABOUT`, `EXAMPLE`, `add_options(parser)` and `run`. Exit codes: 0,
done; 1, nothing reaches what was asked for; 2, input that cannot be used, with a message; 3, done,
and a condition of the user's holds; 130, interrupted; 141, whoever reads the output has stopped to,
as with `crowdgold ... | head`; 143 and 129, as of SIGTERM and SIGHUP.

What takes long to load is imported within: until `ended_in_time`, an interrupt has no answer.

Ctrl-C, SIGTERM and SIGHUP end a command in time, in order where there is time for it. In order: an
exception in the main thread closes and removes whatever is open. At once, where that cannot be
waited for: while modules are imported, which swallow exceptions; in a function that compiled code
calls, which loses them; where the main thread is in compiled code, and Python cannot interrupt it;
and where the end in order takes too long. A second thread watches for this: Python tells it of each
signal before the main thread knows.

Operating systems on which commands run: Linux; perhaps another Unix; not Windows.
"""

import argparse
import atexit
import importlib
import os
import signal
import sys
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from crowdgold import __version__
from crowdgold.cli.terminal import Parser
from crowdgold.system.temporary import remove_registered

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


def refusal(system: str) -> str:
    """Why commands do not run on a system, as of `sys.platform`; empty where they do."""
    if system != "win32":
        return ""
    return (
        "Error: crowdgold runs on Linux, and not on Windows itself; use WSL, the Windows Subsystem "
        "for Linux (`wsl --install`), and install crowdgold there"
    )


def remark(system: str) -> str:
    """What to expect of a system on which commands may run; empty on Linux."""
    if system.startswith("linux"):
        return ""
    name = "macOS" if system == "darwin" else system
    return (
        f"Note: crowdgold is tested on Linux; on {name} it may work, but it cannot "
        " assemble CmdStan there: set $CMDSTAN to a CmdStan of your own, or use --no-models"
    )


SAID = {signal.SIGINT: "Interrupted.", signal.SIGTERM: "Terminated."}
if hung_up := getattr(signal, "SIGHUP", None):  # Windows, which is refused in words, has none
    SAID[hung_up] = "Hung up."
HEARD = 0.3  # seconds after which a main thread that has not heard of a signal is in compiled code
LONGEST = 1.3  # seconds that an end in order may take; those who wait expect an end within two


def exit_code(number: int) -> int:
    """The exit code of a program that a signal ended, as a shell gives it."""
    return 128 + number


def _end_at_once(number: int) -> None:
    """End the process and those that it started, and remove what is half done."""
    with suppress(Exception):
        import psutil  # here: it is needed at such an end alone

        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                child.kill()
    remove_registered()
    with suppress(OSError):
        os.write(2, f"{SAID[signal.Signals(number)]}\n".encode())
    os._exit(exit_code(number))


@dataclass
class _Watch:
    """What is known of signals while a command runs."""

    heard: int = 0  # the signal that the main thread has heard of
    over: bool = False  # the command has ended, so that there is nothing to be ended in order
    done: threading.Event = field(default_factory=threading.Event)
    """Set where the process goes on without the command."""
    pipe: tuple[int, int] = field(default_factory=os.pipe)
    """The ends of a pipe: Python writes the number of each signal into the second."""

    def hear(self, number: int, frame: FrameType | None) -> None:
        """End the block by an exception, once; Python calls it in the main thread."""
        if self.heard:
            return
        self.heard = number
        if self.over:
            _end_at_once(number)
        while frame is not None:
            if frame.f_code.co_filename.startswith("<frozen importlib"):
                _end_at_once(number)
            frame = frame.f_back
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(exit_code(number))

    def exception_lost(self, unraisable: "sys.UnraisableHookArgs") -> None:
        """End the process where the exception that was to end it is lost; else say what was."""
        if self.heard and isinstance(unraisable.exc_value, KeyboardInterrupt | SystemExit):
            _end_at_once(self.heard)
        sys.__unraisablehook__(unraisable)

    def watch(self) -> None:
        """Wait for a signal, then end the process at once if it does not end in time itself."""
        number = 0
        while number not in SAID and not self.done.is_set():
            number = os.read(self.pipe[0], 1)[0]
        self.done.wait(HEARD)
        if self.heard:
            self.done.wait(LONGEST - HEARD)
        if not self.done.is_set():
            _end_at_once(number)


def _ignore(signals: Iterable[signal.Signals]) -> None:
    """Ignore signals: at Python's very end they would end it as if nothing had been done."""
    for one in signals:
        signal.signal(one, signal.SIG_IGN)


@contextmanager
def ended_in_time(stays: bool) -> Iterator[None]:
    """A signal ends the block in time; one that was ignored before still is.

    Where the watch `stays`, the process ends with the block, and its end is watched too.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's
        return
    watch = _Watch()
    os.set_blocking(watch.pipe[1], False)
    handlers = {one: signal.getsignal(one) for one in SAID}
    taken = {one: handler for one, handler in handlers.items() if handler != signal.SIG_IGN}
    for one in taken:
        signal.signal(one, watch.hear)
    if stays:
        atexit.register(_ignore, list(taken))  # the first that is registered is called last
    old_hook, sys.unraisablehook = sys.unraisablehook, watch.exception_lost
    old_pipe = signal.set_wakeup_fd(watch.pipe[1], warn_on_full_buffer=False)
    watcher = threading.Thread(target=watch.watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        watch.over = True
        if not stays:
            signal.set_wakeup_fd(old_pipe)
            sys.unraisablehook = old_hook
            for one, handler in taken.items():
                signal.signal(one, handler or signal.SIG_DFL)
            watch.done.set()
            os.write(watch.pipe[1], b"\0")
            watcher.join()
            for end in watch.pipe:
                os.close(end)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code, after a message where it is not 0."""
    if said := refusal(sys.platform) or remark(sys.platform):
        print(said, file=sys.stderr, flush=True)
    if refusal(sys.platform):
        return BAD_INPUT
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
