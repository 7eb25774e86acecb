"""Figures: the same bytes from the same table, and a table of what they show beside each."""

import sys
from pathlib import Path
from subprocess import run

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from crowdgold.experiment.registries import entries
from crowdgold.experiment.summaries import relative_to, summarise
from crowdgold.papers.maven.experiments import compute_order_statistics
from crowdgold.papers.maven.plots import FEWEST
from crowdgold.plots.figure_jobs import draw
from crowdgold.plots.panels import MEAN, SETTING
from crowdgold.plots.style import (
    count_replicates,
    method_order,
    new_figure,
    replicates_text,
    save_figure,
)
from unit.clara_tables import tables_of_clara
from unit.judged_tables import tables_of_judged
from unit.label_variation_tables import table_of_people, table_of_runs

FIGURES = entries("plot")

ENDINGS = ("svg", "pdf", "png", "csv")
CHANGED = {
    "arena": "coverage", "clara_scores": "density", "coverage": "coverage",
    "label_variation": "value", "labelling_efficiency": "gold_fraction",
    "relative_bias_table": "estimate", "score_shapes": "estimate",
}  # fmt: skip
"""Plots of all kinds of marks, and a column of the table that each shows. What every plot draws is
kept in docs/gallery, which tests/workflow/test_published_docs.py makes anew."""


@pytest.fixture(scope="module")
def long_results():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"experiment": "e", "method": method, "metric": metric, "n_gold": gold, "replicate": k,
         "truth": 0.8, "estimate": 0.8 + rng.normal(0, 0.1), "diagnostics_passed": True}
        for method in ("MAVEN", "GT", "MV") for metric in ("AUC", "TNR_H", "delta_AUC")
        for gold in (50, 200) for k in range(4)
    )  # fmt: skip
    return table.assign(lower=table["estimate"] - 0.1, upper=table["estimate"] + 0.1)


@pytest.fixture(scope="module")
def summary(long_results):
    return summarise(long_results, ["n_gold"])


def made_replicates():
    """Rows of the results table, of two experiments with thresholds of their own."""
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {"experiment": experiment, "method": method, "metric": metric, "n_gold": gold,
         "replicate": k, "truth": 0.8, "estimate": 0.8 + rng.normal(0, size), "lower": 0.7 - size,
         "upper": 0.9 + size, "diagnostics_passed": True}
        for experiment, metric in (("e", "accuracy@0.5"), ("f", "accuracy@2"), ("f", "prevalence"))
        for method, size in (("AutoEval", 0.1), ("AutoEval+MAVEN", 0.06), ("GT", 0.2))
        for gold in (50, 200) for k in range(5)
    )  # fmt: skip


RATIOS = {
    "method": "AutoEval+MAVEN", "baseline": "AutoEval", "metric": "accuracy", "x": "n_gold",
    "labels": {"e": "one", "f": "other"}, "printed": {"error_ratio": 0.87, "width_ratio": 0.64},
}  # fmt: skip


def made_order_statistics():
    parameters = {
        "phi": 0.5, "a0": 0.1, "a1": 0.6, "d0": 1.5, "d1": 1.5, "mu": 0.5, "delta": 3.0,
        "votes_total": 3, "percentiles": [1, 50], "datasets": 50, "draws": 100,
    }  # fmt: skip
    rng = np.random.default_rng(1)
    return pd.concat([compute_order_statistics(parameters | {"n": n}, rng) for n in (100, 300)])


@pytest.fixture(scope="module")
def score_shapes():
    """Results of two shapes, and few points of their made exact curves."""
    rng = np.random.default_rng(2)
    results = pd.DataFrame(
        {"shape": shape, "method": method, "replicate": k, "metric": f"precision_at_recall@{at}",
         "truth": 0.7, "estimate": 0.6 + rng.normal(0, 0.1), "diagnostics_passed": True}
        for shape in ("one", "two") for method in ("MAVEN", "GT") for k in range(3)
        for at in (0.2, 0.5, 0.8)
    )  # fmt: skip
    results = results.assign(lower=results["estimate"] - 0.1, upper=results["estimate"] + 0.1)
    exact = pd.DataFrame(
        {"shape": shape, "replicate": 0, "curve": curve, "at": k / 20, "value": 1 - k / 40,
         "m": 0.4}
        for shape in ("one", "two")
        for curve in ("calibration", "density_0", "density_1", "precision") for k in range(1, 21)
    )  # fmt: skip
    return pd.concat([results, exact], ignore_index=True)


def made_labelling():
    """Widths of MAVEN on a grid of n and gold fractions, and of GT; of a made form with noise."""
    rng = np.random.default_rng(5)
    grid = [("MAVEN", n, f, (1 - f) ** 0.5 * 1.8 / np.sqrt(n * f))
            for n in (6_000, 20_000, 60_000) for f in (0.02, 0.1, 0.4)]  # fmt: skip
    grid += [("GT", n, 1.0, 3.2 / np.sqrt(n)) for n in (1_000, 6_000, 34_000)]
    return pd.DataFrame(
        {"method": method, "metric": "delta_TPR", "n": n, "gold_fraction": f, "lower": 0.0,
         "upper": width * np.exp(0.03 * rng.normal()), "replicate": k,
         "diagnostics_passed": True}
        for method, n, f, width in grid for k in range(3)
    )  # fmt: skip


def made_sensitivity():
    """Two experiments, each with an axis of its own; MAVEN's errors and widths are made."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {"experiment": axis, axis: value, "method": method, "metric": metric, "replicate": k,
         "truth": 0.5, "estimate": 0.5 + rng.normal(0, 0.1), "diagnostics_passed": True}
        for axis, values in (("n_voters", (5, 50)), ("predictors.A.mu", (0.0, 2.0)))
        for value in values for method in ("GT", "MAVEN") for metric in ("AUC", "TNR_H")
        for k in range(3)
    )  # fmt: skip
    half = np.where(table["method"] == "GT", 0.2, 0.1)
    return table.assign(lower=table["estimate"] - half, upper=table["estimate"] + half)


@pytest.fixture(scope="module")
def tables(summary, long_results, score_shapes):
    return {
        "labelling_efficiency": (made_labelling(), {
            "method": "MAVEN", "baseline": "GT", "metric": "delta_TPR", "votes": 3,
            "gold_only": 34_000, "gold_needs_votes": True, "n": 50_000, "n_gold": 16_000,
            "saving": 0.42, "contours": [1_000, 10_000], "cost_ratios": [5, 50],
        }),
        "relative_bias_table": (long_results[long_results["n_gold"] == 50], {
            "baseline": "GT", "methods": ["MV", "GT", "MAVEN"], "metrics": ["AUC", "TNR_H"],
            "tasks": [{"experiment": "e", "title": "T"}],
        }),
        "arena": (summary, {"metrics": ["AUC", "TNR_H"], "by": ["n_gold"], "labels": {"e": "W"}}),
        "error_and_width": (summary, {"x": "n_gold", "metrics": ["AUC", "TNR_H"], "title": "T"}),
        "order_statistics": (made_order_statistics(), {}),
        "coverage": (summary[summary["n_gold"] == 50], {}),
        "score_shapes": (score_shapes, {}),
        "ratios": (made_replicates(), RATIOS),
        "sensitivity": (made_sensitivity(), {
            "method": "MAVEN", "quantities": ["n_voters", "predictors.A.mu"],
        }),
        "coverage_and_width": (summary, {}),
        "human_ranking": (table_of_people(), {}),
        **tables_of_clara(),
        "label_variation": (table_of_runs(methods=("SL", "MV", "SmF1")), {"shown": ["HS-Brexit"]}),
        **tables_of_judged(),
    }  # fmt: skip


@pytest.mark.parametrize("plot", CHANGED)
def test_the_same_table_gives_the_same_bytes_and_another_table_others(plot, tables, tmp_path):
    """And the csv holds what is shown, to 6 digits."""
    table, options = tables[plot]
    changed = table.assign(**{CHANGED[plot]: table[CHANGED[plot]] * 0.7})
    for name, given in (("first", table), ("same", table), ("changed", changed)):
        draw(plot, given, options, tmp_path / name / "figure")
    for ending in ENDINGS:
        first, same, other = (
            (tmp_path / name / f"figure.{ending}").read_bytes()
            for name in ("first", "same", "changed")
        )
        assert first == same != other
        assert len(first) > (50 if ending == "csv" else 500)
    assert {path.name for path in (tmp_path / "same").iterdir()} == {f"figure.{e}" for e in ENDINGS}
    written = pd.read_csv(tmp_path / "same/figure.csv")
    shown = FIGURES[plot](table, options)[1].reset_index(drop=True)
    shown = shown.replace("", np.nan)  # as an empty cell is read
    pd.testing.assert_frame_equal(written, shown, rtol=1e-5, check_dtype=False)


@pytest.mark.parametrize(
    "plot",
    ["error_and_width", "order_statistics", "coverage", "clara_prevalence", "clara_audits",
     "clara_scores", "human_ranking", "agent_intervals", "judge_error_formula", "metric_study",
     "soft_metric_curve", "soft_metric_scores"],
)  # fmt: skip
def test_the_rows_that_are_shown_are_those_of_the_table(plot, tables):
    table, options = tables[plot]
    if plot == "order_statistics":
        assert 0 < (table["datasets"] < FEWEST).sum() < len(table)
        table = table[table["datasets"] >= FEWEST]
    if plot == "soft_metric_scores":  # metrics of a class are in the page's table
        table = table[table["label"] == ""]
    if "metrics" in options:
        table = table[table["metric"].isin(options["metrics"])]
    shown = FIGURES[plot](table, options)[1].reset_index(drop=True)
    pd.testing.assert_frame_equal(shown, table.reset_index(drop=True))


def test_the_figure_of_shapes_can_leave_out_shapes_replicates_and_methods(score_shapes):
    options = {"shapes": ["two"], "replicate": 1, "not_drawn": ["GT"]}
    shown = FIGURES["score_shapes"](score_shapes, options)[1]
    assert set(shown["shape"]) == {"two"}
    estimates = shown[shown["metric"].notna()]
    assert set(estimates["method"]) == {"MAVEN"}
    assert set(estimates["replicate"]) == {1}
    assert set(shown.loc[shown["curve"] == "distance", "method"]) == {"GT", "MAVEN", "true labels"}


def test_each_quantity_of_a_sensitivity_has_rows_of_its_own_values(tables):
    """The widths were made with ratio 1/2."""
    table, options = tables["sensitivity"]
    shown = FIGURES["sensitivity"](table, options)[1]
    values = shown.groupby("quantity")["value"].unique().map(set).to_dict()
    assert values == {"n_voters": {5, 50}, "predictors.A.mu": {0, 2}}
    np.testing.assert_allclose(shown["width_ratio"], 0.5)


def test_a_metric_at_any_threshold_has_one_panel(summary):
    """`precision` stands for precision@0.5 and precision@2, not for a point of the curve."""
    at = {"AUC": "precision@0.5", "TNR_H": "precision@2", "delta_AUC": "precision_at_recall@0.5"}
    table = summary.assign(metric=summary["metric"].map(at))
    shown = FIGURES["coverage_and_width"](table, {"metrics": ["precision"]})[1]
    settings, means = (shown[shown["point"] == name] for name in (SETTING, MEAN))
    assert set(settings["metric"]) == {"precision@0.5", "precision@2"}
    assert set(means["metric"]) == {"precision"}
    own = means.set_index("method").loc["MAVEN"]
    of_method = settings[settings["method"] == "MAVEN"]
    assert own["settings"] == len(of_method) == 4
    for column in ("coverage", "width_ratio"):
        assert own[column] == pytest.approx(of_method[column].mean())
    with pytest.raises(ValueError, match="recall"):
        FIGURES["coverage_and_width"](table, {"metrics": ["precision", "recall"]})


def test_known_methods_stand_first_in_the_legend():
    given = pd.Series(["new", "MAVEN", "GT", "MV", "GT", "newer"])
    assert method_order(given) == ["MV", "GT", "MAVEN", "new", "newer"]


def test_widths_are_relative_to_the_baseline_in_the_same_setting(summary):
    """Two experiments, one without setting columns; rows without a baseline are left out."""
    half = summary["width"] * np.where(summary["method"] == "MAVEN", 0.5, 1.0)
    first = summary.assign(width=half * np.where(summary["n_gold"] == 50, 3.0, 1.0))
    second = first[first["n_gold"] == 50].drop(columns="n_gold").assign(experiment="f")
    both = pd.concat([first, second], ignore_index=True)
    found = relative_to(both, "GT")
    assert len(found) == len(both)
    assert found["width_ratio"].to_numpy() == pytest.approx(
        np.where(found["method"] == "MAVEN", 0.5, 1.0)
    )
    without = both[(both["method"] != "GT") | (both["metric"] != "AUC")]
    assert set(relative_to(without, "GT")["metric"]) == {"TNR_H", "delta_AUC"}
    with pytest.raises(ValueError, match="no intervals of 'DS'"):
        relative_to(both, "DS")


def test_labelling_that_is_never_as_good_is_drawn_and_says_so(tables, tmp_path):
    """Gold labels alone on a thousand times as many items have narrower intervals than any n."""
    table, options = tables["labelling_efficiency"]
    options = options | {"gold_only": 34_000_000, "contours": [90_000_000]}
    figure, shown = FIGURES["labelling_efficiency"](table, options)
    assert not set(shown["part"]) & {"saving", "contour"}
    assert "no interval here is as narrow" in [text.get_text() for text in figure.axes[1].texts]
    draw("labelling_efficiency", table, options, tmp_path / "figure")
    assert (tmp_path / "figure.svg").stat().st_size > 500


@pytest.mark.parametrize(
    ("plot", "change", "options", "message"),
    [
        ("error_and_width", {}, {"metrics": ["AUC", "delta_TPR"]}, "delta_TPR"),
        ("error_and_width", {}, {"metrics": ["recall"]}, "recall"),
        ("error_and_width", {}, {"x": "gold_fraction"}, "gold_fraction"),
        ("order_statistics", {"datasets": 1}, {}, "data sets"),
        ("sensitivity", {}, {"quantities": ["n"]}, "no rows of the table vary 'n'"),
        ("ratios", {}, {"metric": "recall"}, "no recall of 'AutoEval"),
        ("ratios", {}, {"x": "n"}, "no column 'n'"),
        ("score_shapes", {}, {"shapes": ["three"]}, r"no shapes \['three'\]"),
        ("score_shapes", {"curve": None}, {}, "computation score_curves"),
    ],
)  # fmt: skip
def test_tables_that_lack_what_is_drawn_are_errors(
    plot, change, options, message, tables, tmp_path
):
    table, known = tables[plot]
    table = table.drop(columns="curve") if "curve" in change else table.assign(**change)
    with pytest.raises(ValueError, match=message):
        draw(plot, table, known | options, tmp_path / "f")
    assert list(tmp_path.iterdir()) == []


def test_a_footer_wider_than_the_figure_is_folded(tmp_path):
    """Not one that fits, and every word stays."""
    for words, lines in ((4, 1), (40, 2)):
        figure, _ = new_figure(1, 1, 2.0)
        note = " ".join(["diagnostics"] * words)
        figure.supxlabel(note, fontsize=7)
        save_figure(figure, pd.DataFrame({"x": [1]}), tmp_path / "figure")
        folded = figure.get_supxlabel()
        assert folded.count("\n") >= lines - 1
        assert (lines > 1) == ("\n" in folded)
        assert folded.split() == note.split()
        (artist,) = (text for text in figure.texts if text.get_text() == folded)
        box = artist.get_window_extent()
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.x1


def test_one_replicate_is_no_plural():
    assert count_replicates(pd.Series([1, 1])) == "1 replicate"
    assert count_replicates(pd.Series([5])) == "5 replicates"
    assert count_replicates(pd.Series([5, 2, 3])) == "2 to 5 replicates"
    one, more = (pd.DataFrame({"replicates": counts}) for counts in ([1, 1], [1, 4]))
    assert replicates_text(one, " a day").startswith("1 replicate a day, ")
    assert replicates_text(more) == "1 to 4 replicates; bars are one standard error"


DRAWN = """
import sys
from pathlib import Path
from matplotlib.font_manager import FontEntry, fontManager

own = FontEntry(fname=sys.argv[1], name="DejaVu Sans", weight=400, size="scalable")
fontManager.ttflist.insert(0, own)
if sys.argv[3] == "ours":
    from crowdgold.plots.style import new_figure
    new_figure(1, 1, 1)
import matplotlib
from matplotlib.figure import Figure

matplotlib.rcParams["svg.hashsalt"] = "one"
figure = Figure()
figure.text(0.5, 0.5, "Prevalence")
figure.savefig(sys.argv[2], metadata={"Date": None})
"""


def test_a_font_of_the_machine_changes_no_figure(tmp_path):
    """A machine's own font of the name DejaVu Sans; the control draws with it."""
    bundled = Path(mpl.get_data_path()) / "fonts" / "ttf"
    drawn = {}
    for order, name in [("ours", "DejaVuSans"), ("ours", "DejaVuSerif"), ("theirs", "DejaVuSerif")]:
        font, figure = tmp_path / f"{name}.ttf", tmp_path / "figure.svg"
        font.write_bytes((bundled / font.name).read_bytes())
        run([sys.executable, "-c", DRAWN, str(font), str(figure), order], check=True)
        drawn[order, name] = figure.read_bytes()
    assert drawn["ours", "DejaVuSans"] == drawn["ours", "DejaVuSerif"]
    assert drawn["theirs", "DejaVuSerif"] != drawn["ours", "DejaVuSerif"]
