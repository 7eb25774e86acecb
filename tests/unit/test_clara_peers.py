"""The peers of CLARA's samplers in the benchmark: two ways to write the same sweep."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import clara_sweeps
from crowdgold.models.clara.prior import empirical_prior
from crowdgold.models.majority import majority_shares


def test_both_loops_make_the_same_sweeps():
    """Label by label, from the same uniforms; the start, and one sweep less, are others."""
    drawn = clara_sweeps.draw_annotations(150, 3, False)
    prior = empirical_prior(drawn)
    loops = (clara_sweeps.published_sweeps, clara_sweeps.plain_loop_sweeps)
    one, other = (loop(drawn, prior, 12) for loop in loops)
    np.testing.assert_array_equal(one, other)
    assert (majority_shares(drawn).argmax(axis=1) != other).any()
    assert clara_sweeps.plain_loop_sweeps(drawn, prior, 11) != other
