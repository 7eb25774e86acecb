"""A user's study: votes, gold labels, scores, strata and weights of one set of items.

`read_labels` reads labels alone, by annotator, of two categories or more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import numpy as np
import pandas as pd

from crowdgold.reading.columns import ENOUGH, columns_of, named_sheets
from crowdgold.reading.contents import (
    FORMS,
    assign,
    guessed_gold,
    of_begun_batches,
    read_gold,
    read_sampling,
    read_scores,
    read_strata,
    read_votes,
    read_weights,
)
from crowdgold.reading.door import REFUSE, Reading
from crowdgold.reading.joins import (
    LEAST,
    check_names,
    check_same_things,
    left_uneven,
    places,
    some,
)
from crowdgold.reading.label_words import binary_labels, check_missing, plain
from crowdgold.reading.sheets import Sheet
from crowdgold.reading.tables import TIE_BREAK_SEED, Rows, give_back
from crowdgold.types.annotations import Annotations, Opinions, annotations_from_frame
from crowdgold.types.columns import counted, has_or_have, list_names
from crowdgold.types.display import Shown, ShownFacts
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import note_on_clusters, note_on_draw, notes_on_skipped
from crowdgold.types.items import (
    NO_GOLD,
    SCORE,
    Items,
    items_from_frame,
    score_column,
    with_sampling,
)
from crowdgold.types.notes import Note


def read_labels(
    paths: Sequence[str | Path],
    reading: Reading | None = None,
    categories: Sequence[str] | None = None,
) -> tuple[Annotations, tuple[Note, ...]]:
    """The labels of a study's files, and notes on what was guessed, dropped or decided.

    Labels that are said to be positive become 1, all others 0; where none is, they stay what they
    are. The categories are those found where they are not given.
    """
    notes: list[Note] = []
    reading = reading or Reading()
    with named_sheets(paths, reading, notes) as named:
        sheets = _assigned(named, reading, notes)
        votes = read_votes(sheets, notes, reading.unmatched)
        frame = votes.frame
        if "annotator" not in frame:
            raise InputError(
                f"{votes.source}: nothing says who gave which label; expected the columns item, "
                "annotator and label, or item and a column vote_NAME for each annotator"
            )
        if reading.positive:
            tables = {f"{votes.source}, votes": votes}
            (binary,) = binary_labels(tables, reading.positive, notes).values()
            frame, categories = binary.frame.astype({"label": str}), ("0", "1")
            notes.append(Note("labels_0_and_1"))
        elif categories is None:
            # The commonest spelling is that of a label: Yes and yes are one.
            texts = list(map(str, frame["label"].value_counts(sort=True).index))
            spelling = {plain(text): text for text in reversed(texts)}
            changed = {one: spelling[plain(one)] for one in texts if one != spelling[plain(one)]}
            if changed:
                listed = ", ".join(f"{text!r} as {kept!r}" for text, kept in changed.items())
                notes.append(Note("spelling", {"file": votes.source, "changed": listed}))
                frame = frame.assign(label=frame["label"].replace(changed))
        found = annotations_from_frame(
            frame, categories, reading.repeated, source=votes.source, first_row=votes.rows
        )
    return found, tuple(notes)


MOST_MODELS = 100  # of a study: 4,950 pairs to compare


@dataclass(frozen=True)
class StudyFiles:
    """The files of a study, and how they are read."""

    paths: Sequence[str | Path] = ()  # votes, gold labels and scores, in one file or several
    reading: Reading = field(default_factory=Reading)  # what is said of them

    def read(self, unlabelled: bool = False) -> "Study":
        """The study; an `InputError` where it cannot be read, or has no label of any kind, but
        where it may be `unlabelled`.
        """
        notes: list[Note] = []
        with named_sheets(self.paths, self.reading, notes) as named:
            return replace(_study(named, self.reading, notes, unlabelled), files=self)


@dataclass(frozen=True, eq=False, repr=False)
class Study(Shown):
    """What a user's files hold; arrays share the order of the items.

    Items, models, experts and strata stand in the order of their names. So no number depends on
    the order of rows, columns or files.
    """

    # Gold is the majority of the experts. It may be of one class alone; where experts are tied it
    # is not there, but their opinions are
    items: Items
    annotations: Annotations | None = None  # categories 0 and 1; None where voters are not known
    strata: Mapping[str, np.ndarray] = field(default_factory=dict)  # (n,) each, "" where not given
    weights: np.ndarray | None = None  # (n,) items that each stands for, above 0, where given
    # expert -> (n,) label of each item: 0, 1, or `NO_GOLD`
    gold_by_expert: Mapping[str, np.ndarray] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()  # what was guessed, dropped or decided
    passed_over: int = 0  # gold labels of a batch of which not all strata have one, as `notes` say
    files: StudyFiles = StudyFiles()  # that it was read from; none where it was made

    def with_expert_error(self: Self, text: str | float) -> Self:
        """The same study with what is known of how often experts err (`types.annotations`)."""
        return replace(self, items=self.items.with_expert_error(text))

    def facts(self) -> ShownFacts:
        """Those of its items, who voted, and what was guessed when it was read."""
        voters, unknown = self.annotations, "not known" if self.items.has_votes else "none"
        return {
            **self.items.facts(),
            "annotators": unknown if voters is None else f"{len(voters.annotator):,}",
            "experts": list_names(self.gold_by_expert) or "none",
            **({"strata": list_names(self.strata)} if self.strata else {}),
            **({"weights": "given"} if self.weights is not None else {}),
            **({"read": [one.text for one in self.notes]} if self.notes else {}),
        }


def read_study(
    paths: Sequence[str | Path], columns: Mapping[str, str] | None = None,
    positive: str | Sequence[str] | None = None, repeated: str = "refuse",
    item: str | Sequence[str] = (), missing: Sequence[str] = (), encoding: str | None = None,
    unmatched: str = REFUSE, unlabelled: bool = False,
) -> Study:  # fmt: skip
    """A study from its files: `unlabelled` as of `StudyFiles.read`, the others of `Reading`."""
    wanted = [positive] if isinstance(positive, str) else list(positive or ())
    reading = Reading(columns or {}, wanted, repeated, item, missing, encoding, unmatched)
    return StudyFiles(paths, reading).read(unlabelled)


def _assigned(named: Sequence[Sheet], reading: Reading, notes: list[Note]) -> list[Sheet]:
    """The sheets with their roles, once it is checked that they name the same things alike."""
    sheets = assign(named, reading.positive, notes, reading.repeated)
    check_same_things(sheets)
    return check_missing(sheets, reading, notes)


def _study(named: list[Sheet], reading: Reading, notes: list[Note], unlabelled: bool) -> Study:
    """The study of sheets whose columns are named; the list is emptied, to free their memory."""
    repeated, unmatched = reading.repeated, reading.unmatched
    sheets = _assigned(named, reading, notes)
    guessed = [sheet.name for sheet in sheets if guessed_gold(sheet)]
    voted = any(sheet.kind is not None for sheet in sheets)
    votes, gold = read_votes(sheets, notes, unmatched), read_gold(sheets, notes)
    if not (voted or unlabelled or gold is not None):
        raise InputError(
            "no votes and no gold labels, so that there is nothing to learn from: "
            f"{columns_of(named)}. Have an expert label items that `crowdgold sample` draws, and "
            "give their labels in a column gold. Or give votes in the columns "
            f"{FORMS}. Other names are given by --column THEIRS=OURS"
        )
    basis = "votes" if voted else "scores"  # what every item has, in messages
    of_votes, of_gold = f"{votes.source}, votes", ""
    tables = {of_votes: votes} if "label" in votes.frame and len(votes.frame) else {}
    if gold is not None:
        tables |= {(of_gold := f"{gold.source}, gold labels"): gold}
    binary = binary_labels(tables, reading.positive, notes)
    votes, gold = binary.get(of_votes, votes), binary.get(of_gold)
    votes = _by_name(votes, "item", "annotator", *["label"] * (repeated == "keep"))
    if repeated not in (REFUSE, "keep") and "annotator" in votes.frame:
        again = int(votes.frame.duplicated(["item", "annotator"]).sum())
        if again:
            told = {"number": again, "all": len(votes.frame), "rule": repeated}
            notes.append(Note("repeated_left_out", told))
    gold = None if gold is None else _by_name(gold, "item", "expert", "label")

    _check_number(sum(len(sheet.starting("score")) for sheet in sheets))
    scores = dict(sorted(read_scores(sheets).items()))
    by_item, sizes = read_sampling(sheets), read_weights(sheets)
    _check_number(len(scores))
    by_strata = sorted(read_strata(sheets).items())
    # The texts of a large file are no longer needed.
    named.clear()
    del sheets, tables, binary
    give_back()
    _note_scores(votes, scores, unmatched, basis, notes)
    items, annotations = _items(votes, scores, repeated)

    def of_items(values: pd.Series, what: str) -> pd.Series:
        """Values by item in the items' order; a note says which items are not known."""
        if extra := check_names(what, list(values.index), items.item, unmatched, of=basis):
            told = {"what": what, "number": len(extra), "basis": basis, "names": some(extra)}
            notes.append(Note("values_dropped", told))
        return values.reindex(items.item)

    sampling = {name: of_items(one, name) for name, one in by_item.items()}
    gold, passed_over = of_begun_batches(gold, items.item, sampling, notes)
    by_expert = {} if gold is None else _gold_by_expert(gold, items.item, unmatched, basis, notes)
    strata = {
        name: of_items(values, "a stratum").fillna("").to_numpy(object)
        for name, values in by_strata
    }
    weights = None
    if sizes is not None:
        weights = of_items(sizes, "weights").to_numpy(dtype=float)
        without = np.isnan(weights)
        if without.any():
            raise InputError(
                f"column 'weight': {counted(int(without.sum()), 'item')} without one "
                f"({some(list(items.item[without]))}); expected a number above 0 for each, or no "
                "weights"
            )
        ends = {"least": float(weights.min()), "most": float(weights.max())}
        notes.append(Note("weights_read", ends))
    opinions = None if gold is None else _opinions(gold, items.item)
    items = replace(items, gold=_majority(by_expert, len(items), notes), opinions=opinions)
    _check_aggregate(items, guessed, notes)
    items = with_sampling(items, sampling)
    if items.draw is not None:
        tied = None
        if items.opinions is not None:
            tied = (items.opinions.number > 0) & (items.gold == NO_GOLD)
        notes.append(note_on_draw(items.draw, items.gold))
        notes += notes_on_skipped(sampling, items.gold, tied)
    if items.cluster is not None:
        notes.append(note_on_clusters(items.cluster))
    return Study(items, annotations, strata, weights, by_expert, tuple(notes), passed_over)


def _check_number(models: int) -> None:
    """Raise an `InputError` where there are more models than can be compared."""
    if models > MOST_MODELS:
        raise InputError(
            f"found scores of {models:,} models, of which every two are compared; expected at "
            f"most {MOST_MODELS}: keep the score columns of those that you want to compare"
        )


def _by_name(rows: Rows, *columns: str) -> Rows:
    """The rows sorted by some columns, 9 before 10; texts, maybe millions, become categories."""
    frame, keys = rows.frame, []
    for name in columns:
        if name not in frame:
            continue
        code: np.ndarray = frame[name].to_numpy()
        if pd.api.types.is_string_dtype(frame[name].dtype):
            code, found = pd.factorize(frame[name])
            texts = pd.Index(found)
            place = texts.argsort()
            length = texts.str.len().to_numpy(dtype=int)
            place = place[np.argsort(length[place], kind="stable")]
            code = np.argsort(place).astype(np.int32)[code]
            frame = frame.assign(**{name: pd.Categorical.from_codes(code, texts[place])})
        keys.append(code)
    order = np.lexsort(keys[::-1])
    return Rows(rows.source, frame.iloc[order].reset_index(drop=True), rows.rows[order])


def _check_aggregate(items: Items, guessed: Sequence[str], notes: list[Note]) -> None:
    """Note gold that is but the votes' majority; refuse it in files only `guessed` to hold gold."""
    if not items.has_votes:
        return
    twice = 2 * items.votes_positive
    known, tied = items.gold != NO_GOLD, twice == items.votes_total
    same = tied | (items.gold == (twice > items.votes_total))
    if known.sum() < ENOUGH or not same[known].all() or (known | tied).mean() < LEAST:
        return
    if guessed:
        raise InputError(
            f"{guessed[0]}: gold labels of {counted(int(known.sum()), 'item')} are the majority of "
            "their votes, as a platform's aggregated labels are. Leave the file out; or say by "
            f"--column {guessed[0]}:label=gold that an expert gave them"
        )
    notes.append(Note("gold_of_votes", {"number": int(known.sum())}))


def _note_scores(
    votes: Rows, scores: Mapping[str, pd.Series], unmatched: str, basis: str, notes: list[Note]
) -> None:
    """Note which items have no score, and which scores are of no item with votes, the `basis`."""
    voted = "" if basis == "scores" else f" with {basis} but"
    if not len(votes.frame):
        raise InputError(f"{votes.source}: no votes; expected items with labels")
    item = votes.frame["item"].cat.categories.to_numpy(dtype=object)
    for name, values in scores.items():
        what = "a score" if name == SCORE else f"a score of {name}"
        without = [item[k] for k in np.flatnonzero(places(item, values.index) < 0)]
        extra = check_names(what, list(values.index), item, unmatched)
        if len(without) == len(item):
            raise InputError(
                f"the scores of {name!r} and the votes have no item in common: votes are of "
                f"{some(list(item))}, scores of {some(list(values.index))}. Expected the same "
                "identifiers in both"
            )
        if extra:
            told = {"number": len(extra), "what": what, "names": some(extra)}
            notes.append(Note("scores_dropped", told))
        if without:
            told = {"number": len(without), "all": len(item), "voted": voted, "what": what}
            notes.append(Note("not_scored", told | {"names": some(without)}))


def _items(
    votes: Rows, scores: Mapping[str, pd.Series], repeated: str
) -> tuple[Items, Annotations | None]:
    """The items, and the annotations where the votes say whose they are."""
    annotations, rows = None, votes.rows
    if "annotator" in votes.frame:
        code = votes.frame["label"].to_numpy(dtype=np.int8)
        label = pd.Categorical.from_codes(code, pd.Index(["0", "1"]))
        labels = votes.frame.assign(label=label)
        annotations = annotations_from_frame(
            labels, ("0", "1"), repeated, source=votes.source, first_row=rows
        )
        counts = annotations.votes()
        # The same texts, not a copy of them.
        item = pd.Series(annotations.item, dtype=object)
        frame = pd.DataFrame({"item": item, "votes_positive": counts[:, 1]})
        frame["votes_total"] = counts.sum(axis=1)
    elif "label" in votes.frame:
        grouped = votes.frame.groupby("item", observed=True)["label"]
        frame = grouped.agg(votes_positive="sum", votes_total="size").reset_index()
    else:
        frame = votes.frame
    if len(frame) != len(rows):
        rows = np.arange(len(frame))
    for name, values in scores.items():
        # A repeated item is refused below, with its rows.
        frame = frame.assign(**{score_column(name): values.reindex(frame["item"]).to_numpy()})
    rng = np.random.default_rng(TIE_BREAK_SEED)
    return items_from_frame(frame, rng, votes.source, rows, unscored=True), annotations


def _gold_by_expert(
    gold: Rows, item: np.ndarray, unmatched: str, basis: str, notes: list[Note]
) -> dict[str, np.ndarray]:
    """Expert -> (n,) labels in the items' order, `NO_GOLD` where there is none."""
    names = list(gold.frame["item"].unique())
    place = places(gold.frame["item"], item)
    outside = place < 0
    least = LEAST if not outside.all() else 0.0  # of none that matches more is said below
    lost = check_names("a gold label", names, item, unmatched, least, basis)
    if len(outside) and outside.all():
        raise InputError(
            f"gold labels and {basis} have no item in common: {basis} are of {some(list(item))}, "
            f"gold labels of {some(names)}. Expected the same identifiers in both"
        )
    if lost:
        told = {"number": len(lost), "basis": basis, "names": some(lost)}
        notes += [Note("gold_dropped", told), *left_uneven(gold.frame["label"], ~outside)]
    by_expert = {}
    for expert, rows in gold.frame.assign(place=place)[~outside].groupby("expert", sort=False):
        by_expert[str(expert)] = np.full(len(item), NO_GOLD, dtype=np.int8)
        by_expert[str(expert)][rows["place"]] = rows["label"].to_numpy(dtype=np.int8)
    return by_expert


def _opinions(gold: Rows, item: np.ndarray) -> Opinions | None:
    """The experts' labels of each item in the order of their rows; None where none has two."""
    place = places(gold.frame["item"], item)
    number = gold.frame.groupby("item", sort=False).cumcount().to_numpy()
    known = place >= 0
    if not number[known].any():
        return None
    labels = np.full((len(item), int(number[known].max()) + 1), NO_GOLD, dtype=np.int8)
    labels[place[known], number[known]] = gold.frame["label"].to_numpy(dtype=np.int8)[known]
    return Opinions.of(labels)


def _majority(by_expert: Mapping[str, np.ndarray], size: int, notes: list[Note]) -> np.ndarray:
    """The majority of the experts' labels: (n,); no gold label where they are tied."""
    labels = np.array(list(by_expert.values()), dtype=np.int8).reshape(-1, size)
    positive, negative = (labels == 1).sum(axis=0), (labels == 0).sum(axis=0)
    gold = np.where(positive > negative, 1, np.where(negative > positive, 0, NO_GOLD))
    tied = int(((positive == negative) & (positive > 0)).sum())
    if len(by_expert) > 1:
        told = {"experts": len(by_expert), "tied": tied, "have": has_or_have(tied)}
        notes.append(Note("gold_of_tied_experts" if tied else "gold_of_experts", told))
    return gold.astype(np.int8)
