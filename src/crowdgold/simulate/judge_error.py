"""Judgements of items by judges who err, and gold labels of some (judge error, "The simulation").

    y_i ~ Bernoulli(prevalence)
    a judge's label ~ Bernoulli(TPR) on positives, Bernoulli(1 - TNR) on negatives

with labels "0" and "1", by `n_labels` judges on each item. Gold labels, never wrong, are of the
items that the `design` says (`JudgeErrorParameters`).

The group "judges" labels the n items, the group "gold" the gold items; the judges' labels of gold
items of another set are of the group "tested", so that nothing takes them for part of the sample.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

from crowdgold.simulate.clara import CATEGORIES
from crowdgold.simulate.design import Prevalence
from crowdgold.simulate.generator import Generator, Replicate
from crowdgold.types.annotations import Annotations
from crowdgold.types.items import ANNOTATIONS
from crowdgold.types.parameters import Above, AtLeast, Between, Given, Json, Settings

BY_CLASS, SEPARATE, RANDOM = "by_class", "separate", "random"
JUDGES, GOLD, TESTED = GROUPS = ("judges", "gold", "tested")
EXPERT = "expert"
SHARED = ("n", "prevalence", "tpr", "tnr", "n_labels", "design")
QUALITY = "quality"  # Stands for tpr and tnr
NAMES = {
    BY_CLASS: ("gold_positives", "gold_negatives"),
    SEPARATE: ("n_gold", "gold_prevalence"),
    RANDOM: ("n_gold",),
}
"""What each design is told of its gold labels."""
JudgesTPR = Annotated[
    float, Between(0, 1), "The judges' probability of a right label on positives (q+)."
]
JudgesTNR = Annotated[
    float, Between(0, 1), "The judges' probability of a right label on negatives (q-)."
]


@dataclass(frozen=True, kw_only=True)
class JudgeErrorParameters(Settings):
    """Judgements of items by judges who err, and gold labels of some (the judge-error post).
    Groups say who gave them: "judges", "gold", and "tested" for judgements of gold items that are
    no part of the sample.
    """

    n: Annotated[int, AtLeast(2), "Judged items."]
    prevalence: Prevalence
    tpr: JudgesTPR
    tnr: JudgesTNR
    quality: Annotated[object, Json({"type": "string", "pattern": "^[0-9.]+-[0-9.]+$"}),
        "The judges' TPR and TNR as text, `0.9-0.95`."]  # fmt: skip
    n_labels: Annotated[int, AtLeast(1), "Judges who label each item."] = 1
    design: Annotated[Literal["by_class", "separate", "random"],
        "Whose gold labels: so many of either class of another set (`by_class`), items of another "
        "set at random (`separate`), or some of the n items at `random`."] = "by_class"  # fmt: skip
    gold_positives: Annotated[int, AtLeast(0), "Gold positives, design `by_class`."]
    gold_negatives: Annotated[int, AtLeast(0), "Gold negatives, design `by_class`."]
    n_gold: Annotated[int, AtLeast(0), "Gold items, the other designs."]
    gold_prevalence: Annotated[float, Above(0, 1),
        "Probability of a positive gold item, design `separate`; that of the sample where not "
        "given."]  # fmt: skip


def read_quality(text: str) -> tuple[float, float]:
    """TPR and TNR of "0.9-0.95"; `ValueError` where the text is not two numbers with a dash."""
    tpr, tnr = (float(part) for part in text.split("-"))
    return tpr, tnr


def draw_judge_error(values: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Annotations]:
    """Draw a replicate; which parameters there are goes by the design, and tpr + tnr is above 1."""
    given = Given("generator judge_error", values, JudgeErrorParameters)
    if QUALITY in given:
        if twice := [name for name in ("tpr", "tnr") if name in given]:
            raise given.fault(twice[0], f"only one of {twice[0]} and {QUALITY}")
        try:
            tpr, tnr = read_quality(str(given.values[QUALITY]))
        except ValueError:
            raise given.fault(QUALITY, "TPR and TNR as text, such as 0.9-0.95") from None
        rest = {name: value for name, value in given.values.items() if name != QUALITY}
        given = replace(given, values={**rest, "tpr": tpr, "tnr": tnr})
    design = given.choice("design")
    used = replace(given, owner=f"{given.owner}, design {design}")
    used.check_names((*SHARED, *NAMES[design]))
    n, prevalence = used.whole("n"), used.real("prevalence")
    tpr, tnr = used.real("tpr"), used.real("tnr")
    if tpr + tnr <= 1:
        raise used.fault("tnr", f"more than 1 - tpr, which is {1 - tpr:g}")
    truth = (rng.random(n) < prevalence).astype(np.int64)
    if design == RANDOM:
        size = used.whole("n_gold", at_most=n)
        has_gold = np.zeros(n, dtype=bool)
        has_gold[rng.permutation(n)[:size]] = True
    else:  # gold items of another set come last
        if design == BY_CLASS:
            others = np.repeat([1, 0], [used.whole(name) for name in NAMES[BY_CLASS]])
        else:
            size, share = used.whole("n_gold"), prevalence
            if "gold_prevalence" in used:
                share = used.real("gold_prevalence")
            others = (rng.random(size) < share).astype(np.int64)
        truth = np.append(truth, others)
        has_gold = np.repeat([False, True], [n, len(others)])
    items, judges = len(truth), used.whole("n_labels")
    chance = np.where(truth == 1, tpr, 1 - tnr)
    label = (rng.random((items, judges)) < chance[:, None]).astype(np.int64)
    row = np.arange(items)
    item_of = np.append(np.repeat(row, judges), row[has_gold])
    order = np.argsort(item_of, kind="stable")
    group = np.where(row < n, GROUPS.index(JUDGES), GROUPS.index(TESTED))
    gold = np.full(int(has_gold.sum()), GROUPS.index(GOLD))
    present, position = np.unique(np.append(np.repeat(group, judges), gold), return_inverse=True)
    who = np.append(np.tile(np.arange(judges), items), np.full(len(gold), judges))
    annotator = [f"J{i + 1}" for i in range(judges)] + [EXPERT] * bool(len(gold))
    table = Annotations(
        item=row.astype(str).astype(object), annotator=np.array(annotator, dtype=object),
        group=np.array(GROUPS, dtype=object)[present], category=np.array(CATEGORIES, dtype=object),
        item_of=item_of[order], annotator_of=who[order], group_of=position[order],
        label=np.append(label.ravel(), truth[has_gold])[order], truth=truth,
    )  # fmt: skip
    known = {"prevalence": prevalence, f"TPR:{JUDGES}": tpr, f"TNR:{JUDGES}": tnr}
    return Replicate(table, table, known)


GENERATOR = Generator("judge_error", draw_judge_error, ANNOTATIONS, parameters=JudgeErrorParameters)
