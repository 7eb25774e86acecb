"""The distribution of utilities given label and votes, tabulated so that every mu is a shift.

The utility of an item with label y and v positive votes is mu y + delta P + sd_y Z, Z standard
normal and P of the beta density given y and v. Its distribution function is G(u - mu y) with

    G(u) = sum_j om_j Phi((u - delta x_j) / sd_y)        x, om: Gauss-Jacobi

which is tabulated in units of sd_y: the log odds L = log(G / (1 - G)), which keep their digits in
both tails, with two derivatives, and interpolated by quintic Hermite polynomials. Both tails are
then right to a relative 1e-7 down to 1e-7, and to 1e-6 down to 1e-12 (a test says so).

Densities come by recurrence: exp(-(t + h)^2 / 2) is exp(-t^2 / 2) times a factor that itself
changes by a constant factor from step to step. Their integral from either end, by the two-point
rule that is exact up to degree 7, gives G and 1 - G.
"""

import math

import numba
import numpy as np

STEP = 0.2
REACH = 8.5
"""The table ends this many deviations beyond the outermost means 0 and delta."""
LEAST = 1e-290
"""Smallest probability that is told from 0."""


@numba.njit(cache=True)
def table_size(delta: float) -> int:
    """Give the number of grid points of a table."""
    return math.ceil((abs(delta) + 2 * REACH) / STEP) + 1


@numba.njit(cache=True)
def _densities(delta: float, low: float, points: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Give the density and its first three derivatives on the grid: (G, 4, p)."""
    size, patterns = table_size(delta), points.shape[0]
    result = np.zeros((size, 4, patterns))
    factor = math.exp(-STEP * STEP)
    for v in range(patterns):
        for j in range(points.shape[1]):
            centre = delta * points[v, j]
            nearest = min(size - 1, max(0, round((centre - low) / STEP)))
            for direction in (1, -1):
                t = low + STEP * nearest - centre
                mass = weights[v, j] * math.exp(-0.5 * t * t) * 0.3989422804014327
                ratio = math.exp(-direction * t * STEP - 0.5 * STEP * STEP)
                i = nearest
                while 0 <= i < size:
                    if direction == 1 or i != nearest:
                        result[i, 0, v] += mass
                        result[i, 1, v] -= t * mass
                        result[i, 2, v] += (t * t - 1) * mass
                        result[i, 3, v] -= (t * t - 3) * t * mass
                    mass *= ratio
                    ratio *= factor
                    t += direction * STEP
                    i += direction
    return result


@numba.njit(cache=True)
def _tail(delta: float, at: float, sign: float, points: np.ndarray, weights: np.ndarray) -> float:
    """Give P(sign U < sign at) for one pattern, by the error function."""
    total = 0.0
    for j in range(len(points)):
        t = sign * (at - delta * points[j])
        total += weights[j] * 0.5 * math.erfc(-t * 0.7071067811865476)
    return total


@numba.njit(cache=True)
def _step(left: np.ndarray, right: np.ndarray, v: int) -> float:
    """Integrate over one step from values and three derivatives at its ends."""
    return (
        STEP / 2 * (left[0, v] + right[0, v])
        + STEP**2 * 3 / 28 * (left[1, v] - right[1, v])
        + STEP**3 / 84 * (left[2, v] + right[2, v])
        + STEP**4 / 1680 * (left[3, v] - right[3, v])
    )


@numba.njit(cache=True)
def tabulate_distribution(
    delta: float, points: np.ndarray, weights: np.ndarray, share: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """Tabulate the distribution of delta P + Z for each vote pattern, and of their mixture.

    Args:
        delta: in units of the deviation of Z.
        points, weights: (p, J) quadrature of P for each pattern.
        share: (p,) weights of the mixture; they need not sum to 1.

    Returns:
        the lowest grid point; (G, 3, p) log odds with their first two derivatives, in units of
        `STEP`; (G, 3) distribution function of the mixture, likewise.
    """
    low = min(0.0, delta) - REACH
    table = _densities(delta, low, points, weights)
    size, patterns = len(table), points.shape[0]
    mixture = np.zeros((size, 3))
    below, above = np.empty(size), np.empty(size)
    for v in range(patterns):
        below[0] = _tail(delta, low, 1.0, points[v], weights[v])
        above[size - 1] = _tail(delta, low + STEP * (size - 1), -1.0, points[v], weights[v])
        for i in range(1, size):
            below[i] = below[i - 1] + _step(table[i - 1], table[i], v)
            left = size - 1 - i
            above[left] = above[left + 1] + _step(table[left], table[left + 1], v)
        for i in range(size):
            g, slope = table[i, 0, v], table[i, 1, v]
            mixture[i, 0] += share[v] * below[i]
            mixture[i, 1] += share[v] * g * STEP
            mixture[i, 2] += share[v] * slope * STEP**2
            b, a = below[i] + LEAST, above[i] + LEAST
            # d/du of log b - log a, and its derivative; a + b = 1.
            first = g / b + g / a
            table[i, 0, v] = math.log(b) - math.log(a)
            table[i, 1, v] = first * STEP
            table[i, 2, v] = (slope / b + slope / a - (g / b) ** 2 + (g / a) ** 2) * STEP**2
    return low, table[:, :3].copy(), mixture


@numba.njit(cache=True)
def hermite(x: float) -> tuple[float, float, float, float, float, float]:
    """Give the quintic Hermite weights of value, slope and curvature at 0, then at 1, for x."""
    x2 = x * x
    x3 = x2 * x
    far = x3 * (10 + x * (6 * x - 15))
    return (
        1 - far,
        x + x3 * (-6 + x * (8 - 3 * x)),
        0.5 * x2 * (1 + x * (-3 + x * (3 - x))),
        far,
        x3 * (-4 + x * (7 - 3 * x)),
        0.5 * x3 * (1 + x * (x - 2)),
    )


@numba.njit(cache=True)
def mixture_at(u: float, low: float, mixture: np.ndarray) -> tuple[float, float]:
    """Give the mixture's distribution function and its density at u, in units of the deviation."""
    at = (u - low) / STEP
    last = len(mixture) - 1
    if at <= 0:
        return 0.0, 0.0
    if at >= last:
        return mixture[last, 0], 0.0
    i = int(at)
    x = at - i
    a, b, c, d, e, f = hermite(x)
    left, right = mixture[i], mixture[i + 1]
    value = a * left[0] + b * left[1] + c * left[2] + d * right[0] + e * right[1] + f * right[2]
    # The density needs no more than cubic interpolation: it only steers the search for quantiles.
    y = 1 - x
    density = (
        y * y * ((1 + 2 * x) * left[1] + x * left[2])
        + x * x * ((1 + 2 * y) * right[1] - y * right[2])
    ) / STEP
    return value, density


@numba.njit(cache=True)
def tails_at(u: float, low: float, table: np.ndarray, below: np.ndarray, above: np.ndarray) -> None:
    """Write P(U < u) and P(U > u) of each pattern to `below` and `above`, each (p,).

    Beyond the table the log odds go on as those of a normal tail.
    """
    at = (u - low) / STEP
    last = len(table) - 1
    i = min(max(math.floor(at), 0), last - 1)
    x = min(max(at - i, 0.0), 1.0)
    a, b, c, d, e, f = hermite(x)
    beyond = at - i - x
    left, right = table[i], table[i + 1]
    end = left if beyond < 0 else right
    for v in range(table.shape[2]):
        odds = (
            a * left[0, v] + b * left[1, v] + c * left[2, v]
            + d * right[0, v] + e * right[1, v] + f * right[2, v]
        )  # fmt: skip
        if beyond != 0:
            odds += beyond * end[1, v] + 0.5 * abs(beyond) * beyond * STEP * STEP
        lesser = math.exp(-min(abs(odds), 660.0))
        greater = 1 / (1 + lesser)
        lesser *= greater
        if odds < 0:
            below[v], above[v] = lesser, greater
        else:
            below[v], above[v] = greater, lesser
