"""`crowdgold evaluate`: models, voters and rates from imperfect labels, into a folder of tables."""

import argparse
import json
import os
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from crowdgold.checking.without_gold import ends_in_words
from crowdgold.cli import terminal
from crowdgold.cli.study_file import as_study_file
from crowdgold.presentation.text import answered_strata, changed_strata, describe, describe_models
from crowdgold.reading.outputs import plain
from crowdgold.system.packages import need
from crowdgold.system.temporary import remove_abandoned
from crowdgold.types.display import WIDTH
from crowdgold.types.errors import InputError
from crowdgold.types.notes import GRAVE
from crowdgold.types.parameters import LEVEL, RULES, SEED, SURELY

if TYPE_CHECKING:
    from crowdgold.evaluation.conditions import Outcome
    from crowdgold.evaluation.folder import Evaluation, Summary
    from crowdgold.evaluation.questions import Settings

FAILED, UNSUPPORTED = 3, 1
"""Exit codes: a condition holds; there is no answer, or none by the method that was to give it."""


HOLDS = {
    "surely": "holds in the whole interval", "possibly": "may hold, which is not sure",
    "no": "holds nowhere in the interval",
}  # fmt: skip


def conditions_in_words(outcomes: Sequence["Outcome"]) -> Iterator[str]:
    """A line on each condition: whether it failed, and the answer that it is about."""
    for one in outcomes:
        value = one.value
        if one.failed is None or value is None or value.lower is None or value.upper is None:
            why = one.why or f"{one.answer} has none in these data"
            line = f"No answer: {one.condition}: {why}"
        else:
            said = "FAILED" if one.failed else "Passed"
            if value.estimate is None:
                ends = ends_in_words(value.lower, value.upper)
                numbers = f"without gold labels a range, {ends}"
            else:
                numbers = f"{value.estimate:.3f}, {value.lower:.3f} to {value.upper:.3f}"
            line = f"{said}: {one.condition}: {HOLDS[one.holds or 'no']} ({numbers})"
        yield textwrap.fill(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def failed_answers(summary: "Summary") -> Iterator[str]:
    """Each method that was to give the answer and failed, in words."""
    for one in summary.not_run:
        if one.failed and one.method == summary.of_stratum(one.stratum).answering:
            of = " of ".join(filter(None, ["", one.model]))
            yield f"{one.method}{of}, which was to give the answer, failed: {one.reason}"


def failures(found: "Evaluation") -> Iterator[str]:
    """What of an evaluation has failed, in words: methods, or all of its answers."""
    yield from failed_answers(found.summary)
    # Who asked for a method that is never an answer by itself has its numbers.
    codes = {note.code for one in found.answers for by in one.passed_over for note in by.why}
    if codes != {"not_by_itself"} and not any(one.is_known or one.value for one in found.answers):
        yield "no metric has an answer in these data"


def exit_code(found: "Evaluation", outcomes: Sequence["Outcome"]) -> int:
    """0 where no condition failed, all were answered, and nothing else has failed."""
    came = [one.failed for one in outcomes]
    if True in came:
        return FAILED
    return UNSUPPORTED if None in came or any(failures(found)) else 0


ABOUT = """\
Say how good models and voters are, and how many items are positive, from votes, a few gold labels
(an expert's) and scores: the prevalence, the voters' rates TPR_H and TNR_H, and each model's AUC,
delta_TPR (its gain over a single voter at that voter's false positive rate), accuracy, precision,
recall and F1 at thresholds, with curves, and the differences between models; for all items and for
each stratum.

The answer to rely on comes first, within seconds: a prediction of every label from votes and scores
that the gold labels correct (logistic-R). In our simulations its 95 % interval contained the truth
in about 95 of 100 studies, with 20 gold labels or 500 (docs/answer.md). Where few gold labels are
of a class, a value can rest on gold alone; a note says where.

For comparison come models of votes and scores, sampled by Stan (MAVEN, MAVEN-C, DS, CLARA),
each right where its model is. They are marked where the gold labels contradict them. --no-models
leaves them out. Without gold labels a range is all that votes and scores allow. The first line says
so; a model's number follows, with what it assumes.

Intervals are about the population that the items were drawn from: how a model would do on new items
like these. With --about items they are about the items at hand and no new ones.

FILES are as of `crowdgold check`, which says first what the data can support.
"gold alone needs" is the number of gold labels, drawn as yours were, that would give as narrow an
interval without votes and scores. It is an estimate, and rounded accordingly; its own 95 % interval
follows below the table."""
EXAMPLE = """\
example:
  $ crowdgold evaluate votes.csv gold.csv scores.csv --out results --threshold 0.7
  $ crowdgold evaluate study.csv --out results --report
  $ crowdgold evaluate study.csv --out results --methods GT MAVEN MAVEN-R --metrics AUC --json
  $ crowdgold evaluate results/study.yaml                # the same once more
  $ crowdgold evaluate study.csv --out results --no-models --fail-if "AUC < 0.9"

Thresholds: --threshold 0.7 is every model's, --threshold large=0.7 that of model "large"; can be
repeated. FOLDER gets estimates.csv, curves.csv, items.csv (P(Y = 1) of each), study.json and more;
study.yaml has the options, for this command and for check, plan and fit-labelling.

A condition of --fail-if counts where it holds in the whole interval. Where it is not true, chance
makes it count in about one of 40 studies at most (at --level 0.95). --fail-on possibly is the other
way round: it counts wherever the interval does not rule it out. Without gold labels the range
decides, and not the model's number.

exit codes: 0, done; 1, no metric, or none of a condition, has an answer from these data, or the
method that was to give the answer failed; 2, input that cannot be used, with what is wrong and how
to mend it; 3, done, and a condition of --fail-if holds; 130, interrupted: models that are finished
are kept in FOLDER, and the same command goes on from there; 143 and 129, terminated and hung up:
likewise."""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    # fmt: off
    command.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="where to write")
    command.add_argument("--methods", nargs="+", metavar="METHOD",
        help="some of the methods (default: all)")
    command.add_argument("--metrics", nargs="+", metavar="METRIC",
        help="some of the metrics (default: all)")
    command.add_argument(
        "--threshold", "--thresholds", action="append", default=[], metavar="[MODEL=]VALUE",
        help="score at and above which an item is flagged (default: 0.5 for scores in [0, 1])",
    )
    command.add_argument("--level", type=float, default=LEVEL,
        help="of the intervals (default: %(default)g)")
    command.add_argument("--anytime", type=int, metavar="LABELS",
        help="intervals that hold over all looks at the gold labels as they come in, so that you "
        "may stop at any: narrowest at about so many labels, a number to be set before the first "
        "look and kept at all others, also once there are more")
    command.add_argument("--about", choices=("population", "items"), default="population",
        help="what intervals are about: the population that the items were drawn from, or the "
        "items at hand and no new ones (default: %(default)s)")
    command.add_argument("--cores", type=int, default=os.cpu_count() or 1,
        help="processes at a time (default: %(default)s); numbers do not depend on it")
    command.add_argument("--seed", type=int, default=SEED,
        help="of all random numbers (default: %(default)s)")
    command.add_argument("--no-models", action="store_true",
        help="leave out the models that Stan or a Gibbs sampler samples: the answer alone")
    terminal.add_expert_error(command)
    command.add_argument("--json", action="store_true", help="write one JSON object, as study.json")
    command.add_argument("--report", action="store_true",
        help="write the report too, as `crowdgold report` does")
    command.add_argument("--fail-if", action="append", default=[], metavar="CONDITION",
        help='end with exit code 3 where it holds of an answer: "AUC < 0.9", "AUC:large < 0.9", '
        '"delta_AUC:large-small <= 0"; can be repeated')
    command.add_argument("--fail-on", choices=RULES, default=SURELY,
        help="when a condition counts: it holds in the whole interval, of the estimate, or "
        "somewhere in the interval (default: %(default)s)")
    command.add_argument("--badge", metavar="METRIC",
        help="write one answer in a line and nothing else: AUC:large gives "
        '"AUC large 0.93 (0.90 to 0.96)"')
    terminal.add_force(command)
    terminal.add_study_options(command)
    # fmt: on


def settings_of(asked: argparse.Namespace) -> "Settings":
    """How a study is evaluated, by the options of a command line or a study file."""
    from crowdgold.evaluation.jobs import chosen_methods
    from crowdgold.evaluation.questions import STANDARD, Settings, read_thresholds

    if asked.cores < 1:
        raise InputError(f"cores: found {asked.cores}, expected 1 or more")
    return Settings(
        methods=chosen_methods(asked.methods, not asked.no_models),
        metrics=tuple(asked.metrics or STANDARD), thresholds=read_thresholds(asked.threshold),
        level=asked.level, about=asked.about, seed=asked.seed, anytime=asked.anytime,
        expert_error=asked.expert_error,
    )  # fmt: skip


def _options(asked: argparse.Namespace, settings: "Settings") -> bytes:
    """The study file of the folder: all that was asked, or the very file where it lies there."""
    from crowdgold.evaluation.folder import OPTIONS

    used, place = asked.study_file, (asked.out / OPTIONS).resolve()
    if used is None or asked.out.resolve() not in used.path.resolve().parents:
        asked.methods, asked.metrics = list(settings.methods), list(settings.metrics)
        return as_study_file(asked, asked.out).encode()
    if used.path.resolve() != place or used.overruled:
        why = f", and {used.overruled[0]} says otherwise" if used.overruled else ""
        raise InputError(
            f"{used.path} lies in {asked.out}, which is to be replaced{why}; give another --out"
        )
    content: bytes = used.content
    return content


class _Printer:
    """Writes to standard output each answer once, then the models' numbers."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.before: Evaluation | None = None

    def answered(self, found: "Evaluation") -> None:
        """Print the answers that no model can change, before models are sampled."""
        strata = answered_strata(found)
        if strata and not self.quiet:
            terminal.tell(describe(found, strata))
            self.before = found
        what = ", for comparison" if strata else ", since gold labels give no answer here"
        terminal.say(f"The models follow{what} (--no-models leaves them out).")

    def ended(self, found: "Evaluation") -> None:
        """Print what `answered` has not printed."""
        if self.quiet:
            return
        strata = {one.name: found for one in found.summary.strata}
        new = list(strata) if self.before is None else changed_strata(found, self.before)
        if self.before is not None:
            strata |= {name: self.before for name in strata if name not in new}
        texts = [describe(found, new), describe_models(found, strata)]
        if told := "\n\n".join(filter(None, texts)):
            terminal.tell(f"\n{told}" if self.before else told)


def run(asked: argparse.Namespace) -> int:
    """Read, evaluate, say the answers, and write."""
    from crowdgold.evaluation import conditions
    from crowdgold.evaluation.folder import check_folder, check_same_items, clean_up, kept_folder
    from crowdgold.evaluation.jobs import UnsupportedError
    from crowdgold.evaluation.run_key import discard
    from crowdgold.evaluation.study import check_study, evaluate_checked, write_evaluation
    from crowdgold.models.stan import StanModels
    from crowdgold.reading.study import StudyFiles

    if asked.report:
        need("matplotlib", "--report")
    remove_abandoned()
    out, quiet = asked.out, asked.json or asked.badge is not None
    clean_up(out)
    settings, printer = settings_of(asked), _Printer(quiet)
    if asked.json and asked.badge is not None:
        raise InputError("--json and --badge: expected one of them; each is all that is printed")
    check_folder(out, asked.files, asked.force)
    options, keep = _options(asked, settings), kept_folder(out)
    files, stan = StudyFiles(asked.files, terminal.reading(asked)), StanModels()
    try:
        with terminal.progress(lambda: "reading and checking"):
            study = files.read()
            check = check_study(study, settings)
            items = study.items
            check_same_items(out, items.item, asked.force)
            fail_if = [conditions.read_condition(one, settings, items) for one in asked.fail_if]
            wanted = None
            if asked.badge is not None:
                try:
                    wanted = conditions.find_answer(asked.badge, settings, items)
                except InputError as error:
                    raise InputError(f"--badge {error}") from None
        found = evaluate_checked(
            study, check, settings, stan, asked.cores, terminal.say, printer.answered, keep
        )
        outcomes = conditions.outcomes(found, fail_if, asked.fail_on)
        found = replace(found, summary=replace(found.summary, conditions=outcomes))
        summary = found.summary
        printer.ended(found)
        with terminal.progress(lambda: "writing"):
            kept = write_evaluation(found, check, out, options, asked.force)
    except UnsupportedError as why:
        discard(keep)
        terminal.say(f"Error: {why}")
        return UNSUPPORTED
    terminal.say_kept(out, kept)
    terminal.say_notes(summary.notes)
    terminal.say_notes(check.warnings, "Warning")
    if asked.json:
        terminal.tell(json.dumps(plain(found.as_json())))
    if wanted is not None:
        from crowdgold.presentation.answers import badge

        terminal.tell(badge(wanted, conditions.answer_to(wanted, found)))
    for line in conditions_in_words(outcomes):
        (terminal.say if quiet else terminal.tell)(line)
    for failed in failures(found):
        terminal.say_filled(f"Error: {failed}")
    # Here: they take time to load.
    from crowdgold.presentation.doubts import find_doubts
    from crowdgold.presentation.folder import study_shown

    for doubt in find_doubts(study_shown(found, check)):
        if doubt.weight == GRAVE:
            what = f"Why, and what to do: crowdgold report {out}"
            terminal.say_filled(f"Grave doubt: {doubt.title}. {what}")
    terminal.say(f"Written: {out}")
    if asked.report:
        from crowdgold.presentation.page import write_study_report

        with terminal.progress(lambda: "drawing figures"):
            written = write_study_report(out)
        terminal.say(f"Written: {', '.join(map(str, written))}")
    return exit_code(found, outcomes)
