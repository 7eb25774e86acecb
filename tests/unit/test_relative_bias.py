"""Table 3: relative absolute bias by hand, its errors by simulation, its bold cells as printed."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from crowdgold.experiment.registries import entries
from crowdgold.papers.maven.relative_bias import relative_bias, within_one_error

FIGURES = entries("plot")

ROOT = Path(__file__).resolve().parents[2]
PRINTED = yaml.safe_load((ROOT / "config/printed/maven.yaml").read_text())["table_3"]


def results(errors, experiment="e", metric="AUC", **columns):
    """Long results with the given errors: method -> estimate - truth by replicate."""
    frames = [
        pd.DataFrame(
            {"experiment": experiment, "method": method, "metric": metric,
             "replicate": np.arange(len(values)), "truth": 0.5,
             "estimate": 0.5 + np.asarray(values, float), "diagnostics_passed": True} | columns
        )
        for method, values in errors.items()
    ]  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def test_relative_bias_by_hand():
    """Absolute errors 0.2, 0.3 of MV and 0.1, 0.3 of GT: means 0.25 and 0.2."""
    table = results({"GT": [0.1, -0.3], "MV": [-0.2, 0.3]}).iloc[::-1]
    base, own = relative_bias(table, ["GT", "MV"], ["AUC"], "GT").to_dict("records")
    assert (base["relative"], base["paired_se"]) == (1, 0)
    assert base["relative_se"] == base["baseline_se"] == pytest.approx(0.1 / 0.2)
    residual = (np.array([0.2, 0.3]) - 1.25 * np.array([0.1, 0.3])) / 0.2
    names = ("relative", "error_se", "relative_se", "paired_se")
    numbers = [1.25, 0.05, 0.05 / 0.2, residual.std(ddof=1) / np.sqrt(2)]
    assert [own[name] for name in names] == pytest.approx(numbers)
    assert (own["within"], own["replicates"]) == (True, 2)


def test_replicates_without_a_value_are_left_out_of_both_and_counted():
    table = results({"GT": [0.1, np.nan, 0.3], "MV": [0.2, 0.2, np.nan], "DS": [np.nan] * 3})
    rows = relative_bias(table, ["MV", "DS", "GT", "absent"], ["AUC"], "GT").set_index("method")
    counts = rows[["replicates", "undefined"]].to_dict("split")
    assert (counts["index"], counts["data"]) == (["MV", "DS", "GT"], [[1, 2], [0, 3], [2, 1]])
    assert rows.loc["MV", "relative"] == pytest.approx(2)
    assert np.isnan(rows.loc["DS", "relative"])
    assert not rows.loc["DS", "within"]


def test_a_table_of_several_settings_or_without_the_baseline_is_an_error():
    table = results({"GT": [0.1, 0.2], "MV": [0.1, 0.2]})
    with pytest.raises(ValueError, match="a replicate is there twice"):
        relative_bias(pd.concat([table, table]), ["MV"], ["AUC"], "GT")
    with pytest.raises(ValueError, match="no rows of the baseline 'ORACLE'"):
        relative_bias(table, ["MV"], ["AUC"], "ORACLE")


def test_the_errors_are_those_of_repeated_experiments():
    """200 experiments of 50 replicates with correlated errors. The paired error against the spread
    of the ratios, the printed one against that of the mean over the true baseline: each spread is
    known to 5 %, the delta method is off by O(1 / 50), so 25 % are 5 errors. The printed error of
    a method whose own error is constant is far below the ratio's spread: a control."""
    rng = np.random.default_rng(4)
    found = {"MAVEN": [], "MV": []}
    for _ in range(200):
        shared = rng.normal(size=50)
        errors = {
            "GT": shared + 0.5 * rng.normal(size=50),
            "MAVEN": 0.7 * shared + 0.4 * rng.normal(size=50),
            "MV": 3 + 0.05 * rng.normal(size=50),
        }
        rows = relative_bias(results(errors), list(found), ["AUC"], "GT").set_index("method")
        for method, values in found.items():
            values.append(rows.loc[method, ["relative", "relative_se", "paired_se", "error"]])
    numbers = {method: pd.DataFrame(values).astype(float) for method, values in found.items()}
    for method in found:
        own = numbers[method]
        assert own["paired_se"].mean() == pytest.approx(own["relative"].std(), rel=0.25)
    baseline, own = np.sqrt(2 / np.pi) * np.hypot(1, 0.5), numbers["MAVEN"]
    assert own["relative_se"].mean() == pytest.approx(own["error"].std() / baseline, rel=0.25)
    assert numbers["MV"]["relative_se"].mean() < 0.1 * numbers["MV"]["relative"].std()


def test_the_rule_for_bold_gives_every_printed_bold_cell():
    for name, task in PRINTED["tasks"].items():
        for column in range(3):
            baseline_se = task["GT"][column][1]
            for method in ("MV", "DS", "H-AI", "DS+S", "GT", "MAVEN"):
                relative, _, bold = task[method][column]
                assert within_one_error(relative, baseline_se) == bold, (name, method, column)


@pytest.fixture
def table():
    rng = np.random.default_rng(2)
    settings = ("one", {}), ("two", {"n_gold": 100}), ("two", {"n_gold": 400})
    frames = []
    for metric, (experiment, columns) in itertools.product(("AUC", "TNR_H"), settings):
        errors = {name: 5 * (name == "MV") + rng.normal(size=6) for name in ("GT", "MV", "MAVEN")}
        frames.append(results(errors, experiment, metric, **columns))
    return pd.concat(frames, ignore_index=True)


OPTIONS = {
    "baseline": "GT", "methods": ["MV", "GT", "MAVEN"], "metrics": ["AUC", "TNR_H"],
    "tasks": [
        {"experiment": "one", "title": "First"}, {"experiment": "three", "title": "Third"},
        {"experiment": "two", "where": {"n_gold": 400}, "title": "Second"},
    ],
}  # fmt: skip


def test_the_drawn_table_holds_the_numbers_in_bold_where_they_are_within(table):
    figure, shown = FIGURES["relative_bias_table"](table, OPTIONS)
    assert list(dict.fromkeys(shown["task"])) == ["First", "Second"]
    two = table[(table["experiment"] == "two") & (table["n_gold"] == 400)]
    expected = relative_bias(two, OPTIONS["methods"], OPTIONS["metrics"], "GT")
    own = shown[shown["task"] == "Second"].drop(columns="task").reset_index(drop=True)
    pd.testing.assert_frame_equal(own, expected, check_dtype=False)
    for panel, task in zip(figure.axes[:2], ("First", "Second"), strict=True):
        written = {text.get_text(): text.get_weight() for text in panel.texts}
        rows = shown[shown["task"] == task]
        for row in rows.to_dict("records"):
            cell = f"{row['relative']:.2f} ± {row['relative_se']:.2f}"
            assert written[cell] == ("bold" if row["within"] else "normal")
        assert {"MV", "GT", "MAVEN"} <= set(written)
    assert len(figure.axes) == 2
    assert figure.get_supxlabel().endswith("No data: Third.")


def test_no_two_texts_of_the_drawn_table_overlap(table):
    """With the longest name of a method and numbers of two digits before the point."""
    rows = table.replace({"method": {"MAVEN": "MAVEN-exact"}})
    rows.loc[rows["method"] == "MAVEN-exact", "estimate"] += 40 * rows["metric"].eq("AUC")
    options = OPTIONS | {
        "methods": ["MV", "GT", "MAVEN-exact"], "metrics": ["AUC", "TNR_H", "delta_TPR"],
        "tasks": OPTIONS["tasks"][::2],
    }  # fmt: skip
    more = rows[rows["metric"] == "TNR_H"].assign(metric="delta_TPR")
    figure, _ = FIGURES["relative_bias_table"](pd.concat([rows, more]), options)
    figure.draw_without_rendering()
    for panel in figure.axes:
        boxes = [(text.get_text(), text.get_window_extent()) for text in panel.texts]
        assert {"MAVEN-exact"} < {name for name, _ in boxes}
        for name, box in boxes:
            assert 0 <= box.x0 <= box.x1 <= figure.bbox.width, name
        for (name, box), (other, beside) in itertools.combinations(boxes, 2):
            assert not box.overlaps(beside), (name, other)


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        (OPTIONS["tasks"][1:2], r"none of the tasks \['Third'\]"),
        ([{"experiment": "one", "where": {"target": "x"}, "title": "T"}],
         "one: the table has no column 'target'"),
    ],
)  # fmt: skip
def test_tasks_or_a_setting_that_the_table_lacks_are_an_error(table, tasks, said):
    with pytest.raises(ValueError, match=said):
        FIGURES["relative_bias_table"](table, OPTIONS | {"tasks": tasks})
