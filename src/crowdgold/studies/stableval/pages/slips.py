"""What STABLEVAL's printed results rest on, as rows of tables."""

from collections.abc import Iterator

import pandas as pd

from crowdgold.documents.cells import Tables
from crowdgold.methods.pec import EXPECTED_CREDIT
from crowdgold.metrics.agents import ranks
from crowdgold.studies.stableval.pages.cells import DATASETS

PEC = EXPECTED_CREDIT.name
CONVERGED = "{}_converged"


def both_runs(tables: Tables) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Each dataset's title and its rows: as published, and with a converged EM."""
    for experiment, title in DATASETS.items():
        if experiment in tables and CONVERGED.format(experiment) in tables:
            yield title, tables[experiment], tables[CONVERGED.format(experiment)]


def _scores(rows: pd.DataFrame, method: str) -> pd.Series:
    own = rows[(rows["metric"] == "score:each") & (rows["method"] == method)]
    return own.set_index("agent")["estimate"]


def _moves(before: pd.Series, after: pd.Series) -> Iterator[str]:
    """Name the agents whose score changes in the third digit, and how."""
    for agent in before.index:
        texts = [f"{scores[agent]:.3f}" for scores in (before, after)]
        if texts[0] != texts[1]:
            yield f"{agent} {' -> '.join(texts)}"


def convergence(tables: Tables) -> list[list[str]]:
    """Rows of what a converged EM takes and changes: data, steps, scores and ranks that move."""
    lines = []
    for title, published, converged in both_runs(tables):
        before, after = (
            _scores(published, PEC),
            _scores(converged, PEC),
        )
        after = after[before.index]
        moved = int((ranks(before.to_numpy()) != ranks(after.to_numpy())).sum())
        message = converged.loc[converged["method"] == PEC, "diagnostics_message"].iloc[0]
        moves = ", ".join(_moves(before, after)) or "none in the third digit"
        lines.append([title, message.removeprefix("EM: "), moves, f"{moved} of {len(before)}"])
    return lines


def bootstraps(frame: pd.DataFrame) -> list[list[str]]:
    """Rows of mean widths by data and method: as published, with multiplicity, and scores lost."""
    lines = []
    for (data, method), own in frame.groupby(["dataset", "method"], sort=False):
        width = (own["upper"] - own["lower"]).groupby(own["multiplicity"]).mean()
        lost = int(own.loc[~own["multiplicity"], "outside"].sum())
        ratio = float(width[False]) / float(width[True])
        wide = (f"{width[False]:.3f}", f"{width[True]:.3f}", f"{ratio:.2f}")
        lines.append([str(data), str(method), *wide, str(lost)])
    return lines
