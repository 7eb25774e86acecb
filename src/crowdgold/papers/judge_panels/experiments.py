"""A panel of judges who err together: methods, effective votes, and what can be said without gold.

One study of the generator `panel` with several numbers of gold labels; the true values are those of
the process. Rows of a method are its estimates; `EFFECTIVE` is the effective number of votes, and
`WITHOUT` are the ranges that votes and scores allow without a gold label.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from crowdgold.experiment.computation import Computation
from crowdgold.inference.labels import evaluate
from crowdgold.inference.shared_errors import contrary, of_judges, votes_of
from crowdgold.inference.without_gold import ranges
from crowdgold.methods.registry import METHODS, fit
from crowdgold.models.stan import StanModels
from crowdgold.simulate import simulate
from crowdgold.simulate.design import draw_labelled
from crowdgold.types.annotations import labels_by_judge
from crowdgold.types.items import Items
from crowdgold.types.parameters import AtLeast, Each, Given, Json, Settings

EFFECTIVE, WITHOUT = "effective votes", "without gold"
VOTES = "votes"
"""Stands for a metric in the rows of the effective number of votes."""
TRUTHS = {"prevalence": "phi", "TPR_H": "TPR_H", "TNR_H": "TNR_H"}
"""Metric -> the name of its true value among the generator's parameters; `AUC:MODEL` of AUC."""
COLUMNS = ["n_gold", "method", "metric", "truth", "estimate", "lower", "upper"]


@dataclass(frozen=True, kw_only=True)
class JudgePanelsParameters(Settings):
    """A panel of judges who err together, with several numbers of gold labels."""

    study: Annotated[
        object,
        Json({"type": "object", "additionalProperties": {}}),
        "Parameters of the generator `panel`, without gold labels.",
    ]
    n_gold: Annotated[object, Each(int, AtLeast(10)), "Numbers of gold labels."]
    methods: Annotated[object, Json({"type": "array"}), "Methods that are fitted."]
    sampler: Annotated[
        object, Json({"type": "object"}), "How Stan samples; as by default where not given."
    ]


def _estimates(
    items: Items, name: str, known: Mapping[str, float], settings: Mapping[str, Any],
    seed: int, stan: StanModels,
) -> Iterator[tuple[Any, ...]]:  # fmt: skip
    """Rows (method, metric, truth, estimate, lower, upper) of what a method can estimate.

    All methods have the same `seed`, so that those of one model share its fit.
    """
    method = METHODS[name]
    metrics = [one for one in (*TRUTHS, "AUC") if not method.cannot_estimate(one)]
    own = settings if method.models_with({}) else {}
    fitted = fit(name, items, np.random.default_rng(seed), own, stan)
    rng = np.random.default_rng(seed)
    found = evaluate(fitted, items, metrics, rng, target="population")
    for metric, one in zip(metrics, found, strict=True):
        truth = TRUTHS.get(metric, f"AUC:{items.predictors[0]}")
        yield name, metric, known[truth], one.estimate, one.lower, one.upper


def _without_gold(
    items: Items, known: Mapping[str, float], rng: np.random.Generator
) -> Iterator[tuple[Any, ...]]:
    """The same rows of the ranges of prevalence and AUC; ends are NaN where there is no answer."""
    assert items.labels is not None
    model, table = items.predictors[0], labels_by_judge(items.labels)
    kept = ~contrary(table)
    bounds = ranges(*votes_of(table, kept), dict(items.scores), rng, table=table[:, kept])
    one, truth = bounds.prevalence, known[TRUTHS["prevalence"]]
    yield WITHOUT, "prevalence", truth, np.nan, one.lower, one.upper
    one, truth = bounds.auc[model], known[f"AUC:{model}"]
    yield WITHOUT, "AUC", truth, np.nan, one.lower, one.upper


def compute_judge_panels(
    parameters: Mapping[str, Any], rng: np.random.Generator, stan: StanModels
) -> pd.DataFrame:
    """Estimates of each method from one panel, with each number of gold labels (0 without gold)."""
    given = Given("computation judge_panels", parameters, JudgePanelsParameters)
    given.check_names()
    drawn = simulate("panel", {**parameters["study"], "n_gold": 0}, rng)
    known, sampler = drawn.parameters, parameters.get("sampler", {})
    settings = {"sampler": sampler, "imputations": 200}
    rows: list[tuple[Any, ...]] = [(0, *one) for one in _without_gold(drawn.table, known, rng)]
    for n_gold in parameters["n_gold"]:
        labelled = draw_labelled(len(drawn.table), n_gold, rng)
        items, seed = drawn.table.with_gold(labelled), int(rng.integers(2**31))
        for name in parameters["methods"]:
            found = _estimates(items, name, known, settings, seed, stan)
            rows += [(n_gold, *one) for one in found]
        votes = of_judges(labels_by_judge(items.labels), items.gold).effective
        interval = votes.value, votes.lower, votes.upper
        rows.append((n_gold, EFFECTIVE, VOTES, known["effective_votes"], *interval))
    return pd.DataFrame(rows, columns=COLUMNS)


def stan_models(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The Stan models of the methods."""
    found = [name for one in parameters["methods"] for name in METHODS[one].models_with({})]
    return tuple(dict.fromkeys(found))


COMPUTATION = Computation(
    "judge_panels", compute_judge_panels, JudgePanelsParameters, stan_models=stan_models
)
