"""Do two product records mean the same product? Three crowd votes a pair (CrowdER's products).

A score compares the two records' names: cosine of the words' character 3-to-5-grams (`character`)
or of the words (`word`) weighted by TF-IDF, or the Jaccard index of the sets of words (`jaccard`).
The task is close to MAVEN's Task 1: a base rate of 12 %, voters of high TNR and low TPR.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.datasets.dataset import STUDY, items_of
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items, labels_of_items
from crowdgold.types.parameters import Parameters, unknown

OWNER = "dataset product_pairs"
PREDICTORS = ("character", "word", "jaccard")
NAMES = ("predictors", "annotators")
PAIRS, POSITIVE, ANSWERS, VOTES = 8_315, 1_011, 24_945, 3  # of the source's files; votes a pair


def prepare(folder: Path) -> pd.DataFrame:
    """The prepared table, one row a pair of records.

    Columns: item (LEFT_RIGHT, the source's id without its end, the true label), votes_positive,
    votes_total, workers and answers (lists, an entry a vote), truth, score_NAME by `PREDICTORS`.
    `folder` holds answer.csv, truth.csv and products.csv.
    """
    columns = ["question", "worker", "answer"]
    answers = pd.read_csv(folder / "answer.csv", usecols=columns, dtype={"worker": str})
    truth = pd.read_csv(folder / "truth.csv")
    products = pd.read_csv(folder / "products.csv", index_col="id", keep_default_na=False)
    check_counts(answers, truth)
    return build(answers, truth, products["name"])


def check_counts(answers: pd.DataFrame, truth: pd.DataFrame) -> None:
    """Check the numbers of pairs, positives, answers, and answers a pair."""
    votes = answers.groupby("question")["answer"].size()
    answered = truth["question"].isin(votes.index)
    counts = {
        "pairs": (len(truth), PAIRS),
        "positive pairs": (int(truth["truth"].sum()), POSITIVE),
        "answers": (len(answers), ANSWERS),
        "pairs with 3 answers": (int((votes == VOTES).sum()), PAIRS),
        "pairs with a truth among those answered": (int(answered.sum()), PAIRS),
    }
    for what, (found, expected) in counts.items():
        if found != expected:
            raise InputError(f"{OWNER}: found {found:,} {what}, expected {expected:,}")


def build(answers: pd.DataFrame, truth: pd.DataFrame, names: pd.Series) -> pd.DataFrame:
    """The prepared table of votes, truth and scores; `names` maps a product's id to its name."""
    # Numbers stand for the workers, whose ids are not kept.
    by_pair = answers.assign(worker=pd.factorize(answers["worker"])[0]).groupby("question")
    votes = by_pair["answer"].agg(["sum", "size"]).loc[truth["question"]]
    lists = by_pair.agg({"worker": list, "answer": list}).loc[truth["question"]]
    ids = truth["question"].str.split("_", expand=True)
    left, right = (names.loc[ids[side].astype(int)].to_list() for side in (0, 1))
    columns = {
        "item": (ids[0] + "_" + ids[1]).to_numpy(), "votes_positive": votes["sum"].to_numpy(),
        "votes_total": votes["size"].to_numpy(), "workers": lists["worker"].to_numpy(),
        "answers": lists["answer"].to_numpy(), "truth": truth["truth"].to_numpy(),
    }  # fmt: skip
    scores = similarities(left, right)
    return pd.DataFrame(columns | {f"score_{name}": values for name, values in scores.items()})


def similarities(left: list[str], right: list[str]) -> dict[str, np.ndarray]:
    """Each predictor's similarity (n,), 0 to 1, of n pairs of names.

    A term's document frequency counts a name once for each pair that it is in.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    weightings = {
        "character": TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5)),
        "word": TfidfVectorizer(),
    }
    scores = {}
    for name, weighting in weightings.items():
        vectors = weighting.fit_transform(left + right)
        cosines = vectors[: len(left)].multiply(vectors[len(left) :]).sum(axis=1)
        scores[name] = np.asarray(cosines).ravel()
    first, second = (
        [set(re.findall(r"\w+", name.lower())) for name in side] for side in (left, right)
    )
    pairs = zip(first, second, strict=True)
    scores["jaccard"] = np.array([len(a & b) / max(len(a | b), 1) for a, b in pairs])
    return scores


def draw_task(
    frame: pd.DataFrame, parameters: Mapping[str, Any], rng: np.random.Generator
) -> Items:
    """All pairs, with their votes, truth and the chosen scores.

    Parameters: `predictors`, a list of names out of `PREDICTORS` in the order wanted; `annotators`,
    whether the items say which worker gave each vote (false where not given).
    """
    given = Parameters(OWNER, {"predictors": ["character"]} | dict(parameters))
    given.check_names((*NAMES, *STUDY))
    predictors = given.values["predictors"]
    if not isinstance(predictors, list | tuple) or not predictors:
        raise given.fault("predictors", f"a list of names out of {', '.join(PREDICTORS)}")
    for name in predictors:
        if name not in PREDICTORS:
            raise InputError(f"{OWNER}: {unknown('predictor', name, PREDICTORS)}")
    labels = None
    if given.flag("annotators"):
        item = frame["item"].to_numpy(dtype=object)
        voter = np.char.add("W", np.concatenate(frame["workers"].to_numpy()).astype(str))
        pair = np.repeat(np.arange(len(frame)), frame["votes_total"])
        labels = labels_of_items(item, pair, voter, np.concatenate(frame["answers"].to_numpy()))
    positive, total = (frame[f"votes_{one}"].to_numpy(np.int64) for one in ("positive", "total"))
    scores = {name: f"score_{name}" for name in predictors}
    return items_of(frame, positive, total, frame["truth"].to_numpy(np.int8), scores, rng, labels)
