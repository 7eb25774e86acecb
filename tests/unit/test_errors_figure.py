"""The report's figure of answers against an assumed share of wrong gold labels."""

from dataclasses import replace

import pandas as pd
import pytest

from crowdgold.evaluation.answer import Answer, Quantity, Value
from crowdgold.evaluation.assumed_errors import COLUMNS
from crowdgold.presentation.figures import draw_study_errors, error_figures
from crowdgold.presentation.folder import StudyFolder


def made(models=("large",)):
    """A folder with an AUC that has an interval up to 5 %, and a prevalence by gold alone there."""
    panels = [("", "prevalence"), *((one, "AUC") for one in models)]
    rows = [
        (*panel, error, "logistic-E", 0.5 + error, 0.4, upper, "", code)
        for panel in panels
        for error, upper, code in ((0.0, 0.6, ""), (0.05, 0.7, "gold_alone"))
    ]
    rows += [(one, "AUC", 0.1, "logistic-E", 0.9, 0.02, 1.0, "", "") for one in models]
    answers = [
        Answer("all", Quantity(metric, model), None if model else Value("GT", 0.55, 0.5, 0.6))
        for model, metric in panels
    ]
    summary = {"models": list(models), "settings": {"level": 0.95}, "strata": [{"name": "all"}]}
    tables = {"expert_errors": pd.DataFrame(rows, columns=list(COLUMNS))}
    return StudyFolder(summary, answers, tables, None)


def test_a_line_ends_where_its_interval_says_next_to_nothing_and_gold_alone_stands_apart():
    (one,) = error_figures(made())
    first, second = one.figure.axes[:2]
    (line, alone, answer), model = first.get_lines(), second.get_lines()
    assert list(line.get_xdata()) == [0]
    assert list(alone.get_xdata()) == [5]
    assert alone.get_markerfacecolor() == "white"
    assert answer.get_ydata()[0] == 0.55
    assert [list(each.get_xdata()) for each in model] == [[0], [5]]  # no answer, and not 10 %
    assert "AUC" in second.get_title()
    assert "large: 0.500 with 0 % wrong, 0.550 with 5 % wrong." in one.description
    assert "more models" not in one.caption


def test_models_beyond_the_colours_are_named_in_the_caption():
    (one,) = error_figures(made(tuple("abcdef")))
    assert "2 more models in expert_errors.csv" in one.caption
    assert [text.get_text() for text in one.figure.legends[0].get_texts()] == list("abcd")


def test_without_gold_there_is_no_figure():
    study = made()
    none = {"expert_errors": study.tables["expert_errors"].iloc[:0]}
    assert list(error_figures(replace(study, tables=none))) == []
    with pytest.raises(ValueError, match="no metric"):
        draw_study_errors(pd.DataFrame(columns=["panel"]), {"models": []})
