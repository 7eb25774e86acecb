"""Labels with who gave them: the Annotations table, and the opinions of several experts.

Annotations have one row a label, and item scores from classifiers: the data of CLARA, section 3.1:
label r_ij of item i by reviewer a_ij, one of K categories, and a K-dimensional score vector s_ic of
classifier c, which may be missing for an item. Pairs of item and annotator without a label are
simply absent.

Where systems are judged (STABLEVAL, section 3.1), an item is a response: what an agent answered to
a prompt. The categories are then levels of quality, each worth a credit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from crowdgold.types.columns import (
    Problems,
    categories_of,
    check_columns,
    credits_of,
    list_names,
    responses_of,
    texts_of,
    to_numbers,
    without_repeats,
)
from crowdgold.types.display import Shown, ShownFacts
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import ESTIMATE, REPEATED

if TYPE_CHECKING:
    from crowdgold.types.gold_draw import GoldDraw

NO_GROUP = ""
"""The group of annotators where the table names none."""

SUM_TOLERANCE = 1e-6
"""Score vectors add to 1 within this."""


@dataclass(frozen=True, eq=False, repr=False)
class Annotations(Shown):
    """L labels of I items by A annotators in K categories."""

    item: np.ndarray  # (I,) in the order of their first label, then of their first score
    annotator: np.ndarray  # (A,) identifiers
    group: np.ndarray  # (G,) of annotators; one nameless group where the table has none
    category: np.ndarray  # (K,) labels, K at least 2
    item_of: np.ndarray  # (L,) position of each label's item, ascending; its labels in order
    annotator_of: np.ndarray  # (L,) position of each label's annotator
    group_of: np.ndarray  # (L,) position of each label's group
    label: np.ndarray  # (L,) position of each label's category
    # classifier -> (I, K) score vectors, a row of NaN where missing
    scores: Mapping[str, np.ndarray] = field(default_factory=dict)
    truth: np.ndarray | None = None  # (I,) position of the true category, where it is known
    # (S,) names of the agents whose responses the items are, in the order of the table, and (I,)
    # position of each item's agent, -1 for none; both empty where it names none
    agent: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=object))
    agent_of: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    credit: np.ndarray | None = None  # (K,) what each category is worth to an agent, where said

    def __len__(self) -> int:
        """The number of labels."""
        return len(self.label)

    def facts(self) -> ShownFacts:
        """The numbers of labels, items and annotators, and the names of the categories."""
        named = {"groups": self.group, "agents": self.agent}
        return {
            "labels": f"{len(self):,}",
            "items": f"{len(self.item):,}",
            "annotators": f"{len(self.annotator):,}",
            "categories": list_names(self.category),
            **{name: list_names(names) for name, names in named.items() if len(names) > 1},
            **({"scores": list_names(self.scores)} if self.scores else {}),
            **({"truth": "known"} if self.truth is not None else {}),
        }

    @property
    def labels_of_item(self) -> np.ndarray:
        """Number of labels of each item: (I,); 0 where it has scores alone."""
        return np.bincount(self.item_of, minlength=len(self.item))

    def votes(self) -> np.ndarray:
        """How many labels of each category each item has: (I, K)."""
        size = len(self.item) * len(self.category)
        cell = self.item_of * len(self.category) + self.label
        return np.bincount(cell, minlength=size).reshape(len(self.item), -1)

    def of_annotators(self, chosen: np.ndarray) -> "Annotations":
        """The labels of some annotators; all items and annotators stay, with their positions."""
        return self.of_labels(np.asarray(chosen, dtype=bool)[self.annotator_of])

    def of_labels(self, kept: np.ndarray) -> "Annotations":
        """Some of the labels, by a mask (L,) or positions; all items and annotators stay."""
        parts = ("item_of", "annotator_of", "group_of", "label")
        return replace(self, **{name: getattr(self, name)[kept] for name in parts})

    def of_items(self, rows: np.ndarray) -> "Annotations":
        """The items at positions (m,), also twice, with their labels; all annotators stay."""
        each = self.labels_of_item
        start, size = np.cumsum(each) - each, each[rows]
        item_of = np.repeat(np.arange(len(rows)), size)
        within = np.arange(len(item_of)) - np.repeat(np.cumsum(size) - size, size)
        chosen = self.of_labels(np.repeat(start[rows], size) + within)
        return replace(
            chosen,
            item=self.item[rows],
            item_of=item_of,
            scores={name: vectors[rows] for name, vectors in self.scores.items()},
            truth=None if self.truth is None else self.truth[rows],
            agent_of=self.agent_of[rows] if len(self.agent) else self.agent_of,
        )

    def to_frame(self) -> pd.DataFrame:
        """The labels as a data frame with the columns that `read_annotations` reads."""
        columns = {
            "item": self.item[self.item_of],
            "annotator": self.annotator[self.annotator_of],
            "label": self.category[self.label],
        }
        if len(self.group) > 1 or self.group[0] != NO_GROUP:
            columns["group"] = self.group[self.group_of]
        if len(self.agent):
            columns["agent"] = self.agent[self.agent_of[self.item_of]]
        return pd.DataFrame(columns)


def annotations_from_frame(
    frame: pd.DataFrame,
    categories: Sequence[str] | None = None,
    repeated: str = "refuse",
    scores: pd.DataFrame | None = None,
    source: str = "the table",
    first_row: int | np.ndarray = 0,
    credit: Mapping[str, float] | None = None,
) -> Annotations:
    """Annotations of a data frame of labels, which is checked.

    It has the columns item, annotator, label, optionally group and agent. With agents a response is
    an item of an agent; where several answered an item, its name is ITEM_AGENT. `categories` are
    all possible labels in the order wanted; those in the table, sorted, where not given.
    `repeated` is the rule for an annotator with several labels on an item: "refuse", keep the
    "first" or the "last", or "keep" all. `scores` has the columns item and one for each category,
    optionally classifier; rows may be absent. `credit` is what each category is worth to an agent.
    """
    if repeated not in REPEATED:
        raise InputError(f"repeated {repeated!r}; expected one of {', '.join(REPEATED)}")
    problems = Problems(source, first_row)
    needed = ("item", "annotator", "label")
    check_columns(frame, needed, problems)
    there = [*needed, *(name for name in ("group", "agent") if name in frame)]
    columns = {name: texts_of(frame, name, problems) for name in there}
    position, known = categories_of(columns["label"], categories, problems)
    values = credits_of(credit, known, problems)
    table = pd.DataFrame(columns).assign(position=position).reset_index(drop=True)
    table["item"] = responses_of(table, problems)
    table = without_repeats(table, repeated, problems)
    problems.raise_if_any()
    vectors = {} if scores is None else read_score_vectors(scores, known, f"the scores of {source}")
    # No loop over single texts: there may be millions.
    item_of, labelled = pd.factorize(table["item"])
    items = np.asarray(labelled, dtype=object)
    if scored := [item for one in vectors.values() for item in one.index]:
        items = np.array(list(dict.fromkeys([*items, *scored])), dtype=object)
    annotator_of, annotators = pd.factorize(table["annotator"])
    group_of, groups = np.zeros(len(table), dtype=np.int64), pd.Index([NO_GROUP])
    if "group" in table:
        group_of, groups = pd.factorize(table["group"])
    agents = {}
    if "agent" in table:
        of_row, names = pd.factorize(table["agent"])
        first = pd.Series(of_row, index=table["item"]).groupby(level=0, sort=False).first()
        agent_of = first.reindex(items, fill_value=-1).to_numpy(dtype=np.int64)
        agents = {"agent": np.asarray(names, dtype=object), "agent_of": agent_of}
    order = slice(None) if (np.diff(item_of) >= 0).all() else np.argsort(item_of, kind="stable")
    return Annotations(
        items,
        np.asarray(annotators, dtype=object),
        np.asarray(groups, dtype=object),
        known,
        item_of[order],
        annotator_of[order],
        group_of[order],
        table["position"].to_numpy()[order],
        {name: one.reindex(items).to_numpy() for name, one in vectors.items()},
        credit=values,
        **agents,
    )


def read_score_vectors(
    frame: pd.DataFrame, categories: np.ndarray, source: str
) -> dict[str, pd.DataFrame]:
    """Score vectors: classifier -> (items, K), indexed by item, of columns as the categories."""
    problems = Problems(source)
    names = [str(name) for name in categories]
    check_columns(frame, ("item", *names), problems)
    item = texts_of(frame, "item", problems)
    values = np.stack([to_numbers(frame[name]) for name in names], axis=1)
    for column, name in enumerate(names):
        good = (values[:, column] >= 0) & (values[:, column] <= 1)
        problems.add_rows(name, ~good, frame[name], "a probability")
    total = values.sum(axis=1)
    off = np.abs(total - 1) > SUM_TOLERANCE
    problems.add_rows(", ".join(names), off, np.round(total, 6), "scores that add to 1")
    classifier = pd.Series("score", frame.index)
    if "classifier" in frame:
        classifier = texts_of(frame, "classifier", problems)
    twice = pd.DataFrame({"item": item, "classifier": classifier}).duplicated(keep=False)
    problems.add_rows("item", twice.to_numpy(), item, "each item once for a classifier")
    problems.raise_if_any()
    table = pd.DataFrame(values, columns=names, index=pd.Index(item, name="item"))
    return {str(name): table[(classifier == name).to_numpy()] for name in classifier.unique()}


MISSING = -1  # in a table of labels by judge: no label


def labels_by_judge(annotations: Annotations) -> np.ndarray:
    """The first label of each judge on each item: (n, m), `MISSING` where there is none."""
    table = np.full((len(annotations.item), len(annotations.annotator)), MISSING)
    backwards = slice(None, None, -1)
    where = annotations.item_of[backwards], annotations.annotator_of[backwards]
    table[where] = annotations.label[backwards]
    return table


NO_OPINION = -1
OPINION = "opinion_"  # what names of columns begin with; the number of the opinion follows
TAKEN_FOR_TRUE, MEAN = "none", "mean"
"""In the place of an error: experts never err; or none errs, though they differ (`differ`)."""
MOST = 0.5  # an expert who errs more often than that says nothing
EXPECTED = (
    "expected a share below 0.5 (0.05), an interval (0.03:0.08), two of them with a comma between, "
    f"for positive and for negative items (0.1,0.03), {ESTIMATE!r}, {MEAN!r} or {TAKEN_FOR_TRUE!r}"
)
STANDARD_ERRORS = 2 * 1.959964  # the width of a 95 % interval, of a normal number
UPPER = 0.975  # confidence in the upper end of a 95 % interval
CLASSES = ("positive", "negative")  # of items, in the order of errors on them


@dataclass(frozen=True)
class GivenErrors:
    """How often experts err, as a user says."""

    error: tuple[float, float]  # on positive and on negative items
    spread: tuple[float, float] = (0.0, 0.0)  # standard error of each; 0 where it is known
    same: bool = True  # whether the two are one number
    # whether experts do not err but differ, so that an item is as positive as the share of
    # all experts who call it so
    differ: bool = False

    def contradicted_by(self, labels: np.ndarray) -> str:
        """Why such experts cannot have given labels (m,), one an item; empty where they can.

        The share of labels that an error calls for is at least the error, whatever is true.
        """
        asked = zip(("negative", "positive"), CLASSES, self.error, self.spread, strict=True)
        for label, (called, items, error, spread) in enumerate(asked):
            found, most = int((labels == label).sum()), largest_errors(labels)[label]
            share = found / len(labels)
            if error - share > np.hypot(most - share, STANDARD_ERRORS / 2 * spread):
                return (
                    f"{found:,} of {len(labels):,} first labels are {called}, and experts who err "
                    f"on {100 * error:g} % of the {items} items call more of them so: these labels "
                    f"allow an error of {np.floor(1000 * most) / 1000:g} at most"
                )
        return ""


def largest_errors(labels: np.ndarray) -> tuple[float, float]:
    """The largest errors on positive and on negative items that labels (m,) of 0 and 1 allow.

    Were all items positive, the negative labels would be the errors. Of any items they are no
    fewer, so that the exact upper end of their share's 95 % interval bounds the error.
    """
    from scipy.special import betaincinv  # here: the command line needs names of this file alone

    found = [int((labels == label).sum()) for label in (0, 1)]
    first, second = (
        1.0 if count == len(labels) else float(betaincinv(count + 1, len(labels) - count, UPPER))
        for count in found
    )
    return first, second


def read_expert_error(text: str | float) -> GivenErrors | None:
    """The errors that a text gives; None where it says to estimate them, or that there are none."""
    whole = str(text).strip()
    if whole in (ESTIMATE, TAKEN_FOR_TRUE):
        return None
    if whole == MEAN:
        return GivenErrors((0.0, 0.0), differ=True)
    errors, spreads = list[float](), list[float]()
    for part in whole.split(","):
        try:
            ends = [float(one) for one in part.split(":")]  # a share, or a 95 % interval
        except ValueError:
            ends = []
        good = 1 <= len(ends) <= 2 and all(0 <= one < MOST for one in ends)
        if not good or ends != sorted(ends) or len(errors) == 2:
            raise InputError(f"expert-error: found {whole!r}, {EXPECTED}")
        errors.append(sum(ends) / len(ends))
        spreads.append((ends[-1] - ends[0]) / STANDARD_ERRORS)
    return GivenErrors((errors[0], errors[-1]), (spreads[0], spreads[-1]), len(errors) == 1)


@dataclass(frozen=True, eq=False)
class Opinions:
    """Experts' labels of items in the order in which they were asked, and how often they err.

    A file of labels holds them in the order of its rows, several files in the order in which they
    are named, and columns of experts as they stand. Whether an item got one more opinion may depend
    on the earlier ones, and on nothing else. Arrays share the order of the items.
    """

    # (n, R) 0 or 1 in the order in which they were asked, `NO_OPINION` after the last
    labels: np.ndarray
    error: GivenErrors | None = None  # how often experts err, where that is given
    # the chances with which items with an opinion were drawn; None where these are a simple
    # random sample
    draw: "GoldDraw | None" = None

    @classmethod
    def of(cls, labels: np.ndarray) -> "Opinions":
        """Opinions from a table of labels (n, R), whose gaps are closed."""
        gaps = np.argsort(labels == NO_OPINION, axis=1, kind="stable")
        closed = np.take_along_axis(labels, gaps, axis=1).astype(np.int8)
        most = int((closed != NO_OPINION).sum(axis=1).max(initial=0))
        return cls(closed[:, : max(most, 1)])

    @property
    def number(self) -> np.ndarray:
        """Opinions of each item, (n,)."""
        return np.asarray((self.labels != NO_OPINION).sum(axis=1))

    @property
    def positive(self) -> np.ndarray:
        """Positive opinions of each item, (n,)."""
        return np.asarray((self.labels == 1).sum(axis=1))

    def take(self, rows: np.ndarray) -> "Opinions":
        """The opinions of the items at some positions."""
        draw = None if self.draw is None else self.draw.take(rows)
        return replace(self, labels=self.labels[rows], draw=draw)

    def to_columns(self) -> dict[str, object]:
        """A column for each opinion."""
        import pandas as pd  # here: the command line needs names of this file alone

        return {
            f"{OPINION}{place + 1}": pd.Series(own, dtype="Int8").mask(own == NO_OPINION)
            for place, own in enumerate(self.labels.T)
        }
