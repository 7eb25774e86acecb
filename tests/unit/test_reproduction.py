"""The page of the paper's results and ours: verdicts follow the tables."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.documents import claims
from crowdgold.documents.reproduction import reproduction_page, table_3_rows

PRINTED = {
    "table_3": {
        "columns": ["AUC"],
        "tasks": {
            "Task 2": {
                "source": "Table 3a",
                "GT": [[1.0, 0.2, True]],
                "MAVEN": [[1.1, 0.2, True]],
                "MV": [[5.0, 0.1, False]],
                "H-AI": [[1.9, 0.2, False]],
            }
        },
    }
}


def results(error, width, methods=("GT", "MAVEN"), gold=(100, 400)):
    """Replicates whose errors and widths are those given for the second method, 1 for the first."""
    rng = np.random.default_rng(1)
    rows = []
    for k in range(12):
        for n_gold in gold:
            for method in methods:
                e, w = (1, 1) if method == "GT" else (error, width)
                off = 0.1 * e * (1 + 0.1 * rng.random())
                rows.append(
                    {"experiment": "e", "n_gold": n_gold, "replicate": k, "method": method,
                     "metric": "AUC", "truth": 0.8, "estimate": 0.8 + off,
                     "lower": 0.8, "upper": 0.8 + 0.2 * w, "diagnostics_passed": True}
                )  # fmt: skip
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("judge", "good", "bad"),
    [
        (claims.widths_below_gold("t", "n_gold"), (1, 0.6), (1, 1.3)),
        (claims.error_tracks_gold("t", "n_gold"), (0.9, 1), (2.0, 1)),
        (claims.biased_beside_gold("t", "n_gold", "MAVEN"), (4.0, 1), (0.5, 1)),
    ],
)
def test_a_verdict_follows_the_numbers(judge, good, bad):
    assert judge({"t": results(*good)}).verdict == claims.HOLDS
    assert judge({"t": results(*bad)}).verdict == claims.FAILS


def test_autoeval_is_judged_by_both_ratios():
    """Methods' names and the metric are those of section 6; both ratios below 1, one, or none."""
    verdicts = []
    for error, width in ((0.7, 0.6), (1.5, 0.6), (1.5, 1.2)):
        table = results(error, width).replace(
            {
                "method": {"GT": "AutoEval", "MAVEN": "AutoEval+MAVEN"},
                "metric": {"AUC": "accuracy@1"},
            }
        )
        found = claims.maven_helps_autoeval({"maven_autoeval": table})
        verdicts.append(found.verdict)
        assert f"width {width:.2f}" in found.ours
    assert verdicts == [claims.HOLDS, claims.PARTLY, claims.FAILS]


def test_a_larger_error_is_named_with_its_place():
    table = results(2.0, 1)
    assert "AUC at 100" in claims.error_tracks_gold("t", "n_gold")({"t": table}).reason


def test_run_time_must_be_flat_and_the_lowest():
    def table(maven, power):
        return pd.DataFrame(
            [
                {"method": name, "n": n, "inference": base * n**slope, "exponent": slope}
                for name, base, slope in (("MAVEN", maven, power), ("DS+S", 1, 1), ("H-AI", 1, 1))
                for n in (100, 1000)
            ]
        )

    verdicts = [
        claims.run_time_is_flat({"model_scaling": table(*case)}).verdict
        for case in ((1.0, 0.0), (1e5, 0.0), (1e5, 1.0))
    ]
    assert verdicts == [claims.HOLDS, claims.PARTLY, claims.FAILS]


def test_each_cell_of_table_3_is_held_against_ours():
    table = results(1.1, 1, ("GT", "MAVEN", "MV"), (400,))
    rows = table_3_rows(table, PRINTED["table_3"], "Task 2", ["AUC"])
    by_method = {row[0]: row for row in rows}
    assert by_method["MAVEN"][5].startswith("within 2 errors")
    assert by_method["MV"][5].startswith("outside")
    assert by_method["H-AI"][3] == "not made here"


def test_the_page_says_what_was_not_made():
    page = reproduction_page({"maven_task_2": results(1.1, 1, gold=(400,))}, PRINTED)
    assert "not made here: maven_fig4" in page
    assert "not judged" in page
    assert "| MAVEN | AUC |" in page
    assert "nan" not in page
