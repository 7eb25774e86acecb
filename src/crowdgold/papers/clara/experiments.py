"""Cost and accuracy of labelling policies on simulated labels (CLARA, figures 5 and 9), and the
exact distribution of a classifier's scores (section 7.3).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from scipy.special import logit, ndtr

from crowdgold.experiment.computation import Computation
from crowdgold.models.clara.labelling import LabelsSoFar, labelling_model
from crowdgold.models.clara.published import PublishedSettings, published_prior, sample_published
from crowdgold.models.snorkel_labels import (
    PACKAGE,
    fit_label_model,
    is_installed,
    probabilities_by_label,
)
from crowdgold.planning.labelling import compare_policies, majority_label, threshold_grid
from crowdgold.simulate.clara import draw_clara
from crowdgold.types.annotations import Annotations
from crowdgold.types.parameters import Above, AtLeast, Between, Each, Given, Range, Settings


@dataclass(frozen=True, kw_only=True)
class SigmoidScoresParameters(Settings):
    """The exact distribution of the scores of negatives and positives where raw scores are
    normal and a score is the sigmoid of one (CLARA, section 7.3).
    """

    separation: Annotated[
        float, "The raw scores' means are this below 0 in negatives and above 0 in positives."
    ]
    sd: Annotated[float, Above(0), "Standard deviation of the raw scores."]
    bins: Annotated[int, AtLeast(2), "Bins between 0 and 1."]


def mean_density(mean: float, sd: float, edges: np.ndarray) -> np.ndarray:
    """The mean density (B,) of the sigmoid of Normal(mean, sd) in bins between edges (B + 1,)."""
    below = ndtr((logit(edges) - mean) / sd)
    return np.asarray(np.diff(below) / np.diff(edges))


def scores_auc(separation: float, sd: float) -> float:
    """The AUC of the scores: the probability that a positive scores above a negative."""
    return float(ndtr(2 * separation / (sd * np.sqrt(2))))


def compute_sigmoid_scores(parameters: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """The exact distribution of the scores of both classes, a row for each class and bin.

    At sd = 2 the density runs to 80 and more near 0 and 1, so that its mean over bins is given,
    which is exact: the share of a bin over its width. Nothing is drawn.
    """
    separation, sd = float(parameters["separation"]), float(parameters["sd"])
    edges = np.linspace(0, 1, int(parameters["bins"]) + 1)
    classes = [
        pd.DataFrame({
            "class": name, "low": edges[:-1], "high": edges[1:],
            "density": mean_density(sign * separation, sd, edges),
            "separation": separation, "sd": sd, "auc": scores_auc(separation, sd),
        })
        for name, sign in (("negative", -1), ("positive", 1))
    ]  # fmt: skip
    return pd.concat(classes, ignore_index=True)


COLUMNS = (
    "policy", "threshold_or_share", "share_of_labels", "accuracy", "prevalence_estimate",
    "prevalence_truth", "items",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class FrontierParameters(Settings):
    """What labelling policies cost and how accurate they are, where reviewers are simulated:
    CLARA is fitted to training items as published, and the policies choose among the labels of
    validation items (CLARA, sections 4.3 and 5.4).
    """

    n: Annotated[int, AtLeast(2), "Validation items."]
    n_train: Annotated[int, AtLeast(2), "Training items."]
    prevalence: Annotated[float, Above(0, 1), "Share of the items that are positive."]
    design: Annotated[
        Literal["tie_break", "all"],
        "Who labels an item: `tie_break`, two random reviewers and a third where they differ, "
        "or `all`, n_labels random ones.",
    ]
    n_reviewers: Annotated[int, AtLeast(1), "Reviewers."]
    n_labels: Annotated[int, AtLeast(1), "Labels on each item, where the design is `all`."]
    tpr: Annotated[float, Between(0, 1), "Mean true positive rate of the reviewers."]
    tnr: Annotated[float, Between(0, 1), "Mean true negative rate of the reviewers."]
    quality_sd: Annotated[
        float,
        Between(0, 1),
        "Standard deviation of the reviewers' rates around their means; they are drawn anew "
        "while outside [0, 1].",
    ]
    rater_types: Annotated[
        object,
        Each(float, Between(0, 1), least=1),
        "Rates by type, TPR = TNR, in the place of these means; reviewers take turns.",
    ]
    snorkel: Annotated[
        bool,
        "Whether Snorkel's label model is compared too; where its package is not installed it "
        "is left out, which a line says.",
    ] = False
    warmup: Annotated[int, AtLeast(1), "Sweeps of the fit that are thrown away."]
    draws: Annotated[int, AtLeast(1), "Sweeps whose conditional means are kept."]
    lag: Annotated[int, AtLeast(1), "Sweeps from one that is kept to the next."]
    against: Annotated[
        Literal["truth", "majority"],
        "What final labels are held against: the `truth`, or the `majority` of all labels of "
        "the item.",
    ] = "truth"
    threshold_step: Annotated[
        float,
        Range(most=0.5, above=0),
        "Step of the thresholds of CLARA's confidence, from 0.5 to 1.",
    ] = 0.01
    share_step: Annotated[
        float,
        Above(0, 1),
        "Step of the shares of items that get additional labels at random, from 0 to 1.",
    ] = 0.1


def take_items(annotations: Annotations, first: int, last: int) -> Annotations:
    """The items from `first` up to and without `last`, with all annotators."""
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
    """The optional packages it uses at these parameters, if they are installed."""
    return (PACKAGE,) if parameters.get("snorkel", False) else ()


def compute_labelling_frontier(
    parameters: Mapping[str, Any], rng: np.random.Generator
) -> pd.DataFrame:
    """Fit CLARA as published to training items, and let the policies choose among the labels that
    are there of the validation items: the rows of `compare_policies`. There is no gate: the fit is
    of one chain.
    """
    given = Given("computation labelling_frontier", parameters, FrontierParameters)
    given.check_names()
    n, n_train = given.whole("n"), given.whole("n_train")
    thresholds = threshold_grid(2, given.real("threshold_step"))
    shares = np.arange(0, 1 + 1e-9, given.real("share_step"))
    warmup, draws, lag = map(given.whole, ("warmup", "draws", "lag"))
    settings = PublishedSettings(warmup=warmup, draws=draws, lag=lag)
    drawing, sampling, choosing, seeding = rng.spawn(4)
    generator = ("prevalence", "design", "n_reviewers", "n_labels", "tpr", "tnr", "quality_sd",
                 "rater_types")  # fmt: skip
    drawn = {name: parameters[name] for name in generator if name in parameters}
    table = draw_clara({**drawn, "n": n_train + n}, drawing).table
    train, valid = take_items(table, 0, n_train), take_items(table, n_train, n_train + n)
    fit = sample_published(train, published_prior(train), settings, sampling)
    model = labelling_model(fit, train, settings.confusion)
    truth = np.asarray(valid.truth)
    reference = truth if given.choice("against") == "truth" else majority_label(valid)
    snorkel = None
    if needed_packages(parameters) and is_installed():
        found = probabilities_by_label(fit_label_model(train, seeding), valid)
        snorkel = LabelsSoFar(np.concatenate([[0], np.cumsum(valid.labels_of_item)]), found)
    rows = compare_policies(
        model, valid, reference, thresholds.tolist(), np.round(shares, 12).tolist(), choosing,
        snorkel,
    )  # fmt: skip
    return rows.assign(prevalence_truth=float(truth.mean()), items=n)[list(COLUMNS)]


COMPUTATION_SIGMOID_SCORES = Computation(
    "sigmoid_scores", compute_sigmoid_scores, SigmoidScoresParameters
)
COMPUTATION = Computation(
    "labelling_frontier", compute_labelling_frontier, FrontierParameters, packages=needed_packages
)
