"""`crowdgold sample` and back: files go to experts, come back with labels, and are understood."""

import json
import os
from dataclasses import replace
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import crowdgold as cg
from crowdgold.cli import main
from crowdgold.inference.labels import evaluate
from crowdgold.methods.registry import fit
from crowdgold.planning.batch import COLUMNS, more_opinions, next_batch, with_labels
from crowdgold.planning.estimated_chances import chances_in_words, estimated_chances
from crowdgold.planning.more_labels import metrics_for
from crowdgold.reading.study import read_study
from crowdgold.types.items import items_from_frame
from crowdgold.types.notes import texts
from crowdgold.types.parameters import SEED
from unit.made_items import draw_items, write_items

TABLE = draw_items(11)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A study without gold labels, in the working folder."""
    monkeypatch.chdir(tmp_path)
    write_items(TABLE, "study.csv")
    return tmp_path


def read(name):
    return pd.read_csv(name, dtype={"item": str})


def truth_of(frame):
    return pd.Series(TABLE.truth, index=TABLE.item.astype(str)).reindex(frame["item"]).to_numpy()


def fill(name, rows=None):
    """An expert labels a file's items, or the first so many; the order and types may change."""
    frame = read(name)
    gold = pd.Series(truth_of(frame)).astype("Int8")
    frame["gold"] = gold.where(np.arange(len(frame)) < (rows or len(frame)))
    frame.sample(frac=1, random_state=1).to_csv(name, index=False)


def sample(*options):
    return main(["sample", *map(str, options)])


def drawn(n, out="one.csv", *files, rows=None):
    """Send items to an expert, who labels all of them or the first so many."""
    assert sample("study.csv", *files, "--n", n, "--out", out) == 0
    fill(out, rows)


def words(text):
    return " ".join(text.split())


def estimate(items, metric="prevalence", method="GT"):
    rng = np.random.default_rng(1)
    return evaluate(fit(method, items, rng), items, [metric], rng)[0]


def test_files_come_back_with_labels_and_are_understood(folder, capsys):
    """`evaluate` has the engine's numbers of the same two batches drawn in code."""
    assert sample("study.csv", "--n", 80, "--out", "one.csv", "--seed", 3) == 0
    assert list(pd.read_csv("one.csv").columns) == list(COLUMNS)
    fill("one.csv")
    options = ("--n", 120, "--for", "AUC", "prevalence", "--out", "two.csv", "--seed", 3)
    assert sample("study.csv", "one.csv", *options) == 0
    fill("two.csv")
    told = capsys.readouterr().out
    assert "rests on votes and scores alone" in told
    assert "rests on the 80 gold labels" in told
    asked = ["--no-models", "--methods", "GT", "logistic-R", "--metrics", "prevalence", "AUC"]
    files = ["study.csv", "one.csv", "two.csv"]
    assert main(["evaluate", *files, "--out", "out", "--json", *asked]) == 0
    told = capsys.readouterr()
    assert "by strata, in 2 batches of 80, 120" in words(told.err)
    answers = json.loads(told.out)["answers"]
    bare = read_study(["study.csv"]).items
    items = bare
    for n, wanted in ((80, []), (120, ["AUC", "prevalence"])):
        batch = next_batch(items, metrics_for(items, wanted), n, 3)
        items = with_labels(replace(items, truth=TABLE.truth), batch)
    again = read_study(files).items
    np.testing.assert_array_equal(again.gold, items.gold)
    np.testing.assert_allclose(again.draw.counts, items.draw.counts)
    for metric, model in (("prevalence", ""), ("AUC", "A"), ("AUC", "B")):
        expected = estimate(items, f"{metric}:{model}" if model else metric, "logistic-R")
        (found,) = [one for one in answers if (one["metric"], one["model"]) == (metric, model)]
        assert found["method"] == "logistic-R"
        for key in ("estimate", "lower", "upper"):
            assert found[key] == pytest.approx(getattr(expected, key), rel=1e-8)


def test_what_is_not_labelled_yet_is_written_anew_and_a_file_with_labels_never(folder):
    for n in (80, 90):
        assert sample("study.csv", "--n", n, "--out", "one.csv") == 0
    fill("one.csv", 10)
    before = (folder / "one.csv").read_bytes()
    assert sample("study.csv", "--n", 80, "--out", "one.csv") == 2
    assert sample("study.csv", "one.csv", "--n", 80, "--out", "one.csv", "--force") == 2
    assert (folder / "one.csv").read_bytes() == before


def test_what_experts_leave_empty_counts_as_not_drawn(folder):
    """What is drawn again is of the batch that has its label."""
    drawn(80, rows=60)
    study = read_study(["study.csv", "one.csv"])
    assert any(one.text.startswith("20 of 80 items that were sent") for one in study.notes)
    assert np.nansum(study.items.draw.counts) == pytest.approx(1000)
    sent = read("one.csv")
    drawn(500, "two.csv", "one.csv")
    again = set(sent["item"][sent["gold"].isna()]) & set(read("two.csv")["item"])
    assert len(again) > 3
    items = read_study(["study.csv", "two.csv", "one.csv"]).items
    own = np.isin(items.item.astype(str), list(again))
    assert set(items.draw.batch[items.draw.stratum[own]]) == {1}
    assert np.nansum(items.draw.counts) == pytest.approx(1000)


def test_an_expert_may_stop_anywhere(folder, capsys):
    """None of a batch counts before each stratum has a label; empty ones are named."""
    for name, n, files in (("one", 80, []), ("two", 60, ["one.csv"])):
        assert sample("study.csv", *files, "--n", n, "--out", f"{name}.csv") == 0
        sent = read(f"{name}.csv")
        strata = sent["gold_stratum"].nunique()
        assert sent["gold_stratum"][:strata].nunique() == strata
        for labels in (1, 3, strata - 1, strata, strata + 3):
            sent.to_csv(f"{name}.csv", index=False)
            fill(f"{name}.csv", labels)
            study = read_study(["study.csv", *files, f"{name}.csv"])
            begun = labels >= strata
            assert (study.items.gold >= 0).sum() == 80 * len(files) + labels * begun
            told = [one.text for one in study.notes if one.code == "batch_not_begun"]
            assert len(told) == (not begun)
            for empty in sent["gold_stratum"][labels:strata]:
                assert f"'{empty}'" in told[0]
            if begun or files:
                assert np.nansum(study.items.draw.counts) == pytest.approx(1000)
        sent.to_csv(f"{name}.csv", index=False)
        fill(f"{name}.csv")
    fill("two.csv", 3)
    capsys.readouterr()
    asked = ["--no-models", "--methods", "logistic-R", "--metrics", "prevalence", "--json"]
    found = []
    for files in (["one.csv"], ["one.csv", "two.csv"]):
        options = ["--anytime", "300", "--out", f"out{len(files)}"]
        assert main(["evaluate", "study.csv", *files, *options, *asked]) == 0
        found.append(json.loads(capsys.readouterr().out)["answers"])
    assert found[0] == found[1]
    capsys.readouterr()
    assert sample("study.csv", "one.csv", "two.csv", "--n", 50, "--out", "three.csv") == 2
    error = words(capsys.readouterr().err)
    assert "3 gold labels passed over, since some stratum of their batch has none" in error
    assert "No batch can follow before" in error
    assert not (folder / "three.csv").exists()


def test_random_gold_comes_first_and_a_batch_after_it(folder):
    """Gold without a word of how it was drawn is a random sample, the first batch."""
    rows = np.random.default_rng(2).choice(1000, 60, replace=False)
    gold = pd.DataFrame({"item": TABLE.item[rows], "gold": TABLE.truth[rows]})
    gold.to_csv("gold.csv", index=False)
    drawn(60, "two.csv", "gold.csv")
    items = read_study(["study.csv", "gold.csv", "two.csv"]).items
    assert np.bincount(items.draw.batch, items.draw.drawn).tolist() == [60, 60]
    assert np.nansum(items.draw.counts) == pytest.approx(1000)


def test_a_pilot_guides_the_first_batch(folder):
    write_items(draw_items(12, n_gold=150), "pilot.csv")
    assert sample("study.csv", "--pilot", "pilot.csv", "--n", 80, "--out", "one.csv") == 0
    assert sample("study.csv", "--n", 80, "--out", "other.csv") == 0
    one, other = (pd.read_csv(f"{name}.csv", dtype=str) for name in ("one", "other"))
    assert set(one["gold_stratum_size"]) != set(other["gold_stratum_size"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--n 0", "--n: found 0, expected 2 to 1,000"),
        ("--n 1001", "--n: found 1,001"),
        ("--n 50 --for AUX", "no metric 'AUX'"),
        ("--n 50 --proportional 2", "--proportional: found 2"),
        ("--n 50 --seed -1", "--seed: found -1"),
        ("--n 50 --out study.csv", "would overwrite study.csv"),
        ("--n 50 --out one.txt", "ends in .csv"),
        ("--n 50 --pilot none.csv", "none.csv"),
        ("--poststratify --n 50", "leave out --n"),
        ("--poststratify --for AUC", "--for: found with --poststratify"),
        ("--poststratify", "found 0 items with a gold label"),
        ("", "--n: found none, expected the number of items to label, --second or --poststratify"),
        ("--second", "--second: found no gold labels"),
        ("--second --for AUC", "--for: found with --second"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line(options, message, folder, capsys):
    assert sample("study.csv", "--out", "one.csv", *options.split()) == 2
    told = capsys.readouterr()
    assert not told.out
    assert message in told.err.strip().splitlines()[-1]
    assert not (folder / "one.csv").exists()


def test_a_batch_of_clusters_comes_back_and_a_study_without_scores_takes_no_column_for_one(folder):
    """`evaluate` takes clusters, and its intervals are by them."""
    frame = read("study.csv")
    frame.assign(cluster=np.arange(len(frame)) // 5).to_csv("clusters.csv", index=False)
    frame[["item", "votes_positive", "votes_total"]].to_csv("votes.csv", index=False)
    found = {}
    for name in ("clusters.csv", "votes.csv"):
        assert sample(name, "--n", 80, "--out", "one.csv", "--force") == 0
        fill("one.csv")
        found[name] = read_study([name, "one.csv"]).items
        assert found[name].draw.drawn.sum() == 80
        os.remove("one.csv")
    assert not found["votes.csv"].predictors
    items = found["clusters.csv"]
    assert items.draw.batch.max() == 0
    assert len(np.unique(items.cluster)) == len(frame) / 5
    single, clustered = estimate(replace(items, cluster=None)), estimate(items)
    assert single.estimate == clustered.estimate
    assert single.standard_error != clustered.standard_error


def chosen_items(seed, liked, number=200):
    """The study with gold labels of some items, each as likely as what its rank makes it liked."""
    rank = np.argsort(np.argsort(TABLE.scores["A"])) / len(TABLE)
    turn = np.random.default_rng(seed).exponential(size=len(TABLE)) / liked(rank)
    return TABLE.with_gold(np.isin(np.arange(len(TABLE)), np.argsort(turn)[:number]))


def choose_by_score(seed, steep=0.0):
    """Write 150 choices of high scores, e ** steep times as often from end to end."""
    liked = chosen_items(seed, lambda rank: (0.2 + rank**2) * np.exp(steep * rank), 150)
    write_items(liked, "chosen.csv")


def test_chances_are_estimated_for_gold_that_was_chosen(folder, capsys):
    """The prevalence is 16 %. Gold by score alone makes it more than 1.3 times as large in the mean
    of 20 choices; with the chances it is within a tenth, two standard errors and more."""
    found = {"chosen": [], "mended": []}
    for seed in range(20):
        choose_by_score(seed)
        assert sample("chosen.csv", "--poststratify", "--out", "chances.csv", "--force") == 0
        for name, files in (("chosen", ["chosen.csv"]), ("mended", ["chosen.csv", "chances.csv"])):
            found[name].append(estimate(read_study(files).items).estimate)
    told = capsys.readouterr()
    said = words(told.out + told.err)
    assert "right only where items were chosen by votes and scores alone" in said
    assert "hardly any like them" not in told.out
    assert np.mean(found["chosen"]) > 1.3 * TABLE.truth.mean()
    assert np.mean(found["mended"]) == pytest.approx(TABLE.truth.mean(), rel=0.1)


def test_items_like_which_hardly_any_was_chosen_are_told_of(folder, capsys):
    choose_by_score(1, steep=12.0)
    assert sample("chosen.csv", "--poststratify", "--out", "chances.csv") == 0
    told = words(capsys.readouterr().out)
    assert "% of the items hardly any like them have a gold label" in told
    chance = pd.read_csv("chances.csv")["gold_probability_estimated"]
    assert chance.sum() == pytest.approx(150, rel=0.01)
    assert chance.min() == pytest.approx(0.05 * chance.mean(), rel=0.01)
    study = read_study(["chosen.csv", "chances.csv"])
    assert "right only if the choice depended on these alone" in texts(study.notes)
    assert "estimated" in cg.check(study).gold_sample.note
    again = items_from_frame(study.items.to_frame(), np.random.default_rng(0))
    assert again.draw.estimated


def by_threshold(items):
    return "chosen by a threshold" in chances_in_words(items, estimated_chances(items))


def told_of_threshold(liked):
    """Of 30 choices, in how many the words tell of a threshold."""
    return sum(by_threshold(chosen_items(seed, liked)) for seed in range(30))


def test_items_without_a_score_lie_on_no_side_of_a_threshold():
    """Gold at random, of which half the items have no score: a threshold is told of in at most 6 of
    30 choices. Taken for the highest, they would be told of in each. Scores that are all equal,
    or missing, have no threshold."""
    place, found = np.arange(len(TABLE)), 0
    for seed in range(30):
        gold = np.isin(place, np.random.default_rng(seed).permutation(len(TABLE))[:150])
        scores = np.where(gold & (place % 2 == 0), np.nan, TABLE.scores["A"])
        found += by_threshold(replace(TABLE, scores={"A": scores}).with_gold(gold))
    assert found <= 6
    for one in (0.0, np.nan):
        items = replace(TABLE, scores={"A": np.full(len(TABLE), one)})
        assert not by_threshold(items.with_gold(gold))


def test_a_choice_by_a_threshold_is_told_of():
    """The upper fifth 20 or 5 times as often: in nearly all choices, at least 20 of 30 (of .9, less
    four binomial deviations). Control, gradual choices: in at most 6 (of .05, and four more)."""
    assert told_of_threshold(lambda rank: np.where(rank > 0.8, 1, 0.05)) >= 20
    assert told_of_threshold(lambda rank: np.where(rank > 0.8, 1, 0.2)) >= 20
    assert told_of_threshold(lambda rank: 0.2 + rank**2) <= 6
    assert told_of_threshold(lambda rank: 0.2 + 0.8 / (1 + np.exp(-(rank - 0.8) / 0.1))) <= 6


def test_gold_above_a_score_alone_is_told_of_without_a_number():
    items = chosen_items(1, lambda rank: np.where(rank > 0.7, 1, 1e-9))
    told = chances_in_words(items, estimated_chances(items))
    assert "the 30 % that A scores highest have gold labels alone" in told
    assert "inf" not in told.replace("info", "")


def experts_say(name, column, rng):
    """An expert who errs on one label in ten fills in a column."""
    frame = read(name)
    truth = truth_of(frame)
    frame[column] = np.where(rng.random(len(frame)) < 0.1, 1 - truth, truth)
    frame.to_csv(name, index=False)


def test_second_and_third_opinions_come_back_and_tell_how_often_experts_err(folder, capsys):
    rng = np.random.default_rng(5)
    pd.DataFrame({"item": TABLE.item[:400], "gold": 0}).to_csv("gold.csv", index=False)
    experts_say("gold.csv", "gold", rng)
    files = ["study.csv", "gold.csv"]
    assert sample(*files, "--second", "--out", "second.csv") == 0
    asked = read("second.csv")
    first = read("gold.csv").set_index("item")["gold"]
    assert set(first[first == 1].index) <= set(asked["item"])
    others = first[first == 0].index
    assert asked["item"].isin(others).sum() < 0.2 * len(others)
    experts_say("second.csv", "label", rng)
    answered = read("second.csv").set_index("item")["label"]
    assert sample(*files, "second.csv", "--second", "--out", "third.csv") == 0
    third = read("third.csv")
    differ = answered[answered != first.reindex(answered.index)].index
    assert set(third["item"]) == set(differ)
    assert set(third["expert"]) == {"third"}
    experts_say("third.csv", "label", rng)
    everything = [*files, "second.csv", "third.csv"]
    opinions = read_study(everything).items.opinions
    assert (opinions.number == 3).sum() == len(differ)
    assert (opinions.number == 2).sum() == len(answered) - len(differ)
    by_item = pd.Series(list(opinions.labels), index=TABLE.item.astype(str))
    assert list(by_item[differ[0]][:2]) == [first[differ[0]], answered[differ[0]]]
    capsys.readouterr()
    assert main(["check", *everything, "--verbose"]) == 0
    assert "from items with three opinions" in words(capsys.readouterr().out)
    assert sample(*everything, "--second", "--out", "fourth.csv") == 0
    assert pd.read_csv("fourth.csv").empty


def doubted(files, capsys):
    """`check`, `evaluate` and `sample` doubt that gold is random: the words of the first."""
    asked = ["--out", "out", "--json", "--no-models", "--methods", "GT", "--metrics", "prevalence"]
    capsys.readouterr()
    assert main(["check", *files]) == 0
    checked = words(capsys.readouterr().err)
    assert main(["evaluate", *files, *asked]) <= 1  # 1 where the doubt leaves no answer
    assert not json.loads(capsys.readouterr().out)["strata"][0]["gold_random"]
    assert sample(*files, "--n", 50, "--out", "next.csv") == 2
    assert "no batch can follow these gold labels" in words(capsys.readouterr().err)
    return checked


def test_a_batch_makes_no_random_sample_of_gold_that_was_chosen(folder, capsys):
    """100 items by score, then a batch: as doubted as before it, by all commands."""
    rows = np.argsort(-TABLE.scores["A"])[:100]
    chosen = pd.DataFrame({"item": TABLE.item[rows], "gold": TABLE.truth[rows]})
    chosen.to_csv("chosen.csv", index=False)
    assert sample("study.csv", "chosen.csv", "--n", 50, "--out", "one.csv") == 2
    assert "no batch can follow these gold labels" in capsys.readouterr().err
    items = TABLE.with_gold(np.isin(np.arange(len(TABLE)), rows))
    next_batch(items, metrics_for(items, []), 50, 3).to_frame(items).to_csv("one.csv", index=False)
    fill("one.csv")
    warned = doubted(["study.csv", "chosen.csv", "one.csv"], capsys)
    assert "the items of the first batch of gold labels do not look like a random" in warned


def test_split_votes_that_experts_skipped_are_doubted_by_all_commands(folder, capsys):
    drawn(150)
    frame = pd.read_csv("one.csv", dtype={"item": str, "gold": "Int8"})
    votes = pd.Series(TABLE.votes_positive, index=TABLE.item.astype(str)).reindex(frame["item"])
    first = ~frame["gold_stratum"].duplicated()  # no stratum without a label
    frame["gold"] = frame["gold"].where(~votes.isin([1, 2]).to_numpy() | first)
    frame.to_csv("one.csv", index=False)
    assert "Have an expert label what was left out" in doubted(["study.csv", "one.csv"], capsys)


def test_after_estimated_chances_the_refusal_names_their_column(folder, capsys):
    choose_by_score(1, steep=12.0)
    assert sample("chosen.csv", "--poststratify", "--out", "chances.csv") == 0
    assert sample("chosen.csv", "chances.csv", "--n", 50, "--out", "next.csv") == 2
    told = words(capsys.readouterr().err)
    assert "column 'gold_probability_estimated': no batch can follow" in told
    assert "Set that gold aside" in told


def test_a_label_in_two_batches_is_to_be_left_in_the_later_one(folder, capsys):
    """What came back empty is drawn again; filled in there too, afterwards, it counts twice."""
    drawn(200, rows=100)
    first = pd.read_csv("one.csv", dtype=str)
    drawn(700, "two.csv", "one.csv")
    later = pd.read_csv("two.csv", dtype=str)
    both = first["item"].isin(later["item"]) & first["gold"].isna()
    assert both.sum() > 10
    assert main(["check", "study.csv", "one.csv", "two.csv"]) == 0
    place = first.index[both][0]
    label = later.set_index("item")["gold"][first["item"][place]]
    first.loc[place, "gold"] = label
    first.to_csv("one.csv", index=False)
    capsys.readouterr()
    assert main(["check", "study.csv", "one.csv", "two.csv"]) == 2
    error = words(capsys.readouterr().err)
    assert f"have a label in two batches, rows one.csv:{place + 2}, two.csv:" in error
    assert "expected its label in the later one only" in error
    assert "column 'expert'" not in error


@pytest.mark.parametrize("ties", [0, 1, 2])
def test_a_tie_of_experts_is_told_once_and_only_where_there_is_one(folder, capsys, ties):
    """Of a batch and its second opinions, whose own columns are known."""
    drawn(100)
    assert sample("study.csv", "one.csv", "--second", "--out", "second.csv") == 0
    frame = read("second.csv")
    truth = truth_of(frame)
    frame["label"] = np.where(np.arange(len(frame)) < ties, 1 - truth, truth)
    frame.to_csv("second.csv", index=False)
    capsys.readouterr()
    assert main(["check", "study.csv", "one.csv", "second.csv", "--verbose"]) == 0
    out = words(capsys.readouterr().out)
    assert "passed over" not in out
    assert "gold is the majority of 2 experts" in out
    assert out.count("are tied") == bool(ties)
    number = {1: "1 item on which they are tied has", 2: "2 items on which they are tied have"}
    assert not ties or f"experts; {number[ties]} no gold label where" in out


def test_second_opinions_are_not_tied_to_data_of_the_same_seed():
    """The example was drawn by the default seed: of its gold items outside the rarer class a tenth
    is asked about, within 4 binomial deviations.
    """
    example = Path(str(resources.files("crowdgold"))) / "example"
    items = read_study([example / f"{one}.csv" for one in ("votes", "gold", "scores")]).items
    asked = more_opinions(items, SEED)
    others = int((items.gold == 0).sum())
    drawn = int(asked["reason"].str.startswith("one of the other").sum())
    assert abs(drawn - 0.1 * others) < 4 * np.sqrt(0.09 * others)
