"""The table that the bars of experts who err are judged on (`claims.yaml`)."""

import pandas as pd

from crowdgold.documents.cells import Tables, only


def readings(tables: Tables) -> pd.DataFrame:
    """The table with readings in the place of methods, and metrics without their thresholds."""
    table = only(tables)
    return table.assign(method=table["reading"], metric=table["metric"].str.partition("@")[0])
