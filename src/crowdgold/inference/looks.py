"""Intervals that hold over all looks at labels as they come in, so that one may stop at any.

An ordinary interval contains the truth in 95 of 100 studies at a number of labels that was set
before. Whoever looks after each batch, and stops when they like what they see, looks again and
again, and is wrong far more often. An asymptotic confidence sequence is right at all looks together
(Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory and asymptotic
confidence sequences, Annals of Statistics, 2024). With n labels and a standard error s_n it is

    theta_n +- s_n sqrt(2 (x + 1) / x log(sqrt(x + 1) / alpha)),        x = n rho^2

rho is set before the first look, here so that the interval is about narrowest at a number of labels
m at which one means to stop: m rho^2 = -2 log(alpha) + log(1 - 2 log(alpha)). Estimates from
batches are martingales too (`data.gold_batches`), to which it applies. With more labels than m it
holds too, and is little wider: 3 % with four times as many. So m stays what it was once it is
passed. Another m that was chosen after a look would make the intervals wrong.

The factor of s_n is turned into the level of one look that would have it, at which the interval is
then made, so that few labels and the ends of a range are allowed for as ever. It is a statement for
many labels: the first looks should be at some dozens.
"""

import numpy as np
from scipy.special import ndtr, ndtri


def _factor(level: float, n: float, planned: float) -> float:
    """What the standard error is multiplied by at n labels."""
    alpha = 1 - level
    odds = -2 * np.log(alpha)
    x = n / planned * (odds + np.log(1 + odds))
    return float(np.sqrt(2 * (x + 1) / x * np.log(np.sqrt(x + 1) / alpha)))


def level_of_look(level: float, n: float, planned: float) -> float:
    """The level of one look's interval, so that those of all looks hold together.

    Args:
        level: of all looks together.
        n: labels at this look, above 0.
        planned: labels at which the interval is to be narrowest; the same at all looks.
    """
    return float(2 * ndtr(_factor(level, n, planned)) - 1)


def price(level: float, n: float, planned: float) -> float:
    """How many times as wide the interval is as that of one look, where no class has few labels."""
    return _factor(level, n, planned) / float(ndtri((1 + level) / 2))
