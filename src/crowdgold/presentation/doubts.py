"""What would change the answer of a study, and its data check for a reader of its report."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from scipy.special import bdtr

from crowdgold.checking.gold_sample import OF_ITEMS, WORDINGS, GoldSample
from crowdgold.evaluation.answer import quantity_of, value_of
from crowdgold.evaluation.choosing import ONLY_MODELS
from crowdgold.inference.estimate import FEWEST
from crowdgold.inference.interval import holm
from crowdgold.inference.rectified import POPULATION
from crowdgold.methods.method import CORRECTED
from crowdgold.methods.misfit import held_against
from crowdgold.methods.needs import MEASURED_GOLD
from crowdgold.methods.registry import METHODS, answering
from crowdgold.presentation.answers import Numbers, listed, percent
from crowdgold.presentation.folder import StudyFolder, records_of
from crowdgold.types.items import FEWEST_GOLD
from crowdgold.types.notes import GRAVE, MINOR, Note


@dataclass(frozen=True)
class CheckSection:
    """The data check as the report shows it."""

    facts: Sequence[tuple[str, str]]  # what, and what is known of it
    verdicts: Sequence[tuple[str, str, str, str]]  # method, verdict, why, and how to mend it
    warnings: Sequence[str]  # in plain words
    made: bool  # whether a check was made; without one the facts are counts alone


def _sampled_from(found: Mapping[str, Any]) -> str:
    """What gold should be a random sample of, a key of `WORDINGS`, as check.json has it."""
    of = str(found.get("of", OF_ITEMS))
    return of if of in WORDINGS else OF_ITEMS


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
    facts = [(head, "; ".join(said)) for head, said in check["about"].items()]
    return CheckSection(facts, verdicts, warnings, True)


SURELY = 0.99  # observations outside are too many if a right model has fewer with this probability
LITTLE_LARGER = 1.05
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
    if n_gold < FEWEST_GOLD:
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
        about = f"about {times:.1f} times" if times >= LITTLE_LARGER else "a little"
        size = about if times < MOST_TIMES else f"over {MOST_TIMES} times"
        found.append(f"{of.in_words} ({size})")
    if found:
        yield Note("undecided", {"sizes": listed(found)}, MINOR)


def find_doubts(study: StudyFolder) -> list[Note]:
    """What would change the answer, the gravest first."""
    found = [*_gold_sample(study), *_gold(study)]
    if any(one.reason == ONLY_MODELS for one in study.answers):
        found.append(Note("only_models_asked", {"method": answering()}, GRAVE))
    told = [f"{one.of.in_words}: {note.text}" for one in study.answers for note in one.notes
            if note.weight == MINOR]  # fmt: skip
    if told:
        found.append(Note("remarks", {"told": listed(told)}, MINOR))
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
