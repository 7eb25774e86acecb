"""What commands write: answers on standard output, what is said beside them on standard error.

All of it goes out through here, so that no name of a user's file commands the terminal.
"""

import argparse
import re
import shlex
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from crowdgold.reading.door import REFUSE, UNMATCHED, Reading
from crowdgold.types.display import WIDTH
from crowdgold.types.parameters import ESTIMATE, ONE_LABEL

if TYPE_CHECKING:
    from crowdgold.models.clara.labelling import LabellingModel
    from crowdgold.reading.outputs import Output  # it loads pandas
    from crowdgold.reading.study import Study
    from crowdgold.types.annotations import Annotations
    from crowdgold.types.notes import Note

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u202a-\u202e\u2066-\u2069]")
"""C0 and C1 controls but for tabs and line feeds, other ends of lines, and turns of direction."""


def visible(text: str) -> str:
    r"""A text whose control characters are written out, as \x1b."""
    return CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)


class Parser(argparse.ArgumentParser):
    """A parser whose messages, which may hold values of a study file, go out as `visible`."""

    def _print_message(self, message: str, file: IO[str] | None = None) -> None:  # type: ignore[override]
        super()._print_message(visible(message or ""), file)


Options = argparse.ArgumentParser | argparse._ArgumentGroup
"""What options can be added to."""
EVERY = 5.0  # seconds between two lines of progress; what takes less says nothing
STUDY_FILE = (".yaml", ".yml")  # how names of study files end
NAMED = 10  # unknown annotators that are named


def say(line: str) -> None:
    """Say something to the user, beside the output; whoever does not listen misses it."""
    with suppress(OSError):
        print(visible(line), file=sys.stderr, flush=True)


def say_filled(text: str) -> None:
    """Say something in lines of the terminal's usual width."""
    say(textwrap.fill(text, WIDTH, subsequent_indent="  "))


def say_notes(notes: Iterable["Note"], head: str = "Note") -> None:
    """Say what was decided, or is to be known, each once."""
    for text in dict.fromkeys(note.text for note in notes):
        say_filled(f"{head}: {text}")


def tell(text: str) -> None:
    """Write an answer, on standard output."""
    print(visible(text), flush=True)


class Rows:
    """Standard output for the rows of a table: as they are for programs, visible on a terminal."""

    def write(self, text: str) -> int:
        """Write a part of a row."""
        return sys.stdout.write(visible(text) if sys.stdout.isatty() else text)


@contextmanager
def progress(describe: Callable[[], str]) -> Iterator[None]:
    """Say every few seconds what `describe` returns, from a thread of its own."""
    done, start = threading.Event(), time.monotonic()

    def tick() -> None:
        while not done.wait(EVERY):
            say(f"{describe()}; {time.monotonic() - start:.0f} s so far")

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def warn_of_failed_gate(model: "LabellingModel") -> None:
    """Warn where a model's fit did not pass its diagnostics."""
    if model.made.get("diagnostics_passed") is False:
        why = model.made.get("diagnostics_message", "no message")
        say(f"Warning: the fit of this model failed its diagnostics ({why}); do not rely on it")


def warn_of_unknown(model: "LabellingModel", annotations: "Annotations") -> None:
    """Name the annotators, or groups, of a table that a model does not know."""
    if model.confusion == "shared":
        return
    names = annotations.group if model.confusion == "group" else annotations.annotator
    known = set(model.name)
    new = [str(name) for name in names if name not in known]
    if new:
        more = f" and {len(new) - NAMED} more" if len(new) > NAMED else ""
        shown = ", ".join(map(repr, new[:NAMED]))
        say(f"Warning: the model does not know {shown}{more}; its fallback stands in")


def file_name(text: str) -> str:
    """The name of a file to read, which cannot be nothing."""
    if not text:
        raise argparse.ArgumentTypeError("found '', expected the name of a file")
    return text


def column_names(text: str) -> tuple[str, str]:
    """Read `THEIRS=OURS`, a column's name in the file and here."""
    theirs, equals, ours = text.partition("=")
    if not (theirs and equals and ours):
        raise argparse.ArgumentTypeError(
            f"found {text!r}, expected THEIRS=OURS, for instance worker=annotator"
        )
    return theirs, ours


def make_way(output: "Output") -> None:
    """Keep what stands in the place of an output and is not the command's own, and say where."""
    say_kept(output.path, output.make_way())


def say_kept(path: Path, kept: Path | None) -> None:
    """Say under which name something was kept, if anything was."""
    if kept is not None:
        say(f"What was {path} is kept as {kept}")


def read_files(asked: argparse.Namespace) -> list[Path]:
    """The files that a command on a study reads, the study file among them."""
    return [*asked.files, *([asked.study_file.path] if asked.study_file else [])]


# fmt: off
def add_table_options(command: Options) -> None:
    """Add the options of a command that reads labels."""
    command.add_argument("--column", "--columns", type=column_names, action="append", default=[],
        metavar="THEIRS=OURS",
        help="another name of a column in the file, for instance worker=annotator; can be repeated")
    command.add_argument("--repeated", choices=ONE_LABEL, default="refuse",
        help="what to do where an annotator labels an item again: refuse it, or keep the first or "
        "the last of the labels (default: %(default)s)")


def add_reading_options(command: Options) -> None:
    """Add the options that say how the files of a study are read."""
    command.add_argument("--positive", metavar="VALUE", action="append", default=[],
        help="the positive label; can be repeated, or hold several with commas between them, where "
        "any of several is positive. All others are negative (needed where labels are not 0/1, "
        "false/true, no/yes or negative/positive)")
    add_table_options(command)
    command.add_argument("--item", metavar="COLUMN,COLUMN", action="append", default=[],
        help="columns that name an item together, for instance question,model; can be repeated, a "
        "column each time")
    command.add_argument("--missing", metavar="WORD", action="append", default=[],
        help="a word for an empty cell among labels and numbers; can be repeated; nothing: "
        "there is no such word (default: NA, NaN and null, unless one could be a label)")
    command.add_argument("--encoding", metavar="NAME",
        help="encoding of text files that are not UTF-8 and do not say what they are, for instance "
        "cp1252")
    command.add_argument("--unmatched", choices=UNMATCHED, default=REFUSE,
        help="what to do where files do not name the same items: refuse them, or drop what matches "
        "nothing (default: %(default)s)")


def add_expert_error(command: Options) -> None:
    """Add the option that says how often experts err."""
    command.add_argument("--expert-error", default=ESTIMATE, metavar="ERROR",
        help="how often experts err, so that answers are corrected for it: 0.05, or an interval, "
        "0.03:0.08; for positive and negative items apart, 0.1,0.03; `estimate`, from items that "
        "several experts labelled, where that can be done; `none`, take the majority of an item's "
        "experts for the truth; or `mean`, experts do not err but differ, and an item is as "
        "positive as the share of them who call it so (default: %(default)s)")


def add_force(command: argparse.ArgumentParser) -> None:
    """Add the option that lets an output take the place of what the command did not write."""
    command.add_argument("--force", action="store_true",
        help="write also where something stands that this command did not write; it is kept "
        "beside the new one, as NAME.old")


def add_study_options(command: argparse.ArgumentParser) -> None:
    """Add the arguments of a command that reads a study: its files, and how to read them."""
    command.add_argument("files", metavar="FILES", nargs="+", type=Path,
        help="votes, gold labels, scores; or one study file, .yaml, that names them and holds "
        "other options by their names (columns: {worker: annotator})")
    add_reading_options(command)
    takes_study_file(command, "files")
# fmt: on


def takes_study_file(command: argparse.ArgumentParser, option: str) -> None:
    """Let a command take its options from a study file (`study_file`) in the place of its files."""
    command.set_defaults(files_option=option, declared=command, study_file=None)


def reading(asked: argparse.Namespace) -> Reading:
    """What the options of a command say of the files of a study."""
    item = [one.strip() for text in asked.item for one in text.split(",") if one.strip()]
    return Reading(
        dict(asked.column), asked.positive, asked.repeated, item, asked.missing, asked.encoding,
        asked.unmatched,
    )  # fmt: skip


def words_of_study(asked: argparse.Namespace) -> str:
    """The files and options of a command line that make another command read the same study."""
    if asked.study_file is not None:
        return shlex.quote(str(asked.study_file.path))
    words = [str(one) for one in asked.files]
    given = {"--positive": asked.positive, "--item": asked.item, "--missing": asked.missing,
             "--column": [f"{theirs}={ours}" for theirs, ours in asked.column],
             "--encoding": [asked.encoding] if asked.encoding else []}  # fmt: skip
    for name in ("repeated", "unmatched"):
        value = getattr(asked, name)
        given[f"--{name}"] = [] if value == asked.declared.get_default(name) else [value]
    words += [word for name, values in given.items() for value in values for word in (name, value)]
    return shlex.join(words)


def study_of(asked: argparse.Namespace, files: Sequence[Path], unlabelled: bool = False) -> "Study":
    """The study of some files, read as a command is told to; `unlabelled` as of `read_study`."""
    from crowdgold.reading.study import read_study  # here: pandas takes long to load

    return read_study(files, **vars(reading(asked)), unlabelled=unlabelled)
