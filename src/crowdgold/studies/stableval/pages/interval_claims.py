"""Whose intervals of agents' scores cover: the paper's (section 3.5), and those that we add.

A replicate's agents share its annotators, so that errors are over replicates, of which the agents
are averaged first. Settings draw data of their own: the error of a difference of two settings is
the root of the sum of the squares. Methods, and the posterior's two priors, see the same data and
are compared replicate by replicate.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.documents.verdicts import (
    CLEAR,
    Claim,
    Judgement,
    Tables,
    contradicted,
    verdict_of,
)
from crowdgold.evaluation.summaries import standard_error, summarise

OWN, TIED = "stableval_own_world", "stableval_correlated"
PRIOR = "method_settings.PEC-posterior.prior"
AXES = {OWN: ["quality", PRIOR], TIED: ["difficulty", "copying"]}
CONTROL = {"difficulty": "own", "copying": 0}
"""The setting of `stableval_correlated` in which labels are independent."""
KINDS = {
    "PEC": "over items",
    "PEC-two-way": "over items and annotators",
    "PEC-posterior": "full posterior",
}
AGENTS = {"equal": "agents alike", "wide": "agents differ"}
TARGETS = {
    "score:each": "the score of the responses here",
    "expected_score:each": "the score of all that it could give",
}


def _summary(table: pd.DataFrame, axes: list[str]) -> pd.DataFrame:
    """Coverage with its error, by setting and method; and which is short of the level."""
    rows = summarise(table[table["metric"].isin(TARGETS)], axes)
    rows["text"] = [_share(*own) for own in rows[["coverage", "coverage_se"]].to_numpy()]
    rows["short"] = rows["coverage"] < rows["level"] - CLEAR * rows["coverage_se"]
    return rows


def _share(value: float, error: float) -> str:
    return f"{value:.3f} ± {error:.3f}"


def _is_control(rows: pd.DataFrame) -> pd.Series:
    return (rows["difficulty"] == CONTROL["difficulty"]) & (rows["copying"] == CONTROL["copying"])


def _setting(difficulty: str, copying: float) -> str:
    """Name a setting of `stableval_correlated`."""
    return f"{difficulty} difficulty, {copying:.0%} copied"


def _covers(method: str, metric: str, prior: str, tables: Tables) -> Judgement:
    """Judge coverage where labels are independent; agents alike, and of the study's qualities."""
    table = tables[OWN]
    rows = _summary(table[table[PRIOR] == prior], ["quality"])
    own = rows[(rows["method"] == method) & (rows["metric"] == metric)]
    pairs = zip(own["quality"], own["text"], strict=True)
    parts = [f"{AGENTS.get(quality, quality)}: {text}" for quality, text in pairs]
    return Judgement(f"coverage, {'; '.join(parts)}", contradicted(own["short"]))


def covers_in_own_world(method: str, metric: str, prior: str) -> Callable[[Tables], Judgement]:
    """Make a judge of a method's coverage where labels are independent."""
    return partial(_covers, method, metric, prior)


def _shared_prior_costs(tables: Tables) -> Judgement:
    """Judge that agents who differ want a class prior each; replicates paired."""
    table = tables[OWN]
    table = table[(table["method"] == "PEC-posterior") & (table["quality"] == "wide")]
    table = table.assign(inside=table["truth"].between(table["lower"], table["upper"]))
    found, parts = [], []
    for metric, words in TARGETS.items():
        shares = table[table["metric"] == metric].pivot_table(
            index="replicate", columns=PRIOR, values="inside", aggfunc="mean"
        )
        gain = (shares["agent"] - shares["shared"]).to_numpy(float)
        found.append((float(gain.mean()), standard_error(gain)))
        parts.append(f"{words} {with_error(*found[-1])}")
    clear = [mean > CLEAR * error for mean, error in found]
    against = [mean < -CLEAR * error for mean, error in found]
    text = f"coverage by a prior each less that by one, agents who differ: {'; '.join(parts)}"
    return Judgement(text, verdict_of(clear, against))


def _harmed(method: str, metric: str, tables: Tables) -> Judgement:
    """Judge that dependence takes coverage away: each setting against the control."""
    rows = _summary(tables[TIED], AXES[TIED])
    own = rows[(rows["method"] == method) & (rows["metric"] == metric)]
    tied, control = own[~_is_control(own)], own[_is_control(own)]
    if tied.empty or control.empty:
        return Judgement("no control in the table", verdict_of([False], [False]))
    base = control.iloc[0]
    less = tied["coverage"] - base["coverage"]
    error = np.hypot(tied["coverage_se"], base["coverage_se"])
    parts = [
        f"{_setting(difficulty, copying)}: {with_error(mean, own_error)}"
        for difficulty, copying, mean, own_error in zip(
            tied["difficulty"], tied["copying"], less, error, strict=True
        )
    ]
    return Judgement(
        f"coverage less the control's {base['text']}: {'; '.join(parts)}",
        verdict_of(less < -CLEAR * error, less > CLEAR * error),
    )


def harmed_by_dependence(method: str, metric: str) -> Callable[[Tables], Judgement]:
    """Make a judge of what dependent labels do to a method's coverage."""
    return partial(_harmed, method, metric)


def interval_claims() -> tuple[Claim, ...]:
    """The claims about intervals of scores: the paper's, and of those that we add."""
    whole = [(method, metric) for method in KINDS for metric in TARGETS]

    def place(method: str) -> str:
        return "Section 3.5" if method == "PEC" else "ours"

    return (
        *(
            Claim(
                place(method),
                f"where labels are independent, intervals of {TARGETS[metric]} cover: "
                f"{KINDS[method]}"
                + (", a class prior for each agent" if method == "PEC-posterior" else ""),
                (OWN,),
                covers_in_own_world(method, metric, "agent"),
            )
            for method, metric in whole
        ),
        Claim(
            "ours",
            "the full posterior covers better with a class prior for each agent than with one for "
            "all, as printed",
            (OWN,),
            _shared_prior_costs,
        ),
        *(
            Claim(
                "ours",
                f"dependent labels take coverage of {TARGETS[metric]} away: {KINDS[method]}",
                (TIED,),
                harmed_by_dependence(method, metric),
            )
            for method, metric in whole
        ),
    )


HEADER = [
    "setting", "method", *(f"covers {words}" for words in TARGETS.values()), "bias of the former",
    "length", "failed fits",
]  # fmt: skip
PRIORS = {"agent": "a class prior each", "shared": "one class prior"}


def _own_line(quality: str, prior: str, method: str) -> list[str]:
    """Name a setting of `stableval_own_world` and the method."""
    own = f"{method}, {PRIORS[prior]}" if method == "PEC-posterior" else method
    return [AGENTS.get(quality, quality), own]


def _tied_line(difficulty: str, copying: float, method: str) -> list[str]:
    """Name a setting of `stableval_correlated` and the method."""
    control = (difficulty, copying) == tuple(CONTROL.values())
    return [_setting(difficulty, copying) + " (control)" * control, method]


def _numbers(own: pd.DataFrame) -> list[str]:
    """Coverage of both targets, bias and length for the first, and the fits that failed."""
    rows = {str(row["metric"]): row for row in own.to_dict("records")}
    first = next(iter(rows.values()))
    covered = [str(rows[metric]["text"]) if metric in rows else "" for metric in TARGETS]
    failed, fits = first["gate_failures"], first["replicates"] + first["undefined"]
    bias = with_error(float(first["bias"]), float(first["bias_se"]))
    return [*covered, bias, f"{float(first['width']):.3f}", f"{failed} of {fits}"]


def interval_tables(tables: Tables) -> list[str]:
    """Write the tables of coverage by setting and method, with the fits that failed their gate."""
    parts = ["### Intervals of agents' scores\n"]
    worlds: dict[str, tuple[str, Callable[..., list[str]]]] = {
        OWN: ("Labels independent given the level", _own_line),
        TIED: ("Labels that share their response's difficulty, or are copied", _tied_line),
    }
    for name, (title, line) in worlds.items():
        if name not in tables:
            parts.append(f"{title}: not made here: {name}.\n")
            continue
        rows = _summary(tables[name], AXES[name])
        if name == OWN:
            # The bootstraps know nothing of the posterior's prior.
            rows = rows[(rows["method"] == "PEC-posterior") | (rows[PRIOR] == "agent")]
        groups = rows.groupby([*AXES[name], "method"], sort=False)
        lines = [[*line(*key), *_numbers(own)] for key, own in groups]
        replicates = tables[name]["replicate"].nunique()
        parts += [
            f"{title}; {replicates} replicates in each setting, of six agents each:\n",
            markdown_table(HEADER, lines) + "\n",
        ]
    return parts
