"""What would change the answer of a study, and its data check for a reader of its report."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import bdtr

from crowdgold.checking.agreement import AnnotatorCheck
from crowdgold.checking.choice import ONLY_MODELS
from crowdgold.checking.gold_sample import OF_ITEMS, WORDINGS, GoldSample, likeness_in_words
from crowdgold.evaluation.answer import quantity_of, value_of
from crowdgold.inference.interval import holm
from crowdgold.inference.rectified import POPULATION
from crowdgold.inference.samples import FEWEST
from crowdgold.methods.doubts import MEASURED_GOLD
from crowdgold.methods.method import CORRECTED
from crowdgold.methods.misfit import held_against
from crowdgold.methods.registry import METHODS, answering
from crowdgold.presentation.answers import Numbers, listed, percent
from crowdgold.presentation.folder import ANNOTATORS, StudyFolder, records_of
from crowdgold.types.columns import counted
from crowdgold.types.notes import GRAVE, MINOR, Note

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


SURELY = 0.99  # observations outside are too many if a right model has fewer with this probability
MOST_TIMES = 100  # a study larger by more than this factor is called "over 100 times"
BY_CHANCE = 0.05  # how often a right model may be gravely doubted for any of its estimates (Holm)


def _gold_sample(study: StudyFolder) -> Iterator[Note]:
    test = (study.check or {}).get("gold_sample") or {}
    p, of = test.get("p"), _sampled_from(test)
    if p is None and study.counts.get("gold_random") is not False:
        return
    # A folder without its check still says whether gold was doubted.
    sample, how = GoldSample(p or 0.0, of=of), "" if p is None else f" (p = {p:.2g})"
    if not sample.chosen:
        return
    surely, said = sample.surely_chosen, sample.wording.misfit
    votes, by_votes = ("Votes and scores", "votes, ") if study.counts["votes"] else ("Scores", "")
    values = {"what": votes, "by": by_votes, "p": how, "mend": sample.mend}
    if of == OF_ITEMS:
        may = "does not look like" if surely else "may not be"
        yield Note("gold_not_random", {**values, "may": may}, GRAVE if surely else MINOR)
        return
    said = f"{said[:1].upper()}{said[1:]}" if surely else f"Possibly {said}"
    yield Note("gold_unlike_its_draw", {**values, "misfit": said}, GRAVE if surely else MINOR)


def _gold(study: StudyFolder) -> Iterator[Note]:
    counts = study.counts
    n_gold = int(counts["gold"])
    if n_gold == 0:
        yield Note("nothing_checks", {"enough": MEASURED_GOLD}, GRAVE)
        return
    each = {"positive": int(counts["gold_positive"]), "negative": int(counts["gold_negative"])}
    if min(each.values()) < FEWEST:
        yield Note("few_of_a_class", {**each, "fewest": FEWEST}, GRAVE)
    elif n_gold < MEASURED_GOLD:
        yield Note("few_gold", {"gold": n_gold, "measured": MEASURED_GOLD}, MINOR)


def _misfits(study: StudyFolder) -> Iterator[Note]:
    """Which model-based estimates the gold labels contradict."""
    rows = study.of_all("estimates")
    corrected = held_against(set(rows["method"]))
    flagged = rows[rows["misfit"] == 1]
    for method in dict.fromkeys(flagged["method"]):
        of_method = flagged[flagged["method"] == method]
        compared = int(rows.loc[rows["method"] == method, "misfit"].notna().sum())
        doubted = [quantity_of(row) for row in records_of(of_method)]
        metrics = listed([of.in_words for of in doubted])
        chosen = [one.of for one in study.answers if one.value and one.value.method == method]
        leads = bool({*chosen} & {*doubted})
        p = rows.loc[rows["method"] == method, "misfit_p"].dropna().to_numpy(float)
        rest = Note("answer_rests_on_it" if leads else "answer_not_on_it")
        if not (holm(p) <= BY_CHANCE).any():
            rest = Note("chance_can", {"rest": rest})
        values = {"method": method, "metrics": metrics, "corrected": corrected,
                  "flagged": len(of_method), "compared": compared, "rest": rest}  # fmt: skip
        yield Note("contradicts", values, GRAVE if leads else MINOR)


def _disagreements(study: StudyFolder) -> Iterator[Note]:
    """Which methods have an interval that does not meet the answer's."""
    rows, apart = study.of_all("estimates"), dict[str, list[str]]()
    for answer in study.answers:
        of, value = answer.of, answer.value
        if value is None or not value.has_interval:
            continue
        same = rows[
            (rows["model"] == of.model)
            & (rows["against"] == of.against)
            & (rows["metric"] == of.metric)
            & ((rows["lower"] > value.upper) | (rows["upper"] < value.lower))
        ]
        for row in records_of(same):
            ends = Numbers(of, value_of(row)).ends
            apart.setdefault(row["method"], []).append(f"{of.in_words} ({ends})")
    for method, metrics in apart.items():
        values = {"method": method, "metrics": listed(metrics), "level": percent(study.level)}
        yield Note("disagrees", values, MINOR)


def _chains(study: StudyFolder) -> Iterator[Note]:
    for one in study.summary["fits"]:
        if one["stratum"] != study.whole or one["diagnostics_passed"]:
            continue
        of = f" on {one['model']}" if one["model"] else ""
        corrected = METHODS[one["method"]].has_role(CORRECTED)
        rest = Note("corrected_all_the_same" if corrected else "rests_not_on_chains")
        problems = "; ".join(one["problems"]) or "no reason given"
        values = {"method": one["method"], "of": of, "problems": problems, "rest": rest}
        yield Note("chains", values, MINOR)


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


def _predictive(study: StudyFolder) -> Iterator[Note]:
    what = {
        "votes": ("the votes", "prevalence, TPR_H and TNR_H"),
        "wins": ("the ranking", "everything said of the model's scores"),
    }
    for method, model, check, rows in predicted_of(study):
        name, touched = what.get(check, (check, "its numbers"))
        outside, many = count_misses(rows, study.level)
        if many:
            values = {"method": method, "model": model, "name": name, "outside": outside,
                      "rows": len(rows), "level": percent(study.level),
                      "touched": touched}  # fmt: skip
            yield Note("not_reproduced", values, MINOR)


def _undecided(study: StudyFolder) -> Iterator[Note]:
    """How much larger a study would tell apart what this one does not."""
    found = []
    for answer in study.answers:
        of, value = answer.of, answer.value
        if value is None or not value.has_interval or not of.is_difference or value.excludes_zero:
            continue
        half = ((value.upper or 0) - (value.lower or 0)) / 2
        times = max(1.0, (half / abs(value.estimate)) ** 2) if value.estimate else math.inf
        size = f"about {times:.1f} times" if times < MOST_TIMES else f"over {MOST_TIMES} times"
        found.append(f"{of.in_words} ({size})")
    if found:
        yield Note("undecided", {"sizes": listed(found)}, MINOR)


def find_doubts(study: StudyFolder) -> list[Note]:
    """What would change the answer, the gravest first."""
    found = [*_gold_sample(study), *_gold(study)]
    if any(one.reason == ONLY_MODELS for one in study.answers):
        found.append(Note("only_models_asked", {"method": answering()}, GRAVE))
    for source in (_misfits, _chains, _predictive, _disagreements, _undecided):
        found += source(study)
    if study.summary.get("weighted"):
        whose = "the population that the weighted items stand for"
        if study.about != POPULATION:
            whose = "these items, each counted by its weight,"
        found.append(Note("weighted", {"whose": whose}, MINOR))
    return sorted(found, key=lambda one: one.weight != GRAVE)


def verdict_of(doubts: Sequence[Note]) -> Note:
    """What the doubts come to."""
    if grave := sum(one.weight == GRAVE for one in doubts):
        return Note("verdict_grave", {"number": grave}, GRAVE)
    return Note("verdict_minor" if doubts else "verdict_none", {"number": len(doubts)})
