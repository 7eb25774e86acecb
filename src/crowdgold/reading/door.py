"""Opening a user's files: each is read once, within bounds, by the user's settings for reading.

A name is taken as it stands. It is a regular file, or `-` for standard input; what else has a name
(a folder, a pipe, a device, a socket) is refused before anything is read, since reading it may
never end. One budget holds for all: the bytes of a file, what a compressed one unpacks to, and the
cells of its table.
"""

import codecs
import os
import re
import stat
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from crowdgold.system.archives import ArchiveError, read_gzip, zip_members
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import REPEATED

MISSING = ("", "nan", "NaN", "NA", "<NA>", "null", "NULL")
"""Texts that other programs write for an empty cell, where a number or a label is expected."""
NOTHING_MISSING = "nothing"  # in the place of such words: each text stands for itself
REFUSE, DROP = UNMATCHED = ("refuse", "drop")
"""What to do with gold labels, scores and strata of items that have no votes."""


@dataclass(frozen=True)
class Reading:
    """The user's settings for reading the files of a study: options, a study file or in Python."""

    # the files' own column name -> the name used here, e.g. {"worker": "annotator"}; for
    # one file alone, {"votes.csv:worker": "annotator"}; "ignore" passes a column over. What
    # is not named is guessed, and noted
    columns: Mapping[str, str] = field(default_factory=dict)
    # the positive label, or several of them, in one text with commas or each in its own;
    # all others are negative
    positive: Sequence[str] = ()
    # the rule for an annotator with several labels on an item: "refuse", keep the "first"
    # or the "last", or "keep" all
    repeated: str = "refuse"
    # columns that name an item together, e.g. ("question", "model") or "question,model"
    item: str | Sequence[str] = ()
    # words that stand for an empty cell among labels and numbers, or "nothing"; where none
    # are given NA, NaN and null do, unless NA could be a label
    missing: Sequence[str] = ()
    encoding: str | None = None  # of text files that are not UTF-8 and do not say what they are
    # "refuse" files that do not name the same items, or "drop" what matches nothing
    unmatched: str = REFUSE

    def __post_init__(self) -> None:
        for name, rules in (("repeated", REPEATED), ("unmatched", UNMATCHED)):
            if getattr(self, name) not in rules:
                raise InputError(
                    f"{name} {getattr(self, name)!r}; expected one of {', '.join(rules)}"
                )
        if isinstance(self.item, str):
            object.__setattr__(self, "item", tuple(map(str.strip, self.item.split(","))))
        if NOTHING_MISSING in self.missing and len(self.missing) > 1:
            raise InputError(f"missing: {NOTHING_MISSING!r} beside others; expected it alone")

    @property
    def words(self) -> tuple[str, ...]:
        """Texts that stand for an empty cell, the empty text among them."""
        if NOTHING_MISSING in self.missing:
            return ("",)
        return ("", *self.missing) if self.missing else MISSING


MOST_BYTES = 2_000_000_000  # of a file, and of what is within it
MOST_CELLS = 100_000_000  # of a table: a row of a vote has three or four
STANDARD_INPUT = "-"
LESS = (
    "leave out columns that say nothing of votes, labels or scores, or evaluate a part of the items"
)
BLOCK = 1 << 20  # bytes read at a time
GZIP, ZIP = ".gz", ".zip"
KINDS = {  # file type -> what messages say of a name that is no regular file
    stat.S_IFDIR: "is a folder", stat.S_IFIFO: "is a pipe", stat.S_IFSOCK: "is a socket",
    stat.S_IFCHR: "is a device", stat.S_IFBLK: "is a device",
}  # fmt: skip
MARKS = (  # byte order marks; that of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"), (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip
PACKED = (
    (b"\x1f\x8b", "packed by gzip", ".csv.gz"),
    (b"PK\x03\x04", "a workbook or a zip archive", ".xlsx or .zip"),
    (b"PAR1", "parquet", ".parquet"),
)
"""First bytes of files that are no text, what they are, and what their names should end with."""
MENDS = {  # endings of tables that are not read -> what to do
    ending: mend
    for endings, mend in (
        ("|.txt|.dat|.tab|.text", ". Rename a table of text to .csv, whatever separates its cells"),
        (".ods|.xls|.xlsm|.xlsb|.numbers", ". Save a spreadsheet as .xlsx or .csv"),
        (
            ".rds|.rdata|.dta|.sav|.sas7bdat|.pkl|.pickle|.feather",
            ". Write the table as .csv or .parquet by the program that made it",
        ),
    )
    for ending in endings.split("|")
}
STRAY = 0.01  # share of zero bytes below which they are slips, not another encoding
OPENING = re.compile(rb"\s*[\[{]")  # of JSON


@dataclass(frozen=True, eq=False)
class Opened:
    """A file that was read."""

    source: str  # what messages call it
    ending: str  # of what is in it, in small letters, as `.csv` of `VOTES.CSV.gz`
    content: bytes  # its bytes, unpacked

    @property
    def stem(self) -> str:
        """Its name without folder and endings."""
        return Path(self.source).name.partition(".")[0]


def open_file(path: str | Path) -> Opened:
    """A user's file, read whole and unpacked; standard input is of the kind that it looks like."""
    if str(path) in (STANDARD_INPUT, "/dev/stdin"):
        content = _bounded(sys.stdin.buffer, "standard input")
        return Opened("standard input", _looks_like(content), content)
    source = str(path)
    try:
        # Without waiting for someone who writes into a pipe.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(handle)
            if kind := KINDS.get(stat.S_IFMT(found.st_mode)):
                more = ", or - for standard input" if kind == "is a pipe" else ""
                raise InputError(f"{source} {kind}; expected a file{more}")
            content = _bounded(file, source, found.st_size)
    except FileNotFoundError:
        raise InputError(f"{source}: no such file") from None
    except OSError as error:
        why = f"cannot be read: {error.strerror or error}"
        with suppress(OSError):
            if kind := KINDS.get(stat.S_IFMT(os.stat(path).st_mode)):
                why = f"{kind}; expected a file"
        raise InputError(f"{source} {why}") from None
    try:
        if source.lower().endswith(GZIP):
            content = read_gzip(BytesIO(content), MOST_BYTES, source)
        elif source.lower().endswith(ZIP):
            within = zip_members(BytesIO(content), MOST_BYTES, source)
            members = [one for one in within if not one[0].startswith("__MACOSX/")]
            if len(members) != 1:
                listed = ", ".join(one for one, _ in members[:5])
                raise InputError(
                    f"{source}: {len(members)} files within ({listed}); expected one table, or "
                    "unpack it and name its files"
                )
            ((inner, content),) = members
            return Opened(source, ending_of(inner), content)
    except ArchiveError as error:
        raise InputError(f"{source} cannot be unpacked: {error}") from None
    return Opened(source, ending_of(source), content)


def ending_of(path: str | Path) -> str:
    """The ending of what a file holds, in small letters, with that of its packing left out."""
    name = Path(path).name.lower()
    return Path(name.removesuffix(GZIP).removesuffix(ZIP)).suffix


def utf8(opened: Opened, encoding: str | None = None) -> bytes:
    """The text of a file as UTF-8 without a mark; an encoding counts where no mark says another."""
    content, name = opened.content, encoding or ""
    for mark, marked in MARKS:
        if content.startswith(mark):
            content, name = content[len(mark) :], marked
            break
    if name.lower().replace("_", "-") not in ("", "utf-8", "utf8"):
        try:
            return content.decode(name).lstrip("\ufeff").encode()
        except LookupError:
            raise InputError(
                f"--encoding {encoding}: no encoding of this name; expected one such as utf-8, "
                "utf-16-le, cp1252 or latin-1"
            ) from None
        except (UnicodeError, ValueError) as error:
            raise InputError(
                f"{opened.source} cannot be read as {name}: {error}; the file may be cut short: "
                "save it again, as UTF-8"
            ) from None
    mend = "save it as UTF-8, or name its encoding by --encoding, as cp1252 or utf-16-le"
    what = f"{opened.source} cannot be read as {opened.ending[1:] or 'text'}"
    for mark, packed, ending in PACKED:
        if content.startswith(mark):
            raise InputError(
                f"{what}: it is {packed}; expected a name that says so, as "
                f"{Path(opened.source).stem}{ending}"
            )
    place = content.find(b"\0")
    if place >= 0:
        line = content.count(b"\n", 0, place) + 1
        few = content.count(b"\0") < STRAY * len(content)
        raise InputError(
            f"{what}: line {line} has a NUL byte; "
            f"{'take it out, as no text has one' if few else mend}"
        )
    if not content.isascii():
        try:
            content.decode()
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise InputError(
                f"{what}: line {line} has a byte (0x{content[error.start]:02x}) that is not UTF-8; "
                f"{mend}"
            ) from None
    return content


def _bounded(file: BinaryIO, source: str, expected: int = 0) -> bytes:
    """All bytes of an open file, `MOST_BYTES` at most; `expected` is its size, where known."""
    blocks, size = list[bytes](), 0
    while size <= MOST_BYTES >= expected:
        block = file.read(max(expected - size + 1, BLOCK))
        if not block:
            return blocks[0] if len(blocks) == 1 else b"".join(blocks)
        blocks.append(block)
        size += len(block)
    raise InputError(f"{source}: {too_large()}")


def too_large() -> str:
    """What a message says of a file with too many bytes."""
    return f"more than {MOST_BYTES / 1e9:g} billion bytes, the most that are read; {LESS}"


def check_cells(cells: int, source: str) -> None:
    """Raise an `InputError` where a table has more cells than are read."""
    if cells > MOST_CELLS:
        more = f"{cells:,} cells, more than the {MOST_CELLS:,} that are read"
        raise InputError(f"{source}: {more}; {LESS}")


def _looks_like(content: bytes) -> str:
    """The ending of what standard input holds, by its first bytes."""
    if content.startswith(b"PAR1"):
        return ".parquet"
    if content.startswith(b"PK\x03\x04"):
        return ".xlsx"
    text = content.removeprefix(codecs.BOM_UTF8)
    if OPENING.match(text):
        first, _, rest = text.strip().partition(b"\n")
        return ".jsonl" if first.startswith(b"{") and OPENING.match(rest) else ".json"
    return ".tsv" if b"\t" in text.partition(b"\n")[0] else ".csv"


def check_ending(opened: Opened, endings: Collection[str], instead: str = "") -> None:
    """Raise an `InputError` where a file has none of some endings; `instead` says what to give."""
    if opened.ending not in endings:
        *most, last = endings
        known = instead or f"a {', '.join(most)} or {last} file"
        raise InputError(f"{opened.source}: expected {known}{MENDS.get(opened.ending, '')}")
