"""Annotators of two camps, who read the task in two ways (no paper's; ours).

    Y_i ~ Bernoulli(prevalence),  D_i ~ Bernoulli(disputed)     label, and whether the item divides
    R_ij = 1 - Y_i where D_i = 1 and annotator j is of the smaller camp, else Y_i
    V_ij = R_ij with chance `right`, else 1 - R_ij              for `n_labels` random annotators j

Labels of one camp on a disputed item are wrong together: annotators are not independent given the
label, as Dawid-Skene and CLARA assume, and no annotator is bad on the items that do not divide.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from crowdgold.simulate.design import Prevalence
from crowdgold.simulate.generator import Generator, Replicate
from crowdgold.simulate.irt import draw_voters
from crowdgold.types.annotations import Annotations
from crowdgold.types.items import ANNOTATIONS, labels_of_items
from crowdgold.types.parameters import Above, AtLeast, Given, Range, Settings


@dataclass(frozen=True, kw_only=True)
class TwoCampsParameters(Settings):
    """Annotators of two camps, who read the task in two ways and disagree on some items only."""

    n: Annotated[int, AtLeast(2), "Items."]
    prevalence: Prevalence
    n_annotators: Annotated[int, AtLeast(1), "Annotators."]
    n_labels: Annotated[int, AtLeast(1), "Annotators who label each item."]
    minority: Annotated[float, Range(least=0, below=0.5),
        "Share of the annotators in the smaller camp, rounded to whole ones."]  # fmt: skip
    disputed: Annotated[float, Range(least=0, below=1),
        "Chance of an item that the smaller camp reads the other way."]  # fmt: skip
    right: Annotated[float, Above(0.5, 1),
        "Chance that a label is what the annotator's camp reads."]  # fmt: skip


def draw_two_camps(values: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Annotations]:
    """Draw a replicate of the process above, with as many annotators as labels at least."""
    given = Given("generator two_camps", values, TwoCampsParameters)
    given.check_names()
    n, labels = given.whole("n"), given.whole("n_labels")
    annotators = given.whole("n_annotators", at_least=labels)
    prevalence, right, disputed, minority = (
        given.real(name) for name in ("prevalence", "right", "disputed", "minority")
    )
    smaller = np.arange(annotators) < round(minority * annotators)
    truth = (rng.random(n) < prevalence).astype(np.int64)
    divides = rng.random(n) < disputed
    who = draw_voters(np.full(n, labels), annotators, rng)
    read = truth[:, None] ^ (divides[:, None] & smaller[who])
    given_label = read ^ (rng.random(who.shape) >= right)
    item_of = np.repeat(np.arange(n), labels)
    names = np.char.add("R", np.char.zfill((who.ravel() + 1).astype(str), len(str(annotators))))
    table = labels_of_items(np.arange(n).astype(str).astype(object), item_of, names,
                            given_label.ravel())  # fmt: skip
    # TPR and TNR are the same.
    whose = np.array([int(name.removeprefix("R")) - 1 for name in table.annotator])
    other = disputed * (1 - right) + (1 - disputed) * right
    known = {"prevalence": prevalence}
    for name, value in zip(table.annotator, np.where(smaller[whose], other, right), strict=True):
        known |= {f"TPR:{name}": float(value), f"TNR:{name}": float(value)}
    table = replace(table, truth=truth)
    return Replicate(table, table, known)


GENERATOR = Generator("two_camps", draw_two_camps, ANNOTATIONS, TwoCampsParameters)
