"""The figures of a job: one that cannot be drawn takes no other with it."""

import pandas as pd
import pytest

from crowdgold.papers.maven.plots import select_task
from crowdgold.plots.figure_jobs import NotDrawn, draw_each
from crowdgold.types.errors import InputError


def test_others_are_drawn_and_the_failing_ones_are_named_with_their_reasons():
    drawn = []

    def draw_one(name):
        if name == "second":
            raise InputError("no column 'x'")
        if name == "third":
            raise KeyError("y")
        drawn.append(name)

    with pytest.raises(NotDrawn) as said:
        draw_each(["first", "second", "third", "fourth"], draw_one)
    assert drawn == ["first", "fourth"]
    assert str(said.value).splitlines() == [
        "2 figures not drawn; of the job's others 2 are there",
        "  figure second: no column 'x'",
        "  figure third: KeyError: 'y'",
    ]
    drawn = []
    draw_each(["first"], drawn.append)
    assert drawn == ["first"]


def test_a_task_whose_experiment_is_not_there_has_no_rows_and_no_fault():
    """Its settings are no columns then: the first column would be asked for, and refused."""
    table = pd.DataFrame({"experiment": ["given"], "method": ["GT"]})
    absent = {"experiment": "of_a_dataset", "where": {"n_gold": 400}}
    assert select_task(table, absent).empty
    with pytest.raises(ValueError, match="given: the table has no column 'n_gold'"):
        select_task(table, {**absent, "experiment": "given"})
