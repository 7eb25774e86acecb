"""`crowdgold plan`: how many items, votes and gold labels an interval of some width takes."""

import argparse
import json
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtri

from crowdgold.commands.terminal import progress, say
from crowdgold.data import InputError
from crowdgold.evaluation.expected_information import Guess, expected_information
from crowdgold.evaluation.rectified import FEW_GOLD
from crowdgold.evaluation.study_design import (
    FEWEST_GOLD,
    Design,
    Information,
    Prices,
    cheapest,
    gold_alone,
    narrowest,
    width,
)

ABOUT = """\
Before votes and gold labels are bought: say what is believed about the voters and the model's
scores, and read which study reaches a wanted interval width at the lowest price, or how wide the
interval of a given study will be. Widths are those of rectified estimates (MAVEN-R, logistic-R) of
the population that the items come from, with gold items drawn at random among them; they are
computed from simulated items (MAVEN, Algorithm 1)."""
EXAMPLE = """\
example:
  $ crowdgold plan --prevalence 0.1 --tpr 0.7 --tnr 0.95 --auc 0.85 --metric prevalence \\
      --width 0.04 --vote-price 0.05 --gold-price 4

  How wide will it be with 2,000 items, 200 of them with a gold label? Replace --width by
  --items 2000 --gold 200.

exit codes: 0, done; 1, no study reaches the width; 2, guesses that cannot be used."""

OF_VOTES = ("TNR_H", "TPR_H", "delta_TPR")
"""Metrics that take votes on the gold items even where gold labels are used alone."""
HARDLY = 0.02
"""Where no number of items narrows an interval by more than this share, they do not help."""


@dataclass(frozen=True)
class Option:
    """A number of votes with what it tells, and the study that it takes, if any."""

    name: str
    information: Information
    design: Design | None


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    own = commands.add_parser(
        "plan", help="how many items, votes and gold labels a study needs", description=ABOUT,
        epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    share = partial(own.add_argument, type=float, metavar="SHARE")
    share("--prevalence", required=True, help="share of positive items")
    share("--tpr", required=True, help="of a single vote on a positive item")
    share("--tnr", required=True, help="of a single vote on a negative item")
    share(
        "--vote-correlation", default=0.3,
        help="of two votes on an item, given its label (default: %(default)g)",
    )  # fmt: skip
    share("--auc", default=0.8, help="of the scores (default: %(default)g)")
    own.add_argument(
        "--delta", type=float, default=0.0,
        help="how far the scores follow the voters beyond the truth, in standard deviations "
        "(default: %(default)g)",
    )  # fmt: skip
    own.add_argument("--metric", default="prevalence", help="default: %(default)s")
    own.add_argument("--width", type=float, help="find the cheapest study of this interval width")
    own.add_argument("--items", type=int, help="items that there are, or of the given study")
    own.add_argument("--gold", type=int, help="gold labels of the given study, in place of --width")
    own.add_argument(
        "--votes", default="1,3,5,7,9", metavar="C,C,...",
        help="votes on an item that are compared (default: %(default)s)",
    )  # fmt: skip
    own.add_argument("--vote-price", type=float, default=0.05, help="default: %(default)g")
    own.add_argument("--gold-price", type=float, default=2.0, help="default: %(default)g")
    own.add_argument("--level", type=float, default=0.95, help="default: %(default)g")
    own.add_argument("--seed", type=int, default=1, help="of the simulated items")
    own.add_argument("--json", action="store_true", help="write one JSON object")
    own.set_defaults(run=run)


def _between(asked: argparse.Namespace, name: str, low: float, high: float) -> float:
    value = getattr(asked, name)
    if not low < value < high:
        option = "--" + name.replace("_", "-")
        raise InputError(f"{option}: found {value:g}, expected above {low:g} and below {high:g}")
    return float(value)


def _votes(text: str) -> list[int]:
    try:
        found = sorted({int(part) for part in text.split(",")})
    except ValueError:
        found = []
    if not found or found[0] < 1:
        raise InputError(f"--votes: found {text!r}, expected whole numbers from 1, as 1,3,5")
    return found


def check(asked: argparse.Namespace) -> None:
    """Raise `InputError` for an option that cannot be used, or a combination."""
    for name in ("prevalence", "tpr", "tnr", "vote_correlation", "auc", "level"):
        _between(asked, name, 0.0, 1.0)
    for name in ("vote_price", "gold_price"):
        _between(asked, name, 0.0, np.inf)
    if asked.tpr + asked.tnr <= 1:
        raise InputError(
            f"--tpr {asked.tpr:g} and --tnr {asked.tnr:g}: voters who guess have TPR + TNR = 1; "
            "expected more"
        )
    if (asked.width is None) == (asked.gold is None):
        raise InputError("expected --width, or --items and --gold for a given study")
    if asked.width is not None:
        _between(asked, "width", 0.0, np.inf)
        if asked.items is not None and asked.items < FEWEST_GOLD:
            raise InputError(f"--items: found {asked.items}, expected at least {FEWEST_GOLD}")
    elif asked.items is None or not FEWEST_GOLD <= asked.gold <= asked.items:
        raise InputError(
            f"--gold: found {asked.gold}, expected {FEWEST_GOLD} or more (an interval from fewer "
            "is not promised) and not more than --items"
        )


def learn(asked: argparse.Namespace) -> list[Information]:
    """Simulate what an item tells, for each number of votes."""
    guess = Guess(
        asked.prevalence, asked.tpr, asked.tnr, asked.vote_correlation, asked.vote_correlation,
        float(np.sqrt(2) * ndtri(asked.auc)), asked.delta,
    )  # fmt: skip
    found = []
    for votes in _votes(asked.votes):
        rng = np.random.default_rng(asked.seed)
        with progress(f"Simulating items with {votes_each(votes)}".format):
            one = expected_information(guess, [asked.metric], votes, rng)
        known = one[asked.metric]
        if known is None:
            raise InputError(
                f"--metric {asked.metric}: the simulated items leave it without a value; a "
                "threshold beyond all scores does"
            )
        found.append(known)
    return found


def options(known: Sequence[Information], asked: argparse.Namespace) -> list[Option]:
    """Give gold labels alone and each number of votes, with the study that it takes."""
    first = known[0]
    of_votes = asked.metric.partition("@")[0] in OF_VOTES
    bare = gold_alone(first if of_votes else replace(first, votes=0))
    prices = Prices(asked.vote_price, asked.gold_price)
    named = [
        ("gold labels alone", bare),
        *((f"with {votes_each(one.votes)}", one) for one in known),
    ]
    if asked.width is not None:
        return [
            Option(name, one, cheapest(one, prices, asked.width, asked.items, asked.level))
            for name, one in named
        ]
    given = []
    for name, one in named:
        size = asked.gold if one is bare else asked.items
        price = prices.vote * one.votes * size + prices.gold * asked.gold
        reached = width(one, size, asked.gold, asked.level)
        given.append(Option(name, one, Design(size, one.votes, asked.gold, reached, price)))
    return given


def votes_each(votes: int) -> str:
    """Say how many votes an item has."""
    return "one vote each" if votes == 1 else f"{votes} votes each"


def advice(found: Sequence[Option], asked: argparse.Namespace) -> list[str]:
    """Say in words what the table means."""
    reached = [one for one in found if one.design is not None]
    if not reached:
        few = f" {asked.items}" if asked.items else ""
        return [f"No study of{few} items reaches a width of {asked.width:g}."]
    lines = []
    if asked.width is not None:
        best = min(reached, key=lambda one: one.design.cost)  # type: ignore[union-attr]
        assert best.design is not None
        if best is found[0] or best.design.n == best.design.n_gold:
            lines.append("Cheapest: gold labels alone. At these prices votes are not worth theirs.")
        else:
            saved = ""
            if found[0].design is not None:
                share = 1 - best.design.cost / found[0].design.cost
                saved = f"; {100 * share:.0f} % less than gold labels alone"
            lines.append(
                f"Cheapest: {best.design.n} items with {votes_each(best.design.votes)}, "
                f"{best.design.n_gold} of them with a gold label, for {best.design.cost:.2f}"
                f"{saved}."
            )
    else:
        best = min(reached, key=lambda one: one.design.width)  # type: ignore[union-attr]
        assert best.design is not None
    most = found[-1].information
    limit = narrowest(most, best.design.n_gold, asked.level)
    alone = width(gold_alone(most), best.design.n_gold, best.design.n_gold, asked.level)
    lines.append(
        f"With {best.design.n_gold} gold labels no number of items with "
        f"{votes_each(most.votes)} brings the width below {limit:.4f}; gold labels alone have "
        f"{alone:.4f}."
    )
    if best.design.n_gold < FEW_GOLD and best.information.gain > 0:
        lines.append(
            f"Below {FEW_GOLD} gold labels intervals are somewhat wider than this: what the "
            "predictions are worth is not known well enough to use them fully."
        )
    if limit > (1 - HARDLY) * best.design.width:
        lines.append("More crowd votes will not help: only more gold labels narrow this interval.")
    return lines


def describe(found: Sequence[Option], asked: argparse.Namespace) -> str:
    """Write a table and what it means."""
    head = f"{'':<20}{'gain':>6}{'items':>9}{'gold':>8}{'width':>9}{'price':>12}"
    rows = [head]
    for one in found:
        gain = f"{one.name:<20}{one.information.gain:>6.2f}"
        if one.design is None:
            rows.append(f"{gain}   not reached")
        else:
            plan = one.design
            rows.append(f"{gain}{plan.n:>9}{plan.n_gold:>8}{plan.width:>9.4f}{plan.cost:>12.2f}")
    words = [textwrap.fill(line, 80) for line in advice(found, asked)]
    return "\n".join([f"Interval of {asked.metric}", *rows, "", *words])


def as_values(found: Sequence[Option], asked: argparse.Namespace) -> dict[str, Any]:
    """Give what was found as plain values."""
    rows = [
        {
            "name": one.name,
            **asdict(one.information),
            "design": None if one.design is None else asdict(one.design),
        }
        for one in found
    ]
    return {"metric": asked.metric, "options": rows, "advice": advice(found, asked)}


def run(asked: argparse.Namespace) -> int:
    """Plan the study, and say what comes out."""
    check(asked)
    found = options(learn(asked), asked)
    print(json.dumps(as_values(found, asked)) if asked.json else describe(found, asked))
    if all(one.design is None for one in found):
        say("No study reaches the width: take a wider one, or more items.")
        return 1
    return 0
