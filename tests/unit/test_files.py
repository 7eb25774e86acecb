"""Files are whole or not there, also where two write one of them at a time."""

import pytest

from crowdgold.system.temporary import unfinished


def test_two_writers_of_one_file_do_not_share_what_they_write(tmp_path):
    """As a job of a killed run and one of the run after it: the first to begin ends last."""
    path = tmp_path / "table.csv"
    with unfinished(path) as first:
        first.write_text("first, be")
        with unfinished(path) as second:
            second.write_text("second")
        assert path.read_text() == "second"
        with first.open("a") as file:
            file.write("gun before")
    assert path.read_text() == "first, begun before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("failure", [OSError("no room"), KeyboardInterrupt(), SystemExit(143)])
def test_a_writer_that_fails_leaves_the_earlier_file(tmp_path, failure):
    path = tmp_path / "table.csv"
    path.write_text("earlier")

    def fail():
        with unfinished(path) as own:
            own.write_text("hal")
            assert [p.name for p in tmp_path.glob(".table.csv.*.partial")] == [own.name]
            raise failure

    with pytest.raises(type(failure)):
        fail()
    assert path.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [path]
