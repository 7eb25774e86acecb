"""The central interval of draws, which holds the truth as often as it says however few they are.

Let the truth and n draws be exchangeable, as a parameter and draws of its exact posterior are. The
truth is as likely to be in any of the n + 1 gaps between the sorted draws, and so lies below the
k-th of them with probability k / (n + 1). The quantile p is therefore the draw at place (n + 1) p,
between neighbours by interpolation (Weibull's rule; for the bootstrap Davison and Hinkley, 1997,
section 5.2). The more usual place 1 + (n - 1) p makes intervals too short: those of 100 draws hold
the truth in 93.1% of cases where they say 95%.
"""

import numpy as np


def central_interval(draws: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the central interval of draws.

    Args:
        draws: (draws, ...) along the first axis; those that are NaN are left out.
        level: of the interval, between 0 and 1. Draws that are fewer than 2 / (1 - level) - 1 reach
            no further than the smallest and the largest of them, which hold less.

    Returns:
        lower and upper end, of the shape of one draw.
    """
    tails = [(1 - level) / 2, (1 + level) / 2]
    if np.isnan(draws).any():
        lower, upper = np.nanquantile(draws, tails, axis=0, method="weibull")
    else:
        lower, upper = np.quantile(draws, tails, axis=0, method="weibull")
    return lower, upper
