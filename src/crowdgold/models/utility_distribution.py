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

import numpy as np

from crowdgold.system.kernels import kernel

STEP = 0.2
REACH = 8.5  # The table ends this many deviations beyond the outermost means 0 and delta
BLOCK = 64
LEAST = 1e-290  # Smallest probability that is told from 0


# Not `fastmath`: what it reorders depends on whether a kernel was just compiled or loaded, and the
# last digits with it.
table_kernel = kernel(error_model="numpy")
"""Compiles a kernel; a division by zero is infinite, as in NumPy."""


@table_kernel
def table_size(delta: float) -> int:
    """The number of grid points of a table."""
    return math.ceil((abs(delta) + 2 * REACH) / STEP) + 1


@table_kernel
def densities(delta: float, low: float, points: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The density of one pattern and its first three derivatives on the grid: (4, G). Recurrences
    start afresh in the middle of every `BLOCK` points, so that no term that matters has vanished.
    """
    size, nodes = table_size(delta), len(points)
    result = np.zeros((4, size))
    t, mass, ratio = np.empty(nodes), np.empty(nodes), np.empty(nodes)
    factor = math.exp(-STEP * STEP)
    for block in range(0, size, BLOCK):
        middle = min(block + BLOCK // 2, size - 1)
        for direction in (-1, 1):
            for j in range(nodes):
                t[j] = low + STEP * middle - delta * points[j]
                mass[j] = weights[j] * math.exp(-0.5 * t[j] * t[j]) * 0.3989422804014327
                ratio[j] = math.exp(-direction * t[j] * STEP - 0.5 * STEP * STEP)
            end = min(block + BLOCK, size) if direction == 1 else block - 1
            for i in range(middle, end, direction):
                value, first, second, third = 0.0, 0.0, 0.0, 0.0
                for j in range(nodes):
                    square = t[j] * t[j]
                    value += mass[j]
                    first -= t[j] * mass[j]
                    second += (square - 1) * mass[j]
                    third -= (square - 3) * t[j] * mass[j]
                    mass[j] *= ratio[j]
                    ratio[j] *= factor
                    t[j] += direction * STEP
                result[0, i], result[1, i], result[2, i], result[3, i] = value, first, second, third
    return result


@table_kernel
def _tail(delta: float, at: float, sign: float, points: np.ndarray, weights: np.ndarray) -> float:
    """P(sign U < sign at) for one pattern, by the error function."""
    total = 0.0
    for j in range(len(points)):
        t = sign * (at - delta * points[j])
        total += weights[j] * 0.5 * math.erfc(-t * 0.7071067811865476)
    return total


@table_kernel
def integrate_step(density: np.ndarray, i: int) -> float:
    """Integrate a density from grid point i to i + 1."""
    return (
        STEP / 2 * (density[0, i] + density[0, i + 1])
        + STEP**2 * 3 / 28 * (density[1, i] - density[1, i + 1])
        + STEP**3 / 84 * (density[2, i] + density[2, i + 1])
        + STEP**4 / 1680 * (density[3, i] - density[3, i + 1])
    )


@table_kernel
def tabulate_distribution(
    delta: float, points: np.ndarray, weights: np.ndarray, share: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """Tabulate the distribution of delta P + Z for each vote pattern, and of their mixture: the
    lowest grid point; (G, 3, p) log odds with two derivatives, in units of `STEP`; (G, 3)
    distribution function of the mixture, likewise. delta is in deviations of Z; the quadrature of P
    is (p, J); the mixture's weights (p,) need not sum to 1.
    """
    low = min(0.0, delta) - REACH
    size, patterns = table_size(delta), points.shape[0]
    table, mixture = np.empty((size, 3, patterns)), np.zeros((size, 3))
    below, above = np.empty(size), np.empty(size)
    for v in range(patterns):
        density = densities(delta, low, points[v], weights[v])
        below[0] = _tail(delta, low, 1.0, points[v], weights[v])
        above[size - 1] = _tail(delta, low + STEP * (size - 1), -1.0, points[v], weights[v])
        for i in range(size - 1):
            below[i + 1] = below[i] + integrate_step(density, i)
            left = size - 2 - i
            above[left] = above[left + 1] + integrate_step(density, left)
        for i in range(size):
            g, slope = density[0, i], density[1, i]
            mixture[i, 0] += share[v] * below[i]
            mixture[i, 1] += share[v] * g * STEP
            mixture[i, 2] += share[v] * slope * STEP**2
            # d/du of log b - log a, and its derivative.
            b, a = below[i] + LEAST, above[i] + LEAST
            rise, fall = g / b, g / a
            table[i, 0, v] = math.log(b / a)
            table[i, 1, v] = (rise + fall) * STEP
            table[i, 2, v] = (slope / b + slope / a - rise * rise + fall * fall) * STEP**2
    return low, table, mixture


@table_kernel
def hermite(x: float) -> tuple[float, float, float, float, float, float]:
    """The quintic Hermite weights of value, slope and curvature at 0, then at 1, for x."""
    x2 = x * x
    x3 = x2 * x
    far = x3 * (10 + x * (6 * x - 15))
    return (
        1 - far, x + x3 * (-6 + x * (8 - 3 * x)), 0.5 * x2 * (1 + x * (-3 + x * (3 - x))), far,
        x3 * (-4 + x * (7 - 3 * x)), 0.5 * x3 * (1 + x * (x - 2)),
    )  # fmt: skip


@table_kernel
def mixture_at(u: float, low: float, mixture: np.ndarray) -> tuple[float, float]:
    """The mixture's distribution function and its density at u, in units of the deviation."""
    at = (u - low) / STEP
    last = len(mixture) - 1
    if at <= 0:
        return 0.0, 0.0
    if at >= last:
        return mixture[last, 0], 0.0
    i = int(at)
    x = at - i
    a, b, c, d, e, f = hermite(x)
    value = (
        a * mixture[i, 0] + b * mixture[i, 1] + c * mixture[i, 2]
        + d * mixture[i + 1, 0] + e * mixture[i + 1, 1] + f * mixture[i + 1, 2]
    )  # fmt: skip
    # The density needs no more than cubic interpolation: it only steers the search for quantiles.
    y = 1 - x
    density = (
        y * y * ((1 + 2 * x) * mixture[i, 1] + x * mixture[i, 2])
        + x * x * ((1 + 2 * y) * mixture[i + 1, 1] - y * mixture[i + 1, 2])
    ) / STEP
    return value, density


@table_kernel
def tails_at(
    u: float, low: float, table: np.ndarray, below: np.ndarray, above: np.ndarray, row: int
) -> None:
    """Write P(U < u), P(U > u) of each pattern to a row; log odds go on as a normal tail's."""
    at = (u - low) / STEP
    last = len(table) - 1
    i = min(max(math.floor(at), 0), last - 1)
    x = min(max(at - i, 0.0), 1.0)
    a, b, c, d, e, f = hermite(x)
    beyond = at - i - x
    end = i if beyond < 0 else i + 1
    for v in range(table.shape[2]):
        odds = (
            a * table[i, 0, v] + b * table[i, 1, v] + c * table[i, 2, v]
            + d * table[i + 1, 0, v] + e * table[i + 1, 1, v] + f * table[i + 1, 2, v]
        )  # fmt: skip
        if beyond != 0:
            odds += beyond * table[end, 1, v] + 0.5 * abs(beyond) * beyond * STEP * STEP
        lesser = math.exp(-min(abs(odds), 660.0))
        greater = 1 / (1 + lesser)
        lesser *= greater
        if odds < 0:
            below[row, v], above[row, v] = lesser, greater
        else:
            below[row, v], above[row, v] = greater, lesser
