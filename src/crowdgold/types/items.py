"""The Items table: one row an item, with its crowd votes, gold label and model scores.

It is the data set D of MAVEN, section 3.1: V_i positive votes out of c_i, the gold label T_i where
an expert gave one, and the score X_i of each predictor. Simulated tables carry the truth Y_i too.
Every item has a vote, or none has: then gold labels and scores are all that there is.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from crowdgold.types.annotations import (
    NO_GROUP,
    OPINION,
    TAKEN_FOR_TRUE,
    Annotations,
    Opinions,
    read_expert_error,
)
from crowdgold.types.columns import (
    BELOW_LARGEST,
    LARGEST,
    Problems,
    check_columns,
    counted,
    is_empty,
    list_names,
    repeated,
    to_numbers,
)
from crowdgold.types.display import Shown, ShownFacts
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import (
    CLUSTER,
    NO_STRATUM,
    GoldDraw,
    check_draw,
    numbers_in_words,
    read_clusters,
    read_gold_draw,
)

NO_GOLD = -1
EQUAL_SCORES = "every score is {:g}, so the items cannot be ranked; expected scores that differ"
FEWEST_GOLD = 2  # gold labels; a single one says nothing of how surely it corrects a number
"""The value of `Items.gold` where no expert labelled the item (the paper's empty set)."""

SCORE, TRUTH = "score", "truth"
MOST_VOTES = 2**31  # of an item; its square fits into 64 bits


def with_truth(
    annotations: Annotations,
    frame: pd.DataFrame,
    source: str = "the table",
    first_row: int | np.ndarray = 0,
) -> Annotations:
    """Annotations of a frame with the true category of each item, which stands in all its rows."""
    problems = Problems(source, first_row)
    check_columns(frame, (TRUTH,), problems)
    text = frame[TRUTH].astype("string").str.strip().fillna("")
    position = pd.Index(annotations.category).get_indexer(pd.Index(text))
    expected = f"one of {', '.join(map(str, annotations.category))}"
    problems.add_rows(TRUTH, position < 0, frame[TRUTH], expected)
    item = pd.Index(annotations.item).get_indexer(frame["item"].astype("string").str.strip())
    truth = np.full(len(annotations.item), -1)
    # Backwards, so that the first row of an item decides.
    truth[item[::-1]] = position[::-1]
    other = (position >= 0) & (position != truth[item])
    problems.add_rows(TRUTH, other, frame[TRUTH], "the truth that the item's first row has")
    problems.raise_if_any()
    return replace(annotations, truth=truth)


def labels_of_items(
    item: np.ndarray, item_of: np.ndarray, annotator: np.ndarray, positive: np.ndarray
) -> Annotations:
    """The labels behind the votes of items, each (L,) with the position of its item, ascending."""
    names, annotator_of = np.unique(annotator.astype(str), return_inverse=True)
    return Annotations(
        item=item,
        annotator=names.astype(object),
        group=np.array([NO_GROUP], dtype=object),
        category=np.array(("0", "1"), dtype=object),
        item_of=item_of.astype(np.int64),
        annotator_of=annotator_of.astype(np.int64),
        group_of=np.zeros(len(item_of), dtype=np.int64),
        label=positive.astype(np.int64),
    )


def positive_categories(annotations: Annotations, positive: Collection[str]) -> np.ndarray:
    """Which categories count as positive, (K,): those named, not all; the last where none is."""
    names = [str(name) for name in annotations.category]
    chosen = set(map(str, positive)) or {names[-1]}
    for name in sorted(chosen):
        if name not in names:
            raise InputError(
                f"positive: found {name!r}, expected categories out of {', '.join(names)}"
            )
    if len(chosen) == len(names):
        raise InputError(f"positive: all of {', '.join(names)}; expected some and not all")
    return np.array([name in chosen for name in names])


@dataclass(frozen=True)
class Ranking:
    """n items from the lowest to the highest score, in G groups of equal scores.

    Nothing may depend on the order of the items within a group, which is that of the table.
    """

    order: np.ndarray  # (n,) positions of the items
    ends: np.ndarray  # (G,) how many items are in the first 1 .. G groups

    @classmethod
    def of(cls, scores: np.ndarray) -> "Ranking":
        """The ranking by finite scores (n,)."""
        order = np.argsort(scores, kind="stable")
        rises = np.flatnonzero(np.diff(scores[order]) > 0) + 1
        return cls(order, np.append(rises, len(order)))

    def __len__(self) -> int:
        return len(self.order)

    @cached_property
    def sizes(self) -> np.ndarray:
        """How many items are in each group: (G,)."""
        return np.diff(self.ends, prepend=0)


NO_PREDICTOR = ""  # where none is needed: items are in the order of the table


@dataclass(frozen=True, eq=False, repr=False)
class Items(Shown):
    """n items with votes, gold labels and scores; arrays share the item order."""

    item: np.ndarray  # (n,) identifiers, unique
    votes_positive: np.ndarray  # (n,) positive votes V_i, whole numbers from 0 to `votes_total`
    votes_total: np.ndarray  # (n,) votes c_i, at least 1 of each, or 0 of all; they may differ
    gold: np.ndarray  # (n,) expert label T_i: 0, 1, or `NO_GOLD`
    # predictor -> (n,) scores X_i; higher means more likely positive. NaN where an item of a user's
    # own study has none; tables of experiments have all. What needs scores takes `with_score` first
    scores: Mapping[str, np.ndarray]
    # (n,) numbers that order items whose scores are equal: win counts, imputation and metrics all
    # see one order
    tie_break: np.ndarray
    truth: np.ndarray | None = None  # (n,) true label Y_i, 0 or 1, where known (simulations)
    oracle: np.ndarray | None = None  # (n,) P(Y_i = 1 | V_i) under the true process, where known
    labels: Annotations | None = None  # who gave each vote, "0" or "1"; None where not known
    draw: GoldDraw | None = None  # the chances of gold; None of a simple random sample
    cluster: np.ndarray | None = None  # (n,) number of each; None where none belong together
    opinions: Opinions | None = None  # several experts' labels, of which `gold` is the majority
    _orders: dict[str, np.ndarray] = field(default_factory=dict, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.item)

    def facts(self) -> ShownFacts:
        """The numbers of items, votes and gold labels, and the predictors."""
        votes, positive = int(self.votes_total.sum()), int(self.votes_positive.sum())
        classes = [int((self.gold == label).sum()) for label in (1, 0)]
        of_votes = f"{votes:,}, {100 * positive / votes:.1f} % positive" if votes else "none"
        found = {
            "items": f"{len(self):,}",
            "votes": of_votes,
            "gold": f"{sum(classes):,} ({classes[0]:,} positive, {classes[1]:,} negative)",
            "scores": list_names(self.predictors) or "none",
        }
        if self.cluster is not None:
            found["cluster"] = numbers_in_words(self.cluster)
        return found | ({"truth": "known"} if self.truth is not None else {})

    @property
    def predictors(self) -> list[str]:
        """Names of the predictors, in the order of the score columns."""
        return list(self.scores)

    @property
    def gold_corrects(self) -> bool:
        """Whether gold labels are enough, two or more, to correct anything."""
        return bool((self.gold != NO_GOLD).sum() >= FEWEST_GOLD)

    @cached_property
    def has_votes(self) -> bool:
        """Whether items have votes."""
        return bool(self.votes_total.any())

    @property
    def positive_votes(self) -> float:
        """The share of positive votes among all; NaN without votes."""
        return float(self.votes_positive.sum() / (self.votes_total.sum() or np.nan))

    @property
    def vote_share(self) -> np.ndarray:
        """The (n,) shares of positive votes; NaN without votes."""
        return self.votes_positive / (self.votes_total if self.has_votes else np.nan)

    @cached_property
    def key(self) -> np.ndarray:
        """(n,) numbers that follow from the identifiers alone: an order where nothing else has one.

        They are hashes, so that neighbours among identifiers are none among keys.
        """
        texts = self.item.astype(str).astype(object)
        return np.asarray(pd.util.hash_array(texts, categorize=False))

    def _scores_of(self, predictor: str) -> np.ndarray:
        if predictor not in self.scores:
            raise InputError(
                f"no scores of predictor {predictor!r}; the table has {self.predictors}"
            )
        return self.scores[predictor]

    def with_score(self, predictor: str) -> "Items":
        """The items that have a score of a predictor: these same items where all have one."""
        known = np.isfinite(self._scores_of(predictor))
        return self if known.all() else self.take(known)

    def complete_scores(self, predictor: str) -> np.ndarray:
        """The (n,) scores of a predictor, an error where one is missing; 0 for `NO_PREDICTOR`."""
        if predictor == NO_PREDICTOR:
            return np.zeros(len(self))
        scores = self._scores_of(predictor)
        if without := int(np.isnan(scores).sum()):
            raise InputError(
                f"{counted(without, 'item')} without a score of {predictor!r} cannot be "
                "ranked; expected those that have one, as `with_score` has them"
            )
        return scores

    def order(self, predictor: str) -> np.ndarray:
        """The (n,) positions of the items from the lowest to the highest score."""
        if predictor == NO_PREDICTOR:
            return np.arange(len(self))
        if predictor not in self._orders:
            self._orders[predictor] = np.lexsort((self.tie_break, self.complete_scores(predictor)))
        return self._orders[predictor]

    def ranking(self, predictor: str) -> Ranking:
        """The items by score, those of equal scores together; an error where `order` has one."""
        self.order(predictor)
        return Ranking.of(self.scores[predictor])

    def with_gold(self, labelled: np.ndarray, draw: GoldDraw | None = None) -> "Items":
        """The items with gold labels from the truth where `labelled` (n,), drawn by `draw`."""
        if self.truth is None:
            raise InputError("gold labels can be taken from the truth only where it is known")
        gold = np.where(labelled, self.truth, NO_GOLD).astype(np.int8)
        return replace(self, gold=gold, draw=draw)

    def take(self, rows: np.ndarray) -> "Items":
        """The items at `rows`: positions (m,), or a mask (n,)."""
        positions = np.flatnonzero(rows) if rows.dtype == bool else rows
        votes = ("votes_positive", "votes_total")
        names = ("item", *votes, "gold", "tie_break", "truth", "oracle", "cluster")
        held = {name: getattr(self, name) for name in names}
        return replace(
            self,
            scores={name: values[rows] for name, values in self.scores.items()},
            labels=None if self.labels is None else self.labels.of_items(positions),
            draw=self.draw and self.draw.take(positions),
            opinions=self.opinions and self.opinions.take(positions),
            **{name: one[rows] for name, one in held.items() if one is not None},
        )

    def with_expert_error(self, text: str | float) -> "Items":
        """The same items with how often experts err, as a user says it (`annotations.EXPECTED`)."""
        given, opinions = read_expert_error(text), self.opinions
        if str(text).strip() == TAKEN_FOR_TRUE:
            return replace(self, opinions=None)
        if given is not None and opinions is None:
            opinions = Opinions(self.gold[:, None], draw=self.draw)
        return replace(self, opinions=opinions and replace(opinions, error=given))

    def to_frame(self) -> pd.DataFrame:
        """The table as a data frame with the columns that `read_items` reads."""
        columns: dict[str, object] = {
            "item": self.item,
            "votes_positive": self.votes_positive,
            "votes_total": self.votes_total,
            "gold": pd.Series(self.gold, dtype="Int8").mask(self.gold == NO_GOLD),
        }
        if self.draw is not None:
            columns |= self.draw.to_columns()
        if self.cluster is not None:
            columns[CLUSTER] = self.cluster
        if self.opinions is not None:
            columns |= self.opinions.to_columns()
        columns |= {score_column(name): values for name, values in self.scores.items()}
        others = {name: getattr(self, name) for name in ("truth", "oracle", "tie_break")}
        columns |= {name: values for name, values in others.items() if values is not None}
        return pd.DataFrame(columns)


def score_column(predictor: str) -> str:
    """The column of a predictor's scores: `score`, or `score_NAME`."""
    return SCORE if predictor == SCORE else f"{SCORE}_{predictor}"


def items_from_frame(
    frame: pd.DataFrame,
    rng: np.random.Generator,
    source: str = "the table",
    first_row: int | np.ndarray = 0,
    unscored: bool = False,
) -> Items:
    """The Items of a data frame; an `InputError` names all that cannot be used.

    It has the columns item, votes_positive, votes_total, optionally gold, score or score_NAME,
    truth, oracle (a probability), tie_break (drawn here where it is missing), cluster, opinion_1,
    opinion_2 ... of experts, and how gold was drawn (`types.gold_draw`). Without votes votes_total
    is 0 in all rows. Where items may be `unscored`, a score can be an empty cell.
    """
    problems = Problems(source, first_row)
    have = [str(column) for column in frame.columns]
    for column, times in sorted(repeated(have).items()):
        problems.add(f"column {column!r} is there {times} times; expected once")
    check_columns(frame, ("item", "votes_positive", "votes_total"), problems)
    item, empty = frame["item"], is_empty(frame["item"])
    if pd.api.types.infer_dtype(item, skipna=False) != "string":
        item = item.astype("string")
    problems.add_rows("item", empty, frame["item"], "an identifier")
    twice = np.asarray(item.duplicated(keep=False), dtype=bool) & ~empty
    problems.add_rows("item", twice, item, "each item once (it is there repeatedly)")

    def votes(column: str, lowest: int) -> np.ndarray:
        values = to_numbers(frame[column])
        good = (values >= lowest) & (values <= MOST_VOTES) & (values == np.floor(values))
        expected = f"a whole number from {lowest} to {MOST_VOTES}"
        problems.add_rows(column, ~good, frame[column], expected)
        return np.where(good, values, np.nan)

    def labels(column: str, may_be_empty: bool) -> np.ndarray:
        values = to_numbers(frame[column])
        known = np.isin(values, (0, 1))
        bad = ~known & ~(is_empty(frame[column]) & may_be_empty)
        expected = "0, 1 or an empty cell" if may_be_empty else "0 or 1"
        problems.add_rows(column, bad, frame[column], expected)
        return np.where(known, values, NO_GOLD).astype(np.int8)

    least = 1 if to_numbers(frame["votes_total"]).any() else 0
    total, positive = votes("votes_total", least), votes("votes_positive", 0)
    above = positive > total
    problems.add_rows("votes_positive", above, frame["votes_positive"], "at most votes_total")
    truth = labels("truth", False) if "truth" in frame else None
    gold = np.full(len(frame), NO_GOLD, dtype=np.int8)
    if "gold" in frame:
        before = len(problems.messages)
        gold = labels("gold", True)
        classes = np.unique(gold[gold != NO_GOLD])
        # A simulated replicate, which carries its truth, may by chance hold gold of one class.
        if truth is None and len(problems.messages) == before and classes.size == 1:
            problems.add(
                f"column 'gold': all {int((gold != NO_GOLD).sum())} gold labels are {classes[0]}; "
                "expected some of each class. Label more items chosen at random, or leave gold "
                "empty to run without it"
            )
    scores = {}
    for column in have:
        if column != SCORE and not column.startswith(f"{SCORE}_"):
            continue
        values = to_numbers(frame[column])
        bad = ~(np.abs(values) < LARGEST) & ~(unscored & is_empty(frame[column]))
        problems.add_rows(column, bad, frame[column], BELOW_LARGEST)
        known = values[np.isfinite(values)]
        if not bad.any() and len(known) > 1 and np.all(known == known[0]):
            problems.add(f"column {column!r}: {EQUAL_SCORES.format(known[0])}")
        scores[column.removeprefix(f"{SCORE}_")] = values
    oracle, tie_break = None, None
    if "oracle" in frame:
        oracle = to_numbers(frame["oracle"])
        bad = ~((oracle >= 0) & (oracle <= 1))
        problems.add_rows("oracle", bad, frame["oracle"], "a probability")
    if "tie_break" in frame:
        tie_break = to_numbers(frame["tie_break"])
        bad = ~np.isfinite(tie_break)
        problems.add_rows("tie_break", bad, frame["tie_break"], "a finite number")
    tie_break = rng.random(len(frame)) if tie_break is None else tie_break
    opinions = [labels(column, True) for column in have if column.startswith(OPINION)]
    problems.raise_if_any()
    items = Items(
        item.to_numpy(dtype=object), positive.astype(np.int64), total.astype(np.int64), gold,
        scores, tie_break, truth, oracle,
    )  # fmt: skip
    if opinions:
        items = replace(items, opinions=Opinions.of(np.stack(opinions, axis=1)))
    try:
        return with_sampling(items, {str(name): one for name, one in frame.items()})
    except InputError as problem:
        raise InputError(f"{source}: {problem}") from None


def with_sampling(items: Items, columns: Mapping[str, pd.Series]) -> Items:
    """The items with how gold was drawn, and their clusters, read from columns (n,)."""
    draw, cluster = read_gold_draw(columns, items.gold, items.item), None
    if CLUSTER in columns:
        cluster = read_clusters(columns[CLUSTER], items.item)
        if draw is not None:
            check_draw(cluster, items.gold != NO_GOLD, draw)
    opinions = items.opinions
    if opinions is not None:
        # Items on which experts are tied have no gold label, and were drawn too.
        opinions_draw = read_gold_draw(columns, opinions.labels[:, 0], items.item)
        opinions = replace(opinions, draw=opinions_draw)
        if draw is not None and draw.sent is not None:
            answered = (items.gold == NO_GOLD) & (opinions.number > 0)
            draw = replace(draw, sent=np.where(answered, NO_STRATUM, draw.sent))
    return replace(items, draw=draw, cluster=cluster, opinions=opinions)


ITEMS, ANNOTATIONS = "items", "annotations"

Table = Items | Annotations
"""What methods fit: a generator or a dataset gives one or the other."""


def kind_of(table: Table) -> str:
    """The kind of a table: "items" or "annotations"."""
    return ANNOTATIONS if isinstance(table, Annotations) else ITEMS
