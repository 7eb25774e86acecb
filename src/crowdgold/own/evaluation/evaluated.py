"""What comes out of an evaluation: tables, and everything else as plain values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from crowdgold.data.shown import Known, Shown


@dataclass(frozen=True, repr=False)
class Evaluation(Shown):
    """What comes out of a study.

    Attributes:
        tables: name -> table, those of `folder.TABLES`.
        summary: everything else, as plain values: settings, notes, strata, methods that were not
            run, headlines, the method that models are `held_against`, seconds.
    """

    tables: Mapping[str, pd.DataFrame]
    summary: Mapping[str, Any]

    def facts(self) -> Known:
        """The tables with their rows, and what the summary holds."""
        tables = [f"{name}: {len(table):,} rows" for name, table in self.tables.items()]
        return {"tables": tables, "summary": ", ".join(self.summary)}


Answered = Callable[[Evaluation], None]
"""Told of an evaluation without its models."""
