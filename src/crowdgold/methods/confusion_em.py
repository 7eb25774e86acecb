"""DS and PEC on Annotations (STABLEVAL, section 3): two readings of one fit by EM.

DS takes each item for of its most probable level; PEC counts it by the posterior probabilities, so
that its credit is the posterior expected credit.
"""

import time
from functools import lru_cache

from crowdgold.data import Annotations, InputError
from crowdgold.data.parameters import did_you_mean
from crowdgold.inference.annotated_labels import LevelPosterior
from crowdgold.inference.labels import Fit
from crowdgold.models.confusion_em import PRESETS, ConfusionEm, fit_confusion_em
from crowdgold.models.diagnostics import Diagnostics

STILL = 1e-6
"""An EM has converged where no entry of a confusion matrix moves by more in a step."""


def check_em(name: str, method: str) -> None:
    """Check the name of a preset; `InputError` with the nearest where there is none."""
    if name not in PRESETS:
        meant = did_you_mean(name, PRESETS, always=True)
        known = ", ".join(PRESETS)
        raise InputError(f"{method}: em: no preset {name!r}; {meant} ({known})")


def diagnostics_of(found: ConfusionEm) -> Diagnostics:
    """Say whether an EM has converged."""
    if found.movement < STILL:
        return Diagnostics(notes=(f"EM: {found.steps} steps",))
    return Diagnostics(
        failures=(
            f"EM not converged: in step {found.steps} an entry of a confusion matrix still moved "
            f"by {found.movement:.1e} (limit {STILL:g})",
        )
    )


@lru_cache(maxsize=1)
def _fit_once(annotations: Annotations, em: str) -> tuple[ConfusionEm, float]:
    """Fit a table, and give the seconds that it took; DS and PEC of one job share the fit."""
    start = time.perf_counter()
    found = fit_confusion_em(annotations, PRESETS[em])
    return found, time.perf_counter() - start


def fit_levels(annotations: Annotations, method: str, hard: bool, em: str = "converged") -> Fit:
    """Fit confusion matrices by EM.

    Args:
        annotations: the labels.
        method: the method's name.
        hard: whether items count as of their most probable level (DS), or not (PEC).
        em: one of `models.confusion_em.PRESETS`.

    Raises:
        InputError: where there is no such preset, or there are no labels.
    """
    check_em(em, method)
    found, seconds = _fit_once(annotations, em)
    posterior = LevelPosterior(found.posterior, hard, found.confusion)
    return Fit(method, posterior, diagnostics_of(found), {"inference": seconds})
