"""What the page on experts who err is judged on: tables of known coverage and width."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.claims.quantities import quantity
from crowdgold.papers.experts.page import first_opinion, readings, readings_table, wide_table


def made(kind="err_5", missed=3, wide=1.2, replicates=20):
    """Corrected AUCs miss in some studies, and have none in one more; prevalence always holds."""
    rows = []
    for replicate in range(replicates):
        for metric in ("prevalence", "AUC"):
            for reading, width in (("error-free", 0.1), ("corrected", 0.1 * wide)):
                misses = reading == "corrected" and metric == "AUC" and replicate < missed
                lower = 0.8 - width / 2 + (0.2 if misses else 0)
                if reading == "corrected" and metric == "AUC" and replicate == replicates - 1:
                    lower = np.nan
                rows.append(
                    {"second": "rarer", "experts": kind, "replicate": replicate, "metric": metric,
                     "reading": reading, "truth": 0.8, "estimate": 0.8, "lower": lower,
                     "upper": lower + width}
                )  # fmt: skip
    return pd.DataFrame(rows)


def test_coverage_and_widths_are_of_intervals_that_there_are():
    tables = {"experts": pd.concat([made(), made("err_2", 0)])}
    where = {"experts": "err_5", "reading": "corrected", "lower": {"above": -np.inf}}
    of = {"coverage": "experts", "table": {"own": readings}, "where": where}
    rows = quantity(tables, {**of, "at": "metric"}).rows
    assert dict(zip(rows["place"], rows["value"], strict=True)) == {
        "prevalence": 1, "AUC": pytest.approx(16 / 19),
    }  # fmt: skip
    (pooled,) = quantity(tables, {**of, "unit": "replicate"}).rows.to_dict("records")
    # Three studies of one half, 17 of one whole; the last has one of its two intervals.
    assert pooled["value"] == pytest.approx(18.5 / 20)
    assert pooled["error"] == pytest.approx(np.std([0.5] * 3 + [1] * 17, ddof=1) / np.sqrt(20))
    of = {"ratio": "width", "method": "corrected", "against": "error-free"}
    table = made().assign(experiment="experts")
    found = quantity({"experts": table}, {**of, "table": {"own": readings}})
    row = found.rows.set_index("group").loc["AUC"]
    assert (row["value"], row["replicates"]) == (pytest.approx(1.2), 19)


def test_the_tables_have_a_line_a_reading_and_the_share_of_wide_intervals():
    table = made()
    first = table[table["reading"] == "corrected"].assign(reading="first opinion")
    page = readings_table(pd.concat([table, first]), "rarer", "coverage", {"err_5": "5 %"})
    assert "| 5 % | corrected for experts' errors | 1.00 | 0.84 |" in page
    assert "| 5 % | one opinion, taken for true | 1.00 | 0.84 |" in page
    assert "error-free" not in page
    assert first_opinion(pd.concat([table, first])) == pytest.approx(16 / 19)
    # Every fourth is .51 wide, of AUC the twentieth is missing; error-free ones are .1 wide.
    table = made(missed=0)
    every = (table["reading"] == "corrected") & (table["replicate"] % 4 == 0)
    table.loc[every, "upper"] = table.loc[every, "lower"] + 0.51
    page = wide_table(table, "rarer", {"err_5": "5 %"})
    assert "| 5 % | 0.25 | 0.26 |" in page
    assert "| 5 % | 0.00 | 0.00 |" in wide_table(made(), "rarer", {"err_5": "5 %"})
