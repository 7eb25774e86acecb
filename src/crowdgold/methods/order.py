"""The one place that puts methods in order: in figures, and as the answer of a user's study.

Methods that stand in neither come last, as they are found.
"""

from collections.abc import Iterable, Sequence

FIGURES = (
    "MV", "GT", "GT+MV", "DS", "ORACLE", "DS+S", "H-AI", "MAVEN", "MAVEN-exact", "MAVEN-C",
    "MAVEN-CS", "MAVEN-R", "score-R", "votes-R", "logistic-R", "logistic-E", "GT-E", "AutoEval",
    "AutoEval+MAVEN", "judges", "judges-R", "CLARA", "CLARA+S", "CLARA-printed", "CLARA-ordered",
    "Rogan-Gladen", "Rogan-Gladen-adjusted", "Rogan-Gladen-Bayes", "PPI++", "MAVEN-votes", "PEC",
    "PEC-two-way", "PEC-posterior", "Snorkel",
)  # fmt: skip
"""In legends, and in lists of methods: by paper."""
ANSWERS = (
    "logistic-E", "GT-E", "logistic-R", "votes-R", "GT", "MAVEN-R", "judges-R", "Rogan-Gladen",
    "AutoEval", "MAVEN-C", "judges", "DS", "CLARA", "MAVEN", "GT+MV",
)  # fmt: skip
"""In the order in which they are chosen: what gold corrects, then models; also that of tables."""


def in_order(names: Iterable[str], order: Sequence[str]) -> list[str]:
    """Names in an order, others last as they come."""
    return sorted(names, key=lambda name: order.index(name) if name in order else len(order))
