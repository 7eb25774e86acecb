"""Scores of many shapes whose calibration curve is known (MAVEN, appendix D).

A raw score X in (0, 1) has a density g, a mixture of betas. Its calibration curve is that of beta
calibration (Kull et al., 2017), and the label is drawn from the calibrated probability:

    c(x) = 1 / (1 + 1 / (e^k x^a / (1 - x)^b)),   k = b log(1 - m) - a log m,  so that c(m) = 1/2
    Y ~ Bernoulli(c(X))

Bayes' rule gives the class-conditional densities and says which parameter is not free:

    f_1 = g c / phi,   f_0 = g (1 - c) / (1 - phi),   phi = P(Y = 1) = int g(x) c(x) dx

Given g, a and b, the base rate phi falls strictly from 1 to 0 as m runs from 0 to 1. A study states
phi, so m is solved for. The score that methods see is X and not c(X); both rank the items alike.

Integrals are taken over t = logit(x), where the integrands are analytic and fall off exponentially:
on short panels by the Legendre series of the density, summed from both ends, so that both tails
keep their digits.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.polynomial.legendre import leggauss, legint, legval, legvander
from scipy.optimize import brentq
from scipy.special import betaincinv, betaln, expit, log_expit, logit, logsumexp

from crowdgold.types.errors import InputError
from crowdgold.types.parameters import (
    Above,
    Between,
    Given,
    Json,
    Named,
    Parameters,
    Part,
    Settings,
    unknown,
)

COMPONENT = ("weight", "alpha", "beta")
BETAS = Between(0.3, 1000)  # Shapes of the betas; below 0.3 too many scores would be rounded to 1
BetaShape = Annotated[float, BETAS, "Shape of the beta."]
PANEL = 0.125  # Width of a panel in logits
NODES, WEIGHTS = leggauss(20)  # error below 1e-12 with shapes up to 1,000, a and b up to 20
TAIL = 1e-18  # Mass of a beta that may lie beyond the panels, on either side
ROUNDS = 60  # Newton steps, with bisection where they leave the bracket; about 5 are needed
CONVERGED = 1e-13  # Change of a logit, relative to 1 + |t|, at which the steps end


@dataclass(frozen=True, eq=False)
class BetaMixture:
    """A mixture of K beta densities on (0, 1): weights that sum to 1, and shapes; (K,) each."""

    weight: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray

    def density_of_logit(self, t: np.ndarray) -> np.ndarray:
        """The density of t = logit(x) at t (...,)."""
        above, below = log_expit(t)[..., None], log_expit(-t)[..., None]
        terms = self.alpha * above + self.beta * below - betaln(self.alpha, self.beta)
        return np.exp(logsumexp(terms + np.log(self.weight), axis=-1))


@dataclass(frozen=True, eq=False)
class ScoreShape:
    """A score's distribution in each class; made by `score_shape`."""

    mixture: BetaMixture  # density of the score over both classes
    a: float  # a, b: slopes of the calibration curve's log odds in log x and -log(1 - x)
    b: float
    logit_m: float  # logit of m, the score with a calibrated probability of 1/2
    phi: float  # base rate
    edges: np.ndarray  # (E + 1,) ends of the panels, in logits
    below: np.ndarray  # below, above: (2, E + 1) mass of each class below and above each edge
    above: np.ndarray
    series: np.ndarray  # (2, E, J) Legendre series of the mass from the left end of each panel

    @property
    def m(self) -> float:
        """The score with a calibrated probability of 1/2."""
        return float(expit(self.logit_m))

    def calibration(self, score: np.ndarray) -> np.ndarray:
        """c(x) = P(Y = 1 | X = x) at scores (...,) in (0, 1)."""
        return _calibration(logit(score), self.a, self.b, self.logit_m)

    def density(self, label: int, score: np.ndarray) -> np.ndarray:
        """The density of a class, 0 or 1, at scores (...,) in (0, 1)."""
        score = np.asarray(score, dtype=float)
        return self._density_of_logit(label, logit(score)) / (score * (1 - score))

    def distribution(self, label: int, score: np.ndarray) -> np.ndarray:
        """F_label = P(X <= x | Y = label) at scores (...,) in (0, 1)."""
        t = np.clip(logit(score), self.edges[0], self.edges[-1])
        panel = self._panel(t)
        return np.minimum(self.below[label, panel] + self._mass(label, panel, t), 1.0)

    def quantile(self, label: int, probability: np.ndarray, above: bool = False) -> np.ndarray:
        """The score with a probability below it, or `above` it, which keeps tails' digits."""
        return np.asarray(expit(self._logit_quantile(label, probability, above)))

    def precision_at_recall(self, recall: np.ndarray) -> np.ndarray:
        """The precision-recall curve at recalls (...,) in (0, 1]. Flagging the scores above x finds
        S_1(x) of the positives and S_0(x) of the negatives, so precision = phi r / (phi r + (1 -
        phi) S_0(x)) at S_1(x) = r.
        """
        recall = np.asarray(recall, dtype=float)
        threshold = self._logit_quantile(1, recall, above=True)
        t = np.clip(threshold, self.edges[0], self.edges[-1])
        panel = self._panel(t)
        beyond = self.above[0, panel + 1] + self._mass(0, panel, t, above=True)
        flagged = (1 - self.phi) * np.minimum(beyond, 1.0)
        return np.asarray(self.phi * recall / (self.phi * recall + flagged))

    def _density_of_logit(self, label: int, t: np.ndarray) -> np.ndarray:
        """The density of t = logit(x) in a class, by Bayes' rule."""
        sign, base = (1, self.phi) if label == 1 else (-1, 1 - self.phi)
        share = _calibration(t, self.a, self.b, self.logit_m, sign)
        return self.mixture.density_of_logit(t) * share / base

    def _panel(self, t: np.ndarray) -> np.ndarray:
        panel = np.searchsorted(self.edges, t, side="right") - 1
        return np.clip(panel, 0, len(self.edges) - 2)

    def _mass(
        self, label: int, panel: np.ndarray, t: np.ndarray, above: bool = False
    ) -> np.ndarray:
        """The mass between t and the left end, or the right end, of its panel."""
        u = 2 * (t - self.edges[panel]) / PANEL - 1
        series = np.moveaxis(self.series[label, panel], -1, 0)
        left = legval(u, series, tensor=False)
        return np.asarray(series.sum(axis=0) - left if above else left)

    def _logit_quantile(self, label: int, probability: np.ndarray, above: bool) -> np.ndarray:
        """Invert the mass below, or above, a logit: find its panel, then Newton inside it."""
        wanted = np.asarray(probability, dtype=float)
        last = len(self.edges) - 2
        # Ascending either way; from above, the table runs from the last edge to the first.
        table = self.above[label, ::-1] if above else self.below[label]
        step = np.clip(np.searchsorted(table, wanted, side="right") - 1, 0, last)
        rest = np.clip(wanted - table[step], 0, table[step + 1] - table[step])
        share = rest / np.maximum(table[step + 1] - table[step], np.finfo(float).tiny)
        panel, sign = (last - step, -1.0) if above else (step, 1.0)
        low, high = self.edges[panel], self.edges[panel + 1]
        t = high - PANEL * share if above else low + PANEL * share
        for _ in range(ROUNDS):
            excess = sign * (self._mass(label, panel, t, above) - rest)
            low, high = np.where(excess < 0, t, low), np.where(excess > 0, t, high)
            slope = np.maximum(self._density_of_logit(label, t), np.finfo(float).tiny)
            with np.errstate(over="ignore"):
                new = t - excess / slope
            new = np.where((new >= low) & (new <= high), new, (low + high) / 2)
            moved = np.max(np.abs(new - t) / (1 + np.abs(t)), initial=0.0)
            t = new
            if moved < CONVERGED:
                break
        return np.asarray(t)


def score_shape(mixture: BetaMixture, a: float, b: float, phi: float) -> ScoreShape:
    """A score's distributions with m such that the base rate is phi; a and b below 20."""
    low = logit(betaincinv(mixture.alpha, mixture.beta, TAIL)).min()
    high = -logit(betaincinv(mixture.beta, mixture.alpha, TAIL)).min()
    edges = PANEL * np.arange(np.floor(low / PANEL), np.ceil(high / PANEL) + 1)
    points = (edges[:-1] + PANEL / 2)[:, None] + PANEL / 2 * NODES
    density = mixture.density_of_logit(points)
    weights = PANEL / 2 * WEIGHTS * density

    def too_many(logit_m: float) -> float:
        return float((weights * _calibration(points, a, b, logit_m)).sum()) - phi

    far = 1.0
    while too_many(-far) < 0 or too_many(far) > 0:
        far *= 2
    logit_m = float(brentq(too_many, -far, far, xtol=1e-15, rtol=1e-15))
    share = np.stack([_calibration(points, a, b, logit_m, sign) for sign in (-1, 1)])
    # Legendre series on [-1, 1] of the integral from the left end of each panel, zero at -1; its
    # coefficients add to the integral over the panel.
    values = density * share / np.array([1 - phi, phi])[:, None, None]
    degree = np.arange(len(NODES))
    coefficients = (values * WEIGHTS) @ legvander(NODES, len(NODES) - 1) * (degree + 0.5)
    series = np.asarray(PANEL / 2 * legint(coefficients, lbnd=-1, axis=-1))
    mass = series.sum(axis=-1)
    none = np.zeros((2, 1))
    below = np.concatenate([none, mass.cumsum(axis=1)], axis=1)
    above = np.concatenate([none, mass[:, ::-1].cumsum(axis=1)], axis=1)[:, ::-1]
    return ScoreShape(mixture, a, b, logit_m, phi, edges, below, above, series)


def _calibration(t: np.ndarray, a: float, b: float, logit_m: float, sign: int = 1) -> np.ndarray:
    """Values of c at logits (...,), or 1 - c with sign -1, which keeps the digits near c = 1."""
    odds = a * (log_expit(t) - log_expit(logit_m)) - b * (log_expit(-t) - log_expit(-logit_m))
    return np.asarray(expit(sign * odds))


@dataclass(frozen=True, kw_only=True)
class ComponentGiven(Settings):
    """One of the betas that the scores' density is mixed of."""

    weight: Annotated[float, Above(0), "Share of the scores."]
    alpha: BetaShape
    beta: BetaShape


@dataclass(frozen=True, kw_only=True)
class ScoreShapeGiven(Settings):
    """The scores' density over both classes, a mixture of betas, and their calibration curve:
    logit P(Y = 1 | X = x) = k + a log x - b log(1 - x), k such that the base rate is phi.
    """

    a: Annotated[float, Above(0, 20), "Slope of the log odds of a positive label in log x."]
    b: Annotated[float, Above(0, 20), "Slope of the log odds of a positive label in -log(1 - x)."]
    mixture: Annotated[
        object,
        Json({"type": "array", "minItems": 1, "items": Part(ComponentGiven, COMPONENT).schema}),
        "The betas that the scores' density is mixed of, each {weight, alpha, beta}; weights sum "
        f"to 1, alpha and beta are from {BETAS.least:g} to {BETAS.most:,.0f}.",
    ]


@dataclass(frozen=True, kw_only=True)
class ShapeGiven(Settings):
    """The shape of scores, or its name among some."""

    shape: Annotated[object, Json({"type": ["string", "object"]}),
        "The shape of the scores, one of `shapes` by name, or a mapping of the same "
        "form."]  # fmt: skip
    shapes: Annotated[object, Named(ScoreShapeGiven, ("a", "b", "mixture")),
        "Shapes of the scores by name."]  # fmt: skip


def read_shape(parameters: Parameters, phi: float) -> ScoreShape:
    """The shape of the scores as given, or by its name in `shapes`; phi decides its m."""
    given, shapes = parameters.values.get("shape"), parameters.values.get("shapes")
    owner, known = f"{parameters.owner}, shape", shapes if isinstance(shapes, Mapping) else {}
    if isinstance(given, str):
        if given not in known:
            raise InputError(f"{owner}: {unknown('shape', given, known)}")
        owner, given = f"{owner} {given!r}", known[given]
    if not isinstance(given, Mapping):
        raise parameters.fault("shape", "a name in 'shapes', or {a: , b: , mixture: [...]}")
    own = Given(owner, given, ScoreShapeGiven)
    own.check_names()
    a, b = own.real("a"), own.real("b")
    parts = own.parts("mixture", ComponentGiven)
    weight, alpha, beta = np.array([[part.real(name) for name in COMPONENT] for part in parts]).T
    if abs(weight.sum() - 1) > 1e-9:
        raise own.fault("mixture", "weights that sum to 1")
    return score_shape(BetaMixture(weight / weight.sum(), alpha, beta), a, b, phi)
