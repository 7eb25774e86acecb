"""The cause of MAVEN-C's bias (docs/coverage.md): one suspect removed at a time."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.documents.verdicts import CLEAR
from crowdgold.evaluation.fits import gate_sentence
from crowdgold.methods.maven import CALIBRATED, FREE_SD
from crowdgold.studies.maven.bias_causes import VOTES_KNOWN, WIDER_PRIOR

SUBJECT = CALIBRATED.name
PROCESSES = {"Algorithm 1": "MAVEN's process", "Algorithm 2": "IRT"}
"""How MAVEN's paper names a generator -> its name on all pages."""
JUDGED = ("AUC", "precision")
SUSPECTS = {
    VOTES_KNOWN: (
        "The votes' parameters are uncertain. A draw of them that is off takes some labels for "
        "their opposite. Wrong labels pull the scores of the classes together, whichever way the "
        "draw is off"
    ),
    WIDER_PRIOR: (
        "The paper's prior of mu has its mode at a half, and draws mu towards it where the data "
        "say little"
    ),
    FREE_SD.name: "Both classes share a standard deviation",
}
"""Version with a suspect removed -> what it is suspected of."""

Change = tuple[float, float]


def _errors(table: pd.DataFrame, metric: str, version: str) -> pd.Series:
    """The errors of a version by replicate."""
    named = table["metric"].str.partition("@")[0] == metric
    rows = table[named & (table["version"] == version)].set_index("replicate")
    return rows["estimate"] - rows["truth"]


def _mean(values: pd.Series) -> Change:
    known = values.dropna()
    return float(known.mean()), float(known.std(ddof=1) / np.sqrt(len(known)))


def _change(table: pd.DataFrame, version: str, metric: str) -> Change:
    """The mean change of the error that a version makes on the same data, and its error."""
    return _mean(_errors(table, metric, version) - _errors(table, metric, SUBJECT))


def _takes_away(bias: Change, change: Change) -> bool:
    """Say whether a change, or what is left, is clear and of the other sign than the bias."""
    return abs(change[0]) > CLEAR * change[1] and change[0] * bias[0] < 0


def changes(tables: Mapping[str, pd.DataFrame]) -> str:
    """The table of the change that removing each suspect makes, in each setting."""
    rows = []
    for name, table in tables.items():
        for version in dict.fromkeys(table["version"]):
            if version.startswith(SUBJECT) and version != SUBJECT:
                found = [with_error(*_change(table, version, metric)) for metric in JUDGED]
                rows.append([name, version, *found])
    return markdown_table(["setting", "version", *JUDGED], rows)


def conclusion(tables: Mapping[str, pd.DataFrame]) -> str:
    """Which suspects' removal clearly takes from the bias, in how many settings, as lists."""
    guilty, cleared = [], []
    for version, why in SUSPECTS.items():
        cases = [
            (_mean(_errors(table, metric, SUBJECT)), _change(table, version, metric),
             _mean(_errors(table, metric, version)))
            for table in tables.values()
            if version in set(table["version"])
            for metric in JUDGED
        ]  # fmt: skip
        judged = [_takes_away(bias, change) for bias, change, _ in cases]
        beyond = sum(_takes_away(bias, left) for bias, _, left in cases)
        if any(judged):
            other_way = f", with a clear bias the other way in {beyond}" if beyond else ""
            removed = f"removed in `{version}`: {sum(judged)} of {len(judged)}{other_way}"
            guilty.append(f"- {why}. *It is {removed}.*")
        elif judged:
            cleared.append(f"- {why} (`{version}`: none of {len(judged)}).")
    said = [
        "What clearly takes from the bias when it is removed, by two standard errors of the change "
        f"on the same data (counted over settings, {' and '.join(JUDGED)}):",
        "\n".join(guilty) or "- nothing.",
        *(["What does not:", "\n".join(cleared)] if cleared else []),
    ]
    return "\n\n".join(said)


def by_setting(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Setting, in words -> its rows.

    Args:
        table: rows of `maven.bias_causes`, of all experiments.
    """
    return {
        f"{_named(str(world))}, {own['replicate'].nunique()} studies": own
        for (_, world), own in table.groupby(["experiment", "world"], sort=False)
    }


def _named(setting: str) -> str:
    process, comma, rest = setting.partition(",")
    return PROCESSES.get(process, process) + comma + rest


def gates(tables: Mapping[str, pd.DataFrame]) -> str:
    """How many fits failed their gate, in a sentence without its full stop."""
    fits = [own.drop_duplicates(["version", "replicate"]) for own in tables.values()]
    passed = [own["diagnostics_passed"].astype(bool) for own in fits]
    return gate_sentence(sum(int((~one).sum()) for one in passed), sum(map(len, passed)))


def biases(tables: Mapping[str, pd.DataFrame]) -> str:
    """The table of each version's bias in each setting, by metric."""
    plain = [
        name.partition("@")[0] for name in dict.fromkeys(next(iter(tables.values()))["metric"])
    ]
    rows = [
        [
            name,
            str(version),
            *(with_error(*_mean(_errors(own, metric, version))) for metric in plain),
        ]
        for name, own in tables.items()
        for version in dict.fromkeys(own["version"])
    ]
    return markdown_table(["setting", "version", *plain], rows)
