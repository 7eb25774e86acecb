"""`crowdgold confidence`: how sure each item's label is, row by row of a stream of labels.

A row is a line: a field cannot hold a line break. So a stray quotation mark spoils its own row and
not all that follow.
"""

import argparse
import csv
import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TextIO

from crowdgold.cli.terminal import (
    NAMED,
    Rows,
    add_table_options,
    file_name,
    progress,
    renamed,
    say,
    warn_of_failed_gate,
)
from crowdgold.models.clara.labelling import LabelStream, asks_for_another, read_labelling_model
from crowdgold.reading.outputs import check_standard_output
from crowdgold.types.columns import MEND, NUL
from crowdgold.types.errors import InputError

COLUMNS = ("item", "annotator", "label")
GROUP = "group"


@dataclass(frozen=True)
class LabelRow:
    """A label: which item, by whom, what; and the group, empty where there is none."""

    item: str
    annotator: str
    label: str
    group: str = ""


def _fields(line: str) -> list[str]:
    """Cut a line into its fields, without white space around them."""
    if not line.isascii() and any("\udc80" <= character <= "\udcff" for character in line):
        raise InputError("found bytes that are not UTF-8, expected text in UTF-8")
    if "\0" in line:
        raise InputError(f"found {NUL}, {MEND}")
    try:
        (fields,) = csv.reader([line], strict=True)
    except (csv.Error, ValueError) as error:
        raise InputError(f"found what is no row of CSV ({error})") from None
    return [field.strip() for field in fields]


class LabelRows:
    """The rows of a stream of CSV lines; the line that is read last is named in messages."""

    def __init__(
        self,
        lines: Iterable[str],
        source: str,
        renamed: Mapping[str, str],
        header: Sequence[str] | None = None,
        with_group: bool = False,
    ) -> None:
        """Start before the first line; nothing is read yet.

        Args:
            source: how messages name it.
            renamed: its own column names -> the names used here.
            header: its column names, where it has no header line.
            with_group: whether the column `group` is needed.
        """
        self.source, self.line = source, 0
        self._lines = iter(lines)
        self._renamed, self._header = renamed, header
        self._needed = (*COLUMNS, GROUP) if with_group else COLUMNS

    @property
    def here(self) -> str:
        """Name the row that was read last; a header line is row 1."""
        return f"{self.source}, row {self.line}"

    def _next(self) -> str:
        """The next line that is not empty."""
        try:
            for line in self._lines:
                self.line += 1
                if line.strip():
                    return line
        except OSError as error:
            raise InputError(f"{self.source} cannot be read: {error.strerror}") from error
        raise StopIteration

    def read_header(self) -> None:
        """Read the header line, if the stream has one, and find the columns.

        Raises:
            InputError: where there is none, or a column is missing or stands there twice.
        """
        if self._header is None:
            try:
                names = _fields(self._next())
            except StopIteration:
                raise InputError(
                    f"{self.source}: found no rows, expected a header line with the columns "
                    f"{', '.join(self._needed)}"
                ) from None
            except InputError as error:
                # A file that cannot be read has no row to be named.
                where = "" if error.__cause__ else f"{self.here}: "
                raise InputError(f"{where}{error}") from None
        else:
            names = list(self._header)
        names = [self._renamed.get(name, name) for name in names]
        for name in self._needed:
            if names.count(name) != 1:
                raise InputError(
                    f"{self.source}: column {name!r}: found {names.count(name)} of it among "
                    f"{', '.join(names)}; expected one. Another name is given by --column, the "
                    "names of a stream without a header line by --header"
                )
        self._places = {name: names.index(name) for name in self._needed}
        self._width = len(names)

    def __iter__(self) -> Iterator[LabelRow | InputError]:
        """Each row after the header: a label, or what is wrong with it."""
        while True:
            try:
                line = self._next()
            except StopIteration:
                return
            try:
                yield self._parse(_fields(line))
            except InputError as error:
                yield error

    def _parse(self, fields: list[str]) -> LabelRow:
        if len(fields) != self._width:
            raise InputError(
                f"found {len(fields)} fields, expected {self._width}, as in the header"
            )
        values = {name: fields[place] for name, place in self._places.items()}
        for name, value in values.items():
            if not value:
                raise InputError(f"column {name!r}: found '', expected a value")
        return LabelRow(**values)


ABOUT = """\
Read labels, one a row, and write after each how sure its item's label is: the number of labels so
far, the most likely true label, its probability (the confidence), and whether to ask for another
label, which is where the confidence is below the threshold.

Each row is answered at once, so that the command can serve a running operation. Rows are CSV with
the columns item, annotator and label (and group, where the model has confusion matrices by group)
in any order; other columns are passed over. A row is one line. Items are kept in memory.

An annotator that the model does not know is taken for one met by way of a label drawn at random;
the first ones are named."""
EXAMPLE = """\
example:
  $ crowdgold confidence model.json labels.csv --threshold 0.95 --most 3
  item,labels,label,confidence,ask
  a17,1,0,0.98765432,no
  a18,1,1,0.61230000,yes

A row that cannot be used ends the command with exit code 2; what was written before stays valid."""
STREAM = "-"
HEADER = ("item", "labels", "label", "confidence", "ask")


def add_options(own: argparse.ArgumentParser) -> None:
    """Add what the command can be told."""
    own.add_argument(
        "model", metavar="model.json", type=file_name, help="from `crowdgold fit-labelling`"
    )
    own.add_argument(
        "rows", metavar="FILE", nargs="?", default=STREAM, type=file_name,
        help="CSV (default: standard input)",
    )  # fmt: skip
    own.add_argument(
        "--threshold", type=float, default=0.95,
        help="confidence that is enough, from 0 to 1 (default: %(default)g; `crowdgold "
        "labelling-threshold` chooses one)",
    )  # fmt: skip
    own.add_argument(
        "--most", type=int, metavar="LABELS",
        help="labels of an item after which no more are asked for (default: no limit)",
    )  # fmt: skip
    own.add_argument(
        "--header", metavar="NAME,...",
        help="the columns' names, where the stream has no header line: item,annotator,label",
    )  # fmt: skip
    own.add_argument(
        "--bad-rows", choices=("stop", "skip"), default="stop",
        help="stop at a row that cannot be used, or name it and go on (default: %(default)s)",
    )  # fmt: skip
    add_table_options(own)
    own.set_defaults(run=run)


@contextmanager
def open_lines(name: str) -> Iterator[TextIO]:
    """Open a file, or standard input, as lines of UTF-8; bytes that are not stay recognisable."""
    where: str | int = 0 if name == STREAM else name
    with open(
        where, encoding="utf-8-sig", errors="surrogateescape", closefd=name != STREAM
    ) as lines:
        yield lines


def _is_file(lines: TextIO) -> bool:
    """Say whether all rows are there already, so that progress means something."""
    return stat.S_ISREG(os.fstat(lines.fileno()).st_mode)


class _Unknown:
    """Names annotators that the model does not know, the first few."""

    def __init__(self, stream: LabelStream) -> None:
        self.stream, self.named = stream, 0

    def look(self) -> None:
        """Name who is new."""
        new = list(self.stream.unknown)[self.named :]
        for name in new[: max(0, NAMED - self.named)]:
            say(f"Warning: the model does not know {name!r}; its fallback stands in")
        if self.named < NAMED <= self.named + len(new):
            say("Warning: no more unknown names are shown")
        self.named += len(new)


def answer(rows: LabelRows, stream: LabelStream, asked: argparse.Namespace) -> int:
    """Answer each row; give the number of rows that were passed over.

    Raises:
        InputError: for a row that cannot be used, unless such rows are passed over.
    """
    out, unknown, bad = csv.writer(Rows(), lineterminator="\n"), _Unknown(stream), 0
    out.writerow(HEADER)
    sys.stdout.flush()
    for row in rows:
        try:
            if isinstance(row, InputError):
                raise row
            so_far = stream.add(row.item, row.annotator, row.label, row.group)
        except InputError as error:
            if asked.bad_rows == "stop":
                raise InputError(
                    f"{rows.here}: {error}\n  What was written before it is valid. Mend the row, "
                    "or pass over such rows by --bad-rows skip"
                ) from None
            say(f"Passed over {rows.here}: {error}")
            bad += 1
            continue
        if len(stream.unknown) > unknown.named:
            unknown.look()
        more = asks_for_another(so_far.confidence, so_far.labels, asked.threshold, asked.most)
        confidence = f"{so_far.confidence:.8f}"
        out.writerow((row.item, so_far.labels, so_far.label, confidence, "yes" if more else "no"))
        sys.stdout.flush()
    return bad


def run(asked: argparse.Namespace) -> int:
    """Answer a stream of labels."""
    if not 0 <= asked.threshold <= 1:
        raise InputError(f"threshold: found {asked.threshold:g}, expected from 0 to 1")
    if asked.most is not None and asked.most < 1:
        raise InputError(f"most: found {asked.most}, expected 1 or more")
    check_standard_output(asked.model, 0 if asked.rows == STREAM else asked.rows)
    model = read_labelling_model(asked.model)
    warn_of_failed_gate(model)
    stream = LabelStream(model, asked.repeated)
    header = [name.strip() for name in asked.header.split(",")] if asked.header else None
    source = "standard input" if asked.rows == STREAM else asked.rows
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    with open_lines(asked.rows) as lines:
        rows = LabelRows(lines, source, renamed(asked), header, model.confusion == GROUP)
        rows.read_header()
        shown = progress(lambda: f"row {rows.line:,}") if _is_file(lines) else nullcontext()
        with shown:
            bad = answer(rows, stream, asked)
    if bad:
        say(f"{bad} rows were passed over")
    return 0
