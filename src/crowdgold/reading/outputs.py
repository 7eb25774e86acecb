"""Where a command may write, and tables that a spreadsheet may open.

Never over what a command reads, nor over what it did not write itself. A file of the same command
is known by its own content: a key of JSON, the columns of a table, a name in a page's head. So it
is known wherever it is moved to, and nothing is kept beside it that could be lost or be of another
file. An output of one command is no leave for another.

No text of a user is taken for a formula. A cell that begins with =, +, -, @ (or their full-width
forms), a tab or a line break can be worked out by the spreadsheet that opens the file, to the point
of running a program. Such a text is written with an apostrophe before it, the spreadsheets' own
sign for a text; a text that begins so already gets one more. Numbers stay as they are. What was
written so is read again without it.
"""

import csv
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.system.temporary import unfinished
from crowdgold.types.errors import InputError

SIGNS = "=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20"
BARE = rf"[{SIGNS}]"  # how a formula begins
MARKED = rf"'+[{SIGNS}]"  # and a text that was neutralised
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"


def _texts(values: pd.Series) -> pd.Series | None:
    """A column as texts; None where it holds no texts."""
    kind = values.dtype
    if pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_datetime64_any_dtype(kind):
        return None
    return values.astype("string")


def _bare(texts: pd.Series) -> pd.Series:
    """Which texts (n,) a spreadsheet could take for a formula."""
    formulas = texts.str.match(BARE) & ~texts.str.fullmatch(NUMBER)
    return formulas.fillna(False).astype(bool)


def _marked(texts: pd.Series) -> pd.Series:
    """Which texts (n,) begin with an apostrophe before a formula's sign."""
    return texts.str.match(MARKED).fillna(False).astype(bool)


def neutralised(table: pd.DataFrame) -> pd.DataFrame:
    """A table in which no text, and no name of a column, can be taken for a formula."""
    table = table.copy(deep=False)
    for name in table.columns:
        texts = _texts(table[name])
        if texts is not None and (chosen := _bare(texts) | _marked(texts)).any():
            table[name] = table[name].astype(object).mask(chosen, "'" + texts.astype(object))
    names = pd.Series(table.columns.map(str), dtype="string")
    chosen = _bare(names) | _marked(names)
    table.columns = pd.Index(names.mask(chosen, "'" + names).to_numpy(object))
    return table


def restored(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """A table of texts as it was before `neutralised`, and the columns that have changed.

    A column in which a formula stands bare was not neutralised, and is left as it is.
    """
    table = table.copy(deep=False)
    changed = []
    for name in table.columns:
        texts = _texts(table[name])
        if texts is None or not (chosen := _marked(texts)).any() or _bare(texts).any():
            continue
        table[name] = table[name].mask(chosen, texts.str[1:].astype(table[name].dtype))
        changed.append(str(name))
    names = pd.Series(table.columns.map(str), dtype="string")
    if (chosen := _marked(names)).any() and not _bare(names).any():
        table.columns = pd.Index(names.mask(chosen, names.str[1:]).to_numpy(object))
    return table, changed


def write_spreadsheet(
    table: pd.DataFrame, path: Path, floats: str | None = None, separator: str = ","
) -> None:
    """Write a table as text that a spreadsheet may open; all digits where no format is given."""
    table = neutralised(table)
    # A carriage return within a text would end the row: `csv` quotes it only where it quotes all.
    columns = (_texts(table[name]) for name in table.columns)
    texts = [one for one in columns if one is not None]
    broken = any(one.str.contains("\r", regex=False).any() for one in texts)
    table.to_csv(
        path, index=False, float_format=floats, sep=separator,
        quoting=csv.QUOTE_NONNUMERIC if broken else csv.QUOTE_MINIMAL,
    )  # fmt: skip


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file or folder: links of both kinds are followed."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def check_standard_output(*inputs: str | int) -> None:
    """Refuse that standard output goes to a file that is read, by its name or its open number."""
    for one in inputs:
        with suppress(OSError):  # one of them is not there, which is told elsewhere
            read, written = os.stat(one), os.fstat(1)
            if stat.S_ISREG(read.st_mode) and os.path.samestat(read, written):
                name = "the file of standard input" if isinstance(one, int) else one
                raise InputError(
                    f"standard output goes to {name}, which the command reads; send it elsewhere"
                )


def lies_in(path: Path, folder: Path) -> bool:
    """Whether a file lies in a folder, as it is named or where its links lead."""
    ways = (Path(os.path.abspath(path)), Path(os.path.realpath(path)))  # follows no ring of links
    return any(same_file(parent, folder) for way in ways for parent in way.parents)


def kept_name(path: Path) -> Path:
    """The first free name beside a path for what was there: NAME.old, NAME.old2, NAME.old3, ..."""
    names = (
        path.with_name(f"{path.name}.old{number if number > 1 else ''}") for number in count(1)
    )
    return next(name for name in names if not os.path.lexists(name))


def first_bytes(path: Path, size: int = 4096) -> bytes:
    """The beginning of a file; nothing where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        return b""


@dataclass(frozen=True)
class Output:
    """A file that a command is to write."""

    path: Path  # its name
    option: str  # how the user gave the name
    command: str  # the command
    is_own: Callable[[Path], bool]  # whether a file was written by the same command
    force: bool = False  # whether another file there is to give way; it is kept beside the new one

    def check(self, inputs: Iterable[Path]) -> None:
        """Refuse where nothing may be written, as on `inputs`, before anything is computed."""
        path, another = self.path, f"give another {self.option}"
        if not path.name:
            raise InputError(f"{self.option}: found no name, expected that of a file to write")
        for one in inputs:
            if same_file(path, one):
                taken = f"{self.option} {path} would overwrite {one}, which the command reads"
                raise InputError(f"{taken}; {another}")
        if not path.parent.is_dir():
            raise InputError(f"{path.parent}: no such folder; make it, or {another}")
        no_file = path.exists() and not path.is_file()
        parent = os.path.realpath(path.parent)
        # One of the system's names, such as /dev/stdout, which no file may replace.
        of_system = parent == "/dev" or parent.startswith("/proc/")
        if path.is_dir() or no_file or of_system:
            kind = "a folder" if path.is_dir() else "no file"
            raise InputError(f"{path} is {kind}; expected the name of a file to write")
        if os.path.lexists(path) and not self.is_own(path) and not self.force:
            raise InputError(
                f"{path} is there and was not written by `{self.command}`; {another}, or --force, "
                f"which keeps it as {kept_name(path)}"
            )

    def make_way(self) -> Path | None:
        """Keep another's file that is there under a free name; return that, or None of none.

        Its name leads to it until the new file takes the place, so that there always is one.
        """
        if not os.path.lexists(self.path) or self.is_own(self.path):
            return None
        kept = kept_name(self.path)
        try:
            os.link(self.path, kept, follow_symlinks=False)
        except OSError:  # a file system without links
            shutil.copy2(self.path, kept, follow_symlinks=False)
        return kept


def write_text(text: str, path: str | Path) -> None:
    """Write a text file to a temporary name beside it, then rename."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; expected the name of a file to write")
    try:
        with unfinished(path) as partial:
            partial.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror}; expected a folder that is there, with "
            "room, and that you may write to"
        ) from error


def plain(value: Any) -> Any:
    """A value as JSON has it: dataclasses as objects, arrays as lists, NaN and infinity as null."""
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
