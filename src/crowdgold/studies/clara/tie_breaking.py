"""How many labels the tie-breaking design asks for (CLARA, section 4.1).

Two random reviewers label each item, and a third where they differ.
"""


def labels_an_item(quality: float) -> float:
    """The expected labels of an item whose reviewers are right with probability `quality`.

    Two reviewers of independent quality differ with probability 2 q (1 - q), q its mean.
    """
    return 2 + 2 * quality * (1 - quality)


def items_of_class(items: float, share: float, quality: float, reviewers: float) -> float:
    """The expected items of a class that each reviewer labels.

    Args:
        items: all items.
        share: of these in the class: the prevalence, or one less it.
        quality: mean probability that a reviewer is right on an item of the class: TPR or TNR.
        reviewers: their number.
    """
    return items * share * labels_an_item(quality) / reviewers
