"""Cost and accuracy of labelling policies on simulated labels (CLARA, figures 5 and 9).

Reviewers label training items, to which CLARA is fitted, and validation items, on which the
policies choose among the labels that are there.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.data import Annotations
from crowdgold.data.parameters import Parameters
from crowdgold.experiments.check import Check
from crowdgold.models.clara.gibbs import ClaraSettings, sample_clara
from crowdgold.models.clara.label_confidence import LabelsSoFar
from crowdgold.models.clara.labelling_model import labelling_model
from crowdgold.models.clara.prior import empirical_prior
from crowdgold.models.snorkel_labels import (
    PACKAGE,
    fit_label_model,
    is_installed,
    probabilities_by_label,
)
from crowdgold.simulate.clara import draw_clara
from crowdgold.studies.clara.labelling_policy import CLARA, compare_policies, majority_label
from crowdgold.studies.clara.labelling_threshold import threshold_grid

TRUTH, MAJORITY = AGAINST = ("truth", "majority")
DRAWN = (
    "prevalence", "design", "n_reviewers", "n_labels", "tpr", "tnr", "quality_sd", "rater_types",
)  # fmt: skip
"""Parameters of the generator."""
SAMPLER = ("chains", "warmup", "draws", "lag")
DEFAULTS = {
    "against": TRUTH, "alpha": 1.0, "gamma": 1.0, "threshold_step": 0.01, "share_step": 0.1,
    "snorkel": False,
}  # fmt: skip
NAMES = ("n", "n_train", *DRAWN, *SAMPLER, *DEFAULTS)
COLUMNS = (
    "policy", "threshold_or_share", "share_of_labels", "accuracy", "prevalence_estimate",
    "prevalence_truth", "items", "diagnostics_passed", "diagnostics_message",
)  # fmt: skip


def take_items(annotations: Annotations, first: int, last: int) -> Annotations:
    """The items from `first` up to and without `last`, with all annotators.

    Args:
        annotations: the labels, with the truth.
        first, last: positions of items.
    """
    kept = (annotations.item_of >= first) & (annotations.item_of < last)
    truth = annotations.truth
    return replace(
        annotations,
        item=annotations.item[first:last],
        item_of=annotations.item_of[kept] - first,
        annotator_of=annotations.annotator_of[kept],
        group_of=annotations.group_of[kept],
        label=annotations.label[kept],
        scores={name: one[first:last] for name, one in annotations.scores.items()},
        truth=None if truth is None else truth[first:last],
    )


def needed_packages(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The optional packages that the check uses at these parameters, if they are installed."""
    return (PACKAGE,) if parameters.get("snorkel", False) else ()


def _snorkel_so_far(
    train: Annotations, valid: Annotations, rng: np.random.Generator
) -> LabelsSoFar | None:
    """Fit Snorkel's label model, and follow the validation items' labels; none without it."""
    if not is_installed():
        return None
    found = probabilities_by_label(fit_label_model(train, rng), valid)
    return LabelsSoFar(np.concatenate([[0], np.cumsum(valid.labels_of_item)]), found)


def check_labelling_frontier(
    parameters: Mapping[str, Any], rng: np.random.Generator
) -> pd.DataFrame:
    """Fit CLARA to training items, and let the policies label the validation items.

    Args:
        parameters: n validation and n_train training items; those of the generator `clara` that
            say who labels them (`DRAWN`); alpha and gamma, weights of the priors (1 where not
            given); chains, warmup, draws and lag of the sampler; against, "truth" (where not given)
            or "majority", what final labels are held against; threshold_step (0.01) between
            thresholds from 0.5 to 1, share_step (0.1) between shares from 0 to 1; snorkel, whether
        its label model is compared too (false), where the package is installed.
        rng: source of data, draws and the random policy.

    Returns:
        rows with the columns `COLUMNS`: those of `compare_policies`, the share of positives among
        the validation items and their number, and whether the fit passed its gate (rows of policies
        without a fit always do).

    Raises:
        InputError: naming the parameter that is unknown, missing or impossible.
    """
    given = Parameters("check labelling_frontier", DEFAULTS | dict(parameters))
    given.check_names(NAMES)
    n, n_train = given.whole("n", at_least=2), given.whole("n_train", at_least=2)
    against = given.choice("against", AGAINST)
    thresholds = threshold_grid(2, given.real("threshold_step", above=0))
    shares = np.arange(0, 1 + 1e-9, given.real("share_step", above=0, below=1))
    chains, warmup, draws, lag = (given.whole(name, at_least=1) for name in SAMPLER)
    settings = ClaraSettings(chains=chains, warmup=warmup, draws=draws, lag=lag)
    drawing, sampling, choosing, seeding = rng.spawn(4)
    drawn = {name: parameters[name] for name in DRAWN if name in parameters}
    table = draw_clara({**drawn, "n": n_train + n}, drawing).table
    train, valid = take_items(table, 0, n_train), take_items(table, n_train, n_train + n)
    prior = empirical_prior(train, given.real("alpha", above=0), given.real("gamma", above=0))
    fit = sample_clara(train, prior, settings, sampling)
    model = labelling_model(fit, train, settings.confusion)
    truth = np.asarray(valid.truth)
    reference = truth if against == TRUTH else majority_label(valid)
    other = _snorkel_so_far(train, valid, seeding) if needed_packages(parameters) else None
    rows = compare_policies(
        model, valid, reference, thresholds.tolist(), np.round(shares, 12).tolist(), choosing, other
    )
    fitted = rows["policy"] == CLARA
    return rows.assign(
        prevalence_truth=float(truth.mean()),
        items=n,
        diagnostics_passed=~fitted | fit.diagnostics.passed,
        diagnostics_message=np.where(fitted, fit.diagnostics.message, ""),
    )[list(COLUMNS)]


CHECK = Check("labelling_frontier", check_labelling_frontier, packages=needed_packages)
