"""`crowdgold correct-rate`: a rate corrected for the errors of those who judged it."""

import argparse
import json
import re
from dataclasses import asdict

from crowdgold.cli.terminal import say, tell
from crowdgold.models.judge_error import ADJUSTED, INTERVALS, JudgementCounts, correct_rate
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import LEVEL

ABOUT = """\
Correct the share of items that judges (people, a model) find positive for the judges' errors, which
gold labels show: how many known positives and known negatives the judges got right. The estimate is
that of Rogan and Gladen, with an interval that counts the judged items as well as the gold labels.
Where the formula gives less than 0 or more than 1, the estimate and the interval end there, and a
note says so; --json has the formula's own number as "raw".

Each of the three is written RIGHT/ALL: judged positive of all judged, known positives judged
positive of all known positives, known negatives judged negative of all known negatives.

Which gold items will do: known positives and known negatives of another set, as many of either as
you like; items of another set drawn at random, also of another rate; or some of the judged items,
drawn at random (--within). In each class they must be as hard as the judged items of that class.
Which are wrong, and nothing here can see it: only items that were judged positive, or more of them
than of the others (an audit of what was flagged); items that judges were unsure of or disagreed
about; easy ones, such as test questions; labels by the judges themselves."""
EXAMPLE = """\
example:
  $ crowdgold correct-rate 645/1000 --positives 180/200 --negatives 190/200
  judged positive   0.6450
  corrected rate    0.7000   95 % interval 0.6520 to 0.7538
  judges            TPR 0.9000 (180/200), TNR 0.9500 (190/200)

  Where the gold items are some of the judged ones, drawn at random, add --within.

exit codes: 0, done; 2, counts that cannot be corrected, with what is wrong and how to mend it."""
DIGITS = 15  # of a count, at most


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    # fmt: off
    command.add_argument("judged", metavar="POSITIVE/JUDGED", help="judged positive, of all judged")
    command.add_argument("--positives", required=True, metavar="RIGHT/GOLD",
        help="known positives that were judged positive, of all known positives")
    command.add_argument("--negatives", required=True, metavar="RIGHT/GOLD",
        help="known negatives that were judged negative, of all known negatives")
    command.add_argument("--within", action="store_true",
        help="the gold items are some of the judged ones, drawn at random (default: others)")
    command.add_argument("--level", type=float, default=LEVEL,
        help="of the interval (default: %(default)g)")
    command.add_argument("--interval", choices=INTERVALS, default=ADJUSTED,
        help="Lang and Reiczigel's, right for few gold labels too, or estimate +- z standard "
        "errors, as in the paper (default: %(default)s)")
    command.add_argument("--json", action="store_true", help="write one JSON object")
    # fmt: on


def read_fraction(text: str, name: str) -> tuple[int, int]:
    """The two counts of `RIGHT/ALL`."""
    found = re.fullmatch(rf"(\d{{1,{DIGITS}}})/(\d{{1,{DIGITS}}})", text.strip())
    if not found:
        raise InputError(
            f"{name}: found {text[:40]!r}, expected two counts as 180/200, of at most {DIGITS} "
            "digits each"
        )
    part, whole = int(found[1]), int(found[2])
    if part > whole:
        raise InputError(f"{name}: found {text!r}, expected the part before the whole, as 180/200")
    return part, whole


def run(asked: argparse.Namespace) -> int:
    """Correct the rate, and say what comes out."""
    judged = read_fraction(asked.judged, "POSITIVE/JUDGED")
    right_positive, positives = read_fraction(asked.positives, "--positives")
    right_negative, negatives = read_fraction(asked.negatives, "--negatives")
    counts = JudgementCounts(
        *judged, right_positive, positives - right_positive, right_negative,
        negatives - right_negative, asked.within,
    )  # fmt: skip
    found = correct_rate(counts, asked.level, asked.interval)
    if found.note:
        say(f"Note: {found.note}")
    if asked.json:
        values = asdict(found).items()
        numbers = {name: one if isinstance(one, str) else float(one) for name, one in values}
        options = {"level": asked.level, "interval": asked.interval, "within": asked.within}
        tell(json.dumps(numbers | options))
        return 0
    tell(
        f"judged positive   {found.judged_rate:.4f}\n"
        f"corrected rate    {found.estimate:.4f}   {100 * asked.level:g} % interval "
        f"{found.lower:.4f} to {found.upper:.4f}\n"
        f"judges            TPR {found.tpr:.4f} ({asked.positives}), TNR {found.tnr:.4f} "
        f"({asked.negatives})"
    )
    return 0
