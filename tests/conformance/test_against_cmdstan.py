"""The assembled home against a real CmdStan, wherever one is found."""

import cmdstanpy
import numpy as np
import pytest
from arviz_stats.base import array_stats

from crowdgold.system.toolchain import ToolchainError, present_homes, usable

Z = 5.0


@pytest.fixture(scope="module")
def real(toolchain):
    """A real CmdStan: what was found or installed, never the assembled one."""
    if toolchain.way != "assembled":
        return toolchain
    for home, way in present_homes():
        try:
            found = usable(home, way)
        except ToolchainError:
            continue
        if found.way != "assembled":
            return found
    pytest.skip("no real CmdStan on this machine: not in $CMDSTAN, conda or ~/.cmdstan")


@pytest.mark.parametrize("metric", ["diag_e", "dense_e"])
def test_draws_agree(real, assembled, compile_with, normal, metric):
    """Equal draw by draw where the Stan versions are equal; else the first two moments agree
    within 5 standard errors of their difference (40 comparisons; by chance 2e-5)."""
    fits = [
        cmdstanpy.CmdStanModel(exe_file=compile_with(one, "correlated_normal")).sample(
            normal, metric=metric, seed=91, chains=4, show_progress=False
        )
        for one in (real, assembled)
    ]
    ours, theirs = (fit.draws()[:, :, 7:17] for fit in fits)
    if real.stan == assembled.stan:
        np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(fits[0].inv_metric, fits[1].inv_metric)
        return
    for power in (1, 2):
        for k in range(10):
            pair = [draws[:, :, k].T ** power for draws in (ours, theirs)]
            error = np.hypot(*(array_stats.mcse(one, method="mean") for one in pair))
            assert abs(pair[0].mean() - pair[1].mean()) < Z * error
