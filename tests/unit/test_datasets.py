"""The public datasets: getting files, converting the sources', preparing tables, drawing tasks.

What was measured on the datasets themselves is checked where they can be had: point
CROWDGOLD_DATA at a folder that holds them.
"""

import functools
import gzip
import hashlib
import json
import re
import socket
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from crowdgold.datasets import DATASETS, chaosnli, product_pairs
from crowdgold.datasets import fetching as sources
from crowdgold.datasets.fetching import DatasetUnavailable, availability, fetch
from crowdgold.datasets.pinned import SOURCES
from crowdgold.datasets.source import File, Source, predictions_from_json_lines, products_from_lists
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD
from unit.made_host import served

PINNED = re.compile(
    "https://(raw.githubusercontent.com/[^/]+/[^/]+|github.com/[^/]+/[^/]+/tree)/[0-9a-f]{40}/"
)
PUBLISHED = re.compile(
    r"https://(ndownloader\.figshare\.com/files/\d+$|huggingface\.co/datasets/|doi\.org/)"
)
CLOSED = "http://127.0.0.1:9"
"""An address where nothing listens."""


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Folders of a user without data: no CROWDGOLD_DATA, an empty cache."""
    monkeypatch.delenv("CROWDGOLD_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(sources, "PROBE_SECONDS", 0.5)
    return tmp_path


@pytest.fixture
def host(place):
    """A web host that serves a folder; gives (address, folder, requests seen)."""
    folder = place / "host"
    folder.mkdir()
    with served(folder) as (address, seen):
        yield address, folder, seen


@pytest.fixture
def tiny(monkeypatch):
    """A function that pins a dataset `tiny` of one plain and one converted file at an address."""

    def upper(parts, files):
        return files["plain.txt"].read_text() + "".join(part.read_text().upper() for part in parts)

    def pin(address):
        files = (
            File("plain.txt", sha256("plain"), (f"{address}/plain.txt",)),
            File("made.txt", sha256("plainAB"), (f"{address}/a.txt", f"{address}/b.txt"), upper),
        )
        monkeypatch.setitem(SOURCES, "tiny", Source(files, "a licence", "a citation", "a caution"))

    pin(CLOSED)
    return pin


def publish(folder):
    for name, text in (("plain.txt", "plain"), ("a.txt", "a"), ("b.txt", "b")):
        (folder / name).write_text(text)


def test_files_come_from_the_network_once_and_then_from_the_cache(host, tiny):
    address, folder, seen = host
    publish(folder)
    tiny(address)
    log = []
    out = fetch("tiny", folder.parent / "first", log=log.append)
    assert (out / "plain.txt").read_text() == "plain"
    assert (out / "made.txt").read_text() == "plainAB"
    assert any("licence: a licence. a caution" in line for line in log)
    assert any("made.txt (2 of 2): downloading" in line for line in log)
    assert seen == ["GET /plain.txt", "GET /a.txt", "GET /b.txt"]
    fetch("tiny", folder.parent / "second", log=log.append)
    assert len(seen) == 3


@pytest.mark.parametrize("place_of_fault", ["cache/crowdgold/tiny", "out"])
def test_a_corrupted_copy_is_named_and_had_again(host, tiny, place_of_fault):
    address, folder, _ = host
    publish(folder)
    tiny(address)
    wrong = folder.parent / place_of_fault
    wrong.mkdir(parents=True)
    for name in ("plain.txt", "made.txt"):
        (wrong / name).write_text("half of it")
    log = []
    out = fetch("tiny", folder.parent / "out", log=log.append)
    assert (out / "plain.txt").read_text() == "plain"
    assert (out / "made.txt").read_text() == "plainAB"
    for name in ("plain.txt", "made.txt"):
        assert any(f"{wrong / name}: its sha256 is not the pinned" in line for line in log)


@pytest.mark.parametrize("changed", ["plain.txt", "b.txt"])
def test_a_source_that_gives_something_else_is_refused(host, tiny, changed):
    address, folder, _ = host
    publish(folder)
    (folder / changed).write_text("changed")
    tiny(address)
    with pytest.raises(DatasetUnavailable, match="cannot be had from"):
        fetch("tiny", folder.parent / "out", log=[].append)


@pytest.mark.parametrize("by", ["argument", "environment"])
@pytest.mark.parametrize("packed", [False, True])
def test_files_come_from_a_local_folder(place, tiny, monkeypatch, by, packed):
    (place / "local/tiny").mkdir(parents=True)
    for name, text in (("plain.txt", "plain"), ("made.txt", "plainAB")):
        path = place / "local/tiny" / (f"{name}.gz" if packed else name)
        path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    if by == "environment":
        monkeypatch.setenv("CROWDGOLD_DATA", str(place / "local"))
    local = place / "local" if by == "argument" else None
    out = fetch("tiny", place / "out", local, log=[].append)
    assert (out / "made.txt").read_text() == "plainAB"
    assert availability("tiny", local)[0]


def test_a_local_folder_may_hold_the_sources_own_files(place, tiny):
    (place / "local/tiny").mkdir(parents=True)
    publish(place / "local/tiny")
    assert availability("tiny", place / "local")[0]
    out = fetch("tiny", place / "out", place / "local", log=[].append)
    assert (out / "made.txt").read_text() == "plainAB"


@pytest.mark.parametrize(("name", "content"), [("plain.txt", b"other"), ("plain.txt.gz", b"junk")])
def test_a_wrong_local_file_is_named_and_not_used(place, tiny, name, content):
    (place / "local/tiny").mkdir(parents=True)
    (place / "local/tiny" / name).write_bytes(content)
    log = []
    with pytest.raises(DatasetUnavailable):
        fetch("tiny", place / "out", place / "local", log=log.append)
    assert any(str(place / "local/tiny" / name) in line for line in log)
    assert not (place / "out/plain.txt").exists()


@pytest.mark.parametrize("how", ["downloaded", "unpacked"])
def test_a_file_that_is_too_large_is_given_up(host, tiny, monkeypatch, how):
    """A host that never ends, or an archive of zeros: neither fills the disk."""
    address, folder, _ = host
    publish(folder)
    tiny(address)
    monkeypatch.setattr(sources, "MOST_BYTES", 1000)
    local, log = folder.parent / "local/tiny", []
    if how == "downloaded":
        (folder / "plain.txt").write_bytes(bytes(100_000))
        with pytest.raises(DatasetUnavailable, match=r"plain\.txt.* larger than 1,000 bytes"):
            fetch("tiny", folder.parent / "out", log=log.append)
        kept = folder.parent / "cache/crowdgold/tiny"
        assert [p.name for p in kept.iterdir()] == []
    else:
        local.mkdir(parents=True)
        (local / "plain.txt.gz").write_bytes(gzip.compress(bytes(100_000)))
        fetch("tiny", folder.parent / "out", local.parent, log=log.append)
        assert any("would unpack to more than 1,000 bytes" in line for line in log)
        assert (folder.parent / "out/plain.txt").read_text() == "plain"


def test_a_dataset_that_cannot_be_had_says_what_to_do(place, tiny):
    with pytest.raises(DatasetUnavailable) as caught:
        fetch("tiny", place / "out", log=[].append)
    message = str(caught.value)
    assert "tiny: plain.txt cannot be had from http://127.0.0.1:9/plain.txt" in message
    assert "Set CROWDGOLD_DATA, or data_folder in the config, to a folder that holds" in message
    assert "tiny/plain.txt, tiny/made.txt" in message
    assert "or download http://127.0.0.1:9/plain.txt to tiny/plain.txt" in message


def test_availability_says_why(place, host, tiny):
    available, why = availability("tiny")
    assert not available
    assert "127.0.0.1:9 does not answer. Set CROWDGOLD_DATA" in why
    address, folder, seen = host
    publish(folder)
    tiny(address)
    available, why = availability("tiny")
    assert available
    assert "answers, to download plain.txt, made.txt" in why
    assert seen == ["HEAD /plain.txt"]
    fetch("tiny", folder.parent / "out", log=[].append)
    tiny(CLOSED)
    available, why = availability("tiny")
    assert available
    assert "every file is in the cache" in why


def test_a_host_that_is_silent_is_given_up(place, tiny):
    """The probe ends after its half second (5 s outside tests); 4 s allow for a busy machine."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        tiny(f"http://127.0.0.1:{server.getsockname()[1]}")
        start = time.monotonic()
        assert not availability("tiny")[0]
        assert time.monotonic() - start < 4


def test_an_unknown_dataset_is_named_with_the_nearest(place):
    for call in (functools.partial(fetch, "chaosnl", place), lambda: availability("chaosnl")):
        with pytest.raises(InputError, match="no dataset 'chaosnl'; did you mean 'chaosnli'"):
            call()


def test_every_dataset_has_pinned_files_a_licence_and_a_citation():
    assert {name: one.name for name, one in DATASETS.items()} == {name: name for name in SOURCES}
    for source in SOURCES.values():
        assert source.licence
        assert source.citation
        for file in source.files:
            assert (len(file.urls) == 1) or file.convert
            if file.sha256 is None:
                assert source.on_request
                assert "No checksum of the files is known" in source.cautions
                assert file.starts_with
                assert PUBLISHED.match(file.urls[0])
            else:
                assert len(file.sha256) == 64
                assert all(map(PINNED.match, file.urls)), "pinned to a commit"


def test_product_records_are_converted_from_lists(tmp_path):
    path = tmp_path / "data_product"
    path.write_text(
        "['id', 'name', 'description', 'price']\n"
        "[1, 'Radio - R1', \"13' wide, \\xae\", '']\n"
        "[2, 'Bose \"5\"', 'a\\\\b', '$1,399.00']\n"
    )
    assert products_from_lists([path], {}) == (
        'id,name,description,price\n1,Radio - R1,"13\' wide, ®",\n2,"Bose ""5""",a\\b,"$1,399.00"\n'
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("['id', 'name', 'description', 'price']\n[1, 'a'\n", "line 2: not a list of values"),
        ("['id', 'name', 'description', 'price']\n[1, 'a']\n", "line 2: expected the fields"),
        ("[1, 'a', 'b', 'c']\n", "line 1: expected the fields"),
        ("['id', 'name', 'description', __import__('os')]\n", "line 1: not a list of values"),
    ],
)
def test_product_records_of_another_form_are_refused(tmp_path, text, message):
    path = tmp_path / "data_product"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        products_from_lists([path], {})


def prediction(uid, probs):
    return json.dumps({"index": 0, "true": 1, "pred": 1, "probs": probs, "uid": uid}) + "\n"


@pytest.fixture
def labelled(tmp_path):
    """Two files of ChaosNLI with an item each."""
    files = {}
    for name, uid in (("chaosNLI_snli.jsonl", "1.jpg#0r1e"), ("chaosNLI_mnli_m.jsonl", "7n")):
        files[name] = tmp_path / name
        record = {"uid": uid, "label_count": [60, 30, 10], "premise": "Wer\u2028da"}
        files[name].write_text(json.dumps(record, ensure_ascii=False) + "\n")
    return files


def test_predictions_are_converted_to_the_order_e_n_c_and_kept_for_chaosnli_items(
    tmp_path, labelled
):
    parts = {
        "SNLI_test_roberta-base_0.json": prediction("1.jpg#0r1e", [0.70000000012, 0.1, 0.2]),
        "SNLI_dev_bert-base-uncased_1.json": prediction("other", [1, 0, 0])
        + prediction("7n", [1, 0, 0]),
        "MNLI_dev_roberta-base_2.json": prediction("7n", [1.23456789012e-05, 0.5, 0.49]),
    }
    for name, text in parts.items():
        (tmp_path / name).write_text(text)
    assert predictions_from_json_lines([tmp_path / name for name in parts], labelled) == (
        "set,uid,model,seed,p_e,p_n,p_c\n"
        "mnli_m,7n,roberta-base,2,1.23456789e-05,0.49,0.5\n"
        "snli,1.jpg#0r1e,roberta-base,0,0.7000000001,0.2,0.1\n"
    )


@pytest.mark.parametrize("line", ["{", '{"uid": "7n"}\n', '{"uid": "7n", "probs": [1, 0]}\n'])
def test_predictions_of_another_form_are_refused(tmp_path, labelled, line):
    path = tmp_path / "MNLI_dev_roberta-base_0.json"
    path.write_text(prediction("7n", [1, 0, 0]) + line)
    with pytest.raises(InputError, match=r"MNLI_dev_roberta-base_0\.json, line 2: not a predict"):
        predictions_from_json_lines([path], labelled)


ANSWERS = pd.DataFrame(
    {
        "question": ["1_2_1"] * 3 + ["1_3_0"] * 3 + ["2_3_0"] * 3,
        "worker": ["AX1", "BX2", "CX3"] * 3,
        "answer": [1, 1, 0, 0, 0, 0, 0, 1, 0],
    }
)
TRUTH = pd.DataFrame({"question": ["1_3_0", "1_2_1", "2_3_0"], "truth": [0, 1, 0]})
NAMES = pd.Series({1: "Sony Radio R-1", 2: "sony r-1 radio", 3: "Bosch Drill"})


def test_product_pairs_are_joined_by_pair_and_scored_by_their_names():
    frame = product_pairs.build(ANSWERS, TRUTH, NAMES)
    assert frame["item"].tolist() == ["1_3", "1_2", "2_3"]
    assert frame["votes_positive"].tolist() == [0, 2, 1]
    assert frame["votes_total"].tolist() == [3, 3, 3]
    assert frame["truth"].tolist() == [0, 1, 0]
    for name in product_pairs.PREDICTORS:
        np.testing.assert_allclose(frame[f"score_{name}"], [0, 1, 0], atol=1e-12)
    assert np.stack(frame["workers"]).tolist() == [[0, 1, 2]] * 3, "numbers, and no worker ids"
    assert [sum(one) for one in frame["answers"]] == [0, 2, 1]
    assert len(frame.columns) == 9, "nothing else is carried: no texts"


def test_product_scores_do_not_see_the_truth():
    frame = product_pairs.build(ANSWERS, TRUTH, NAMES)
    swap = {"1_3_0": "1_3_1", "1_2_1": "1_2_0", "2_3_0": "2_3_1"}
    flipped = TRUTH.assign(question=TRUTH["question"].map(swap), truth=1 - TRUTH["truth"])
    answers = ANSWERS.assign(question=ANSWERS["question"].map(swap))
    other = product_pairs.build(answers, flipped, NAMES)
    pd.testing.assert_frame_equal(frame.drop(columns="truth"), other.drop(columns="truth"))


def test_jaccard_is_the_share_of_words_in_common():
    scores = product_pairs.similarities(["one two 3", "x", ""], ["Two 3-four", "yes", ""])
    assert scores["jaccard"].tolist() == [0.5, 0, 0]


def test_product_pairs_of_other_counts_are_refused(tmp_path):
    ANSWERS.to_csv(tmp_path / "answer.csv", index=False)
    TRUTH.to_csv(tmp_path / "truth.csv", index=False)
    (tmp_path / "products.csv").write_text("id,name,description,price\n1,a,,\n")
    with pytest.raises(InputError, match="product_pairs: found 3 pairs, expected 8,315"):
        product_pairs.prepare(tmp_path)


def test_a_task_of_product_pairs_has_the_chosen_predictors_in_their_order():
    frame = product_pairs.build(ANSWERS, TRUTH, NAMES)
    rng = np.random.default_rng(0)
    assert product_pairs.draw_task(frame, {"n": 2, "n_gold": 1}, rng).predictors == ["character"]
    items = product_pairs.draw_task(frame, {"predictors": ["word", "character"]}, rng)
    assert items.predictors == ["word", "character"]
    assert items.truth.tolist() == [0, 1, 0]
    assert np.all(items.gold == NO_GOLD)


@pytest.fixture
def chaos():
    """A prepared table: 300 items of each subset; model `b` knows snli only, `a` all but one."""
    rng = np.random.default_rng(5)
    counts = rng.multinomial(100, [0.5, 0.3, 0.2], 600)
    items = pd.DataFrame(counts, columns=["count_e", "count_n", "count_c"])
    items.insert(0, "item", [f"i{k}" for k in range(600)])
    items.insert(1, "subset", ["snli"] * 300 + ["mnli_m"] * 300)
    rows = [
        (items.subset[k], items.item[k], model, seed, *rng.dirichlet([1, 1, 1]))
        for model, seed, n in (("a", 0, 599), ("a", 1, 599), ("b", 0, 300))
        for k in range(n)
    ]
    columns = ["set", "uid", "model", "seed", "p_e", "p_n", "p_c"]
    predictions = pd.DataFrame(rows, columns=columns)
    return items, predictions, chaosnli.join_predictions(items, predictions)


def test_chaosnli_predictions_stand_beside_their_item(chaos):
    _, predictions, frame = chaos
    assert len(frame.columns) == 5 + 3 * 3
    for key in "enc":
        known = predictions[(predictions.model == "a") & (predictions.seed == 1)]
        assert frame[f"a:1:{key}"].iloc[:599].tolist() == known[f"p_{key}"].tolist()
    assert frame["b:0:e"].isna().tolist() == [False] * 300 + [True] * 300


def test_a_task_of_chaosnli_draws_votes_and_takes_the_majority_of_the_rest(chaos):
    frame = chaos[2]
    parameters = {"target": "neutral", "model": "a", "votes_total": 5}
    items = chaosnli.draw_task(frame, parameters, np.random.default_rng(1))
    assert len(items) == 599, "an item without a prediction is left out"
    count = frame["count_n"].to_numpy()[:599]
    assert np.all(items.votes_positive <= np.minimum(count, 5))
    assert np.array_equal(items.truth, (count - items.votes_positive) / 95 > 0.5)
    assert np.array_equal(items.scores["score"], frame["a:0:n"][:599])
    assert items.votes_total.tolist() == [5] * 599
    assert np.all(items.gold == NO_GOLD)


def test_a_tied_rest_of_chaosnli_is_decided_at_random():
    """1,000 items of which the other 98 labels tie 49 to 49: about half positive (5 sd = 79)."""
    frame = pd.DataFrame(
        {"item": range(1000), "subset": "snli", "count_e": 50, "count_n": 50, "count_c": 0}
    ).assign(**{"a:0:e": 0.5})
    items = chaosnli.draw_task(frame, {"model": "a", "votes_total": 2}, np.random.default_rng(3))
    tied = items.truth[items.votes_positive == 1]
    assert abs(tied.sum() - len(tied) / 2) < 5 * np.sqrt(len(tied) / 4)
    assert np.all(items.truth[items.votes_positive == 0] == 1)
    assert np.all(items.truth[items.votes_positive == 2] == 0)


def test_several_predictors_of_chaosnli_share_the_items_that_all_know(chaos):
    predictors = {"A": {"model": "a", "seed": 1}, "B": {"model": "b"}}
    parameters = {"predictors": predictors, "subset": "snli", "n": 20, "n_gold": 5}
    items = chaosnli.draw_task(chaos[2], parameters, np.random.default_rng(0))
    assert items.predictors == ["A", "B"]
    assert len(items) == 300
    assert np.array_equal(items.scores["B"], chaos[2]["b:0:e"][:300])


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("product_pairs", {"predictors": ["charater"]}, "'charater'; did you mean 'character'"),
        ("product_pairs", {"predictors": "word"}, "found 'word', expected a list of names"),
        ("product_pairs", {"predictors": []}, r"'predictors': found \[\], expected a list"),
        ("product_pairs", {"predictor": ["word"]}, "'predictor'; did you mean 'predictors'"),
        ("wikipedia_talk", {"votes_total": 10}, "'votes_total': found 10, expected a whole numb"),
        ("wikipedia_talk", {"votes": 3}, "no parameter 'votes'; did you mean 'votes_total'"),
        ("mt_bench", {"mapping": "tie_wins"}, "no mapping 'tie_wins'; did you mean 'tie_win'"),
        ("stableval_published", {}, "holds results, not labels; name qags"),
        ("chaosnli", {"target": "entailed"}, "no target 'entailed'; did you mean 'entailment'"),
        ("chaosnli", {"subset": "mnli"}, "no subset 'mnli'; did you mean"),
        (
            "chaosnli",
            {"votes_total": 100},
            "'votes_total': found 100, expected a whole num",
        ),
        ("chaosnli", {"model": "c"}, "no model 'c'; there are a, b"),
        (
            "chaosnli",
            {"model": "a", "seed": 7},
            r"found 7, expected one of \[0, 1\], the seeds of a",
        ),
        ("chaosnli", {"model": "b"}, "b with seed 0 has no predictions for mnli_m"),
        (
            "chaosnli",
            {"predictors": ["a"]},
            "found .*, expected at least one, as {NAME",
        ),
        ("chaosnli", {"predictors": {"A": "a"}}, "predictor 'A': found 'a', expected {model: name"),
        (
            "chaosnli",
            {"predictors": {"A": {"sed": 1}}},
            "predictor 'A': no parameter 'sed'",
        ),
        ("chaosnli", {"votes": 3}, "no parameter 'votes'"),
    ],
)
def test_impossible_parameters_are_named(chaos, name, parameters, message):
    with pytest.raises(InputError, match=message):
        DATASETS[name].draw_task(chaos[2], parameters, np.random.default_rng(0))


def test_chaosnli_items_of_other_counts_are_refused(tmp_path, labelled):
    with pytest.raises(InputError, match="found 1 items of snli, expected 1,514"):
        chaosnli.prepare(tmp_path)
    path = labelled["chaosNLI_snli.jsonl"]
    path.write_text(json.dumps({"uid": "x", "label_count": [60, 30, 9]}) + "\n")
    with pytest.raises(InputError, match="item x has not 100 labels"):
        chaosnli.read_labels(path, "snli")


def voter_quality(items):
    """TPR and TNR of a single vote, over all votes."""
    share, positive = items.votes_positive / items.votes_total, items.truth == 1
    return share[positive].mean(), 1 - share[~positive].mean()


def test_product_pairs_have_the_measured_facts(prepared):
    """No randomness: to the digits measured (TPR .587, TNR .848, AUC .93, .86, .78)."""
    _, frame = prepared("product_pairs")
    parameters = {"predictors": list(product_pairs.PREDICTORS)}
    items = product_pairs.draw_task(frame, parameters, np.random.default_rng(0))
    assert len(items) == len(set(items.item)) == 8_315
    assert items.truth.sum() == 1_011
    assert items.votes_total.tolist() == [3] * 8_315
    assert voter_quality(items) == pytest.approx((0.587, 0.848), abs=0.0005)
    aucs = {name: roc_auc_score(items.truth, score) for name, score in items.scores.items()}
    expected = {"character": 0.93, "word": 0.86, "jaccard": 0.78}
    assert aucs == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(
    ("target", "subset", "expected"),
    [
        ("entailment", "both", (0.343, 0.733, 0.847, 0.846)),
        ("contradiction", "both", (0.160, 0.701, 0.893, 0.866)),
        ("entailment", "snli", (0.261, 0.780, 0.872, 0.914)),
    ],
)
def test_chaosnli_has_the_measured_facts(prepared, target, subset, expected):
    """Base rate, TPR, TNR and AUC: the mean of 50 draws against that of 200 others, to 3 digits.

    They may differ by 5 standard errors, sd sqrt(1/50 + 1/200), and the rounding. The sd of one
    draw is .001, .008, .004, .001 (more on snli alone), so one draw's TPR may well be .75.
    """
    _, frame = prepared("chaosnli")
    rng, found = np.random.default_rng(1), []
    for _ in range(50):
        items = chaosnli.draw_task(frame, {"target": target, "subset": subset}, rng)
        quality = voter_quality(items)
        auc = roc_auc_score(items.truth, items.scores["score"])
        found.append((items.truth.mean(), *quality, auc))
    assert len(items) == (3_083 if subset == "both" else 1_514)
    allowed = 5 * np.std(found, axis=0) * np.sqrt(1 / 50 + 1 / 200) + 0.0005
    assert np.all(np.abs(np.mean(found, axis=0) - expected) < allowed)
    assert np.all(allowed < 0.01)


def test_the_conversion_of_products_gives_the_pinned_bytes(prepared, tmp_path):
    """The records written back as the source writes them, then converted."""
    folder, _ = prepared("product_pairs")
    frame = pd.read_csv(folder / "products.csv", keep_default_na=False)
    lines = [list(frame.columns), *([int(row[0]), *row[1:]] for row in frame.to_numpy().tolist())]
    source = tmp_path / "data_product"
    source.write_text("".join(f"{line!a}\n" for line in lines))
    assert source.stat().st_size == 471_721, "the size of the source's own file"
    assert sha256(products_from_lists([source], {})) == SOURCES["product_pairs"].files[2].sha256


def test_the_conversion_of_predictions_gives_the_pinned_bytes(prepared, tmp_path):
    """The predictions written back in 16 files as the source writes them, then converted."""
    folder, _ = prepared("chaosnli")
    file = SOURCES["chaosnli"].files[2]
    names = sorted(Path(url).name for url in file.urls)
    frame = pd.read_csv(folder / "predictions.csv")
    group = frame["set"] + frame["model"] + frame["seed"].astype(str)
    blocks = [block for _, block in frame.groupby((group != group.shift()).cumsum())]
    assert len(blocks) == len(names) == 16
    for name, block in zip(names, blocks, strict=True):
        text = "".join(prediction(r.uid, [r.p_e, r.p_c, r.p_n]) for r in block.itertuples())
        (tmp_path / name).write_text(prediction("elsewhere", [1, 0, 0]) + text)
    labels = {f"chaosNLI_{s}.jsonl": folder / f"chaosNLI_{s}.jsonl" for s in chaosnli.SUBSETS}
    text = predictions_from_json_lines([tmp_path / name for name in names[::-1]], labels)
    assert sha256(text) == file.sha256
