"""Workbooks (.xlsx): what they hold is read as from other files, and what cannot be is named."""

import datetime
import zipfile

import openpyxl
import pytest

from crowdgold.reading import door
from crowdgold.reading import tables as workbooks
from crowdgold.reading.study import read_study
from crowdgold.types.errors import InputError
from crowdgold.types.notes import texts

SHEET = "xl/worksheets/sheet1.xml"
ROWS = [
    ["item", "annotator", "label", "score"],
    ["a", "R1", 1, 0.5],
    ["a", "R2", 0, 0.5],
    ["b", "R1", 0, 0.25],
]
VOTES = {"a": (1, 2), "b": (0, 1)}


def book(path, rows=ROWS, hidden=None, after=None):
    """A workbook of a sheet "votes", after a hidden one and before another, where given."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, content in (("notes", hidden), ("votes", rows), ("gold", after)):
        if content is not None:
            sheet = made.create_sheet(name)
            sheet.sheet_state = "hidden" if content is hidden else "visible"
            for row in content:
                sheet.append(row)
    made.save(path)
    return path


def changed(path, member, old, new):
    """The same workbook with a text in one of its parts replaced."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert old in parts[member]
    parts[member] = parts[member].replace(old, new, 1)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def votes_of(study):
    items = study.items
    counts = zip(items.votes_positive.tolist(), items.votes_total.tolist(), strict=True)
    return dict(zip(items.item.tolist(), counts, strict=True))


def test_a_workbook_is_read_as_a_text_file_is(tmp_path):
    """Whole numbers are identifiers without a point, dates texts, true and false labels."""
    study = read_study([book(tmp_path / "votes.xlsx")])
    assert votes_of(study) == VOTES
    assert study.items.scores["score"].tolist() == [0.5, 0.25]
    assert study.notes == ()
    day = datetime.date(2026, 3, 1)
    rows = [[], ["item", "annotator", "label"], [1.0, day, True], [], [2, day, False], [2, "", ""]]
    study = read_study([book(tmp_path / "other.xlsx", rows)])
    assert votes_of(study) == {"1": (1, 1), "2": (0, 1)}
    assert study.annotations.annotator.tolist() == ["2026-03-01 00:00:00"]


def test_the_first_sheet_that_is_shown_is_read_and_said(tmp_path):
    study = read_study([book(tmp_path / "votes.xlsx", hidden=[["x"]], after=[["item"]])])
    assert votes_of(study) == VOTES
    assert texts(study.notes) == "votes.xlsx: the sheet 'votes' is read; passed over: gold"


def test_rows_of_messages_are_those_of_the_sheet(tmp_path):
    rows = [[], *ROWS, [], ["b", "R1", 1, 0.25]]
    with pytest.raises(InputError, match=r"column 'annotator', rows 5, 7: found 'R1 on b'"):
        read_study([book(tmp_path / "votes.xlsx", rows)])


def test_a_formula_is_its_value_and_one_without_a_value_is_named(tmp_path):
    path = book(tmp_path / "votes.xlsx", [*ROWS[:3], ["b", "R1", "=1-1", 0.25]])
    with pytest.raises(InputError, match=r"votes.xlsx, column C, row 4: a formula without a value"):
        read_study([path])
    changed(path, SHEET, b"<f>1-1</f><v />", b"<f>1-1</f><v>0</v>")
    assert votes_of(read_study([path])) == VOTES
    # A formula whose value is an empty text leaves the cell empty.
    path = book(tmp_path / "empty.xlsx", [*ROWS, ["c", "R1", "=1-1"]])
    changed(path, SHEET, b'<c r="C5"><f>1-1</f><v />', b'<c r="C5" t="str"><f>1-1</f><v></v>')
    assert votes_of(read_study([path])) == VOTES


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b"<worksheet", b"<!DOCTYPE x><worksheet", "sheet1.xml holds '<!DOCTYPE'"),
        (b'r="B2"', b'r="ZZZZZZ2"', "holds .r=.ZZZZ"),
        (b'<row r="3"', b'<row r="999999999999"', "holds .r=.9999"),
        (b'<row r="3"', b'<row r="1048578"', "more than 1,048,576 rows"),
        (b"</row>", b"", "cannot be read as a workbook"),
    ],
)
def test_harmful_or_damaged_parts_are_refused(old, new, why, tmp_path):
    path = changed(book(tmp_path / "votes.xlsx"), SHEET, old, new)
    with pytest.raises(InputError, match=why):
        read_study([path])


def test_a_workbook_has_a_size(tmp_path, monkeypatch):
    path = book(tmp_path / "votes.xlsx")
    monkeypatch.setattr(door, "MOST_CELLS", 15)
    with pytest.raises(InputError, match="more than the 15 that are read"):
        read_study([path])
    monkeypatch.setattr(workbooks, "MOST_BYTES", 1000)
    with pytest.raises(InputError, match="would unpack to more than 1,000 bytes"):
        read_study([path])
