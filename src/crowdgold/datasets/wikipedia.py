"""Is a comment on a Wikipedia talk page toxic? Some 10 labels a comment, 3 of them as votes.

The task of MAVEN, section 5.2: the truth is the majority of the labels that are not votes. The
labels are those of Wikipedia Talk Labels: Toxicity. What scores the comments differs:

- `wikipedia_conversations`: the Perspective score that Wikipedia Abusive Conversations (WAC)
  carries, as in the paper. Its comments are those that WAC placed in a conversation.
- `wikipedia_talk`, for whoever has the labels alone: a logistic regression on the words of the
  comments, fitted here to the labels of the published training split; the task is made of the
  comments of the other splits. The paper has no such predictor.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.datasets.dataset import STUDY, draw_votes, items_of
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items
from crowdgold.types.parameters import Parameters

OWNER = "dataset of Wikipedia comments"
NAMES = ("votes_total",)
ANNOTATIONS, COMMENTS = "toxicity_annotations.tsv", "toxicity_annotated_comments.tsv"
PERSPECTIVE = "perspective.csv"


def read_columns(path: Path, columns: Sequence[str], separator: str) -> pd.DataFrame:
    """Some columns of a table with a header line, `rev_id` as a number among them."""
    frame = pd.read_csv(path, sep=separator, dtype={"comment": str, "split": str})
    for column in columns:
        if column not in frame:
            found = ", ".join(map(str, frame.columns))
            raise InputError(f"{path.name}: no column {column!r}; the file has {found}")
    frame = frame[list(columns)]
    # The source writes the ids of revisions with a decimal point.
    number = pd.to_numeric(frame["rev_id"], errors="coerce")
    if number.isna().any():
        row = int(np.flatnonzero(number.isna())[0])
        found = frame["rev_id"].iloc[row]
        raise InputError(f"{path.name}, row {row + 2}: rev_id {found!r}, expected a number")
    return frame.assign(rev_id=number.astype(np.int64))


def count_labels(folder: Path) -> pd.DataFrame:
    """Numbers of labels of each comment: columns `rev_id`, `positive`, `total`."""
    labels = read_columns(folder / ANNOTATIONS, ["rev_id", "toxicity"], "\t")
    bad = ~labels["toxicity"].isin((0, 1))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        found = labels["toxicity"].iloc[row]
        raise InputError(f"{ANNOTATIONS}, row {row + 2}: found toxicity {found}, expected 0 or 1")
    counts = labels.groupby("rev_id")["toxicity"].agg(["sum", "size"]).reset_index()
    counts.columns = pd.Index(["rev_id", "positive", "total"])
    return counts.astype(np.int64)


def prepare_conversations(folder: Path) -> pd.DataFrame:
    """The comments that WAC has: item, positive, total, score_perspective."""
    scores = read_columns(folder / PERSPECTIVE, ["rev_id", "toxicity"], ",")
    joined = count_labels(folder).merge(scores.drop_duplicates("rev_id"), on="rev_id")
    if joined.empty:
        raise InputError(f"{PERSPECTIVE} and {ANNOTATIONS} have no rev_id in common")
    return _prepared(joined, "perspective", joined["toxicity"].to_numpy(float))


def prepare_talk(folder: Path) -> pd.DataFrame:
    """The comments outside the training split: item, positive, total, score_text."""
    comments = read_columns(folder / COMMENTS, ["rev_id", "comment", "split"], "\t")
    joined = count_labels(folder).merge(comments.drop_duplicates("rev_id"), on="rev_id")
    train = (joined["split"] == "train").to_numpy()
    toxic = (2 * joined["positive"] > joined["total"]).to_numpy()
    if train.all() or len(np.unique(toxic[train])) < 2:
        raise InputError(
            f"{COMMENTS}: found {train.sum()} comments of the split 'train', of which "
            f"{toxic[train].sum()} toxic, and {(~train).sum()} others; expected some of each"
        )
    text = joined["comment"].fillna("").str.replace("NEWLINE_TOKEN", " ").to_numpy(dtype=object)
    score = score_texts(text[train], toxic[train], text[~train])
    return _prepared(joined[~train], "text", score)


def score_texts(train: np.ndarray, toxic: np.ndarray, texts: np.ndarray) -> np.ndarray:
    """The log odds (m,) of m texts being toxic: logistic regression on TF-IDF of words.

    It learns from `train` (k,) and `toxic` (k,), whether most of a text's labels say that it is.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    weighting = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, max_features=100_000)
    model = LogisticRegression(C=10.0, max_iter=1_000)
    model.fit(weighting.fit_transform(train), toxic)
    return np.asarray(model.decision_function(weighting.transform(texts)))


def _prepared(joined: pd.DataFrame, predictor: str, score: np.ndarray) -> pd.DataFrame:
    counts = joined[["positive", "total"]].reset_index(drop=True)
    counts.insert(0, "item", joined["rev_id"].astype(str).to_numpy())
    return counts.assign(**{f"score_{predictor}": score})


def draw_task(
    frame: pd.DataFrame, parameters: Mapping[str, Any], rng: np.random.Generator
) -> Items:
    """Votes drawn for every comment that has labels left over for its truth.

    Parameters: `votes_total`, 1 to 9, 3 where not given.
    """
    given = Parameters(OWNER, {"votes_total": 3} | dict(parameters))
    given.check_names((*NAMES, *STUDY))
    votes_total = given.whole("votes_total", at_least=1, at_most=9)
    frame = frame[frame["total"] > votes_total]
    votes_positive, truth = draw_votes(
        frame["positive"].to_numpy(), frame["total"].to_numpy(), votes_total, rng
    )
    columns = [column for column in frame.columns if column.startswith("score_")]
    scores = {column.removeprefix("score_"): column for column in columns}
    return items_of(frame, votes_positive, votes_total, truth, scores, rng)
