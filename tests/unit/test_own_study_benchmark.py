"""The benchmark of `crowdgold evaluate` says which bars are kept."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from own_study import STUDIES, over_the_bar


def test_each_bar_that_is_not_kept_is_said():
    """The issue's bars: 60 s and 5 MB of report for 10,000 items; 300 s and 4 GB for a million."""
    small, large = (STUDIES[name].bar for name in ("small", "large"))
    assert over_the_bar(59, 3000, 4.9, small) == "kept"
    assert over_the_bar(61, 3000, 5.5, small) == "61 s, at most 60; 5.5 MB of report, at most 5"
    assert over_the_bar(299, 4100, 1, large) == "4100 MB of memory, at most 4000"
