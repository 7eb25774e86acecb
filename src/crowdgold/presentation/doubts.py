"""What would change the answer of a study, and its data check for a reader of its report."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import bdtr

from crowdgold.checking.agreement import AnnotatorCheck
from crowdgold.checking.gold_sample import OF_ITEMS, WORDINGS, GoldSample, likeness_in_words
from crowdgold.evaluation.headline import ONLY_MODELS_REASON
from crowdgold.evaluation.questions import plain_metric
from crowdgold.inference.interval import holm
from crowdgold.inference.rectified import POPULATION
from crowdgold.inference.samples import FEWEST
from crowdgold.methods.doubts import MEASURED_GOLD
from crowdgold.methods.method import CORRECTED
from crowdgold.methods.misfit import held_against
from crowdgold.methods.registry import METHODS, answering
from crowdgold.presentation.answers import (
    Numbers,
    is_comparison,
    is_difference,
    listed,
    metric_of,
    percent,
    words_of,
)
from crowdgold.presentation.folder import ANNOTATORS, StudyFolder, records_of
from crowdgold.types.columns import counted

NAMED = 8  # annotators of a kind that are named


@dataclass(frozen=True)
class CheckSection:
    """The data check as the report shows it."""

    facts: Sequence[tuple[str, str]]  # what, and what is known of it
    verdicts: Sequence[tuple[str, str, str, str]]  # method, verdict, why, and how to mend it
    warnings: Sequence[str]  # in plain words
    made: bool  # whether a check was made; without one the facts are counts alone
    judges: Sequence[str] = ()  # names of judges whose errors are compared
    pairs: Sequence[tuple[str, Sequence[str]]] = ()  # a judge, and the correlation with each


def _alpha(agreement: Mapping[str, Any]) -> str:
    if agreement.get("alpha") is None:
        return "none to measure"
    text = f"Krippendorff's alpha {agreement['alpha']:.3f}"
    if agreement.get("lower") is not None:
        ends = f"{agreement['lower']:.3f} to {agreement['upper']:.3f}"
        text += f" ({percent(agreement['level'])} interval {ends})"
    return f"{text}; 1: all agree, 0: as if at random"


def _annotators(annotators: Mapping[str, Any] | None) -> str:
    if not annotators:
        return "not known"
    names = [str(name) for name in annotators["annotator"]]
    checked = AnnotatorCheck(**{name: np.array(annotators[name]) for name in ANNOTATORS})
    texts = [counted(len(names), "annotator")]
    for which, what in (
        (checked.few, "with few labels"),
        (checked.adversarial, "against the others"),
        (checked.constant, "constant"),
    ):
        chosen = [name for name, one in zip(names, which, strict=True) if one]
        if chosen:
            named = ", ".join(chosen[:NAMED]) + (", …" if len(chosen) > NAMED else "")
            texts.append(f"{len(chosen)} {what} ({named})")
    return "; ".join(texts)


def _sampled_from(found: Mapping[str, Any]) -> str:
    """What gold should be a random sample of, a key of `WORDINGS`, as check.json has it."""
    of = str(found.get("of", OF_ITEMS))
    return of if of in WORDINGS else OF_ITEMS


def _facts(check: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    least, middle, most = check["votes_per_item"]
    each = f"{least}" if least == most else f"{least} to {most}, median {middle:g}"
    yield "items", f"{check['items']:,}"
    if check["votes"]:
        share = 100 * check["positive_votes"]
        yield "votes", f"{check['votes']:,}; {each} an item; {share:.1f} % positive"
        yield "agreement of votes", _alpha(check["agreement"])
        yield "annotators", _annotators(check["annotators"])
    else:
        yield "votes", "none"
    named = zip(check["majority_right"], ("positives", "negatives"), strict=True)
    right = [f"{100 * share:.1f} % of the {name}" for share, name in named if share is not None]
    majority = f"; the majority of votes is right on {' and '.join(right)}" if right else ""
    yield (
        "gold labels",
        f"{check['gold_positive']:,} positive, {check['gold_negative']:,} negative{majority}",
    )
    if check.get("judges", {}).get("sentences"):
        yield "judges", "; ".join(check["judges"]["sentences"])
    sample = check["gold_sample"]
    of = _sampled_from(sample)
    if sample.get("note") or sample.get("p") is None:
        likely = f"no test: {sample.get('note') or 'too little is known'}"
    else:
        likely = f"{likeness_in_words(sample['p'], of)} (p = {sample['p']:.2g})"
    yield "gold a random sample?" if of == OF_ITEMS else WORDINGS[of].question, likely
    if check.get("clusters"):
        yield "clusters", f"{check['clusters']['numbers']}; {check['clusters']['sentence']}"
    if check.get("expert_agreement"):
        given = check.get("expert_labels", {}).items()
        experts = ", ".join(f"{name} {labels:,}" for name, labels in given)
        yield "experts", f"{experts}; {_alpha(check['expert_agreement'])}"
    if check.get("expert_errors", {}).get("sentences"):
        yield "experts' errors", "; ".join(check["expert_errors"]["sentences"])
    for name, one in check["scores"].items():
        lacking = f"; {one['without']:,} items without" if one.get("without") else ""
        yield (
            f"scores of {name}",
            f"{one['lowest']:.4g} to {one['highest']:.4g}, {one['distinct']:,} different; "
            f"{100 * one['tied']:.2g} % of the pairs of items are tied{lacking}",
        )


def _correlations(judges: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """The correlations of each two judges' errors, below the diagonal; none of fewer than three."""
    names = [str(name) for name in judges.get("judge", ())]
    shared = judges.get("shared", {})
    parts = [shared.get(one, ()) for one in ("pairs", "pairs_lower", "pairs_upper")]
    if len(names) < 3 or any(len(part) != len(names) for part in parts):
        return []
    found = []
    for row, name in list(enumerate(names))[1:]:
        texts = []
        for value, lower, upper in zip(*(part[row][:row] for part in parts), strict=True):
            ends = f" ({lower:.2f} to {upper:.2f})" if lower is not None else ""
            texts.append("" if value is None else f"{value:.2f}{ends}")
        found.append((name, texts))
    return found


def write_check(study: StudyFolder) -> CheckSection:
    """The data check of a study; its counts where no check was made."""
    check, counts = study.check, study.counts
    if check is None:
        facts = [
            ("items", f"{counts['items']:,}"),
            ("votes", f"{counts['votes']:,}" if counts["votes"] else "none"),
            ("gold labels",
             f"{counts['gold_positive']:,} positive, {counts['gold_negative']:,} negative"),
            ("models", ", ".join(study.models) or "none"),
        ]  # fmt: skip
        return CheckSection(facts, [], [], False)
    verdicts = [
        (one["method"], one["verdict"], one["why"], one.get("mend", ""))
        for one in check["verdicts"]
    ]
    warnings = [line[:1].upper() + line[1:] + "." for line in map(str, check["warnings"])]
    pairs = _correlations(check.get("judges", {}))
    judges = [str(name) for name in check["judges"]["judge"]] if pairs else []
    return CheckSection(list(_facts(check)), verdicts, warnings, True, judges[:-1], pairs)


GRAVE, MINOR = "grave", "minor"
SURELY = 0.99  # observations outside are too many if a right model has fewer with this probability
MOST_TIMES = 100  # a study larger by more than this factor is called "over 100 times"
BY_CHANCE = 0.05  # how often a right model may be gravely doubted for any of its estimates (Holm)


@dataclass(frozen=True)
class Doubt:
    """Something that would change the answer."""

    weight: str  # GRAVE or MINOR
    title: str  # what it is
    text: str  # what it means, and what to do


def quantity(row: Mapping[str, Any]) -> str:
    """What a row estimates: `recall at 0.5 of large`."""
    metric, (_, at) = metric_of(row), plain_metric(str(row["metric"]))
    name = words_of(metric).symbol
    if at:
        name += f" at {at.replace('|', ' and ')}"
    if is_comparison(row):
        return f"{name}, {row['model']} against {row['against']}"
    return f"{name} of {row['model']}" if row["model"] else name


def _gold_sample(study: StudyFolder) -> Iterator[Doubt]:
    test = (study.check or {}).get("gold_sample") or {}
    p, of = test.get("p"), _sampled_from(test)
    if p is None and study.counts.get("gold_random") is not False:
        return
    # A folder without its check still says whether gold was doubted.
    sample, how = GoldSample(p or 0.0, of=of), "" if p is None else f" (p = {p:.2g})"
    if not sample.chosen:
        return
    surely, told = sample.surely_chosen, sample.wording
    title = told.misfit if surely else f"possibly {told.misfit}"
    votes, by_votes = ("Votes and scores", "votes, ") if study.counts["votes"] else ("Scores", "")
    text = f"{votes} speak against it{how}. {sample.mend}."
    if of == OF_ITEMS:
        title = f"Gold {'does not look like' if surely else 'may not be'} a random sample"
        text = (
            f"{votes} of the gold items differ from those of the others{how}. Every method takes "
            f"gold items to be drawn at random; if they were chosen by {by_votes}scores or "
            f"difficulty, the numbers can be wrong by any amount. {sample.mend}."
        )
    yield Doubt(GRAVE if surely else MINOR, title[:1].upper() + title[1:], text)


def _gold(study: StudyFolder) -> Iterator[Doubt]:
    counts = study.counts
    n_gold = int(counts["gold"])
    if n_gold == 0:
        yield Doubt(
            GRAVE, "No gold labels",
            "Nothing checks the model of the votes against the truth. It takes voters to be right "
            "more often than not. Have an expert label items drawn at random: "
            f"{MEASURED_GOLD} are enough for a first answer, 100 for a useful one.",
        )  # fmt: skip
        return
    fewer = min(int(counts["gold_positive"]), int(counts["gold_negative"]))
    if fewer < FEWEST:
        yield Doubt(
            GRAVE, "Too few gold labels of a class",
            f"There are {counts['gold_positive']:,} positive and {counts['gold_negative']:,} "
            f"negative ones; a metric that rests on fewer than {FEWEST} of them has no interval. "
            "Label more random items.",
        )  # fmt: skip
    elif n_gold < MEASURED_GOLD:
        yield Doubt(
            MINOR, f"{counted(n_gold, 'gold label')}, fewer than {MEASURED_GOLD}",
            f"How often the intervals are right was measured with {MEASURED_GOLD} gold labels or "
            "more. Label more random items.",
        )  # fmt: skip


def _misfits(study: StudyFolder) -> Iterator[Doubt]:
    """Which model-based estimates the gold labels contradict."""
    rows = study.of_all("estimates")
    corrected = held_against(set(rows["method"]))
    flagged = rows[rows["misfit"] == 1]
    for method in dict.fromkeys(flagged["method"]):
        of_method = flagged[flagged["method"] == method]
        compared = int(rows.loc[rows["method"] == method, "misfit"].notna().sum())
        metrics = listed([quantity(row) for row in records_of(of_method)])
        keys = set(of_method[["model", "against", "metric"]].itertuples(index=False, name=None))
        chosen = [row for row in study.headlines if row["method"] == method]
        leads = any((row["model"], row["against"], row["metric"]) in keys for row in chosen)
        p = rows.loc[rows["method"] == method, "misfit_p"].dropna().to_numpy(float)
        rest = "The answer rests on it." if leads else "The answer does not rest on it: use that."
        if not (holm(p) <= BY_CHANCE).any():
            rest += " With so many estimates compared, chance alone can do that."
        yield Doubt(
            GRAVE if leads else MINOR, f"The gold labels contradict {method}",
            f"Its estimates of {metrics} are more than two standard errors from those of "
            f"{corrected}, which the gold labels correct: {len(of_method)} of the {compared} "
            f"estimates that were compared, where a model that is right has at most one in twenty "
            f"by chance. {rest}",
        )  # fmt: skip


def _disagreements(study: StudyFolder) -> Iterator[Doubt]:
    """Which methods have an interval that does not meet the answer's."""
    rows, apart = study.of_all("estimates"), dict[str, list[str]]()
    for head in study.headlines:
        if head["lower"] is None:
            continue
        same = rows[
            (rows["model"] == head["model"])
            & (rows["against"] == head["against"])
            & (rows["metric"] == head["metric"])
            & ((rows["lower"] > head["upper"]) | (rows["upper"] < head["lower"]))
        ]
        for row in records_of(same):
            apart.setdefault(row["method"], []).append(f"{quantity(row)} ({Numbers(row).ends})")
    for method, metrics in apart.items():
        yield Doubt(
            MINOR, f"{method} disagrees",
            f"Its {percent(study.level)} interval does not overlap the answer's for "
            f"{listed(metrics)}. The assumptions of one of the two are wrong: see them below.",
        )  # fmt: skip


def _chains(study: StudyFolder) -> Iterator[Doubt]:
    for one in study.summary["fits"]:
        if one["stratum"] != study.whole or one["diagnostics_passed"]:
            continue
        of = f" on {one['model']}" if one["model"] else ""
        rests = "The answer does not rest on it."
        if METHODS[one["method"]].has_role(CORRECTED):
            rests = "The gold labels correct the answer, so its interval is right all the same."
        yield Doubt(
            MINOR, f"The chains of {one['method']}{of} had not converged",
            f"{'; '.join(one['problems']) or 'no reason given'}. Its numbers are shown. {rests}",
        )  # fmt: skip


def predicted_of(study: StudyFolder) -> Iterator[tuple[str, str, str, pd.DataFrame]]:
    """Method, model, what is checked (votes or wins), and the rows of data drawn from that fit."""
    by_fit = study.of_all("predictive").groupby(["method", "model", "check"], sort=False)
    for (method, model, check), rows in by_fit:
        yield str(method), str(model), str(check), rows


def outside_of(rows: pd.DataFrame) -> pd.Series:
    """Which observations lie outside their intervals."""
    return (rows["observed"] < rows["lower"]) | (rows["observed"] > rows["upper"])


def count_misses(rows: pd.DataFrame, level: float) -> tuple[int, bool]:
    """The observations outside their intervals, and whether they are too many for chance."""
    outside = int(outside_of(rows).sum())
    fewer = bdtr(outside - 1, len(rows), 1 - level) if outside else 0.0
    return outside, bool(fewer >= SURELY)


def _predictive(study: StudyFolder) -> Iterator[Doubt]:
    what = {
        "votes": ("the votes", "prevalence, TPR_H and TNR_H"),
        "wins": ("the ranking", "everything said of the model's scores"),
    }
    for method, model, check, rows in predicted_of(study):
        name, touched = what.get(check, (check, "its numbers"))
        outside, many = count_misses(rows, study.level)
        if many:
            yield Doubt(
                MINOR, f"{method} with {model} does not reproduce {name}",
                f"{outside} of {len(rows)} observations are outside the "
                f"{percent(study.level)} intervals of data drawn from the fit. This weakens "
                f"{touched} by this model. An answer that gold labels correct does not rest on it.",
            )  # fmt: skip


def _undecided(study: StudyFolder) -> Iterator[Doubt]:
    """How much larger a study would tell apart what this one does not."""
    found = []
    for row in study.headlines:
        if not is_difference(row) or row["lower"] is None or not row["lower"] <= 0 <= row["upper"]:
            continue
        half = (row["upper"] - row["lower"]) / 2
        times = max(1.0, (half / abs(row["estimate"])) ** 2) if row["estimate"] else math.inf
        size = f"about {times:.1f} times" if times < MOST_TIMES else f"over {MOST_TIMES} times"
        found.append(f"{quantity(row)} ({size})")
    if found:
        yield Doubt(
            MINOR, "Differences that these data do not decide",
            "Their intervals hold 0. If they are as large as estimated, they would be seen in a "
            f"study larger (items, votes and gold alike) by: {listed(found)}. "
            "`crowdgold plan` finds the cheapest.",
        )  # fmt: skip


def find_doubts(study: StudyFolder) -> list[Doubt]:
    """What would change the answer, the gravest first."""
    found = [*_gold_sample(study), *_gold(study)]
    if any(row["reason"] == ONLY_MODELS_REASON for row in study.headlines):
        found.append(
            Doubt(GRAVE, "Only models were asked for",
                  "Each model is right where its assumptions are, and no estimate that gold labels "
                  f"correct was asked for. Add {answering()} to the methods.")
        )  # fmt: skip
    for source in (_misfits, _chains, _predictive, _disagreements, _undecided):
        found += source(study)
    if study.summary.get("weighted"):
        whose = "the population that the weighted items stand for"
        if study.about != POPULATION:
            whose = "these items, each counted by its weight,"
        found.append(
            Doubt(MINOR, "Weights", f"Items are weighted: the numbers are of {whose} and no better "
                  "than the weights.")
        )  # fmt: skip
    return sorted(found, key=lambda one: one.weight != GRAVE)


def verdict_of(doubts: Sequence[Doubt]) -> str:
    """The doubts in a sentence."""
    if grave := sum(one.weight == GRAVE for one in doubts):
        return f"{counted(grave, 'grave doubt')}: read below why these numbers may be wrong."
    if not doubts:
        return "We found no reason to distrust these numbers."
    return (
        "We found no grave reason to distrust these numbers; smaller ones are below "
        f"({len(doubts)})."
    )
