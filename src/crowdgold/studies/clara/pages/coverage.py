"""What docs/coverage.md says of CLARA's two intervals of the prevalence."""

from collections.abc import Hashable
from typing import Any

import pandas as pd

OWN, PRINTED = "CLARA", "CLARA-printed"


def prevalence_rows(shown: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """The rows of the prevalence by the posterior's own interval and by the published one.

    Args:
        shown: the summary of CLARA's coverage experiment.
    """
    rows = shown[shown["metric"] == "prevalence"].set_index("method")
    return [rows.loc[method].to_dict() for method in (OWN, PRINTED)]
