"""Our numbers for the cells of STABLEVAL's tables 1 to 3 and 8 to 29, from the results tables."""

from collections.abc import Callable, Mapping

import pandas as pd

from crowdgold.documents.cells import Tables
from crowdgold.studies.stableval import agent_tables
from crowdgold.studies.stableval.pages.printed_cells import Values

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
