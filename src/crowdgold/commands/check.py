"""`crowdgold check`: what votes, gold labels and scores can support, before anything is fitted."""

import argparse
import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from crowdgold.commands.terminal import add_study_options, progress, renamed, say, tell
from crowdgold.data import InputError
from crowdgold.data.checks import counted
from crowdgold.data.json_values import plain
from crowdgold.data.own import Study, read_study

if TYPE_CHECKING:
    from crowdgold.own.check.agreement import Agreement
    from crowdgold.own.check.data import DataCheck

ABOUT = """\
Say what data can support before anything is fitted: how many votes items have and how far they
agree, the gold labels of each class and whether they look like a random sample of the items, the
range and ties of scores, annotators who cannot help; and for each estimator whether it is usable,
weak or not usable, why, and how to mend that.

FILES are one file with everything, or votes, gold labels and scores in files of their own, joined
by item: .csv, .tsv, .xlsx, .parquet, .jsonl, or an export of Label Studio (.json) or doccano
(.jsonl). Or one study file, .yaml, that names them and holds options by their names.
  votes   item, annotator, label; or item, votes_positive, votes_total; or item and a column for
          each annotator, vote_NAME
  gold    item, gold; or item, label; with expert where there are several
  scores  item, score; or a column for each model, score_NAME
  both    stratum or stratum_NAME, weight, where wanted
Items without a score count for what needs no score. Where no column says that it names the items,
one that all files share does. Other names are guessed, which is said, or given by
--column THEIRS=OURS (FILE:THEIRS=OURS for one of the files; THEIRS=ignore passes a column over)."""
EXAMPLE = """\
example:
  $ crowdgold check votes.csv gold.csv scores.csv --column rater=annotator
  $ crowdgold check labels.csv --positive spam --positive scam --json > check.json
  $ crowdgold check study.yaml

study.yaml:
  files: [votes.csv, gold.csv, scores.csv]
  columns: {rater: annotator}

exit codes: 0, some estimator is usable or weak; 1, the data support none; 2, input that cannot be
used, with what is wrong and how to mend it."""
SEED = 20260301
UNSUPPORTED = 1
WIDTH = 80


def add_options(own: argparse.ArgumentParser) -> None:
    """Add what the command can be told."""
    own.add_argument("--seed", type=int, default=SEED, help="of resamples and permutations")
    own.add_argument("--json", action="store_true", help="write one JSON object")
    add_study_options(own)
    own.set_defaults(run=run)


def _wrapped(head: str, texts: list[str], indent: int = 14) -> Iterator[str]:
    """Write a head and texts beside it, each from a line of its own."""
    for place, text in enumerate(texts):
        start = head.ljust(indent) if place == 0 else " " * indent
        yield textwrap.fill(text, WIDTH, initial_indent=start, subsequent_indent=" " * indent)


def _alpha(found: "Agreement", what: str) -> str:
    if not found.items:
        return f"none to measure: no item has two {what}"
    if not np.isfinite(found.alpha):
        return f"none to measure: all {what} are the same"
    text = f"Krippendorff's alpha {found.alpha:.3f}"
    if np.isfinite(found.lower):
        text += f", {100 * found.level:g} % interval {found.lower:.3f} to {found.upper:.3f}"
    return f"{text} ({found.items:,} items with two or more; 1: all agree, 0: as if at random)"


def _gold(check: "DataCheck") -> Iterator[str]:
    """Describe the gold labels."""
    number = check.gold_positive + check.gold_negative
    if not number:
        yield "none"
        return
    yield (
        f"{number:,} items ({100 * number / check.items:.3g} %): {check.gold_positive:,} positive, "
        f"{check.gold_negative:,} negative"
    )
    right = [
        f"{100 * share:.1f} % of the {name}"
        for share, name in zip(check.majority_right, ("positives", "negatives"), strict=True)
        if np.isfinite(share)
    ]
    yield f"the majority of the votes is right on {' and '.join(right)} (ties count half)"
    sample = check.gold_sample
    if sample.note:
        yield f"a random sample of the items? no test: {sample.note}"
    else:
        told = "it does not look like one" if sample.chosen else "nothing speaks against it"
        yield f"a random sample of the items? {told} (p = {sample.p:.2g})"
    within = check.gold_within_strata
    if within is not None and not within.note:
        told = "it does not look like one" if within.chosen else "nothing speaks against it"
        yield f"a random sample within strata? {told} (p = {within.p:.2g})"


def _annotators(check: "DataCheck") -> str:
    found = check.annotators
    if found is None:
        return "not known"
    from crowdgold.own.check.annotator_check import FEW_LABELS

    least, middle, most = np.quantile(found.labels, [0, 0.5, 1])
    return (
        f"{len(found.labels):,}, with {least:,.0f} to {most:,.0f} labels (median {middle:,.0f}); "
        f"{int(found.few.sum())} with fewer than {FEW_LABELS}, "
        f"{int(found.adversarial.sum())} against the others, {int(found.constant.sum())} constant"
    )


def describe(check: "DataCheck", study: Study) -> str:
    """Write what was found for a reader, at most 80 columns wide."""
    least, middle, most = check.votes_per_item
    each = f"{least} an item" if least == most else f"{least} to {most} an item, median {middle:g}"
    about = [
        ("read", list(study.notes)),
        ("items", [f"{check.items:,}"]),
        ("votes", [f"{check.votes:,}, {each}; {100 * check.positive_votes:.1f} % positive"]),
        ("agreement", [_alpha(check.agreement, "votes")]),
        ("annotators", [_annotators(check)]),
        ("gold", list(_gold(check))),
    ]
    if check.expert_agreement is not None:
        given = ", ".join(f"{name} {labels:,}" for name, labels in check.expert_labels.items())
        about.append(("experts", [given, _alpha(check.expert_agreement, "expert labels")]))
    scores = [
        f"{name}: {one.lowest:.4g} to {one.highest:.4g}, {one.distinct:,} different, "
        f"{100 * one.tied:.2g} % of the pairs tied"
        + (f"; {counted(one.without, 'item')} without" if one.without else "")
        for name, one in check.scores.items()
    ]
    about.append(("scores", scores or ["none"]))
    for name, sizes in check.strata.items():
        listed = ", ".join(f"{stratum or '(none)'} {size:,}" for stratum, size in sizes.items())
        about.append(("strata", [f"{name}: {listed}"]))
    lines = [line for head, texts in about for line in _wrapped(head, texts)]
    lines.append("")
    for one in check.verdicts:
        texts = [one.why, *([f"-> {one.mend}"] if one.mend else []), *filter(None, [one.arena])]
        lines.extend(_wrapped(f"{one.method:<14}{one.verdict}", texts, 26))
    return "\n".join(lines)


def run(asked: argparse.Namespace) -> int:
    """Read the files, check them, and say what was found."""
    from crowdgold.own.check.data import check_data  # here: it takes a second to load

    if asked.seed < 0:
        raise InputError(f"seed: found {asked.seed}, expected 0 or more")
    paths: list[Path] = asked.files
    with progress(lambda: "reading and checking"):
        study = read_study(paths, renamed(asked), asked.positive, asked.repeated)
        check = check_data(study, np.random.default_rng(asked.seed))
    for warning in check.warnings:
        say(textwrap.fill(f"Warning: {warning}.", WIDTH, subsequent_indent="  "))
    if asked.json:
        files = [str(path) for path in paths]
        found = {"files": files, "notes": list(study.notes), **plain(check)}
        tell(json.dumps({**found, "supported": check.supported, "seed": asked.seed}))
    else:
        tell(describe(check, study))
    if not check.supported:
        say("These data support no estimator; the lines with -> say what would.")
    return 0 if check.supported else UNSUPPORTED
