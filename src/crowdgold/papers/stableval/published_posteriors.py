"""STABLEVAL's published posteriors against ours; its bootstrap of refits as published, and mended.

The published bootstrap (STABLEVAL, section 5.2) draws responses with replacement, then keeps each
that was drawn once: its multiplicity is lost. The method is then fitted to some 63 % of the
responses. Means over that many, without repetition, vary less by a factor of about
sqrt((1 - 0.632) / 0.632) = 0.76. The fit is to fewer labels too, so that its interval need not
contain the score of all responses. Resamples that keep their multiplicity have the size of the
data.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from crowdgold.datasets import DATASETS
from crowdgold.experiment import settings
from crowdgold.inference.agents import Refit, shares_of
from crowdgold.inference.interval import central_interval
from crowdgold.inference.labels import Fit
from crowdgold.methods import dawid_skene, pec
from crowdgold.methods.registry import fit
from crowdgold.metrics.agents import agent_scores
from crowdgold.models.confusion_em import PRESETS, fit_confusion_em
from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import LEVEL


def refitted_intervals(
    annotations: Annotations, refit: Refit, rng: np.random.Generator, resamples: int,
    multiplicity: bool,
) -> pd.DataFrame:  # fmt: skip
    """Each agent's score and its percentile interval from refits to resampled responses.

    Responses are drawn from all agents together; with `multiplicity` one drawn twice counts twice.
    Columns: agent, score, lower, upper and outside, whether the score is not in the interval.
    """

    def score(table: Annotations) -> np.ndarray:
        return agent_scores(shares_of(refit(table), table), table)

    size, draws = len(annotations.item), []
    for _ in range(resamples):
        drawn = np.sort(rng.integers(size, size=size))
        draws.append(score(annotations.of_items(drawn if multiplicity else np.unique(drawn))))
    lower, upper = central_interval(np.array(draws), LEVEL)
    full = score(annotations)
    return pd.DataFrame(
        {"agent": annotations.agent, "score": full, "lower": lower, "upper": upper,
         "outside": (full < lower) | (full > upper)}
    )  # fmt: skip


DATASET_NAMES = ("mt_bench", "convabuse", "qags", "mslr")
METHODS = (dawid_skene.METHOD.name, pec.EXPECTED_CREDIT.name)


def annotations_of(name: str, prepared: pd.DataFrame) -> Annotations:
    """The labels of a prepared dataset, as the paper has them."""
    table = DATASETS[name].draw_task(prepared, {}, np.random.default_rng(0))
    if not isinstance(table, Annotations):
        raise InputError(f"dataset {name} gives no annotations")
    return table


def posterior_differences(
    tables: Mapping[str, Annotations], published: pd.DataFrame
) -> pd.DataFrame:
    """The largest difference of posteriors by dataset: dataset, responses, difference.

    `published` is the prepared dataset `stableval_published`.
    """
    rows = []
    for name, table in tables.items():
        own = published[published["dataset"] == name]
        theirs = own.pivot_table("probability", "item", "level").loc[list(table.item)]
        ours = fit_confusion_em(table, PRESETS["published"]).posterior
        largest = float(np.abs(theirs[list(table.category)].to_numpy() - ours).max())
        rows.append({"dataset": name, "responses": len(table.item), "difference": largest})
    return pd.DataFrame(rows)


def bootstraps(tables: Mapping[str, Annotations], seed: int, resamples: int) -> pd.DataFrame:
    """The intervals of scores from refits, with the multiplicity of responses and without.

    Columns: dataset, method, multiplicity, and those of `refitted_intervals`.
    """
    frames = []
    for name, table in tables.items():
        for method in METHODS:

            def refit(table: Annotations, method: str = method) -> Fit:
                # DS and PEC draw nothing.
                return fit(method, table, np.random.default_rng(0), {"em": "published"})

            for counted in (False, True):
                rng = settings.generator(seed, f"stableval_bootstrap:{name}", "only", 0, "resample")
                intervals = refitted_intervals(table, refit, rng, resamples, counted)
                frames.append(intervals.assign(dataset=name, method=method, multiplicity=counted))
    return pd.concat(frames, ignore_index=True)
