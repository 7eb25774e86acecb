"""Wikipedia comments: made files with the columns of the published ones, none of their content.

Files whose sha256 nobody published are trusted once, and must stay the same afterwards.
"""

import hashlib
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from crowdgold.datasets import DATASETS, pinned, wikipedia
from crowdgold.datasets.dataset import draw_votes
from crowdgold.datasets.fetching import DatasetUnavailable, availability, fetch
from crowdgold.datasets.pinned import SOURCES
from crowdgold.datasets.source import perspective_from_conversations
from crowdgold.simulate import resample
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD
from unit.made_host import served

COMMENTS = 120
LABELS = "toxicity_annotations.tsv"
TEXTS = "toxicity_annotated_comments.tsv"


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A local folder with both datasets' files: 120 comments of ten labels, every third toxic.

    The published files write revisions as decimal numbers and line ends as NEWLINE_TOKEN.
    """
    monkeypatch.delenv("CROWDGOLD_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rng = np.random.default_rng(8)
    toxic = np.arange(COMMENTS) % 3 == 0
    labels, texts = [], []
    for k in range(COMMENTS):
        revision = f"{1000 + 7 * k}.0"
        share = 0.9 if toxic[k] else 0.1
        labels += [
            (revision, worker, int(rng.random() < share), 0.0)
            for worker in rng.choice(500, 10, replace=False)
        ]
        word = "horrid" if toxic[k] else "lovely"
        split = ("train", "dev", "test")[k // 40]
        text = f"a {word}NEWLINE_TOKENpage {k}"
        texts.append((revision, text, 2015, True, "user", "random", split))
    columns = ["rev_id", "comment", "year", "logged_in", "ns", "sample", "split"]
    folder = tmp_path / "local"
    for name in ("wikipedia_talk", "wikipedia_conversations"):
        (folder / name).mkdir(parents=True)
        pd.DataFrame(labels, columns=["rev_id", "worker_id", "toxicity", "toxicity_score"]).to_csv(
            folder / name / LABELS, sep="\t", index=False
        )
    pd.DataFrame(texts, columns=columns).to_csv(
        folder / "wikipedia_talk" / TEXTS, sep="\t", index=False
    )
    for k in range(80):
        part = folder / f"wikipedia_conversations/conversations-part{1 + k % 2}"
        part.mkdir(exist_ok=True)
        conversation(part, 1000 + 7 * k, 0.2 + 0.5 * toxic[k] + k / 1000)
    return folder


def conversation(part, revision, score):
    """A conversation of three messages; only the one with the file's revision is annotated."""
    messages = [
        {"id": str(i), "rev_id": str(own), "toxicity": value, "sever_toxicity": 0.0, "type": "A"}
        for i, (own, value) in enumerate([(revision + 1, 0.99), (revision, score), (5, 0.01)])
    ]
    text = "\n".join(map(json.dumps, messages))
    (part / f"{revision}_conversation.txt").write_text(text + "\n")


def prepared(name, made):
    folder = fetch(name, made.parent / "out" / name, made, log=[].append)
    return DATASETS[name].prepare(folder)


def test_the_conversations_carry_the_perspective_score_of_the_annotated_message(made):
    frame = prepared("wikipedia_conversations", made)
    assert list(frame.columns) == ["item", "positive", "total", "score_perspective"]
    assert frame["item"].tolist() == [str(1000 + 7 * k) for k in range(80)]
    expected = [0.2 + 0.5 * (k % 3 == 0) + k / 1000 for k in range(80)]
    np.testing.assert_allclose(frame["score_perspective"], expected)
    labels = pd.read_csv(made / "wikipedia_conversations" / LABELS, sep="\t")
    counts = labels.groupby("rev_id")["toxicity"].sum()
    assert frame["positive"].tolist() == counts.iloc[:80].tolist()
    assert frame["total"].tolist() == [10] * 80


def test_archives_of_conversations_give_what_their_folders_give(made, tmp_path):
    folders = sorted((made / "wikipedia_conversations").glob("conversations-part*"))
    archives = []
    for folder in folders:
        archives.append(tmp_path / f"{folder.name}.zip")
        with zipfile.ZipFile(archives[-1], "w") as archive:
            for path in folder.iterdir():
                archive.write(path, f"{folder.name}/{path.name}")
    text = perspective_from_conversations(folders, {})
    assert perspective_from_conversations(archives, {}) == text
    assert text.startswith("rev_id,toxicity\n1000,0.7\n1007,0.201\n")


@pytest.mark.parametrize(
    "text",
    ["no json", '{"rev_id": "1000"}', '{"rev_id": "1000", "toxicity": "high"}', "[1]", "3"],
)
def test_a_conversation_of_another_form_is_named(made, text):
    part = made / "wikipedia_conversations/conversations-part1"
    (part / "1000_conversation.txt").write_text(text)
    if text == '{"rev_id": "1000"}':
        assert "\n1000," not in perspective_from_conversations([part], {})
        return
    with pytest.raises(InputError, match=r"1000_conversation\.txt: expected a JSON object a line"):
        perspective_from_conversations([part], {})


def test_the_talk_labels_alone_are_scored_by_what_the_training_split_teaches(made):
    """The made toxic comments have a word of their own, so that the score tells them apart."""
    frame = prepared("wikipedia_talk", made)
    assert frame["item"].tolist() == [str(1000 + 7 * k) for k in range(40, COMMENTS)]
    toxic = np.arange(40, COMMENTS) % 3 == 0
    assert frame["score_text"][toxic].min() > frame["score_text"][~toxic].max()
    assert set(frame.columns) == {"item", "positive", "total", "score_text"}, "no texts, no workers"


def test_the_score_of_a_comment_does_not_see_its_labels(made):
    frame = prepared("wikipedia_talk", made)
    path = made.parent / "out/wikipedia_talk" / LABELS
    labels = pd.read_csv(path, sep="\t")
    other = labels["rev_id"] >= 1000 + 7 * 40
    labels.loc[other, "toxicity"] = 1 - labels.loc[other, "toxicity"]
    labels.to_csv(path, sep="\t", index=False)
    flipped = wikipedia.prepare_talk(path.parent)
    assert flipped["positive"].tolist() == (10 - frame["positive"]).tolist()
    assert flipped["score_text"].tolist() == frame["score_text"].tolist()


def test_a_task_has_three_votes_and_the_majority_of_the_other_seven(made):
    frame = prepared("wikipedia_conversations", made)
    items = wikipedia.draw_task(frame, {"n": 40, "n_gold": 9}, np.random.default_rng(0))
    assert items.votes_total.tolist() == [3] * 80
    assert np.array_equal(items.truth, frame["positive"] - items.votes_positive >= 4)
    assert items.predictors == ["perspective"]
    assert np.all(items.gold == NO_GOLD)
    replicate = resample(items, 40, 9, np.random.default_rng(0))
    assert (len(replicate.table), len(replicate.reference)) == (40, 40)


def test_comments_without_labels_left_for_a_truth_are_left_out():
    frame = pd.DataFrame(
        {"item": ["a", "b"], "positive": [2, 2], "total": [3, 4], "score_text": [0.1, 0.2]}
    )
    items = wikipedia.draw_task(frame, {}, np.random.default_rng(0))
    assert items.item.tolist() == ["b"]


def test_votes_are_drawn_without_replacement_from_panels_of_any_size():
    """Against the hypergeometric mean and variance, 40,000 items of 7 or 10 labels: within 5
    standard errors; drawn with replacement the variance would be off by more than 20 of them."""
    rng = np.random.default_rng(3)
    total = np.tile([7, 10], 20_000)
    positive = np.tile([3, 6], 20_000)
    votes, truth = draw_votes(positive, total, 3, rng)
    for size, own in ((7, 3), (10, 6)):
        rows = total == size
        share = own / size
        deviation = votes[rows] - 3 * share
        variance = 3 * share * (1 - share) * (size - 3) / (size - 1)
        for values, expected in ((deviation, 0), (deviation**2, variance)):
            error = values.std() / np.sqrt(len(values))
            assert abs(values.mean() - expected) < 5 * error
        assert abs((deviation**2).mean() - 3 * share * (1 - share)) > 20 * error
        lead = 2 * (own - votes[rows]) - (size - 3)
        assert np.array_equal(truth[rows][lead != 0], lead[lead != 0] > 0)


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (LABELS, "toxicity\t", "toxic\t", r"no column 'toxicity'; the file has rev_id, worker_id"),
        (LABELS, "1000.0\t", "?\t", r"row 2: rev_id '\?', expected a number"),
        (TEXTS, "split", "part", "no column 'split'"),
        (TEXTS, "train", "dev", "found 0 comments of the split 'train'"),
    ],
)
def test_files_of_another_form_are_refused(made, name, old, new, message):
    path = made / "wikipedia_talk" / name
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(InputError, match=message):
        prepared("wikipedia_talk", made)


def test_labels_that_are_neither_0_nor_1_are_refused(made):
    path = made / "wikipedia_talk" / LABELS
    frame = pd.read_csv(path, sep="\t", dtype={"rev_id": str})
    frame.loc[4, "toxicity"] = 2
    frame.to_csv(path, sep="\t", index=False)
    with pytest.raises(InputError, match="row 6: found toxicity 2, expected 0 or 1"):
        prepared("wikipedia_talk", made)


def test_the_first_copy_is_recorded_and_another_is_refused(made):
    log = []
    fetch("wikipedia_talk", made.parent / "first", made, log=log.append)
    records = sorted((made.parent / "cache").rglob("*.sha256"))
    assert [path.name for path in records] == [f"{TEXTS}.sha256", f"{LABELS}.sha256"]
    assert any(f"no sha256 of it is known; that of this copy is recorded in {records[0]}" in line
               for line in log)  # fmt: skip
    content = (made / "wikipedia_talk" / TEXTS).read_bytes()
    assert records[0].read_text().strip() == hashlib.sha256(content).hexdigest()
    fetch("wikipedia_talk", made.parent / "second", made, log=log.append)
    assert any(f"sha256 as recorded in {records[0]}" in line for line in log)
    (made / "wikipedia_talk" / TEXTS).write_bytes(content + b"more")
    assert not availability("wikipedia_talk", made)[0]


@pytest.fixture
def published(made, monkeypatch):
    """The talk labels served by a web host of this machine, in the place of the publisher's."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with served(made / "wikipedia_talk") as (address, _):
        files = tuple(
            pinned.File(name, None, (f"{address}/{name}",), starts_with="rev_id\t")
            for name in (LABELS, TEXTS)
        )
        source = SOURCES["wikipedia_talk"]
        changed = pinned.Source(files, source.licence, source.citation, source.cautions, True)
        monkeypatch.setitem(SOURCES, "wikipedia_talk", changed)
        yield made / "wikipedia_talk"


def test_the_download_works_and_a_changed_file_is_refused_afterwards(published, tmp_path):
    fetch("wikipedia_talk", tmp_path / "first", log=[].append)
    frame = wikipedia.prepare_talk(tmp_path / "first")
    assert len(frame) == 80
    for path in (tmp_path / "cache").rglob("*.tsv"):
        path.unlink()
    (published / TEXTS).write_text((published / TEXTS).read_text() + "\n")
    with pytest.raises(DatasetUnavailable, match=r"recorded in .* at its first use"):
        fetch("wikipedia_talk", tmp_path / "second", log=[].append)
    assert not list((tmp_path / "cache").rglob(TEXTS))


def test_a_page_in_the_place_of_a_file_is_refused_and_not_recorded(published, tmp_path):
    (published / LABELS).write_text("<html>Are you human?</html>")
    with pytest.raises(DatasetUnavailable, match="it begins with b'<html>Are you"):
        fetch("wikipedia_talk", tmp_path / "first", log=[].append)
    assert not list((tmp_path / "cache").rglob("*.sha256"))
    assert not list((tmp_path / "cache").rglob("*.tsv"))


@pytest.mark.parametrize("name", ["wikipedia_talk", "wikipedia_conversations"])
def test_nothing_is_downloaded_before_it_is_asked_for(made, name):
    """Not even the host is asked: a figure leaves it out, and says how it is had."""
    available, why = availability(name, made.parent / "empty")
    assert not available
    assert f"asked for by name (results/datasets/{name}.parquet)" in why
    assert "Set CROWDGOLD_DATA" in why
    assert availability(name, made)[0]


def test_conversations_that_are_not_there_are_asked_for_by_name(made):
    for folder in (made / "wikipedia_conversations").glob("conversations-part*"):
        folder.rename(folder.with_name(f"else-{folder.name}"))
    with pytest.raises(DatasetUnavailable) as caught:
        fetch("wikipedia_conversations", made.parent / "out", made, log=[].append)
    message = str(caught.value)
    assert "perspective.csv cannot be had from https://doi.org/10.5281/zenodo.6817093" in message
    assert "download conversations-part* from https://doi.org/10.5281/zenodo.6817093" in message
