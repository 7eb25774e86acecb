"""Cells of STABLEVAL's printed tables beside ours, and what its printed results rest on."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from crowdgold.documents.cells import Tables
from crowdgold.methods.pec import EXPECTED_CREDIT
from crowdgold.metrics.agents import ranks
from crowdgold.studies.stableval import agent_tables

SAME, DIFFERS, ABSENT = "same", "differs", "not made here"
NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?%?")


def written_like(printed: str, values: Sequence[float]) -> str:
    """Write numbers as a printed cell has its own: sign, decimals, thousands and per cent.

    Args:
        printed: the printed cell, such as "79 (8.23%)".
        values: a number for each of those in it; a share where a per cent is printed.

    Raises:
        ValueError: where the cell has another number of numbers.
    """
    found = NUMBER.findall(printed)
    if len(found) != len(values):
        raise ValueError(f"{printed!r} has {len(found)} numbers; expected {len(values)}")
    rest = iter(zip(found, values, strict=True))

    def write(match: re.Match[str]) -> str:
        text, value = next(rest)
        percent = text.endswith("%")
        decimals = len(text.rstrip("%").partition(".")[2])
        shown = round(100 * value if percent else value, decimals)
        sign = "+" if text[0] in "+-" else ""
        # A number that rounds to zero has no sign of its own.
        written = f"{shown if shown else 0.0:{sign},.{decimals}f}"
        return (written if "," in text else written.replace(",", "")) + "%" * percent

    return NUMBER.sub(write, printed)


@dataclass(frozen=True)
class Cell:
    """A printed cell and ours.

    Attributes:
        table: number of the printed table.
        row, column: where it stands.
        printed: its text.
        ours: our numbers, written likewise; empty where we have none.
    """

    table: int
    row: str
    column: str
    printed: str
    ours: str

    @property
    def verdict(self) -> str:
        """Say whether they are the same."""
        return (SAME if self.ours == self.printed else DIFFERS) if self.ours else ABSENT


Values = Mapping[tuple[str, str], Sequence[float]]
"""(row, column) -> our numbers."""


def compare_cells(printed: pd.DataFrame, values: Mapping[int, Values]) -> list[Cell]:
    """Hold printed cells against ours.

    Args:
        printed: columns table, row, column, printed: a row a cell, as text.
        values: table -> our numbers; cells of other tables are not made here.
    """
    cells = []
    for row in printed.itertuples():
        table, where = int(str(row.table)), (str(row.row), str(row.column))
        ours = values.get(table, {}).get(where)
        text = "" if ours is None else written_like(str(row.printed), ours)
        cells.append(Cell(table, *where, str(row.printed), text))
    return cells


DATASETS = {
    "stableval_mt_bench": "MT-Bench",
    "stableval_convabuse": "ConvAbuse",
    "stableval_qags": "QAGS",
    "stableval_mslr": "MSLR",
}
"""Experiment -> its dataset's name, in the order of the paper."""
MAPPINGS = "stableval_mappings"


def _plain(frame: pd.DataFrame) -> Values:
    """Each number of a frame by its row and column."""
    return {
        (str(row), str(column)): (float(frame.loc[row, column]),)
        for row in frame.index
        for column in frame.columns
    }


def _findings(rows: pd.DataFrame) -> Values:
    found = agent_tables.findings(rows)["value"]
    values: dict[tuple[str, str], tuple[float, ...]] = {
        (str(name), "value"): (float(value),) for name, value in found.items()
    }
    both = {
        "agents with another rank": ("agents with another rank", "agents"),
        "highly ambiguous": ("highly ambiguous", "share highly ambiguous"),
    }
    for name, parts in both.items():
        values[name, "value"] = tuple(float(found[part]) for part in parts)
    return values


def _mappings(rows: pd.DataFrame) -> Values:
    scores, ranked = agent_tables.mappings(rows)
    return {
        (str(agent), str(mapping)): (float(scores.loc[agent, mapping]), ranked.loc[agent, mapping])
        for agent in scores.index
        for mapping in scores.columns
    }


def _of(frame: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[pd.DataFrame], Values]:
    return lambda rows: _plain(frame(rows))


STATISTICS, SCORES = _of(agent_tables.statistics), _of(agent_tables.scores)
STABILITY, QUALITY = _of(agent_tables.stability), _of(agent_tables.quality)
AMBIGUOUS = _of(agent_tables.ambiguous)

Source = tuple[str, Callable[[pd.DataFrame], Values]]


def _in_order(experiment: str, statistics: int, first: int) -> dict[int, Source]:
    """The tables of a dataset: its statistics, and five in a row from `first` on."""
    kinds = (SCORES, STABILITY, QUALITY, AMBIGUOUS, _findings)
    rest = {first + place: (experiment, kind) for place, kind in enumerate(kinds)}
    return {statistics: (experiment, STATISTICS), **rest}


SOURCES: Mapping[int, Source] = {
    **_in_order("stableval_mt_bench", 1, 8),
    **_in_order("stableval_convabuse", 2, 13),
    **_in_order("stableval_qags", 18, 19),
    **_in_order("stableval_mslr", 24, 25),
    3: (MAPPINGS, _mappings),
}
"""Number of a table -> the experiment it is made from, and how."""


def our_values(tables: Tables) -> dict[int, Values]:
    """Our numbers of each table whose experiment is there."""
    return {
        number: make(tables[experiment])
        for number, (experiment, make) in SOURCES.items()
        if experiment in tables
    }


PEC = EXPECTED_CREDIT.name
CONVERGED = "{}_converged"


def both_runs(tables: Tables) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Each dataset's title and its rows: as published, and with a converged EM."""
    for experiment, title in DATASETS.items():
        if experiment in tables and CONVERGED.format(experiment) in tables:
            yield title, tables[experiment], tables[CONVERGED.format(experiment)]


def scores(rows: pd.DataFrame, method: str) -> pd.Series:
    """A method's score of each agent."""
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
            scores(published, PEC),
            scores(converged, PEC),
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
