"""The examples of docs/contributing.md work as they stand."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from crowdgold.claims.claims import claims_of
from crowdgold.claims.verdicts import FAILS, HOLDS
from crowdgold.metrics.metric import LabelMass, RankedItems
from crowdgold.simulate import simulate
from crowdgold.system import declarations as found
from unit.reference import make_items

PAGE = (Path(__file__).resolve().parents[2] / "docs/contributing.md").read_text(encoding="utf-8")
DESIGN = {"n": 4000, "votes_total": 3, "n_gold": 10, "predictors": {"A": {"mu": 1, "delta": 1}}}


def code_of(section, language="python"):
    """The code of a section of the page."""
    _, _, text = PAGE.partition(f"## {section}\n")
    (code,) = re.findall(rf"```{language}\n(.*?)```", text.partition("\n## ")[0], re.DOTALL)
    return code


def ran(section):
    names = {}
    exec(code_of(section), names)
    return names


def test_the_metric_is_one():
    metric = ran("A new metric")["METRIC"]
    items = make_items([0, 0, 3, 3], 3, -1, {"A": np.array([0.1, 0.7, 0.8, 0.2])})
    ranked, mass = RankedItems.of(items, "A"), LabelMass.of_labels(np.array([0, 0, 1, 0]))
    assert metric.value(mass, ranked, 0.5) == pytest.approx(2 / 3)
    assert len(metric.influence(mass, ranked, 0.5)) == 4


def test_the_figure_is_drawn():
    plot = ran("A new figure")["PLOT"]
    table = pd.DataFrame({"metric": ["AUC", "F1"], "method": "GT", "bias": 0.01})
    figure, shown = plot(table, {"metric": "AUC"})
    assert plot.options == {"metric": True, "limit": False}
    assert figure.axes[0].get_title() == "$AUC$"
    assert len(shown) == 1


def test_the_generator_is_found_in_its_file_and_draws(tmp_path, monkeypatch):
    code = code_of("A new generator")
    (tmp_path / "equal_errors.py").write_text(code)
    monkeypatch.setattr(found, "ROOT", tmp_path)
    ((_, variable),) = found.declared.__wrapped__("simulator").values()
    drawn = ran("A new generator")[variable].draw(
        {**DESIGN, "phi": 0.3, "error": 0.2}, np.random.default_rng(1)
    )
    items = drawn.table
    right = np.where(items.truth == 1, items.votes_positive, 3 - items.votes_positive)
    # 12,000 votes: a standard error of .004.
    assert right.sum() / 12_000 == pytest.approx(0.8, abs=5 * 0.004)


def test_the_claim_is_judged():
    (claim,) = claims_of(
        yaml.safe_load(code_of("A new claim", "yaml")), {}, "crowdgold.papers.maven"
    )
    rows = [
        {"experiment": "e", "gold_fraction": 0.1, "metric": "AUC", "method": method, "truth": 0.5,
         "replicate": k, "estimate": 0.6, "lower": 0.5,
         "upper": 0.5 + width * (1 + k / 100 + (k % 2) * (width < 0.2) / 100)}
        for k in range(5) for method, width in (("GT", 0.2), ("MAVEN", 0.1))
    ]  # fmt: skip
    assert claim.judge({"maven_fig4": pd.DataFrame(rows)}).verdict == HOLDS
    rows = [{**row, "upper": 0.7 + row["upper"] / 100} for row in rows]
    failed = claim.judge({"maven_fig4": pd.DataFrame(rows)})
    assert (failed.verdict, failed.reason) == (
        FAILS,
        "the data are private; ours are a simulated stand-in",
    )


def test_an_unknown_generator_is_refused_with_the_nearest_name():
    with pytest.raises(ValueError, match="did you mean 'maven'"):
        simulate("mavenn", {}, np.random.default_rng(1))


def commits_of(page):
    """Subject of each commit that the page lists -> its files."""
    section = page.partition("## Each of them, as it was added")[2].partition("\n## ")[0]
    parts = re.split(r"^- (.+)$", section, flags=re.MULTILINE)[1:]
    return {
        subject: re.findall(r"^  - `(.+)`$", files, re.MULTILINE)
        for subject, files in zip(parts[::2], parts[1::2], strict=True)
    }


COMMITS = commits_of(PAGE)


def test_the_page_lists_a_commit_for_each_thing_that_can_be_added():
    kinds = [subject.split()[1].rstrip(",") for subject in COMMITS]
    assert kinds == ["method", "metric", "figure", "generator", "claim"]
    sources = {kind: [f for f in files if f.startswith("src/")] for kind, files in
               zip(kinds, COMMITS.values(), strict=True)}  # fmt: skip
    assert [len(sources[kind]) for kind in kinds] == [1, 2, 1, 1, 1]


@pytest.mark.parametrize("subject", COMMITS)
def test_the_files_of_a_listed_commit_are_there_and_are_those_of_the_history(subject):
    root = Path(__file__).resolve().parents[2]
    assert [name for name in COMMITS[subject] if not (root / name).is_file()] == []
    command = ["git", "log", "-1", "--format=", "--name-only", "-F", f"--grep={subject}"]
    known = subprocess.run(command, cwd=root, capture_output=True, text=True).stdout.split()
    # A source without its history, or with a short one, does not know the commit. Folders have
    # other names since.
    listed = [Path(name).name for name in COMMITS[subject]]
    assert [Path(name).name for name in known] in ([], listed)


def test_each_fact_that_is_listed_stands_in_one_line():
    (table,) = re.findall(r"## Where is X decided\?\n(.*?)\n## ", PAGE, re.DOTALL)
    facts = re.findall(r"^\| ([^|]+) \| `(.+)` \|$", table, re.MULTILINE)[1:]
    assert len(facts) >= 12
    files = sorted((Path(__file__).parents[2] / "src/crowdgold").rglob("*.py"))
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    found = {fact: sum(bool(re.search(pattern, line)) for line in lines) for fact, pattern in facts}
    assert {fact: count for fact, count in found.items() if count != 1} == {}
