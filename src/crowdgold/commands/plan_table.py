"""What `crowdgold plan` says: a table of studies, and what it means in words."""

import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from crowdgold.data.shown import WIDTH
from crowdgold.own.plan.study_design import Design, gold_alone, narrowest, width
from crowdgold.own.plan.study_options import POSSIBLE, SURE, Option, Wanted

HARDLY = 0.02
"""Where no number of items narrows an interval by more than this share, they do not help."""


def votes_each(votes: int) -> str:
    """Say how many votes an item has."""
    return "one vote each" if votes == 1 else f"{votes} votes each"


def option_name(option: Option) -> str:
    """Name an option."""
    return "gold labels alone" if option.votes is None else f"with {votes_each(option.votes)}"


def study_name(design: Design) -> str:
    """Say what a study takes."""
    if design.n == design.n_gold:
        return f"{design.n} items, all with a gold label, for {design.cost:.2f}"
    return (
        f"{design.n} items with {votes_each(design.votes)}, {design.n_gold} of them with a gold "
        f"label, for {design.cost:.2f}"
    )


def _cheapest(options: Sequence[Option], best: Option) -> str:
    """Say which study is cheapest."""
    assert best.design is not None
    alone = options[0]
    if best is alone or best.design.n == best.design.n_gold:
        return "Cheapest: gold labels alone. At these prices votes are not worth theirs."
    saved = ""
    if alone.design is not None:
        share = 1 - best.design.cost / alone.design.cost
        saved = f"; {100 * share:.0f} % less than gold labels alone"
    return f"Cheapest: {study_name(best.design)}{saved}."


def _of_pilot(best: Option, wanted: Wanted) -> list[str]:
    """Say how far the pilot leaves the width open."""
    if best.width_interval is None:
        return []
    low, high = best.width_interval
    lines = [
        f"The pilot leaves its width between {low:.4f} and {high:.4f} ({100 * POSSIBLE:g} % of "
        "what it makes likely)."
    ]
    if wanted.width is not None:
        surely = f"To have {wanted.width:g} in {100 * SURE:g} % of what the pilot makes likely"
        lines.append(
            f"{surely}: {study_name(best.sure)}."
            if best.sure is not None
            else f"{surely}: no study does; a larger pilot may show one."
        )
    return lines


def _of_votes(most: Option, best: Option, level: float) -> list[str]:
    """Say what no number of votes changes."""
    assert best.design is not None
    gold, known = best.design.n_gold, most.information
    limit, alone = narrowest(known, gold, level), width(gold_alone(known), gold, gold, level)
    lines = [
        f"With {gold} gold labels no number of items with {votes_each(known.votes)} brings the "
        f"width below {limit:.4f}; gold labels alone have {alone:.4f}."
    ]
    # Draw by draw, as what is known of an option and of another goes together.
    helpless = [
        narrowest(one, gold, level) > (1 - HARDLY) * width(own, best.design.n, gold, level)
        for one, own in zip(most.possible, best.possible, strict=True)
    ]
    share = float(np.mean(helpless))
    if share >= 0.5:
        sure = f" (in {100 * share:.0f} % of what the pilot makes likely)" if share < 1 else ""
        lines.append(
            f"More crowd votes will not help{sure}: only more gold labels narrow this interval."
        )
    return lines


def advice(options: Sequence[Option], wanted: Wanted) -> list[str]:
    """Say in words what the options mean."""
    reached = [one for one in options if one.design is not None]
    if not reached:
        few = f" {wanted.items}" if wanted.items else ""
        return [f"No study of{few} items reaches a width of {wanted.width:g}."]

    def price(one: Option) -> float:
        assert one.design is not None
        return one.design.width if wanted.width is None else one.design.cost

    best = min(reached, key=price)
    first = [] if wanted.width is None else [_cheapest(options, best)]
    return [*first, *_of_pilot(best, wanted), *_of_votes(options[-1], best, wanted.level)]


def describe(options: Sequence[Option], wanted: Wanted, metric: str) -> str:
    """Write a table and what it means."""
    piloted = len(options[0].possible) > 1
    head = f"{'':<19}{'gain':>5}{'items':>9}{'gold':>8}{'width':>8}"
    rows = [head + (f"{'of pilot':>17}" if piloted else "") + f"{'price':>12}"]
    for one in options:
        row = f"{option_name(one):<19}{one.information.gain:>5.2f}"
        plan = one.design
        if plan is None:
            rows.append(f"{row}   not reached")
            continue
        row += f"{plan.n:>9}{plan.n_gold:>8}{plan.width:>8.4f}"
        if one.width_interval is not None:
            low, high = one.width_interval
            row += f"{f'{low:.4f}-{high:.4f}':>17}"
        rows.append(f"{row}{plan.cost:>12.2f}")
    words = [textwrap.fill(line, WIDTH) for line in advice(options, wanted)]
    return "\n".join([f"Interval of {metric}", *rows, "", *words])


def as_values(options: Sequence[Option], wanted: Wanted, metric: str) -> dict[str, Any]:
    """The options as plain values."""
    rows = [
        {
            "name": option_name(one),
            **asdict(one.information),
            "design": None if one.design is None else asdict(one.design),
            "width_interval": one.width_interval,
            "sure": None if one.sure is None else asdict(one.sure),
        }
        for one in options
    ]
    return {"metric": metric, "options": rows, "advice": advice(options, wanted)}
