"""What the page on methods says of the arena: its sentences follow from the cells."""

import pandas as pd

from unit.made_arena import row, summary
from unit.made_pages import page_from


def worlds_of(coverages, method):
    """Rows of a world for each coverage of a method's intervals, half as wide as GT's."""
    return [
        one
        for name, coverage in coverages.items()
        for one in (row(name, "GT", "AUC", width=0.2), row(name, method, "AUC", coverage, 0.1))
    ]


def page_of(rows, experiments=None):
    return page_from(
        "which-method",
        {"options": {"baseline": "GT", "by": [], "labels": {}}, "experiments": experiments or {}},
        summaries=summary(*rows),
        times=pd.DataFrame({"method": ["GT", "GT", "MV"], "seconds": [0.4, 0.6, 0.1]}),
    )


def test_the_page_says_how_the_answer_did():
    """57 of 60 intervals in three settings, half as wide; then one setting where it fails."""
    page = page_of(worlds_of(dict.fromkeys("abc", 0.95), "logistic-R"))
    assert "contained the truth in 95 % of cases" in page
    assert "In 0 of 3 pairs of a setting and a metric were they shorter than chance allows" in page
    assert "they were 0.50 times as wide" in page
    assert "| `logistic-R` | gold labels | 3 of 3 | 0.95 | 0.95 (AUC, a) |" in page
    other = page_of(worlds_of({"a": 0.95, "b": 0.95, "c": 0.1}, "logistic-R"))
    assert "In 1 of 3 pairs" in other
    assert "| `logistic-R` | gold labels | 2 of 3 | 0.67 | 0.10 (AUC, c) |" in other


def test_where_experts_err_the_other_answer_is_told_and_the_first_keeps_its_numbers():
    """In three settings logistic-R is wrong and logistic-E right; where all err alike, none is."""
    rows = worlds_of(dict.fromkeys("abc", 0.95), "logistic-R")
    erring = worlds_of(dict.fromkeys("xyz", 0.2), "logistic-R")
    erring += [row(name, "logistic-E", "AUC", 0.95, 0.1) for name in "xyz"]
    alike = [row("alike", name, "AUC", 0.0) for name in ("GT", "logistic-R", "logistic-E")]
    one_by_one, together = ({"experts": {"error": 0.1, "shared": one}} for one in (0, 0.5))
    experiments = {**{key: {} for key in "abc"}, **dict.fromkeys("xyz", one_by_one)}
    page = page_of([*rows, *erring, *alike], {**experiments, "alike": together})
    assert "contained the truth in 95 % of cases. In 0 of 3 pairs" in page
    assert "**With gold labels of experts who err" in page
    assert "takes these labels for the truth, contained it in 20 %" in page
    assert "| `logistic-R` | gold labels | 3 of 3 |" in page
    assert "| `logistic-E` | gold labels, experts' errors | none |" not in page
    assert "logistic-E" not in page_of(rows)


def test_methods_without_gold_are_counted_where_there_is_none():
    """Of DS and MV in two settings one fails in one; that it fails beside gold does not count."""
    rows = [
        row("a", "DS", "prevalence"), row("b", "DS", "prevalence", 0.1),
        row("a", "MV", "prevalence"), row("b", "MV", "prevalence"),
        row("gold", "GT", "prevalence"), row("gold", "MV", "prevalence", 0.1),
    ]  # fmt: skip
    assert "In the 2 settings without them the intervals of 1 of 2 methods were" in page_of(rows)
