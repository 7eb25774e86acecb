"""The studies that documents use, as files that people have: long, wide, unequal; and their truth.

Items, chances and scores come from MAVEN's generative process (Algorithm 1, `simulate.maven`). In
those of how-to pages and tutorials one annotator of 24 gives the other answer. Answers to prompts
come from voters with skills and items with difficulties (Algorithm 2, `simulate.irt`).
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from crowdgold.simulate.design import draw_labelled
from crowdgold.simulate.irt import draw_irt
from crowdgold.simulate.maven import draw_maven
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.parameters import SEED

GOLD_DRAW = 1  # The number beside the seed that the gold items are drawn with
EXAMPLE_ANNOTATORS = 20
EXAMPLE: dict[str, Any] = {
    "n": 3000, "phi": 0.2, "a0": 0.08, "a1": 0.72, "d0": 4.0, "d1": 4.0,
    "votes_total": {3: 0.7, 5: 0.3}, "n_gold": 300,
    "predictors": {"large": {"mu": 1.6, "delta": 1.0}, "small": {"mu": 0.8, "delta": 0.8}},
}  # fmt: skip
SLOPE, MIDDLE = 1.5, 1.5  # Of the logistic curve
DECIMALS = 5
ANNOTATORS, SWAPPED = 24, 10  # all, and the number of the one who gives the other answer
GOLD = 200  # Labels of the expert who chooses, and of the one who draws, where votes are unequal
EXPERT_ERROR = 0.06
PARAMETERS: dict[str, Any] = {
    "n": 1200, "phi": 0.4, "a0": 0.15, "a1": 0.8, "d0": 3.0, "d1": 3.0, "votes_total": 3,
    "n_gold": 240,
    "predictors": {"small": {"mu": 0.9, "delta": 0.5}, "large": {"mu": 1.8, "delta": 1.0}},
}  # fmt: skip
PROMPTS: dict[str, Any] = {
    "n": 1200, "phi": 0.3, "mu_s": 3.0, "sigma_s": 2.0, "mu_d": 0.5, "sigma_d": 2.0,
    "offset": -1.0, "votes_total": 3, "predictors": {"large": {"mu": 1.8, "delta": 1.0}},
    "n_gold": 200, "gold_design": "clusters", "cluster_size": 5, "cluster_correlation": 0.6,
}  # fmt: skip
"""Five answers to each prompt, those of 40 prompts with labels of an expert."""
RARE: dict[str, Any] = {
    "n": 4000, "phi": 0.05, "a0": 0.06, "a1": 0.75, "d0": 3.0, "d1": 3.0, "votes_total": 3,
    "n_gold": 0, "predictors": {"model": {"mu": 1.8, "delta": 1.0}},
}  # fmt: skip
CLASSIFIED: dict[str, Any] = {
    "n": 2000, "phi": 0.3, "a0": 0.15, "a1": 0.75, "d0": 3.0, "d1": 3.0, "votes_total": 3,
    "n_gold": 100, "predictors": {"classifier": {"mu": 1.8, "delta": 1.0}},
}  # fmt: skip
"""Items that a classifier scored, of whom 100 have an expert's label."""
JUDGES = {"atlas": 0.86, "atlas-mini": 0.84, "birch": 0.88, "cedar": 0.8, "dune": 0.75}
"""Judges, and how often each is right."""
COPIED = 0.7  # Share of the answers on which the second judge errs as the first does
JUDGED, JUDGED_GOLD = 800, 100
ANSWER = np.array(["no", "yes"], dtype=object)


def draw_example(seed: int = SEED) -> dict[str, pd.DataFrame]:
    """The example by table: votes, gold, scores, truth."""
    rng = np.random.default_rng(seed)
    items = draw_maven(EXAMPLE, rng).table
    of_gold = np.random.default_rng([seed, GOLD_DRAW])
    drawn = draw_labelled(len(items), EXAMPLE["n_gold"], of_gold)
    items = items.with_gold(drawn)
    assert items.truth is not None
    names = np.array([f"item-{number + 1:04d}" for number in range(len(items))], dtype=object)
    scores = {
        f"score_{name}": np.round(expit(SLOPE * (values - MIDDLE)), DECIMALS)
        for name, values in items.scores.items()
    }
    # Each item's votes go to annotators drawn at random, each of them once an item.
    order = rng.permuted(np.tile(np.arange(EXAMPLE_ANNOTATORS), (len(items), 1)), axis=1)
    item, column = np.nonzero(np.arange(EXAMPLE_ANNOTATORS) < items.votes_total[:, None])
    annotator = [f"a{number + 1:02d}" for number in order[item, column]]
    label = (column < items.votes_positive[item]).astype(int)
    votes = pd.DataFrame({"item": names[item], "annotator": annotator, "label": label})
    return {
        "votes": votes.sort_values(["item", "annotator"], ignore_index=True),
        "gold": pd.DataFrame({"item": names[drawn], "gold": items.gold[drawn]}),
        "scores": pd.DataFrame({"item": names, **scores}),
        "truth": pd.DataFrame({"item": names, "truth": items.truth}),
    }


def _long(items: Items, rng: np.random.Generator) -> pd.DataFrame:
    """Each vote to an annotator of the item; one of them gives the other answer."""
    order = rng.permuted(np.tile(np.arange(ANNOTATORS), (len(items), 1)), axis=1)
    place = np.arange(items.votes_total.max())
    item, column = np.nonzero(place < items.votes_total[:, None])
    worker = order[item, column]
    label = (column < items.votes_positive[item]) ^ (worker == SWAPPED)
    return pd.DataFrame(
        {"item": items.item[item], "worker": [f"R{k + 1}" for k in worker],
         "answer": ANSWER[label.astype(int)]}
    )  # fmt: skip


def _labels(items: Any, positive: Any, column: str) -> pd.DataFrame:
    """A label of each item, in words."""
    return pd.DataFrame({"item": items, column: ANSWER[positive.astype(int)]})


def _by_annotator(items: Items, rng: np.random.Generator) -> pd.DataFrame:
    """A column to each of four annotators, empty where they did not look."""
    names = ["ann", "bob", "eve", "kim"]
    order = rng.permuted(np.tile(np.arange(len(names)), (len(items), 1)), axis=1)
    place = np.argsort(order, axis=1)
    cells = np.where(place < items.votes_positive[:, None], "1", "0").astype(object)
    cells[place >= items.votes_total[:, None]] = ""
    cells[7] = ""
    columns = dict(zip(names, cells.T, strict=True))
    is_long = rng.integers(0, 2, len(items))
    return pd.DataFrame({"item": items.item, **columns, "is_long": is_long})


def _unequal(items: Items, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Vote twice on each item, and three times more where the two differ."""
    assert items.truth is not None
    first = rng.hypergeometric(items.votes_positive, items.votes_total - items.votes_positive, 2)
    split = first == 1
    more = rng.binomial(3, items.votes_positive / items.votes_total)
    table = pd.DataFrame(
        {"item": items.item, "votes_positive": np.where(split, first + more, first),
         "votes_total": np.where(split, 5, 2)}
    )  # fmt: skip
    tables = {}
    for name, among in (("unequal", np.flatnonzero(split)), ("unequal_random", np.arange(1200))):
        gold = np.full(len(items), None, dtype=object)
        rows = rng.choice(among, GOLD, replace=False)
        gold[rows] = items.truth[rows]
        tables[name] = table.assign(gold=gold)
    return tables


def _judges() -> dict[str, Any]:
    """Answers that five judges rated, of whom two are nearly copies, and an expert rated some.
    Their verdicts also as Inspect logs those of scorers, with a reward model's number.
    """
    rng = np.random.default_rng([SEED, 26])
    truth = rng.random(JUDGED) < 0.35
    right = rng.random((JUDGED, len(JUDGES))) < list(JUDGES.values())
    copied = rng.random(JUDGED) < COPIED
    right[copied, 1] = right[copied, 0]
    names = np.array([f"r{number}" for number in range(JUDGED)])
    item, judge = np.indices(right.shape)
    rated = pd.DataFrame(
        {"item": names[item.ravel()], "annotator": np.array(list(JUDGES))[judge.ravel()],
         "label": ANSWER[(truth[:, None] == right).astype(int).ravel()]}
    )  # fmt: skip
    gold = rng.choice(JUDGED, JUDGED_GOLD, replace=False)
    reward = expit(np.random.default_rng([SEED, 27]).normal(2.0 * truth - 1)).round(4)
    verdicts = np.where(truth[:, None] == right, "C", "I")
    samples = [
        {"id": str(name), "epoch": 1, "scores": {
            **{judge: {"value": str(one)} for judge, one in zip(JUDGES, own, strict=True)},
            "reward": {"value": float(number)},
        }}
        for name, own, number in zip(names, verdicts, reward, strict=True)
    ]  # fmt: skip
    return {
        "judges": rated,
        "judged_gold": _labels(names[gold], truth[gold], "gold"),
        "judged_truth": _labels(names, truth, "truth"),
        "log": {"version": 2, "status": "success",
                "eval": {"task": "answers", "model": "demo/model"}, "plan": {}, "samples": samples},
    }  # fmt: skip


def _classified() -> dict[str, pd.DataFrame]:
    """Items that a crowd and a classifier looked at, and an expert at 100; and the truth."""
    rng = np.random.default_rng([SEED, 27])
    items = draw_maven(CLASSIFIED, rng).table
    items.item[:] = [f"c{number}" for number in range(len(items))]
    known = items.gold != NO_GOLD
    assert items.truth is not None
    score = expit(items.scores["classifier"] - 1).round(4)
    return {
        "crowd": _long(items, rng).set_axis(["item", "annotator", "label"], axis="columns"),
        "expert": _labels(items.item[known], items.gold[known], "gold"),
        "classifier": pd.DataFrame({"item": items.item, "score": score}),
        "classified_truth": _labels(items.item, items.truth, "truth"),
    }


def draw_studies(seed: int = SEED) -> dict[str, Any]:
    """Draw all files of the pages: name -> table, or what a JSON file holds."""
    rng = np.random.default_rng(seed)
    items = draw_maven(PARAMETERS, rng).table
    items.item[:] = [f"a{number}" for number in range(len(items))]
    assert items.truth is not None
    known = items.gold != NO_GOLD
    scores = {name: expit(values - 1).round(4) for name, values in items.scores.items()}
    gold = pd.Series(items.gold, dtype="Int8").mask(~known)
    counts = {"item": items.item, "yes": items.votes_positive, "raters": items.votes_total}
    votes = _long(items, rng)
    experts, rows = [], np.flatnonzero(known)
    for name, share in (("E1", 0.95), ("E2", 0.95), ("E3", 0.3)):  # each errs now and then
        own = rows[rng.random(len(rows)) < share]
        label = items.truth[own] ^ (rng.random(len(own)) < EXPERT_ERROR)
        answer = ANSWER[label.astype(int)]
        experts.append(pd.DataFrame({"item": items.item[own], "expert": name, "label": answer}))
    columns, unequal = _by_annotator(items, rng), _unequal(items, rng)
    answers = draw_irt(PROMPTS, rng).table  # answers to prompts; those to one are alike
    assert answers.cluster is not None
    prompts = pd.DataFrame(
        {"item": [f"a{number}" for number in range(len(answers))],
         "prompt": [f"p{one + 1}" for one in answers.cluster],
         "votes_positive": answers.votes_positive, "votes_total": answers.votes_total,
         "gold": pd.Series(answers.gold, dtype="Int8").mask(answers.gold == NO_GOLD),
         "score": expit(answers.scores["large"] - 1).round(4)}
    )  # fmt: skip
    # Few of these are positive, without gold labels; the truth is what an expert would say.
    rare = draw_maven(RARE, np.random.default_rng(SEED)).table
    posts = pd.DataFrame(
        {"item": [f"p{number}" for number in range(len(rare))],
         "votes_positive": rare.votes_positive, "votes_total": rare.votes_total,
         "score": expit(rare.scores["model"] - 1).round(4)}
    )  # fmt: skip
    return {
        "votes": votes, "gold": _labels(items.item[known], items.gold[known], "label"),
        "scores": pd.DataFrame({"item": items.item, **scores}), "experts": pd.concat(experts),
        "counts": pd.DataFrame({**counts, "gold": gold, "score": scores["large"]}),
        "columns": columns, **unequal, "prompts": prompts, "posts": posts,
        "truth": pd.DataFrame({"item": posts["item"], "gold": rare.truth}), **_judges(),
        **_classified(),
    }  # fmt: skip
