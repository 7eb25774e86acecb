"""Pages of the documentation: numbers and verdicts come from the tables and follow them."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.claims.cells import with_error
from crowdgold.claims.printed_items import ToldError
from crowdgold.experiment.summaries import check_coverage, coverage_band
from crowdgold.papers.calibration import page as coverage
from crowdgold.papers.maven import pages as bias_causes
from unit.made_pages import page_from


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (0.12345, 0.0123, "0.123 ± 0.012"), (1.5, 0.2, "1.50 ± 0.20"), (123.4, 25.0, "123 ± 25"),
        (0.5, 0.0, "0.5"), (0.0296424, 1e-8, "0.029642"), (0.5, float("nan"), "0.5"),
    ],
)  # fmt: skip
def test_errors_are_written_to_their_second_digit(value, error, text):
    assert with_error(value, error) == text


def coverage_table(auc: float) -> pd.DataFrame:
    table = pd.DataFrame(
        [("MV", "AUC", 0.0, 0), ("MAVEN", "AUC", auc, 4), ("MAVEN", "TNR_H", 0.95, 4)],
        columns=["method", "metric", "coverage", "gate_failures"],
    )
    return table.assign(
        coverage_se=0.01, band_low=0.9, band_high=0.99, replicates=300, undefined=0, level=0.95
    )


def coverage_page(summary, verdict, settings=None):
    """The page on coverage with these parts of MAVEN's, and little of all others."""
    common = {"experiment": "c", "replicates": 100, "undefined": 0, "level": 0.95, "width": 0.2,
              "coverage_se": 0.02, "gate_failures": 3}  # fmt: skip
    own = [
        {**common, "experiment": name, "method": method, "metric": metric,
         "coverage": covered - less}
        for name, less in (("one", 0), ("other", 0.05))
        for method, covered in (("DS", 0.95), ("H-AI", 0.4)) for metric in ("prevalence", "AUC")
    ]  # fmt: skip
    clara = [
        {**common, "method": method, "metric": metric, "coverage": covered, "width": width,
         "gate_failures": failed, "replicates": 200}
        for method, covered, width, failed in (
            ("MV", 0.5, 0.1, 0), ("CLARA", 0.94, 0.2, 3), ("CLARA-printed", 0.75, 0.13, 3)
        )
        for metric in ("prevalence", "TPR")
    ]  # fmt: skip
    ranks = pd.DataFrame(
        {"experiment": "c", "model": model, "replicate": k, "quantity": quantity,
         "diagnostics_passed": k > 1}
        for model in ("vote", "score") for k in range(5) for quantity in ("phi", "log_likelihood")
    )  # fmt: skip
    return page_from(
        "coverage", {"titles": {"one": "DS's", "other": "H-AI's"}}, summary=summary,
        verdict=verdict, settings=settings_rows(0.7, 0.94) if settings is None else settings,
        biased=pd.concat([bias_rows("w", -0.05, 0.0), bias_rows("x", -0.05, -0.06)]),
        shared=two_models(), own_models=pd.DataFrame(own), own_model_verdicts=["a\n", "b\n"],
        ranks=ranks, rank_verdicts=["vote: uniform\n"], clara=pd.DataFrame(clara),
        clara_verdict="c\nd\n",
    )  # fmt: skip


def test_the_coverage_page_names_what_falls_outside_the_band_and_has_its_parts():
    short, good = (coverage_page(coverage_table(auc), "a\nb") for auc in (0.7, 0.95))
    assert "95% intervals are too short for: AUC. " in short
    assert "95% intervals are too short for: nothing. " in good
    assert ["too narrow" in page for page in (short, good)] == [True, False]
    parts = {
        "# ": ("- a\n- b\n", "4 of 300 fits had Markov chains that had not converged"),
        "## Labels without gold": (
            "0.65 times as wide", "It covers 0.940 ± 0.020, on data of CLARA's process",
            "(`CLARA-printed`) covers 0.750 ± 0.020 and is",
            "| MV | 0.500 ± 0.020 | 0.500 ± 0.020 |",
            "200 replicates. 6 of 400 fits had", "- c\n- d\n",
        ),
        "## Each model where": (
            "12 of 400 fits had", "In it each metric has 2 methods side by side", "- a\n- b\n",
            "| DS's | H-AI | **0.40** | **0.40** | 3 |", "| H-AI's | DS | 0.90 | 0.90 | 3 |",
        ),
        "## Do the samplers": ("| vote | 5 | 2 |", "- vote: uniform"),
        # The cause of bias is what takes it away: only a clear change against it counts.
        "## ": (
            "*It is removed in `MAVEN-C, votes known`: 1 of 4.*",
            "What does not:\n\n- The paper's prior of mu", "| w, 30 studies | MAVEN-C | -0.0500 ± ",
        ),
        "## Comparing two models": ("| pairwise | coupled | 0.8000", "0.75 ± ", "1 of 4 fits had"),
    }  # fmt: skip
    lacking = [
        (part, words) for part, own in parts.items()
        for words in own if words not in short.partition(part)[2]
    ]  # fmt: skip
    assert lacking == []


def settings_rows(maven: float, calibrated: float) -> pd.DataFrame:
    """Two settings of 100 replicates each: GT covers .95, the others as given."""
    rows = [
        {"experiment": "e", "n": n, "method": method, "metric": metric, "coverage": coverage,
         "width": width, "replicates": 100, "level": 0.95, "bias": -0.02, "bias_se": 0.004,
         "gate_failures": 7}
        for n in (1000, 10_000) for metric in ("AUC", "delta_TPR", "TNR_H")
        for method, coverage, width in (
            ("GT", 0.95, 1.0), ("MAVEN", maven, 0.5), ("MAVEN-C", calibrated, 0.75)
        )
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_the_caption_says_what_each_grey_is():
    """One for each number of replicates, from the binomial band's lower end."""
    one = settings_rows(0.7, 0.94)
    low = {size: f"{coverage_band(size, 0.95)[0]:.2f}" for size in (25, 100)}
    assert f"from {low[100]} up with 100 replicates." in coverage.greys(one)
    fewer = one[one["n"] == 1000].assign(replicates=25, n=50)
    both = pd.concat([one, fewer], ignore_index=True)
    assert f"from {low[25]} up with 25 and from {low[100]} up with 100;" in coverage.greys(both)
    assert low[25] < low[100]
    assert coverage.greys(both) in coverage_page(coverage_table(0.7), "a", both)


def test_a_verdict_holds_coverage_against_the_band_of_its_row_and_setting():
    """A control that covers is a failure."""
    table = coverage_table(0.7)
    verdicts = check_coverage(table, {"MAVEN": ["TNR_H", "AUC"]}, {"MV": ["AUC"]})
    assert [holds for _, holds in verdicts] == [True, False, True]
    assert "MAVEN, AUC: coverage 0.700 is below the band" in verdicts[1][0]
    assert check_coverage(table, {}, {"MAVEN": ["TNR_H"]})[0][1] is False
    both = pd.concat([coverage_table(0.95).assign(n=10), table.assign(n=20)])
    verdicts = check_coverage(both, {"MAVEN": ["AUC"]}, {})
    assert [holds for _, holds in verdicts] == [True, False]
    assert verdicts[1][0].startswith("MAVEN, AUC, n = 20: coverage 0.700 is below")


def test_where_nothing_takes_the_bias_away_it_is_said():
    found = bias_causes.conclusion({"x": bias_rows("x", -0.05, -0.05)})
    assert "- nothing.\n\nWhat does not:" in found


def test_the_rule_and_what_covers_are_said():
    """The interval to rely on is another's; the versions in the band of the pooled coverage are
    named, and where none is, it says so."""
    page = coverage_page(coverage_table(0.7), "a", settings_rows(0.7, 0.94))
    assert "The interval to rely on is corrected by gold" in page
    assert "at 0.95 by `MAVEN-C` in 0.940. The" in page
    assert "Over 2 settings in which" in page
    assert "| MAVEN-C | AUC | 0.940 ± 0.017 | 0.94 | 0.75 |" in page
    both = coverage.nearest_to_level(settings_rows(0.95, 0.94))
    assert both.endswith("by `MAVEN` in 0.950 and by `MAVEN-C` in 0.940")
    neither = coverage.nearest_to_level(settings_rows(0.7, 0.8))
    assert "No version's intervals contain" in neither
    assert "`MAVEN-C` come nearest (0.800)" in neither
    cell = "0.50, -0.0200 ± 0.0040"
    assert (
        f"| e, n = 1000 | MAVEN | **0.700**, {cell} | **0.700**, {cell} |  |  | 7 of 100 |" in page
    )
    assert "| e, n = 10000 | MAVEN-C | 0.940, 0.75," in page
    assert page.index("## Where MAVEN's") < page.index("## Which version") < page.index("## Num")


def test_scores_of_other_shapes_are_a_part_of_their_own():
    """They do not count in the choice of a version; the sentence follows from the numbers."""
    rows = [
        {"experiment": "f", "shape": shape, "method": method, "metric": metric,
         "coverage": coverage, "width": 0.5, "replicates": 40, "level": 0.95}
        for shape, narrow, wide in (("u", 0.6, 0.9), ("v", 0.94, 0.8))
        for method, coverage in (("GT", 0.95), ("MAVEN-C", narrow), ("MAVEN-CS", wide))
        for metric in ("AUC", "TNR_H")
    ]  # fmt: skip
    both = pd.concat([settings_rows(0.7, 0.94), pd.DataFrame(rows)])
    page = coverage_page(coverage_table(0.7), "a", both)
    assert "at 0.95 by `MAVEN-C` in 0.940. The" in page
    assert "Over 2 settings in which" in page
    # Over AUC alone: that of TNR_H the scores hardly touch.
    assert "- u 0.900 against 0.600, 1.00 times as wide\n- v 0.800 against 0.940" in page
    assert f"standard error of at least {(0.05 * 0.95 / 40) ** 0.5:.3f}" in page
    assert "| u | AUC | 0.95, 1.00 | 0.60, 1.00 | 0.90, 1.00 |" in page
    assert "| u | TNR_H" not in page


def bias_rows(world, bias, told, replicates=30):
    """Errors of precision: those of MAVEN-C, and with the votes known, on average as given; those
    of AUC are -.05 in all versions."""
    rng = np.random.default_rng(5)
    shared = rng.normal(0, 0.01, replicates)
    means = {"MAVEN-C": bias, "MAVEN-C, prior of mu at 5": bias, "MAVEN-C, votes known": told}
    return pd.DataFrame(
        [
            {"experiment": world, "world": world, "replicate": k, "version": version,
             "metric": metric, "estimate": 0.6 + mean + shared[k] - shared.mean(), "truth": 0.6,
             "diagnostics_passed": True}
            for version, own in means.items() for k in range(replicates)
            for metric, mean in (("precision@1", own), ("AUC", -0.05))
        ]
    )  # fmt: skip


def two_models():
    """Widths .08 to .1 in every replicate: a ratio of .8; one of four does not cover."""
    rows = [
        {"score_likelihood": "pairwise", "labels": way, "replicate": k, "truth": 0.1,
         "estimate": 0.12, "lower": 0.12 - half, "upper": 0.12 + half, "diagnostics_passed": k > 0}
        for k in range(4)
        for way, half in (("coupled", 0.04 if k else 0.01), ("independent", 0.05 if k else 0.0125))
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_the_comparison_page_has_a_line_a_setting_and_a_column_a_metric():
    rows = [
        {"experiment": "e", "gold_fraction": fraction, "metric": metric, "replicate": k,
         "method": method, "truth": 0.5, "estimate": 0.5 + (0.1 + 0.01 * k) * scale,
         "lower": 0.5, "upper": 0.5 + (0.2 + 0.01 * k) * width}
        for fraction in (0.01, 0.1) for metric in ("AUC", "TNR_H") for k in range(20)
        for method, scale, width in (("GT", 1, 1), ("MAVEN", 0.8, 0.6))
    ]  # fmt: skip
    tables = dict.fromkeys(("maven_fig4", "maven_fig4_stress"), pd.DataFrame(rows))
    titles = {"maven_fig4": "Predictor A", "maven_fig4_stress": "Predictor B"}
    page = page_from("comparison", titles, tables=tables)
    assert "intervals that are 0.60 to 0.60 times as wide, and an error that is 0.80 times" in page
    assert "### Predictor B\n\n20 replicates in each setting;" in page
    assert "| gold_fraction | AUC | TNR_H |" in page
    assert "| 0.01 | 0.800000 | 0.800000 |" in page
    assert "| 0.1 | 0.600000 | 0.600000 |" in page
    assert "| 0.1 | 0.632456 | 0.632456 |" in page  # 0.6 / sqrt(1 - 0.1)


def told_pages(auc="0.912 ± 0.007"):
    """The pages that the page on intervals tells of, as far as it does."""
    answer = (
        "## By number of gold labels\n\n"
        "| gold labels | coverage | coverage of GT | width / GT | without an interval |\n"
        "| --- | --- | --- | --- | --- |\n| 20 | 0.979 ± 0.001 | 0.983 | 0.886 | 16.4 % |\n"
        "| 500 | 0.951 | 0.952 | 0.831 | 0.5 % |\n\n"
        "### The lowest cells\n\n| setting | coverage |\n| --- | --- |\n"
        "| a | 0.878 ± 0.021 |\n| b | 0.90 ± 0.02 |\n"
    )
    pooled = "".join(
        f"| {method} | {metric} | {covers} | 0.84 | 0.78 |\n"
        for method, covers in (("MAVEN", "0.756"), ("MAVEN-C", auc))
        for metric in ("AUC", "prevalence")
    )
    coverage = (
        "## Where MAVEN's assumptions are true\n\n"
        "| method | prevalence | TNR_H | AUC |\n| --- | --- | --- | --- |\n"
        "| MV | 0.875 | 0.000 | 0.000 |\n| DS | **0.365** | 0.000 | 0.000 |\n\n"
        "### Pooled over settings\n\n"
        "| method | metric | coverage | worst setting | width / GT |\n"
        f"| --- | --- | --- | --- | --- |\n{pooled}"
    )
    return {"answer": answer, "coverage": coverage}


def test_the_page_on_intervals_tells_the_numbers_of_other_pages():
    page = page_from("which-interval", told=told_pages())
    assert "contained the truth in 95 to 98 of 100 studies, with 20 gold" in page
    assert "with 20 gold labels 16 of 100 have none" in page
    assert "single metric in a single setting it was 0.88 at the least" in page
    assert "| corrected by gold (`logistic-R`) | 0.95 to 0.98 | 0.88 | 0.83 to 0.89 |" in page
    assert "| MAVEN, calibrated (`MAVEN-C`) | 0.91 to 0.91 | 0.84 | 0.78 to 0.78 |" in page
    assert "| Dawid-Skene (`DS`) | 0.00 to 0.36 |" in page
    assert len(page.splitlines()) <= 40
    with pytest.raises(ToldError, match="Pooled over settings, coverage, method MAVEN-C: found"):
        page_from("which-interval", told=told_pages(auc="none"))


CLAIMS = """# A paper

## What does not hold

- **Fig. 2**: down; and out. *Why not:* a slip of {name}; by setting: 0.2 to 0.9.
- **Fig. 3**: level; or not. *Why not:* no cause is known.

## What holds

Of data:

- **Fig. 9**: not main.

Of {name}:

- **Fig. 1**: up by {name}.
- **Fig. 5**: even.

Further:

- **Fig. 6**: not main.

## Every claim

| where | printed | verdict |
| --- | --- | --- |
| Fig. 1 | up | holds |
| Fig. 2 | down | does not hold |
| Fig. 3 | level | not decided |
"""
NEW = {
    "answer": "## By number of gold labels\n\n"
    "| gold labels | coverage | width / GT | without an interval |\n| --- | --- | --- | --- |\n"
    "| 20 | 0.97 | 0.9 | 16.4 % |\n| 500 | 0.951 | 0.8 | 0.5 % |\n\n"
    "### The lowest cells\n\n| coverage |\n| --- |\n| 0.890 ± 0.022 |\n\n"
    "## Did it meet its targets?\n\n| target | met |\n| --- | --- |\n| covers | yes |\n"
    "| narrow | **no** |\n| narrower | **no** |\n",
    "gold-designs": "## About the population\n\n| positive | sample | prevalence | recall |\n"
    "| --- | --- | --- | --- |\n| 0.03 | two batches | 0.527 ± 0.03 | 0.71 |\n",
    "experts": "## Second opinions on the rarer class and a tenth of the rest\n\n"
    "| experts' errors | gold labels | AUC |\n| --- | --- | --- |\n"
    "| 5 % | one opinion, taken for true | 0.21 |\n"
    "| 5 % | corrected for experts' errors | 0.97 |\n"
    "| 5 %, shared | corrected for experts' errors | 0.66 |\n",
    "judges": "# Judges\n\n| where | verdict |\n| --- | --- |\n| a bar | does not hold |\n",
}


def test_what_was_found_is_counted_and_told_from_the_pages():
    papers = {
        "One": [{"number": "Figure 1", "page": "a"}],
        "Two": [{"number": "Table 1", "page": ["b_one", "b_two"]}, {"number": "Table 2",
                 "page": "b_one"}],
    }  # fmt: skip
    told = NEW | {name: CLAIMS.format(name=name) for name in ("a", "b_one", "b_two")}
    told["a"] += "| Fig. 4 | odd | not judged |\n| ours, on fig. 4 | even | holds |\n"
    told["a"] += 2 * "| Fig. 5 | odd | cannot be decided |\n"
    told["b_one"] = told["b_one"].replace("| Fig. 2 | down", "| Fig. 2, stand-in | down")
    speeds = pd.DataFrame({"nested score model": [18.0, 44.0], "score model": [1.0, 2.0]})
    rest = {"printed_items": {"papers": papers}, "by_items": speeds}
    page = page_from("findings", told=told, **rest)
    wanted = (
        "Of 6 claims of the five papers [that could be decided](verdicts.md), 3 hold and 3",
        " do not; 1 are about simulated stand-ins. 3 more need replicates, ",
        "public data cannot decide 2, 1 are not judged, and printed numbers fix 0.",
        "in 95 to 97 of 100 cases (at worst",
        "With 20 gold labels 16 of 100 [are missing](answer.md#by-number-of-gold-labels), and",
        "(at worst 89, for one metric in one setting)",
        "With 3 % positives 53 labels in two batches of",
        "For recall it takes [71](gold-designs.md#about-the-population).",
        "its score model is [18 to 22 times as fast](scaling.md)",
        "[Second opinions](experts.md) bring it to 97; ",
        "for the truth is right in [21 of 100](experts.md#second-opinions-on-",
        "where experts share half of their errors, to 66.",
        "our own 1 hold, 0 do not and 0 are not decided. Of 4 targets",
        "[experts](experts.md) 1 are met, 3 are not and 0 are not decided.",
        "- **One**: Up by a. Even. [1 holds, 1 does not](a.md#what-holds)",
        "- **Two**: Up by b_one. Even. Up by b_two. Even. [1 holds",
    )
    assert [words for words in wanted if words not in page] == []
    for name in ("a", "b_one", "b_two"):
        line = f"]({name}.md#numbers), **Fig. 2**: down; and out. *Why not:* a slip of {name}.\n"
        assert page.count(line) == 1
    assert page.count(", **Fig. 3**: level; or not. *Why not:* no cause is known.\n") == 3
    with pytest.raises(ToldError, match="What holds: found 0 sections of this heading"):
        page_from("findings", told={**told, "a": "# A paper\n"}, **rest)


def test_the_scaling_page_prints_every_n():
    names = ["summary", "vote model", "score model", "inference", "imputation", "total", "peak MB"]
    row = dict.fromkeys(names, 1.0) | {"nested score model": 40.0, "inference_exponent": 0.01}
    study = pd.DataFrame(
        [
            *({"study": one, "version": number, "stage": "crowdgold evaluate", "cpu": 30,
               "wall": 20, "answer": seconds, "peak MB": 900, "report MB": 0.9, "bar": "kept"}
              for one in ("example", "small", "large")
              for number, seconds in (("0.2.0", 2.5), ("0.1.0", 25))),
            {"study": "small", "stage": "reading", "cpu": 1, "wall": 1, "peak MB": 100},
        ]
    )  # fmt: skip
    files = {
        "by_items": pd.DataFrame([{"n": n, **row} for n in (1000, 1_000_000)]),
        "joint": pd.DataFrame(
            {"method": ["DS+S", "H-AI, compressed"], "n": 10_000, "inference": [44.0, 90.0],
             "passed": [True, False]}
        ),
        "em": pd.DataFrame(
            {"row": ["EM", "crowd-kit DawidSkene"], "items": 100_000, "seconds": [0.2, 7.0],
             "MB above": [12.0, 158.0], "times ours": [np.nan, 35.0], "difference": [np.nan, 1e-10]}
        ),
        "costs": pd.DataFrame(
            {"target": ["figures", "figures", "validate"], "core_hours": [10.25, 7.25, 12.5]}
        ),
        "reading": pd.DataFrame(
            [{"votes": votes, "command": "crowdgold check", "version": version,
              "cpu": votes / 2.5e5, "peak MB": 400.0}
             for votes in (1_000_000, 10_000_000) for version in ("now", "before")]
        ),
    }  # fmt: skip
    page = page_from("scaling", study=study, **files)
    wanted = (
        "| figures | 22 | 15 | 17.5 | 2.5 |", "| validate | 37 | 15 | 12.5 |  |",
        "| both | 59 | 30 | 30.0 |  |", "| EM | 100,000 | 0.2 | 12 |  |  |",
        "| crowd-kit DawidSkene | 100,000 | 7 | 158 | 35 | 1e-10 |",
        "| H-AI, compressed | 90.0 | 180 | failed |",
        "| small | 0.2.0 | 2.5 | 20 | 30 | 900 | 0.9 | kept |",
        "after 25 s and 25 s, 10.0 and 10.0 times as late", "takes 4.0 s of CPU and 400 MB",
        "| 10,000,000 | crowdgold check | before | 40.0 | 400 |", "| 1,000,000 | 1.00 |",
        "power 0.01", "40 to 40 times as long",
    )  # fmt: skip
    assert [words for words in wanted if words not in page] == []
    assert "reading" not in page
    alone = page_from("scaling", study=study[study["version"] != "0.1.0"], **files)
    assert "times as late" not in alone


def test_the_cluster_page_adds_up_by_paper_and_target():
    common = {"target": "figures", "jobs": 1200, "core_hours": 2.0, "tables_mb": 500}
    costs = pd.DataFrame(
        {"paper": paper, "experiment": name, "largest_job_minutes": minutes, "memory_mb": memory,
         "scratch_mb": scratch, **common}
        for paper, name, minutes, memory, scratch in (
            ("MAVEN", "one", 12.0, 300, 2.0), ("MAVEN", "two", 50.0, 900, 2.0),
            ("CLARA", "three", 1.0, 900, 7.0),
        )
    )  # fmt: skip
    taken = pd.DataFrame(
        {"paper": ["MAVEN", "MAVEN", "CLARA"], "target": "figures",
         "experiment": ["one", "two", "three"], "scale": ["paper", "default", "paper"],
         "core_hours": [1.5, 0.1, 0.25]}
    )  # fmt: skip
    figures = {
        "both": {"experiments": ["one", "three"]}, "half": {"experiments": ["one", "two"]},
        "unknown": {"experiments": ["four"]}, "timed": {"benchmark": "x"},
    }  # fmt: skip
    # Block b was drawn twice and differed once: it is one that differs.
    verified = pd.DataFrame(
        {"block": ["a", "b", "c", "b", "d", "e"], "scale": [*["paper"] * 5, "default"],
         "same": [True, False, True, True, True, False],
         "compared": ["bit by bit", "bit by bit", "close", "bit by bit", "to 5 digits", "close"],
         "drawn_from": [30, 30, 30, 1200, 1200, 1200]}
    )  # fmt: skip
    given = {"costs": costs, "taken": taken, "figures": figures}
    page = page_from("cluster", verified=verified, **given)
    wanted = (
        "| MAVEN | make figures | 1 | 1.50 |", "| **all** |  | 2 | 1.75 |",
        "| `both` | `one`, `three` | 4.00 | 1.75 |", "| `half` | `one`, `two` | 4.00 |  |",
        "made 4 of 1,200 published blocks again, chosen at random. 3 came out the same, "
        "2 of them in every digit that is published, and the others, first made elsewhere, "
        "within their Monte Carlo error.",
        "| MAVEN | make figures | 2 | 2,400 | 4.0 | 900 | 1.00 |",
        "| **all** |  | 3 | 3,600 | 6.0 | 900 | 1.50 |", "one of `two`: about 50 minutes",
        "up to 7 MB",
    )  # fmt: skip
    assert [words for words in wanted if words not in page] == []
    assert not [name for name in ("`unknown`", "`timed`") if name in page]
    assert "make verify" not in page_from("cluster", verified=verified.iloc[-1:], **given)
