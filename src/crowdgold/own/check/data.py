"""What a study's data can support, before anything is fitted: counts, agreement, gold, scores."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from crowdgold.data import NO_GOLD, Items
from crowdgold.data.own import Study
from crowdgold.data.shown import Known, Shown
from crowdgold.declared import LEVEL
from crowdgold.inference.expert_errors import why_unknown
from crowdgold.own.check.annotator_check import (
    Agreement,
    AnnotatorCheck,
    agreement,
    check_annotators,
)
from crowdgold.own.check.cluster_effect import ClusterEffect, cluster_effect, warn_of_few
from crowdgold.own.check.data_warnings import (
    warn_of_annotators_and_scores,
    warn_of_gold,
    warn_of_opposites,
)
from crowdgold.own.check.described import ALL, SUPPORT, in_short
from crowdgold.own.check.experts import ExpertCheck, check_experts, largest_error
from crowdgold.own.check.gold_likeness import GoldSample
from crowdgold.own.check.gold_sample import PERMUTATIONS, assess_gold_sample
from crowdgold.own.check.judges import Judges, look_at_judges
from crowdgold.own.check.majority import majority_right, positive_share
from crowdgold.own.check.open_strata import OpenStratum, find_open_strata
from crowdgold.own.check.score_check import Scores, best_scored, look_at_scores
from crowdgold.own.check.verdicts import (
    NOT_USABLE,
    Facts,
    Verdict,
    verdicts_of,
)


@dataclass(frozen=True, eq=False, repr=False)
class DataCheck(Shown):
    """What is known of a study before anything is fitted.

    Attributes:
        items, votes: their numbers.
        votes_per_item: least, median and most votes of an item.
        positive_votes: share of positive votes.
        agreement: Krippendorff's alpha of the votes.
        annotators: each annotator; None where they are not known.
        judges: what the votes are worth together, and which judge agrees best.
        gold_positive, gold_negative: gold labels of each class.
        gold_sample: whether gold looks like a random sample.
        gold_within_strata: the same of each stratum; None without strata.
        open_strata: of the gold sample, those with too few labels for an answer.
        experts_tied: items that experts labelled, and on which they are tied.
        expert_labels: expert -> gold labels given.
        expert_agreement: alpha of the experts; None where there is one or none.
        expert_errors: how often they err, as far as it is known.
        majority_right: TPR and TNR of the majority on gold items, by what each counts, a tie half;
            NaN without gold.
        scores: model -> its scores.
        strata: name -> stratum -> items.
        clusters: how much it matters that items belong together; None where none do.
        verdicts: on each estimator.
        warnings: in plain words, the gravest first.
    """

    items: int
    votes: int
    votes_per_item: tuple[int, float, int]
    positive_votes: float
    agreement: Agreement
    annotators: AnnotatorCheck | None
    judges: Judges
    gold_positive: int
    gold_negative: int
    gold_sample: GoldSample
    gold_within_strata: GoldSample | None
    open_strata: tuple[OpenStratum, ...]
    experts_tied: int
    expert_labels: Mapping[str, int]
    expert_agreement: Agreement | None
    expert_errors: ExpertCheck
    majority_right: tuple[float, float]
    scores: Mapping[str, Scores]
    strata: Mapping[str, Mapping[str, int]]
    clusters: ClusterEffect | None
    verdicts: tuple[Verdict, ...]
    warnings: tuple[str, ...]

    most_lines = 24
    """With its name at most 25 lines, as many as the command prints."""
    kept, whole = SUPPORT, ALL

    @property
    def supported(self) -> bool:
        """Say whether some estimator is usable, if weakly."""
        return any(one.verdict != NOT_USABLE for one in self.verdicts)

    def facts(self) -> Known:
        """What the data are, and what they support."""
        return in_short(self)


def _vote_counts(items: Items) -> np.ndarray:
    """The negative and positive votes of each item: (n, 2)."""
    return np.stack([items.votes_total - items.votes_positive, items.votes_positive], axis=1)


def _expert_agreement(study: Study, rng: np.random.Generator, resamples: int) -> Agreement | None:
    if len(study.gold_by_expert) < 2:
        return None
    labels = np.stack(list(study.gold_by_expert.values()))
    counts = np.stack([(labels == 0).sum(axis=0), (labels == 1).sum(axis=0)], axis=1)
    return agreement(counts, rng, resamples=resamples, cluster=study.items.cluster)


def _strata(strata: Mapping[str, np.ndarray]) -> dict[str, dict[str, int]]:
    found = {}
    for name, values in strata.items():
        labels, times = np.unique(values.astype(str), return_counts=True)
        found[name] = dict(zip(labels.tolist(), times.tolist(), strict=True))
    return found


def _cells(strata: Mapping[str, np.ndarray]) -> np.ndarray | None:
    """Number the strata, of several columns together: (n,); None without strata."""
    cells = None
    for values in strata.values():
        own = np.unique(values.astype(str), return_inverse=True)[1]
        cells = own if cells is None else cells * (own.max() + 1) + own
        cells = np.unique(cells, return_inverse=True)[1]
    return cells


def _tied(study: Study) -> int:
    """Count the items that experts labelled and that have no gold label."""
    labels = list(study.gold_by_expert.values())
    if not labels:
        return 0
    labelled = (np.stack(labels) != NO_GOLD).any(axis=0)
    return int((labelled & (study.items.gold == NO_GOLD)).sum())


def _facts(
    items: Items, agreed: Agreement, sample: GoldSample, annotators: AnnotatorCheck | None,
    judges: Judges,
) -> Facts:  # fmt: skip
    """Gather what the verdicts rest on."""
    total = items.votes_total
    tpr, tnr = majority_right(items)
    return Facts(
        items=len(items),
        scores=len(items.scores),
        most_votes=int(total.max()),
        several=float((total > 1).mean()),
        positive_votes=float(items.votes_positive.sum() / total.sum()),
        alpha=agreed.alpha,
        alpha_upper=agreed.upper,
        gold_positive=int((items.gold == 1).sum()),
        gold_negative=int((items.gold == 0).sum()),
        gold_p=sample.p,
        misfit=sample.told.misfit,
        gold_share=positive_share(items),
        errors_unknown=why_unknown(items),
        tpr=tpr,
        tnr=tnr,
        annotators=None if annotators is None else len(annotators.annotator),
        median_labels=np.nan if annotators is None else float(np.median(annotators.labels)),
        adversarial=0 if annotators is None else int(annotators.adversarial.sum()),
        experts_err=largest_error(items),
        errors_shared=judges.shared.correlation.lower,
    )


def check_data(
    study: Study,
    rng: np.random.Generator,
    resamples: int = 1000,
    permutations: int = PERMUTATIONS,
    level: float = LEVEL,
) -> DataCheck:
    """Find what a study's data can support.

    Args:
        resamples: of the items, for the interval of alpha.
        permutations: of the test of gold being a random sample.
        level: of intervals, and of the ranges without gold labels.
    """
    items, total = study.items, study.items.votes_total
    agreed = agreement(_vote_counts(items), rng, resamples=resamples, cluster=items.cluster)
    annotators = None if study.annotations is None else check_annotators(study.annotations)
    sample = assess_gold_sample(items, rng, permutations)
    judges = look_at_judges(study, rng.spawn(1)[0], level)
    about = agreed, sample, annotators, judges
    facts, of_scores = _facts(items, *about), _facts(best_scored(items), *about)
    cells, tied = _cells(study.strata), _tied(study)
    within = None if cells is None else assess_gold_sample(items, rng, permutations, cells)
    scores = {name: look_at_scores(values) for name, values in items.scores.items()}
    clusters, open_strata = cluster_effect(items), find_open_strata(items, level)
    return DataCheck(
        items=len(items),
        votes=int(total.sum()),
        votes_per_item=(int(total.min()), float(np.median(total)), int(total.max())),
        positive_votes=facts.positive_votes,
        agreement=agreed,
        annotators=annotators,
        judges=judges,
        gold_positive=facts.gold_positive,
        gold_negative=facts.gold_negative,
        gold_sample=sample,
        gold_within_strata=within,
        open_strata=open_strata,
        experts_tied=tied,
        expert_labels={
            name: int((labels != NO_GOLD).sum()) for name, labels in study.gold_by_expert.items()
        },
        expert_agreement=_expert_agreement(study, rng, resamples),
        expert_errors=check_experts(items),
        majority_right=(facts.tpr, facts.tnr),
        scores=scores,
        strata=_strata(study.strata),
        clusters=clusters,
        verdicts=verdicts_of(facts, of_scores),
        warnings=(
            *warn_of_gold(sample, within, facts.gold, tied if why_unknown(items) else 0),
            *(one.sentences for one in open_strata),
            *warn_of_few(clusters),
            *warn_of_opposites(items),
            *warn_of_annotators_and_scores(annotators, scores, items),
        ),
    )


def verdicts_within(check: DataCheck, items: Items, sample: GoldSample) -> tuple[Verdict, ...]:
    """Judge the estimators on some of the items of a study that was checked.

    Args:
        check: of the study, whose agreement, annotators and judges stand for those of its parts.
        items: those of a stratum.
        sample: whether its gold items look like a random sample of them.
    """
    about = check.agreement, sample, check.annotators, check.judges
    facts, of_scores = _facts(items, *about), _facts(best_scored(items), *about)
    return verdicts_of(facts, of_scores)
