"""Rows of labels from a stream, one a line, each checked as it comes.

A row is a line: a field cannot hold a line break. So a stray quotation mark spoils its own row and
not all that follow.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from crowdgold.data import InputError
from crowdgold.data.checks import MEND, NUL

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
