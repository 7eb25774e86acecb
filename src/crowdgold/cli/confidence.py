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
from contextlib import nullcontext

from crowdgold.cli import terminal
from crowdgold.models.clara.labelling import LabelStream, asks_for_another, read_labelling_model
from crowdgold.reading.outputs import check_standard_output
from crowdgold.types.columns import MEND, NUL
from crowdgold.types.errors import InputError

COLUMNS = ("item", "annotator", "label")


def _fields(line: str) -> list[str]:
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
    """The rows of a stream of CSV lines; the line that is read last is named in messages.

    `header` has the column names of a stream without a header line, `renamed` the names used here
    of its own.
    """

    def __init__(
        self, lines: Iterable[str], source: str, renamed: Mapping[str, str],
        header: Sequence[str] | None, with_group: bool,
    ) -> None:  # fmt: skip
        self.source, self.line = source, 0
        self._lines = self._not_empty(lines)
        needed = (*COLUMNS, "group") if with_group else COLUMNS
        if header is None:
            try:
                header = _fields(next(self._lines))
            except StopIteration:
                raise InputError(
                    f"{source}: found no rows, expected a header line with the columns "
                    f"{', '.join(needed)}"
                ) from None
            except InputError as error:
                # A file that cannot be read has no row to be named.
                where = "" if error.__cause__ else f"{self.here}: "
                raise InputError(f"{where}{error}") from None
        names = [renamed.get(name, name) for name in header]
        for name in needed:
            if names.count(name) != 1:
                raise InputError(
                    f"{source}: column {name!r}: found {names.count(name)} of it among "
                    f"{', '.join(names)}; expected one. Another name is given by --column, the "
                    "names of a stream without a header line by --header"
                )
        self._places, self._width = {name: names.index(name) for name in needed}, len(names)

    @property
    def here(self) -> str:
        """The row that was read last, by name; a header line is row 1."""
        return f"{self.source}, row {self.line}"

    def _not_empty(self, lines: Iterable[str]) -> Iterator[str]:
        try:
            for line in lines:
                self.line += 1
                if line.strip():
                    yield line
        except OSError as error:
            raise InputError(f"{self.source} cannot be read: {error.strerror}") from error

    def __iter__(self) -> Iterator[dict[str, str] | InputError]:
        """Each row after the header: a label's item, annotator and group, or what is wrong."""
        while True:
            try:
                fields = _fields(next(self._lines))
                if len(fields) != self._width:
                    raise InputError(
                        f"found {len(fields)} fields, expected {self._width}, as in the header"
                    )
                values = {name: fields[place] for name, place in self._places.items()}
                for name, value in values.items():
                    if not value:
                        raise InputError(f"column {name!r}: found '', expected a value")
                yield values
            except StopIteration:
                return
            except InputError as error:
                yield error


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


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    # fmt: off
    command.add_argument("model", metavar="model.json", type=terminal.file_name,
        help="from `crowdgold fit-labelling`")
    command.add_argument("rows", metavar="FILE", nargs="?", default=STREAM, type=terminal.file_name,
        help="CSV (default: standard input)")
    command.add_argument("--threshold", type=float, default=0.95,
        help="confidence that is enough, from 0 to 1 (default: %(default)g; `crowdgold "
        "labelling-threshold` chooses one)")
    command.add_argument("--most", type=int, metavar="LABELS",
        help="labels of an item after which no more are asked for (default: no limit)")
    command.add_argument("--header", metavar="NAME,...",
        help="the columns' names, where the stream has no header line: item,annotator,label")
    command.add_argument("--bad-rows", choices=("stop", "skip"), default="stop",
        help="stop at a row that cannot be used, or name it and go on (default: %(default)s)")
    terminal.add_table_options(command)
    # fmt: on


def answer(rows: LabelRows, stream: LabelStream, asked: argparse.Namespace) -> int:
    """Answer each row; returns the number of rows that were passed over."""
    out, named, bad = csv.writer(terminal.Rows(), lineterminator="\n"), 0, 0
    out.writerow(HEADER)
    sys.stdout.flush()
    for row in rows:
        try:
            if isinstance(row, InputError):
                raise row
            so_far = stream.add(**row)
        except InputError as error:
            if asked.bad_rows == "stop":
                raise InputError(
                    f"{rows.here}: {error}\n  What was written before it is valid. Mend the row, "
                    "or pass over such rows by --bad-rows skip"
                ) from None
            terminal.say(f"Passed over {rows.here}: {error}")
            bad += 1
            continue
        if named < len(stream.unknown) <= terminal.NAMED:
            named, name = len(stream.unknown), list(stream.unknown)[-1]
            terminal.say(f"Warning: the model does not know {name!r}; its fallback stands in")
            if named == terminal.NAMED:
                terminal.say("Warning: no more unknown names are shown")
        more = asks_for_another(so_far.confidence, so_far.labels, asked.threshold, asked.most)
        confidence, ask = f"{so_far.confidence:.8f}", "yes" if more else "no"
        out.writerow((row["item"], so_far.labels, so_far.label, confidence, ask))
        sys.stdout.flush()
    return bad


def run(asked: argparse.Namespace) -> int:
    """Answer a stream of labels."""
    if not 0 <= asked.threshold <= 1:
        raise InputError(f"threshold: found {asked.threshold:g}, expected from 0 to 1")
    if asked.most is not None and asked.most < 1:
        raise InputError(f"most: found {asked.most}, expected 1 or more")
    file: str | int = 0 if asked.rows == STREAM else asked.rows
    check_standard_output(asked.model, file)
    model = read_labelling_model(asked.model)
    terminal.warn_of_failed_gate(model)
    stream = LabelStream(model, asked.repeated)
    header = [name.strip() for name in asked.header.split(",")] if asked.header else None
    source = "standard input" if asked.rows == STREAM else asked.rows
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    # Bytes that are no UTF-8 stay recognisable.
    with open(file, encoding="utf-8-sig", errors="surrogateescape", closefd=file != 0) as lines:
        rows = LabelRows(lines, source, dict(asked.column), header, model.confusion == "group")
        # Progress means something where all rows are there already.
        is_file = stat.S_ISREG(os.fstat(lines.fileno()).st_mode)
        with terminal.progress(lambda: f"row {rows.line:,}") if is_file else nullcontext():
            bad = answer(rows, stream, asked)
    if bad:
        terminal.say(f"{bad} rows were passed over")
    return 0
