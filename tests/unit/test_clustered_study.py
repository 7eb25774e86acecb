"""A user's study whose items belong together: what is read, refused, checked and told."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import crowdgold as cg
from crowdgold.checking.gold_sample import OF_CLUSTERS, OF_ITEMS, assess_gold_sample
from crowdgold.checking.study import FEW_CLUSTERS, cluster_effect, intraclass_correlation
from crowdgold.cli import main
from crowdgold.inference.labels import evaluate
from crowdgold.methods.needs import CHOSEN
from crowdgold.methods.registry import fit
from crowdgold.reading.study import read_study
from crowdgold.simulate.design import CLUSTERS, SIMPLE, draw_gold
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD
from crowdgold.types.notes import Note, texts
from unit.made_study import ASKED, numbers_are_of_the_engine, refused_in_one_line, write_items
from unit.test_clusters import table


def items_of(design=CLUSTERS, seed=0, n_gold=200, n=1200):
    return draw_gold(table(n, seed), design, n_gold, np.random.default_rng([8, seed]))


def clusters_of(items):
    """Clusters by name."""
    return [f"prompt {one}" for one in items.cluster]


def write(items, path, **columns):
    return write_items(items, path, **{"cluster": clusters_of(items)} | columns)


def same_clusters(one, other):
    """Whether two numberings part the items in the same way."""
    pairs = set(zip(one.tolist(), other.tolist(), strict=True))
    return len(pairs) == len(np.unique(one)) == len(np.unique(other))


def test_the_command_gives_the_numbers_of_the_engine(tmp_path, capsys):
    """Control: without clusters the standard errors are others."""
    path = write(items_of(), tmp_path / "study.csv")
    items, said = numbers_are_of_the_engine(path, tmp_path, capsys, "population")
    assert "items belong together in 240 clusters of 5 items" in said
    rng = np.random.default_rng(1)
    fitted = fit("logistic-R", items, rng)
    for metric in ("prevalence", "TNR_H", "AUC:A", "delta_AUC"):
        (one,), (other,) = (evaluate(fitted, table, [metric], rng)
                            for table in (items, replace(items, cluster=None)))  # fmt: skip
        assert one.standard_error != other.standard_error


@pytest.mark.parametrize("form", ["wide", "long", "apart", "numbers", "renamed"])
def test_clusters_are_read_from_every_form_of_a_study(form, tmp_path):
    items = items_of()
    paths, columns = [tmp_path / "study.csv"], {}
    frame = pd.read_csv(write(items, paths[0]))
    if form == "wide":
        votes = {f"vote_{k}": (items.votes_positive > k).astype(int) for k in range(3)}
        frame = frame.drop(columns=["votes_positive", "votes_total"]).assign(**votes)
    elif form == "long":
        rows = np.repeat(np.arange(1200), 3)
        frame = frame.drop(columns=["votes_positive", "votes_total"]).iloc[rows]
        place = np.tile(np.arange(3), 1200)
        frame = frame.assign(annotator=[f"V{k}" for k in place])
        frame = frame.assign(label=(items.votes_positive[rows] > place).astype(int))
    elif form == "apart":
        paths.append(tmp_path / "clusters.csv")
        frame[["item", "cluster"]].sample(frac=1, random_state=1).to_csv(paths[1], index=False)
        frame = frame.drop(columns="cluster")
    elif form == "numbers":
        frame["cluster"] = items.cluster + 0.5
    else:
        frame, columns = frame.rename(columns={"cluster": "prompt"}), {"prompt": "cluster"}
    frame.to_csv(paths[0], index=False)
    found = read_study(paths, columns)
    assert same_clusters(found.items.cluster, items.cluster)
    assert found.items.take(np.arange(7)).cluster.tolist() == [0] * 5 + [1] * 2
    assert "240 clusters of 5 items" in texts(found.notes)
    if form == "numbers":
        study = cg.read(paths[0])
        assert "240 clusters of 5 items" in repr(study)
        assert cg.check(study).clusters.with_gold == 40
        alone = write(items, paths[0], cluster=range(1200))
        assert Note("own_clusters") in read_study([alone]).notes


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"cluster": ""}, "1,200 items ('0', '1', '2', ...) without a cluster"),
        ({"cluster": ["", *range(1199)]}, "1 item ('0') without a cluster; expected one for each"),
        ({"cluster": "all"}, "all 1,200 items are of one cluster ('all')"),
        ({"gold_stratum": ["a", "b"] * 600}, "are of one cluster, and"),
    ],
)
def test_clusters_that_cannot_be_are_refused_in_one_line(columns, message, tmp_path, capsys):
    path = write(items_of(), tmp_path / "study.csv", **columns)
    refused_in_one_line(path, tmp_path, capsys, "column 'cluster'", message)


def test_an_item_in_two_clusters_is_refused(tmp_path):
    frame = pd.DataFrame({
        "item": ["a", "a", "b", "b"], "annotator": ["x", "y"] * 2, "label": [1, 0, 1, 1],
        "cluster": ["p", "q", "r", "r"],
    })  # fmt: skip
    frame.to_csv(tmp_path / "votes.csv", index=False)
    with pytest.raises(InputError, match=r"cluster.*row 3.*what the item's first row has"):
        read_study([tmp_path / "votes.csv"])


def test_a_segment_within_one_cluster_has_no_interval(tmp_path, capsys):
    """40 items of one author in a study of many: the estimate stands, without an interval."""
    items = items_of()
    author = np.where(np.arange(1200) < 40, 0, items.cluster + 1)
    segment = np.where(np.arange(1200) < 40, "a", "b")
    path = write(items, tmp_path / "study.csv", cluster=author, stratum=segment)
    out = ("--out", str(tmp_path / "out"), "--metrics", "prevalence")
    assert main(["evaluate", path, *out, *ASKED]) == 0
    told = json.loads(capsys.readouterr().out)["answers"]
    found = {one["stratum"]: one for one in told}
    assert found["stratum=b"]["lower"] is not None
    assert "stratum=a" not in found or found["stratum=a"]["lower"] is None


def test_check_says_how_much_clusters_matter(tmp_path, capsys):
    items, path = items_of(), write(items_of(), tmp_path / "study.csv")
    effect = cluster_effect(items)
    assert main(["check", path, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["clusters"]
    assert found["design_effect"] == pytest.approx(effect.design_effect)
    assert main(["check", path, "--verbose"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert f"(design effect {effect.design_effect:.2f})" in told
    assert "clusters 240 clusters of 5 items; 40 have gold labels" in told
    # Five items of correlation r in each: 1 + 4 r, up to what 40 clusters leave open.
    assert effect.design_effect == pytest.approx(1 + 4 * effect.of_gold, rel=0.05)
    assert 0.1 < effect.of_votes < effect.of_gold


def test_the_intraclass_correlation_is_that_of_the_analysis_of_variance():
    """Three clusters by hand; and 0 within .03 where items are dealt at random."""
    values, cluster = np.array([1.0, 2, 3, 5, 5, 8]), np.array([0, 0, 1, 1, 1, 2])
    between = (2 * (1.5 - 4) ** 2 + 3 * (13 / 3 - 4) ** 2 + (8 - 4) ** 2) / 2
    within = (0.5 + ((np.array([3, 5, 5]) - 13 / 3) ** 2).sum()) / 3
    size = (6 - 14 / 6) / 2
    expected = (between - within) / (between + (size - 1) * within)
    assert intraclass_correlation(values, cluster) == pytest.approx(expected)
    rng = np.random.default_rng(1)
    dealt = rng.permutation(np.arange(20_000) // 5)
    assert abs(intraclass_correlation(rng.normal(size=20_000), dealt)) < 0.03
    assert np.isnan(intraclass_correlation(values, np.arange(6)))
    assert np.isnan(intraclass_correlation(np.ones(6), cluster))


def test_check_says_so_where_likeness_cannot_be_known():
    items = items_of()
    none, positive = (np.where(has, items.gold, NO_GOLD).astype(np.int8)
                      for has in (False, items.gold == 1))  # fmt: skip
    apart = items.with_gold(np.arange(1200) % 50 == 0)
    for one in (replace(items, gold=none), replace(items, gold=positive), apart):
        found = cluster_effect(one)
        assert np.isnan(found.of_gold)
        assert "nan" not in found.sentence
        assert f"{found.of_votes:.2f} of votes" in found.sentence


def test_gold_of_few_clusters_is_warned_of(tmp_path, capsys):
    for n_gold, warned in ((50, True), (5 * FEW_CLUSTERS, False)):
        path = write(items_of(n_gold=n_gold), tmp_path / f"{n_gold}.csv")
        assert main(["check", path]) in (0, 1)
        assert ("gold labels are of 10 clusters" in capsys.readouterr().err) == warned


@pytest.mark.parametrize(("design", "of"), [(CLUSTERS, OF_CLUSTERS), (SIMPLE, OF_ITEMS)])
def test_gold_by_whole_clusters_is_not_doubted(design, of):
    """40 studies: p below .1 in at most 11, which a level of .1 exceeds once in 1,000 tests."""
    found = [
        assess_gold_sample(items_of(design, seed), np.random.default_rng(seed), 199)
        for seed in range(40)
    ]
    assert {one.of for one in found} == {of}
    assert sum(one.p < 0.1 for one in found) <= 11


def test_without_the_column_gold_by_whole_clusters_looks_chosen():
    """The control: gold of 15 clusters of 20 alike items is doubted in 3 of 10 studies or more if
    items are tested one by one, and in at most 1 where clusters are (2 or more: once in 200)."""
    found = []
    for seed in range(10):
        alike = table(2000, seed, cluster_size=20, cluster_correlation=0.9)
        items = draw_gold(alike, CLUSTERS, 300, np.random.default_rng(seed))
        both = (items, replace(items, cluster=None))
        found.append([assess_gold_sample(one, np.random.default_rng(seed), 999).p for one in both])
    with_them, without = np.array(found).T
    assert (without < CHOSEN).sum() >= 3
    assert (with_them < CHOSEN).sum() <= 1


def test_chosen_clusters_are_seen():
    """Gold of the clusters with the most positive votes is doubted."""
    items = table(1200)
    votes = np.bincount(items.cluster, items.votes_positive)
    items = items.with_gold(np.isin(items.cluster, np.argsort(votes)[-40:]))
    found = assess_gold_sample(items, np.random.default_rng(1))
    assert found.of == OF_CLUSTERS
    assert found.p < CHOSEN
