"""What a study's data can support, before anything is fitted: counts, agreement, gold, scores.

The n_h gold labels of stratum h, whose items stand for a share W_h of all, cannot exclude that a
share b(n_h) of the others are of the other class (`unseen_share`). Where that leaves more than half
of the range open, no interval is printed (`design.left_open`, `rectified`). Labels that are enough,
though they all be alike, are as many as it takes for

    W_h b(n_h) <= 1/2

Of items that were drawn each by itself, those of a class of weight stand in the place of a stratum.

How much clusters of items matter is told by how alike their items are, and what that costs in
labels. The intraclass correlation of a value is that of two items of one cluster, from the mean
squares between and within clusters (analysis of variance):

    (MSB - MSW) / (MSB + (m - 1) MSW)      m: items of a cluster, (n - sum m_c^2 / n) / (C - 1)

The design effect is the variance of the prevalence from gold alone about the population, over what
it would be were no items to belong together. So many times more labels are needed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr

from crowdgold.checking.agreement import Agreement, AnnotatorCheck, agreement, check_annotators
from crowdgold.checking.gold_sample import PERMUTATIONS, GoldSample, assess_gold_sample, mid_ranks
from crowdgold.checking.judges import Judges, look_at_judges
from crowdgold.checking.next_labels import NextLabels, next_labels
from crowdgold.checking.scores import (
    Scores,
    best_scored,
    look_at_scores,
    warn_of_missing,
    warn_of_ties,
)
from crowdgold.checking.text import ALL, NAMED, SUPPORT, in_short
from crowdgold.inference.design import KnownChances, drawn_from
from crowdgold.inference.estimate import Questions, View
from crowdgold.inference.expert_errors import expert_errors, judged, known_errors, why_unknown
from crowdgold.inference.interval import unseen_share
from crowdgold.inference.rectified import HALF, POPULATION, of_labels
from crowdgold.methods.needs import (
    EXPERTS_ERRORS,
    NOT_USABLE,
    Facts,
    gold_for_true,
    gravest,
    lacking,
    verdict_of,
)
from crowdgold.methods.registry import METHODS, offered
from crowdgold.metrics.binary import parse_metric
from crowdgold.reading.study import Study
from crowdgold.types.columns import counted, has_or_have, list_names
from crowdgold.types.display import Shown, ShownFacts
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import GoldDraw, numbers_in_words
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items
from crowdgold.types.notes import Note, texts
from crowdgold.types.parameters import LEVEL

OPPOSITE = 0.01  # probability of so few agreements by chance, below which votes are swapped
TIES = 0.02  # share of the items that experts labelled from which on their ties are warned of


def _warn_of_gold(
    sample: GoldSample, within: GoldSample | None, gold: int, tied: int
) -> Iterator[Note]:
    """Where gold items are no random sample, or easier than others, since `tied` do not count."""
    if sample.chosen:
        yield sample.doubt
    if within is not None and sample.chosen and not within.chosen and np.isfinite(within.p):
        yield Note("strata_reliable", {"p": within.p})
    if within is not None and within.chosen and not sample.chosen:
        yield Note("strata_misfit", {"misfit": within.wording.misfit, "p": within.p})
    if tied > TIES * (gold + tied):
        yield Note("experts_tied", {"items": tied, "have": has_or_have(tied),
                                    "share": 100 * tied / (gold + tied)})  # fmt: skip


def _warn_of_annotators(annotators: AnnotatorCheck) -> Iterator[Note]:
    for chosen, against in ((annotators.adversarial, True), (annotators.constant, False)):
        if chosen.any():
            names = [*map(str, annotators.annotator[chosen])]
            shown = ", ".join([*names[:NAMED], *["..."] * (len(names) > NAMED)])
            yield Note("annotators_against" if against else "annotators_constant",
                       {"number": len(names), "named": shown})  # fmt: skip


def warn_of_opposites(items: Items) -> Iterator[Note]:
    """Warn of votes or scores that are higher on gold negatives, by a rank-sum test."""
    told = {f"scores of {name}": own for name, own in items.scores.items()}
    told = {"votes": items.vote_share, **told} if items.has_votes else told
    for what, values in told.items():
        known = np.isfinite(values) & (items.gold != NO_GOLD)
        positive, ranks = items.gold[known] == 1, mid_ranks(values[known])
        several, others = positive.sum(), (~positive).sum()
        if not several * others:
            continue
        excess = ranks[positive].sum() - several * (several + others + 1) / 2
        p = float(ndtr(excess / np.sqrt(several * others * (several + others + 1) / 12)))
        if p < OPPOSITE:
            yield Note("higher_on_negatives", {"what": what, "p": p})


def majority_right(items: Items) -> tuple[float, float]:
    """The shares of positives and of negatives that the majority gets right, by gold; or NaN."""
    if not items.has_votes:
        return np.nan, np.nan
    right = 0.5 + np.sign(2 * items.votes_positive - items.votes_total) / 2
    rows, negative, positive = _masses(items)
    return _mean(right[rows], positive), _mean(1 - right[rows], negative)


def _masses(items: Items) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions of the gold items, and what each counts as negative, and as positive: (m,) each."""
    errors = known_errors(items)
    items = items if errors is None else judged(items, errors.verdict)
    rows = np.flatnonzero(items.gold != NO_GOLD)
    share = items.gold[rows].astype(float) if errors is None else errors.values
    weights = np.ones(len(rows))
    if items.draw is not None and len(rows):
        weights = items.draw.weights(rows)
    return rows, (1 - share) * weights, share * weights


def _mean(values: np.ndarray, mass: np.ndarray) -> float:
    """A mean of shares by masses, of which corrected ones may be below 0; NaN of none."""
    whole = mass.sum()
    return float(np.clip((values * mass).sum() / whole, 0, 1)) if whole > 0 else np.nan


def positive_share(items: Items) -> float:
    """The share of positive items, by gold labels and their weights; NaN without gold."""
    _, negative, positive = _masses(items)
    return _mean(np.r_[np.zeros(len(negative)), np.ones(len(positive))], np.r_[negative, positive])


FEW_CLUSTERS = 20  # clusters with gold labels below which intervals rest on few
FEWEST_PAIRS = 100
"""Pairs of gold labels of one cluster below which their correlation is not said: one of unrelated
labels has a standard error of 1 / sqrt(pairs), so at most .1."""


@dataclass(frozen=True)
class ClusterEffect:
    """How much clusters matter; what is not known, or rests on few pairs, is NaN."""

    numbers: str  # how many there are, and of how many items, in words
    with_gold: int  # clusters with a gold label
    of_gold: float  # intraclass correlation of the gold labels
    of_votes: float  # that of the items' shares of positive votes
    design_effect: float  # of the prevalence from gold alone
    gold: int  # gold labels
    sentence: str  # how much clusters matter, in plain words


def intraclass_correlation(values: np.ndarray, cluster: np.ndarray) -> float:
    """Of values (n,) in clusters (n,); NaN where no two are of one, or all values are the same."""
    _, code, size = np.unique(cluster, return_inverse=True, return_counts=True)
    number, count = len(values), len(size)
    if count < 2 or count == number or np.ptp(values) == 0:
        return float("nan")
    mean = np.bincount(code, values) / size
    between = float((size * (mean - values.mean()) ** 2).sum()) / (count - 1)
    within = float(((values - mean[code]) ** 2).sum()) / (number - count)
    items = (number - float((size**2).sum()) / number) / (count - 1)
    return (between - within) / (between + (items - 1) * within)


def _variance(items: Items) -> float:
    """Variance of the prevalence from gold alone, about the population."""
    rows = np.flatnonzero(items.gold != NO_GOLD)
    known, design = drawn_from(View(items, NO_PREDICTOR), rows)
    questions = Questions((parse_metric("prevalence"),))
    found = of_labels(known.items.gold, known, questions, POPULATION, design)
    return float(found.error(np.zeros(1))[0]) ** 2


def cluster_effect(items: Items) -> ClusterEffect | None:
    """How much clusters matter; None where no items belong together."""
    if items.cluster is None:
        return None
    gold = items.gold != NO_GOLD
    number, of_gold, effect = int(gold.sum()), float("nan"), float("nan")
    size = np.unique(items.cluster[gold], return_counts=True)[1]
    if int((size * (size - 1)).sum()) // 2 >= FEWEST_PAIRS:
        of_gold = intraclass_correlation(items.gold[gold].astype(float), items.cluster[gold])
    of_votes = float("nan")
    if items.has_votes:
        of_votes = intraclass_correlation(items.vote_share, items.cluster)
    if len(np.unique(items.gold[gold])) == 2:
        effect = _variance(items) / _variance(replace(items, cluster=None))
    both = ((of_gold, "gold labels"), (of_votes, "votes"))
    known = [f"{value:.2f} of {what}" for value, what in both if np.isfinite(value)]
    said = "how far items of one cluster are alike is not known"
    if known:
        said = f"items of one cluster are alike (correlation {', '.join(known)})"
    if known and np.isfinite(effect):
        said += (
            f": for prevalence the {number:,} gold labels say as much as {number / effect:,.0f} of "
            f"unrelated items (design effect {effect:.2f})"
        )
    clusters = numbers_in_words(items.cluster)
    return ClusterEffect(clusters, len(size), of_gold, of_votes, effect, number, said)


def warn_of_few(found: ClusterEffect | None) -> list[Note]:
    """A warning where gold labels are of few clusters; none where not."""
    if found is None or not 0 < found.with_gold < FEW_CLUSTERS:
        return []
    return [Note("few_clusters", {"clusters": found.with_gold, "enough": FEW_CLUSTERS})]


@dataclass(frozen=True)
class ExpertCheck:
    """What is known of how often experts err; NaN where that is not identified."""

    second: int  # gold items with two opinions or more
    third: int  # with three or more
    sensitivity: float
    specificity: float
    sensitivity_interval: tuple[float, float]  # 95 % intervals
    specificity_interval: tuple[float, float]
    source: str  # where they come from, in words; empty where they are not identified
    unknown: str  # why they are not identified; empty where they are
    sentences: tuple[str, ...]  # none where each item has one opinion and no error is given


def _check_experts(items: Items) -> ExpertCheck:
    unknown, nothing = why_unknown(items), (np.nan, np.nan)
    number = np.zeros(1) if items.opinions is None else items.opinions.number
    second, third = int((number > 1).sum()), int((number > 2).sum())
    opinions = (
        f"{second:,} of {counted(int((number > 0).sum()), 'gold item')} {has_or_have(second)} a "
        f"second opinion, {third:,} a third"
    )
    if unknown:
        told = Note("experts_not_known", {"why": unknown})
        sentences = (f"{told.text}; {told.mend}", opinions) if number.any() else ()
        return ExpertCheck(second, third, np.nan, np.nan, nothing, nothing, "", unknown, sentences)
    found = expert_errors(items)
    ends = [(float(low), float(high)) for low, high in found.intervals]
    return ExpertCheck(
        second, third, found.sensitivity, found.specificity, ends[0], ends[1], found.source, "",
        (found.note.text, *((opinions,) if second else ())),
    )  # fmt: skip


def refuse_contradicted(items: Items) -> None:
    """Raise an `InputError` where gold labels contradict the error that is given."""
    opinions = items.opinions
    given = opinions is not None and opinions.error is not None and opinions.number.any()
    if given and (why := why_unknown(items)):
        raise InputError(f"expert-error: {why}")


@dataclass(frozen=True)
class OpenStratum:
    """A stratum, or class of weight, that leaves a prevalence without an answer."""

    which: str  # its items, in words
    share: float  # W_h
    labels: int  # n_h
    enough: int  # labels with which it leaves one
    mend: str  # what gives as many, in words

    @property
    def note(self) -> Note:
        """What is wrong, and how to mend it."""
        return Note("stratum_open", {**vars(self), "per_cent": 100 * self.share})


def enough_labels(share: float, level: float) -> int:
    """The fewest labels that leave no more than half of the range open, though all be alike."""
    return next(
        number for number in count(1) if share * unseen_share(np.array(number), level) <= HALF
    )


def _in_words(draw: GoldDraw, at: np.ndarray, more: int) -> tuple[str, str]:
    """Which stratum or chance gold items at some positions have, and how to get so many more."""
    if draw.stratum is None or draw.drawn is None:
        ends = dict.fromkeys(f"{one:.2g}" for one in (draw.chance[at].min(), draw.chance[at].max()))
        which = f"drawn with a chance of {' to '.join(ends)}"
        return which, f"draw such items with a larger chance, so that {more} more have a label"
    strata = np.unique(draw.stratum[at]).tolist()
    names = [draw.names[one] if draw.names else str(one) for one in strata]
    which = f"of gold {'stratum' if len(names) == 1 else 'strata'} {list_names(names)}"
    return which, f"have an expert label {more} more of these items, drawn at random"


def find_open_strata(items: Items, level: float) -> tuple[OpenStratum, ...]:
    """The strata, or classes of weight, that leave a prevalence without an answer."""
    rows = np.flatnonzero(items.gold != NO_GOLD)
    if items.draw is None or not len(rows):
        return ()
    draw, questions = items.draw.take(rows), Questions((parse_metric("prevalence"),))
    known, drawn = drawn_from(View(items, NO_PREDICTOR), rows)
    if drawn.unseen > HALF:
        enough = enough_labels(drawn.unseen, level)
        mend = f"draw such items with a larger chance, so that {enough} have a label"
        which = "that each count for more than twice as much as any gold item"
        return (OpenStratum(which, drawn.unseen, 0, enough, mend),)
    alone = of_labels(known.items.gold, known, questions, POPULATION, drawn)
    design = KnownChances.of(draw, len(items))
    cell = design.cells()
    at_each = cell[:, None] == np.unique(cell)
    left = design.left_open(alone.own * at_each, alone.other * at_each, level)
    found = []
    for place in np.flatnonzero(left > HALF):
        at = at_each[:, place]
        share, labels = float((design.weights * at).mean()), int(at.sum())
        enough = max(enough_labels(share, level), labels + 1)
        which, mend = _in_words(draw, at, enough - labels)
        found.append(OpenStratum(which, share, labels, enough, mend))
    return tuple(found)


@dataclass(frozen=True)
class Verdict:
    """What a method can make of the data."""

    method: str  # its short name
    use: str  # what it is good for
    against: tuple[Note, ...]  # what speaks against it most; what only weakens it gives way

    @property
    def verdict(self) -> str:
        """One of `VERDICTS`."""
        return verdict_of(self.against)

    @property
    def why(self) -> str:
        """What speaks against it; what it is good for where nothing does."""
        return texts(self.against) or self.use

    @property
    def mend(self) -> str:
        """What would make it better; empty where nothing is needed."""
        return "; ".join(dict.fromkeys(one.mend for one in self.against))

    def as_json(self) -> dict[str, Any]:
        """As check.json has it."""
        return {"method": self.method, "verdict": self.verdict, "why": self.why, "mend": self.mend,
                "codes": [one.code for one in self.against]}  # fmt: skip


def verdicts_of(facts: Facts, of_scores: Facts, weighted: bool = False) -> tuple[Verdict, ...]:
    """The verdicts on methods, in the order of answers; what needs scores rests on `of_scores`.

    Items can be `weighted`.
    """
    found = []
    for name in offered():
        method = METHODS[name]
        known = of_scores if method.needs_scores else facts
        against = [why for _, why in lacking(method.needs, known)]
        if weighted and not method.takes_weights:
            against = [Note("takes_no_weights")]
        if not against and method.offer:
            against = [one for doubt in method.offer.doubts for one in doubt(known)]
            if method.uses_gold and EXPERTS_ERRORS not in method.needs:
                against += gold_for_true(known)
        use = method.offer.good_for(known.most_votes) if method.offer else ""
        found.append(Verdict(name, use, gravest(against)))
    return tuple(found)


@dataclass(frozen=True)
class Foretold:
    """What `crowdgold evaluate` will answer about all items, by the methods that sample nothing."""

    methods: tuple[str, ...]  # that give the answers, the most frequent first; none without gold
    model: str  # whose numbers follow, where they rest on a model; empty where they do not
    sure: Mapping[str, tuple[float, bool]]  # what -> half of its interval, and whether per cent
    unanswered: Mapping[str, tuple[str, ...]]  # why -> what has no answer
    alone: int = 0  # how many of `sure` are from gold labels alone
    ranges: bool = False  # whether there are ranges, since gold labels give no answer


@dataclass(frozen=True, eq=False, repr=False)
class DataCheck(Shown):
    """What is known of a study before anything is fitted."""

    items: int
    votes: int
    votes_per_item: tuple[int, float, int]  # least, median and most votes of an item
    positive_votes: float  # their share; NaN without votes
    agreement: Agreement  # of the votes
    annotators: AnnotatorCheck | None  # None where they are not known
    judges: Judges  # what the votes are worth together, and which judge agrees best
    gold_positive: int
    gold_negative: int
    gold_sample: GoldSample  # whether gold looks like a random sample
    gold_within_strata: GoldSample | None  # the same of each stratum; None without strata
    open_strata: tuple[OpenStratum, ...]  # with too few labels for an answer
    experts_tied: int  # items that experts labelled, and on which they are tied
    expert_labels: Mapping[str, int]  # expert -> gold labels given
    expert_agreement: Agreement | None  # None where there is one expert or none
    expert_errors: ExpertCheck
    majority_right: tuple[float, float]  # TPR and TNR of the majority on gold items, or NaN
    scores: Mapping[str, Scores]  # by model
    strata: Mapping[str, Mapping[str, int]]  # name -> stratum -> items
    clusters: ClusterEffect | None  # None where no items belong together
    verdicts: tuple[Verdict, ...]  # on each estimator
    next_labels: NextLabels  # what can be said of more gold labels
    warnings: tuple[Note, ...]  # the gravest first
    foretold: Foretold | None = None  # where it was worked out

    most_lines = 24  # with its name at most 25 lines, as many as the command prints
    kept, whole = SUPPORT, ALL

    @property
    def supported(self) -> bool:
        """Whether some estimator is usable, if weakly."""
        return any(one.verdict != NOT_USABLE for one in self.verdicts)

    def facts(self) -> ShownFacts:
        """What the data are, and what they support."""
        return in_short(self)


def _verdicts(
    items: Items, agreed: Agreement, sample: GoldSample, annotators: AnnotatorCheck | None,
    judges: Judges, weighted: bool,
) -> tuple[tuple[float, float], tuple[Verdict, ...]]:  # fmt: skip
    """TPR and TNR of the majority of the votes, and the verdicts, which rest on these too."""

    def facts(items: Items) -> Facts:
        total, (tpr, tnr), experts_err = items.votes_total, majority_right(items), np.nan
        if not why_unknown(items) and (items.gold != NO_GOLD).any():
            errors = expert_errors(items)
            experts_err = 1 - min(errors.sensitivity, errors.specificity)
        return Facts(
            items=len(items), scores=len(items.scores), most_votes=int(total.max()),
            several=float((total > 1).mean()),
            positive_votes=items.positive_votes,
            alpha=agreed.alpha, alpha_upper=agreed.upper,
            gold_positive=int((items.gold == 1).sum()), gold_negative=int((items.gold == 0).sum()),
            gold_p=sample.p, misfit=sample.wording.misfit, gold_share=positive_share(items),
            errors_unknown=why_unknown(items), tpr=tpr, tnr=tnr,
            annotators=None if annotators is None else len(annotators.annotator),
            median_labels=np.nan if annotators is None else float(np.median(annotators.labels)),
            adversarial=0 if annotators is None else int(annotators.adversarial.sum()),
            experts_err=experts_err, errors_shared=judges.shared.correlation.lower,
        )  # fmt: skip

    whole = facts(items)
    return (whole.tpr, whole.tnr), verdicts_of(whole, facts(best_scored(items)), weighted)


def check_data(
    study: Study, rng: np.random.Generator, resamples: int = 1000, permutations: int = PERMUTATIONS,
    level: float = LEVEL,
) -> DataCheck:  # fmt: skip
    """What a study's data can support.

    `resamples` are of the items, for the interval of alpha; `permutations` are of the test of gold
    being a random sample; `level` is that of intervals, and of the ranges without gold labels.
    """
    items, total, positive = study.items, study.items.votes_total, study.items.votes_positive
    votes = np.stack([total - positive, positive], axis=1)
    agreed = agreement(votes, rng, resamples=resamples, cluster=items.cluster)
    annotators = None if study.annotations is None else check_annotators(study.annotations)
    sample = assess_gold_sample(items, rng, permutations)
    judges = look_at_judges(study, rng.spawn(1)[0], level)
    weighted = study.weights is not None
    right, verdicts = _verdicts(items, agreed, sample, annotators, judges, weighted)
    within = None
    if study.strata:
        cell = pd.DataFrame(study.strata).astype(str).groupby(list(study.strata)).ngroup()
        within = assess_gold_sample(items, rng, permutations, cell.to_numpy())
    experts, tied, experts_agree = study.gold_by_expert, 0, None
    if experts:
        labels = np.stack(list(experts.values()))
        tied = int(((labels != NO_GOLD).any(axis=0) & (items.gold == NO_GOLD)).sum())
    if len(experts) > 1:
        counts = np.stack([(labels == 0).sum(axis=0), (labels == 1).sum(axis=0)], axis=1)
        experts_agree = agreement(counts, rng, resamples=resamples, cluster=items.cluster)
    scores = {name: look_at_scores(values) for name, values in items.scores.items()}
    clusters, open_strata = cluster_effect(items), find_open_strata(items, level)
    gold = int((items.gold != NO_GOLD).sum())
    return DataCheck(
        items=len(items), votes=int(total.sum()),
        votes_per_item=(int(total.min()), float(np.median(total)), int(total.max())),
        positive_votes=items.positive_votes, agreement=agreed,
        annotators=annotators, judges=judges,
        gold_positive=int((items.gold == 1).sum()), gold_negative=int((items.gold == 0).sum()),
        gold_sample=sample, gold_within_strata=within, open_strata=open_strata, experts_tied=tied,
        expert_labels={name: int((own != NO_GOLD).sum()) for name, own in experts.items()},
        expert_agreement=experts_agree, expert_errors=_check_experts(items),
        majority_right=right, scores=scores,
        strata={
            name: dict(sorted(Counter(values.astype(str).tolist()).items()))
            for name, values in study.strata.items()
        },
        clusters=clusters, verdicts=verdicts,
        next_labels=next_labels(items, sample, open_strata, study.passed_over),
        warnings=(
            *_warn_of_gold(sample, within, gold, tied if why_unknown(items) else 0),
            *(one.note for one in open_strata),
            *warn_of_few(clusters),
            *warn_of_opposites(items),
            *(() if annotators is None else _warn_of_annotators(annotators)),
            *warn_of_ties(scores),
            *warn_of_missing(items),
        ),
    )  # fmt: skip


def verdicts_within(
    check: DataCheck, items: Items, sample: GoldSample, weighted: bool = False
) -> tuple[Verdict, ...]:
    """The verdicts for the items of a stratum, whose gold is a `sample`; judges are the study's."""
    return _verdicts(items, check.agreement, sample, check.annotators, check.judges, weighted)[1]
