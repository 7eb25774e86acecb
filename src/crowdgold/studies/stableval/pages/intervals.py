"""Tables of the coverage of intervals of agents' scores: the paper's, and those that we add."""

from collections.abc import Callable

import pandas as pd

from crowdgold.documents.cells import Tables
from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.evaluation.summaries import summarise
from crowdgold.methods.pec import POSTERIOR

OWN, TIED = "stableval_own_world", "stableval_correlated"
PRIOR = f"method_settings.{POSTERIOR.name}.prior"
AXES = {OWN: ["quality", PRIOR], TIED: ["difficulty", "copying"]}
CONTROL = {"difficulty": "own", "copying": 0}
"""The setting of `stableval_correlated` in which labels are independent."""
AGENTS = {"equal": "agents alike", "wide": "agents differ"}
TARGETS = {
    "score:each": "the score of these answers",
    "expected_score:each": "the score over all possible answers",
}


def _summary(table: pd.DataFrame, axes: list[str]) -> pd.DataFrame:
    """Coverage with its error, by setting and method."""
    rows = summarise(table[table["metric"].isin(TARGETS)], axes)
    rows["text"] = [_share(*own) for own in rows[["coverage", "coverage_se"]].to_numpy()]
    return rows


def _share(value: float, error: float) -> str:
    return f"{value:.3f} ± {error:.3f}"


def _setting(difficulty: str, copying: float) -> str:
    """Name a setting of `stableval_correlated`."""
    return f"{difficulty} difficulty, {copying:.0%} copied"


HEADER = [
    "setting", "method", *(f"covers {words}" for words in TARGETS.values()), "bias of the former",
    "length", "failed fits",
]  # fmt: skip
PRIORS = {"agent": "a class prior each", "shared": "one class prior"}


def _own_line(quality: str, prior: str, method: str) -> list[str]:
    """Name a setting of `stableval_own_world` and the method."""
    own = f"{method}, {PRIORS[prior]}" if method == POSTERIOR.name else method
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


def interval_tables(tables: Tables) -> str:
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
            rows = rows[(rows["method"] == POSTERIOR.name) | (rows[PRIOR] == "agent")]
        groups = rows.groupby([*AXES[name], "method"], sort=False)
        lines = [[*line(*key), *_numbers(own)] for key, own in groups]
        replicates = tables[name]["replicate"].nunique()
        parts += [
            f"{title}; {replicates} replicates in each setting, of six agents each:\n",
            markdown_table(HEADER, lines) + "\n",
        ]
    return "\n".join(parts)
