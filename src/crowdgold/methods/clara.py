"""CLARA (section 3.2): prevalence, confusion matrices and true labels by Gibbs sampling.

The interval of the prevalence is that of its posterior, or as printed: the quantiles of its
conditional means given the sampled labels, which leave out how far the prevalence lies from these
and are too narrow. Estimates are posterior means.
"""

import time
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from crowdgold.data import Annotations
from crowdgold.inference.annotated_labels import ConfusionPosterior
from crowdgold.inference.labels import Fit
from crowdgold.models.clara.gibbs import ClaraFit, ClaraSettings, sample_clara, swapped_note
from crowdgold.models.clara.prior import empirical_prior
from crowdgold.models.label_patterns import matrix_of_label


def _flat(draws: np.ndarray) -> np.ndarray:
    """Join the draws of all chains."""
    return draws.reshape(-1, *draws.shape[2:])


def _posterior(found: ClaraFit, matrix_of: np.ndarray, printed: bool) -> ConfusionPosterior:
    return ConfusionPosterior(
        _flat(found.conditional_theta if printed else found.theta),
        # Matrices may be kept of some of the draws only.
        _flat(found.theta[:, :: found.psi_step]),
        _flat(found.psi),
        matrix_of,
        found.probability,
        found.swapped,
        swapped_note(found.swapped),
    )


def fit_clara(
    annotations: Annotations,
    rng: np.random.Generator,
    settings: Mapping[str, Any],
    ordered: bool = False,
    printed: bool = False,
) -> Fit:
    """Fit CLARA.

    Args:
        annotations: labels, and scores of any number of classifiers.
        rng: source of all draws.
        settings: `alpha` and `gamma`, weights of the priors (1 where not given), and fields of
            `ClaraSettings`.
        ordered: whether the prior is cut to TPR + TNR > 1.
        printed: whether the prevalence's interval is as printed.

    Raises:
        InputError: where a setting has a value that is not known or impossible.
    """
    start = time.perf_counter()
    weights = {name: settings[name] for name in ("alpha", "gamma") if name in settings}
    own = {one.name: settings[one.name] for one in fields(ClaraSettings) if one.name in settings}
    chosen = ClaraSettings(**{**own, "ordered": ordered})
    found = sample_clara(annotations, empirical_prior(annotations, **weights), chosen, rng)
    matrix_of, _ = matrix_of_label(annotations, chosen.confusion)
    posterior = _posterior(found, matrix_of, printed)
    seconds = {"inference": time.perf_counter() - start}
    return Fit("CLARA", posterior, found.diagnostics, seconds)
