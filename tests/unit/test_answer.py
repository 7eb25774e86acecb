"""The recommended answer's cells, bars and page, on tables whose faults are planted."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from crowdgold.experiment.data_tables import Replicate, write_replicates
from crowdgold.papers.answer.cells import (
    MEAN_WIDTHS,
    answer_cells,
    answers_of,
    bars_of,
    pooled_coverage,
    upper_limit,
)
from crowdgold.papers.answer.least_width import LEAST
from crowdgold.papers.answer.page import (
    ROWS,
    TRUTHS,
    cells_table,
    installed,
    peer_interval,
    predictions_table,
    read_samples,
)
from crowdgold.papers.answer.plots import draw_answer
from crowdgold.simulate import simulate
from crowdgold.types.gold_draw import GoldDraw
from crowdgold.types.items import NO_GOLD
from unit.made_answers import METRICS, REPLICATES, SIZES, WORLDS, made_answers
from unit.made_pages import page_from

CELL = ("answer_two", "AUC", 200)
NO_PEERS, NO_TRUTHS = pd.DataFrame(columns=ROWS), pd.DataFrame(columns=TRUTHS)
NO_LEAST = pd.DataFrame(columns=LEAST)


def held(changes=None, more=None, again=None):
    results = made_answers(changes)
    if more is not None:
        results = pd.concat([results, more], ignore_index=True)
    return [bar.holds for bar in bars_of(answers_of(results, "mine", "GT", again))]


def compared():
    """GT and logistic-R in two worlds; of ten replicates one is far off."""
    rows = []
    for world in ("prediction_a", "prediction_b"):
        for n_gold in (20, 200):
            for replicate in range(10):
                shared = {"experiment": world, "n_gold": n_gold, "replicate": replicate,
                          "metric": "AUC", "truth": 0.8}  # fmt: skip
                centre = 0.8 if replicate else 0.95
                for method, half in (("GT", 0.2), ("logistic-R", 0.1)):
                    rows.append({**shared, "method": method, "estimate": centre,
                                 "lower": centre - half, "upper": centre + half})  # fmt: skip
    return pd.DataFrame(rows)


def page_of(changes=None, more=None, again=None, **tables):
    results = made_answers(changes)
    if more is not None:
        results = pd.concat([results, more], ignore_index=True)
    options = {
        "answer": "mine", "baseline": "GT", "again": again,
        "labels": {"answer_one": "one", "answer_two": "two"},
    }  # fmt: skip
    none = {"peers": NO_PEERS, "truths": NO_TRUTHS, "least": NO_LEAST, "compared": compared()}
    experiments = {
        f"answer_{name}": {"title": f"World {name}", "parameters": parameters}
        for name, parameters in (("one", {"n": 2000}), ("two", {}))
    }
    given = {"options": options, "experiments": experiments}
    return page_from("answer", given, results=results, **{**none, **tables})


@pytest.mark.parametrize(("covered", "intervals"), [(0, 1), (170, 200), (199, 200), (930, 1000)])
def test_the_upper_limit_is_the_exact_binomial_one(covered, intervals):
    """At it, as few intervals or fewer hold with probability 0.001."""
    limit = upper_limit(covered, intervals)
    assert binom.cdf(covered, intervals, limit) == pytest.approx(0.001, rel=1e-6)
    assert upper_limit(intervals, intervals) == 1


def test_cells_and_pools_count_what_they_hold():
    cells = answer_cells(made_answers({CELL: {"intervals": 120, "covered": 90}}), "mine", "GT")
    assert len(cells) == len(WORLDS) * len(METRICS) * len(SIZES)
    cell = cells.set_index(["experiment", "metric", "n_gold"]).loc[CELL]
    assert (cell["replicates"], cell["intervals"], cell["covered"]) == (REPLICATES, 120, 90)
    assert cell["coverage"] == 0.75
    assert cell["over_all"] == (90 + REPLICATES - 120) / REPLICATES
    assert cell["compared"] == 120
    assert cell["width_ratio"] == pytest.approx(0.7)
    assert cell["coverage_baseline"] == 0.95
    # Metrics that share every miss have the error of one metric, not of six independent ones.
    one = pooled_coverage(made_answers({CELL: {"intervals": 0}}), "mine", ["n_gold"])
    assert one.set_index("n_gold").loc[200, "intervals"] == 5 * REPLICATES
    found = pooled_coverage(made_answers(), "mine", ["n_gold"]).iloc[0]
    assert found["coverage"] == 191 / 200
    of_one_metric = np.sqrt(0.955 * 0.045 / (2 * REPLICATES))
    assert found["coverage_se"] == pytest.approx(of_one_metric, rel=0.01)


def test_all_bars_hold_where_nothing_is_planted():
    assert held() == [True] * 6
    page = page_of()
    assert "6 of 6 targets are met" in page
    assert page.count("- none\n") == 2
    assert "**no**" not in page


@pytest.mark.parametrize(
    ("changes", "failing"),
    [
        # Another cell has as many more, so that the pool stays where it was.
        ({CELL: {"covered": 172}, ("answer_one", "prevalence", 200): {"covered": 200}}, [1, 2]),
        ({(w, "AUC", 50): {"covered": 184} for w in WORLDS}, [1]),
        ({(w, m, 50): {"covered": 187} for w in WORLDS for m in METRICS}, [0]),
        ({(w, m, 50): {"covered": 200} for w in WORLDS for m in METRICS}, [0]),
        ({CELL: {"width": 0.21}}, [3, 5]),
        ({("answer_one", "AUC", 50): {"width": 0.2001}}, [3, 4]),
        ({(w, m, 200): {"width": 0.15} for w in WORLDS for m in METRICS}, [5]),
        ({(w, m, 50): {"width": 0.155} for w in WORLDS for m in METRICS}, [4]),
    ],
)
def test_a_planted_fault_fails_its_own_bars(changes, failing):
    assert [place for place, holds in enumerate(held(changes)) if not holds] == failing


def test_a_cell_that_is_judged_again_is_judged_by_the_second_time():
    """The pooled numbers stay those of the replicates that were drawn first."""
    changes = {CELL: {"covered": 172}, ("answer_one", "AUC", 200): {"covered": 200}}
    assert held(changes) == [True, True, False, True, True, True]
    again = {"answer_again": "answer_two"}
    kept = made_answers(sizes=(200,), worlds=("answer_again",))
    assert held(changes, kept, again) == [True] * 6
    lost = made_answers(
        {("answer_again", "AUC", 200): {"covered": 170}}, sizes=(200,), worlds=("answer_again",)
    )
    assert held(changes, lost, again) == [True, True, False, True, True, True]
    page = page_of(changes, lost, again)
    assert "| two | AUC | 200 | 172 of 200 |" in page
    assert "0.850 of 200" in page
    assert "1 of them were judged again" in page
    table = cells_table(
        answers_of(pd.concat([made_answers(changes), lost]), "mine", "GT", again), {}
    )
    assert (table["judged"] == "again").sum() == 3


def test_the_page_answers_its_title_first_and_lists_what_fails():
    page = page_of({CELL: {"covered": 150, "width": 0.25}})
    title, _, opening, *_ = page.split("\n")
    assert title == "# How often is the recommended interval right?"
    whole = (11 * 191 + 150) / (12 * 200)
    assert opening.startswith(f"{100 * whole:.1f} % of the 95 % intervals")
    assert "over 2 [settings](#the-settings) and 3 metrics" in opening
    for row in ("| two | AUC | 200 | 150 of 200 | 0.8", "| two | AUC | 200 | 1.250",
                "| one | World one | 2,000 |"):  # fmt: skip
        assert row in page
    truths = pd.DataFrame([("answer_one", 200, "AUC", 0.5, 0.0007)], columns=TRUTHS)
    page = page_of({CELL: {"intervals": 20, "covered": 19}}, truths=truths)
    assert "In 1 of 12 cells most replicates have none" in page
    # Half the mean width is 0.07, which a replicate's width changes by a tenth.
    assert "at most 1.0 % of half the mean width" in page
    assert "15.0 %" in page  # 180 of 1,200 at 200 gold labels
    assert "No samples were read" in page_of()


@pytest.mark.parametrize(("intervals", "covered"), [(99, 50), (100, 80)])
def test_a_cell_of_few_intervals_is_not_judged_alone(intervals, covered):
    """Of 99 intervals hardly any could lie below the bar; of 100 it is said."""
    page = page_of({CELL: {"intervals": intervals, "covered": covered}})
    lowest = page.partition("### The lowest cells")[2]
    few = "0 of 11 cells lie below; 1 more have fewer than 100 intervals"
    assert (few in page) == (intervals == 99)
    assert ("| two | AUC | 200 | 100 | 0.800 ± 0.040 | 0.950 |" in lowest) == (intervals == 100)


@pytest.fixture
def drawn():
    parameters = {
        "n": 400, "n_gold": 60, "phi": 0.3, "right_positive": 0.7, "right_negative": 0.8,
        "votes_total": 3, "predictors": {"A": {"mu": 1.5}},
    }  # fmt: skip
    one = simulate("shared_difficulty", parameters, np.random.default_rng(1))
    return Replicate(one.table, one.reference, one.parameters, {"AUC": (0.85, 0.0004)})


def test_the_peers_have_their_own_formulas(drawn):
    # Its interval is narrower than that of the gold labels alone, and holds their estimate's
    # truth; accuracy where everything is flagged is the prevalence, where nothing is its rest.
    centre, lower, upper = peer_interval(drawn.table, "prevalence", 0.95, "ppi_py")
    assert lower < centre < upper
    gold = drawn.table.gold[drawn.table.gold >= 0]
    assert upper - lower < 2 * 1.96 * gold.std() / np.sqrt(len(gold))
    everything = peer_interval(drawn.table, "accuracy@-99", 0.95, "ppi_py")
    np.testing.assert_allclose(everything, (centre, lower, upper))
    nothing = peer_interval(drawn.table, "accuracy@99", 0.95, "ppi_py")
    np.testing.assert_allclose(nothing, (1 - centre, 1 - upper, 1 - lower))
    # By its own formula, z = 1.95996.
    gold = drawn.table.gold[drawn.table.gold != NO_GOLD]
    n, p, z = len(gold), gold.mean(), 1.959964
    middle, reach = p + z**2 / 2 / n, z * np.sqrt(p * (1 - p) / n + z**2 / 4 / n**2)
    ends = [(middle - reach) / (1 + z**2 / n), (middle + reach) / (1 + z**2 / n)]
    np.testing.assert_allclose(peer_interval(drawn.table, "prevalence", 0.95, "Wilson"), [p, *ends])


def test_the_samples_of_a_data_table_are_read_but_no_designed_one(drawn, tmp_path):
    path = tmp_path / "table.parquet"
    write_replicates(path, [("n_gold=60", number, drawn) for number in (0, 1)], {})
    peers, truths = read_samples([("world", path)], {"world": ["AUC", "prevalence"]}, 0.95)
    assert list(peers["replicate"]) == np.repeat([0, 1], len(installed())).tolist()
    assert set(peers["method"]) == set(installed()) >= {"Wilson", "ppi_py"}
    assert set(peers["metric"]) == {"prevalence"}
    assert set(peers["n_gold"]) == {60}
    assert peers["truth"].iloc[0] == drawn.table.truth.mean()
    assert truths.to_dict("records") == [
        {"experiment": "world", "n_gold": 60, "metric": "AUC", "truth": 0.85, "truth_se": 0.0004}
    ]
    # The peers take gold for a simple random sample.
    draw = GoldDraw(np.full(len(drawn.table), 0.1))
    designed = replace(drawn, table=replace(drawn.table, draw=draw))
    path = tmp_path / "table.parquet"
    write_replicates(path, [("n_gold=60", 0, designed)], {})
    peers, _ = read_samples([("world", path)], {"world": ["prevalence"]}, 0.95)
    assert peers.empty


def test_the_page_compares_predictions_and_says_how_narrow_it_could_be():
    # One of ten replicates misses by the narrower half of the widths.
    table = predictions_table(compared(), "GT")
    assert "| `GT` | gold labels only | 1.000, 1.000 | 1.000, 1.000 |" in table
    assert "| 0.900, 0.500 ± 0.000 | 0.900, 0.500 ± 0.000 |" in table
    assert "in 2 settings, 10 replicates each" in page_of()
    # Two worlds of .7 and .8; where nothing is known of it the page has no such section.
    rows = [("answer_one", 200, "AUC", 0.7), ("answer_two", 200, "AUC", 0.8)]
    page = page_of(least=pd.DataFrame(rows, columns=LEAST))
    assert "makes the ratio much less than 0.750" in page
    assert "| two | 0.70 | 0.80 |" in page
    assert "How narrow" not in page_of()


def test_the_width_asked_for_lies_above_all_lines_and_is_named():
    figure, _ = draw_answer(made_answers(), answer="mine")
    right = figure.axes[1]
    marks = [one.get_segments()[0] for one in right.collections if one.get_zorder() == 5]
    assert [height for (_, height), _ in marks] == [*MEAN_WIDTHS.values()]
    assert all(
        left < at < end for ((left, _), (end, _)), at in zip(marks, MEAN_WIDTHS, strict=True)
    )
    assert max(line.get_zorder() for line in right.get_lines()) < 5
    named = [f"target: {most:.2f}" for most in MEAN_WIDTHS.values()]
    assert [text.get_text() for text in right.texts] == named
