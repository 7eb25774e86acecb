"""Text files that cannot be read: the file, the row and what to do are named."""

import pytest

from crowdgold.reading.door import open_file
from crowdgold.reading.tables import read_table
from crowdgold.types.errors import InputError

GOOD = "item,annotator,label\n" + "".join(f"i{k},a,{k % 2}\n" for k in range(4))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (GOOD.replace("i2,a,0", "i2,a,0,9"), r"t\.csv, row 4: 4 cells, more than the 3 columns"),
        (GOOD.replace("i0,a,0", "i0,a,0,9"), r"t\.csv, row 2: 4 cells, more than the 3 columns"),
        (GOOD.replace("i1", 'a "text"\nof two lines').replace("i2,a,0", "i2,a,0,9"), "row "),
        ("", r"t\.csv is empty; expected a line with the columns' names"),
        ("\ufeff\n \n", r"t\.csv is empty"),
        (GOOD + GOOD, r"t\.csv, row 6: found the names of the columns, expected data; remove"),
        (GOOD + GOOD + GOOD, r"t\.csv, rows 6, 11: found the names"),
        (GOOD + " item,annotator , label\n", "row 6: found the names"),
        (GOOD.replace("i1", '"i1'), r't\.csv, row 3: a quote \("\) is opened and not closed'),
    ],
)
def test_what_is_wrong_with_a_text_file_is_named(tmp_path, content, why):
    path = tmp_path / "t.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=why) as caught:
        read_table(open_file(path))
    assert "\n" not in str(caught.value)
    assert "C error" not in str(caught.value)


def test_rows_that_are_like_a_header_in_part_are_data(tmp_path):
    """An item may be called `item`; a short row has nothing in its last cells, as before."""
    path = tmp_path / "t.csv"
    path.write_text(GOOD + "item,a,1\nitem\n")
    found = read_table(open_file(path))
    assert (len(found.frame), found.rows[0]) == (6, 2)
    path.write_text("item\nitem\n")
    assert len(read_table(open_file(path)).frame) == 1
