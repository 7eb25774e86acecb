"""How uncertain it is what a prediction saves: an interval for the ratio of two variances.

Gold labels alone have the variance V(0), the corrected estimate V(lambda) (`rectified`). Both are
estimated from the same gold items. Were lambda the best one, their ratio would be

    V(lambda) / V(0) = 1 - rho^2        rho: the correlation of the deviations y_i and g_i

The interval is one of atanh(rho), whose spread depends little on rho; that of log(1 - rho^2) is
near 0 where rho is, and intervals on that scale are too short there. Its standard error is the
jackknife's: each gold item is left out once. A few items may decide nearly all of it. With d_i what
leaving out item i changes it by, Student's t therefore has

    (sum d_i^2)^2 / sum d_i^4           degrees of freedom (Satterthwaite, 1946)

A negative rho gains nothing: lambda is at least 0, and the ratio at most 1.
"""

import numpy as np
from scipy.special import stdtrit

from crowdgold.declared import LEVEL


def ratio_ends(own: np.ndarray, guessed: np.ndarray, level: float = LEVEL) -> np.ndarray:
    """Ends of the intervals of V(lambda) / V(0), (2, P); 0 and 1 where gold items show nothing.

    Args:
        own, guessed: (r, P) deviations of the gold labels, and of the prediction of them.
        level: of the intervals.
    """
    products = np.stack([own * guessed, own**2, guessed**2])
    whole = products.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        centre, without = (np.arctanh(one[0] / np.sqrt(one[1] * one[2]))
                           for one in (whole, whole - products))  # fmt: skip
        squares = (without - without.mean(axis=0)) ** 2
        freedom = squares.sum(axis=0) ** 2 / (squares**2).sum(axis=0)
        error = np.sqrt((1 - 1 / len(own)) * squares.sum(axis=0))
        reach = stdtrit(freedom, (1 + level) / 2) * error
        found = 1 - np.tanh(np.maximum(centre + np.stack([reach, -reach]), 0)) ** 2
    shown: np.ndarray = np.where(np.isfinite(reach), found, [[0.0], [1.0]])
    return shown
