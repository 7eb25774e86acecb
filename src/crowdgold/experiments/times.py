"""Times, in tables of their own: all other results are equal byte for byte when made again.

A row is a fit, or a check, of one replicate; `results/times/` has a table for each experiment, and
one for each of its blocks.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

FOLDER = "times"
"""Name of the folder of times in that of the results."""
SECONDS = "seconds"


def path_of_times(block: str) -> str:
    """The table of the times of a block's table, both relative to the folder of the results."""
    return f"{FOLDER}/{block}"


def times_frame(rows: Iterable[Mapping[str, Any]], shared: Iterable[str]) -> pd.DataFrame:
    """The table of times: of which replicate of what, the method or check, and its seconds.

    Args:
        rows: one for each fit or check; there may be none.
        shared: columns that say which replicate of what it is.
    """
    return pd.DataFrame(list(rows), columns=[*shared, "method", SECONDS]).astype({SECONDS: float})
