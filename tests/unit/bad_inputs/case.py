"""A bad input as data: a command line, the files it reads, and what the message has to say."""

import contextlib
import io
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crowdgold.cli import main

Content = str | bytes | Callable[[Path], object]
"""Of a file: its text, its bytes, or what makes it at a path (a folder, a link, a workbook)."""
BAD_INPUT, UNSUPPORTED = 2, 1


@dataclass(frozen=True)
class Case:
    """A kind of mistake. No two cases share command, place and kind."""

    command: str
    where: str  # the file, column, key, option or combination that is wrong
    what: str  # what is wrong with it
    arguments: Sequence[str]  # after the command; files are named as in `files`
    # name -> content; they are made in an empty folder, where the command runs
    files: Mapping[str, Content] = field(default_factory=dict)
    says: str = ""  # regular expression that the message must match, whatever its lines
    code: int = BAD_INPUT  # of the exit

    @property
    def name(self) -> str:
        """What stands in lists of cases."""
        return f"{self.command} - {self.where} - {self.what}"

    def run(self) -> tuple[int, str, str]:
        """The exit code, standard output and standard error, as a terminal has them.

        Standard output takes only what UTF-8 can hold; the other writes the rest with backslashes.
        """
        out = io.TextIOWrapper(io.BytesIO(), "utf-8")
        err = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace")
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main([*filter(None, [self.command]), *self.arguments])
            except SystemExit as ended:  # of argparse
                code = ended.code if isinstance(ended.code, int) else 1
            out.flush()
            err.flush()
        return code, out.buffer.getvalue().decode(), err.buffer.getvalue().decode()

    def make_files(self, folder: Path) -> None:
        """Make the files of the case in a folder."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                path.write_text(content, encoding="utf-8", newline="")
            elif isinstance(content, bytes):
                path.write_bytes(content)
            else:
                content(path)


def a_folder(path: Path) -> None:
    """Make a folder that holds a file."""
    path.mkdir()
    (path / "kept.txt").write_text("kept")


def an_empty_folder(path: Path) -> None:
    """Make a folder without anything."""
    path.mkdir()


def a_pipe(path: Path) -> None:
    """Make a pipe, into which nobody writes: who waits for its end waits for ever."""
    os.mkfifo(path)


def a_socket(path: Path) -> None:
    """Make the name of a socket."""
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


def link_to(target: str) -> Callable[[Path], None]:
    """What makes a symbolic link."""
    return lambda path: path.symlink_to(target)


UNREADABLE = link_to("/proc/self/mem")
"""A file whose first byte cannot be read, by whomever."""
UNWRITABLE = "/proc/sys/made-by-a-test"
"""A name where nothing can be made, by whomever."""
TOO_LONG = "x" * 300
"""A name that no file system takes."""
