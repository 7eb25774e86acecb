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


def not_left_out(tables: Tables) -> pd.DataFrame:
    """Ranges of which one that is refused leaves nothing out."""
    rows = _ranges(tables)
    return rows.assign(lower=rows["lower"].fillna(-np.inf), upper=rows["upper"].fillna(np.inf))
