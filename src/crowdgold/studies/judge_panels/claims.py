"""The tables that bars of ranges without gold labels are judged on (`claims.yaml`)."""

import numpy as np
import pandas as pd

from crowdgold.documents.cells import Tables, only
from crowdgold.studies.judge_panels.check import WITHOUT


def _ranges(tables: Tables) -> pd.DataFrame:
    table = only(tables)
    return table[table["method"] == WITHOUT]


def answered(tables: Tables) -> pd.DataFrame:
    """Ranges that count as right where there are any."""
    rows = _ranges(tables)
    there = rows["lower"].notna()
    return rows.assign(
        lower=np.where(there, -np.inf, np.nan), upper=np.where(there, np.inf, np.nan)
    )


def given(tables: Tables) -> pd.DataFrame:
    """Ranges that are there: one that is refused says nothing of the truth."""
    rows = _ranges(tables)
    return rows[rows["lower"].notna()]
