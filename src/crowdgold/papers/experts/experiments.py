"""The computation `experts`: one study whose experts err, its gold labels read in several ways.

- `error-free`: gold labels without errors, with whose widths the others' are compared;
- `first opinion`: the first expert's labels, taken for the truth;
- `majority`: the experts' majority, taken for the truth; items on which they are tied have none;
- `verdict`: the likelier label given the opinions and the experts' errors, taken for the truth;
- `corrected`: for the experts' errors, estimated from the same opinions.

Two more rows are estimates of the experts' sensitivity and specificity (`OF_EXPERTS`).

How often experts err is known in four ways: from third opinions, after second ones on the rarer
class or at random; from second ones alone; and because it is given, and right.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd

from crowdgold.experiment.computation import Computation
from crowdgold.inference.expert_errors import expert_errors, judged
from crowdgold.inference.labels import evaluate
from crowdgold.methods.registry import fit
from crowdgold.metrics.binary import true_value
from crowdgold.simulate import simulate
from crowdgold.simulate.expert_opinions import EXPERTS, PROTOCOLS, RANDOM
from crowdgold.simulate.expert_opinions import with_opinions as with_drawn_opinions
from crowdgold.types.items import Items
from crowdgold.types.parameters import AtLeast, Given, Json, Settings

FREE, FIRST, MAJORITY, VERDICT, CORRECTED = READINGS = (
    "error-free", "first opinion", "majority", "verdict", "corrected",
)  # fmt: skip
OF_EXPERTS = "experts"
"""Stands for a reading where a row is of the experts' errors."""
COLUMNS = ("reading", "metric", "truth", "estimate", "lower", "upper", "note")
DOUBLES, GIVEN = "doubles", "given"
MOST_OPINIONS = {DOUBLES: 2, GIVEN: 1}
"""Protocol -> the most opinions of an item, where that is not three."""
LARGE_SEED = 20261111
"""Fixed, so that all replicates are compared with the same values of the population."""


@dataclass(frozen=True, kw_only=True)
class ExpertsParameters(Settings):
    """Gold labels of experts who err, in one simulated study."""

    simulator: Annotated[object, Json({"type": "string"}), "The process of the study."]
    study: Annotated[
        object, Json({"type": "object", "additionalProperties": {}}),
        "Its parameters; the voters are the same in every replicate.",
    ]  # fmt: skip
    experts: Annotated[
        Literal["right", "err_2", "err_5", "err_10", "err_10_and_3", "err_5_shared"],
        "How often experts err: so many in a hundred positive and negative items; half of the "
        "errors on items that all experts get wrong, with `err_5_shared`.",
    ]
    second: Annotated[
        Literal["rarer", "random", "doubles", "given"],
        "Which items get a second opinion: those that the first puts into the `rarer` class and a "
        "tenth of the others, or a third at `random`. A third expert looks at those on which two "
        "differ, but with `doubles`, where a third at random gets two opinions. With `given` each "
        "item has one, and it is known how often experts err.",
    ]
    method: Annotated[object, Json({"type": "string"}), "What takes gold labels for the truth."]
    corrected: Annotated[object, Json({"type": "string"}), "What corrects experts' errors."]
    metrics: Annotated[object, Json({"type": "array"}), "What is estimated."]
    population: Annotated[int, AtLeast(1000), "Items from which the population's values are taken."]


def with_opinions(items: Items, experts: str, second: str, rng: np.random.Generator) -> Items:
    """Items whose gold labels are those of experts, and no longer the truth."""
    protocol = second if second in PROTOCOLS else RANDOM
    erring, most = EXPERTS[experts], MOST_OPINIONS.get(second)
    labelled = with_drawn_opinions(items, erring, protocol, rng, most)
    if second != GIVEN:
        return labelled
    return labelled.with_expert_error(f"{erring.positive},{erring.negative}")


@cache
def _population_values(simulator: str, study: str, metrics: tuple[str, ...]) -> tuple[float, ...]:
    """The metrics of very many items of a process; `study` is its parameters as JSON."""
    items = simulate(simulator, json.loads(study), np.random.default_rng(LARGE_SEED)).table
    return tuple(true_value(metric, items) for metric in metrics)


def compute_experts(parameters: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Estimates of one study by each reading, and of the experts' errors (`COLUMNS`).

    The truth is the population's. A note says why there is no estimate, or where those of the
    experts' errors come from.
    """
    given = Given("computation experts", parameters, ExpertsParameters)
    given.check_names()
    metrics, simulator, method = (parameters[one] for one in ("metrics", "simulator", "method"))
    items = simulate(simulator, parameters["study"], rng).table
    many = {**parameters["study"], "n": given.whole("population"), "n_gold": 0}
    truth = _population_values(simulator, json.dumps(many, sort_keys=True), tuple(metrics))
    with_errors = with_opinions(items, parameters["experts"], parameters["second"], rng)
    errors, opinions = expert_errors(with_errors), with_errors.opinions
    assert opinions is not None
    # Reading, the method that is fitted, and the items as the reading has them.
    readings: list[tuple[str, str, Items]] = [
        (FREE, method, items),
        (FIRST, method, replace(with_errors, gold=opinions.labels[:, 0], opinions=None)),
        (MAJORITY, method, with_errors),
        (VERDICT, method, judged(with_errors, errors.verdict)),
    ]
    if not errors.unknown:
        readings.append((CORRECTED, parameters["corrected"], with_errors))
    rows = [
        (reading, metric, value, one.estimate, one.lower, one.upper, one.note)
        for reading, name, read in readings
        for metric, value, one in zip(
            metrics, truth, evaluate(fit(name, read, rng), read, metrics, rng), strict=True
        )
    ]
    if errors.unknown:
        nothing = (np.nan, np.nan, np.nan, errors.unknown)
        rows += [(CORRECTED, *pair, *nothing) for pair in zip(metrics, truth, strict=True)]
    erring = EXPERTS[parameters["experts"]]
    for rate, value, estimate, ends in zip(
        ("sensitivity", "specificity"), (1 - erring.positive, 1 - erring.negative),
        (errors.sensitivity, errors.specificity), errors.intervals, strict=True,
    ):  # fmt: skip
        low, high = map(float, ends)
        rows.append((OF_EXPERTS, rate, value, estimate, low, high, errors.source))
    return pd.DataFrame(rows, columns=list(COLUMNS))


COMPUTATION = Computation("experts", compute_experts, ExpertsParameters)
