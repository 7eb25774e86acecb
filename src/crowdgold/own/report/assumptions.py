"""What each method takes for granted, in plain words."""

from crowdgold.own.evaluation.questions import is_of_population

ASSUMPTIONS = {
    "logistic-R": (
        "Predicts every label from the votes and all models' scores, by a logistic regression that "
        "never sees the item's own gold label, and lets the gold labels correct the prediction. "
        "Right whatever the votes and scores are like, as long as the gold items are a simple "
        "random sample of the items and their labels are right. A bad prediction makes intervals "
        "wider, not wrong."
    ),
    "MAVEN-R": (
        "Predicts every label by MAVEN, and lets the gold labels correct the prediction. Right "
        "whatever the votes and scores are like, as long as the gold items are a simple random "
        "sample of the items and their labels are right. A bad prediction makes intervals "
        "wider, not wrong."
    ),
    "votes-R": (
        "The same with the share of an item's positive votes as the prediction, which takes no "
        "scores and no model. Right under the same conditions."
    ),
    "MAVEN-C": (
        "A model of votes and scores. Every item has its own chance of a positive vote, drawn from "
        "one beta distribution for positive items and one for negative ones; votes on an item are "
        "then independent. Scores rank the items by a normal utility that depends on the label and "
        "on that chance. Right where this is a fair picture of the data."
    ),
    "MAVEN": (
        "The same model as MAVEN-C, as it was published: its likelihood of the ranking treats "
        "pairs of vote sets as independent, so that its intervals of AUC and ΔTPR are too short "
        "even where the model is true."
    ),
    "GT": (
        "Uses the items with a gold label and nothing else. Right as long as these are a random "
        "sample and their labels are right."
    ),
    "GT+MV": (
        "Takes the gold label where there is one and the majority vote elsewhere as the truth. "
        "Right only where majorities are; its intervals know nothing of their errors."
    ),
    "DS": (
        "Dawid and Skene: a vote is right with a probability that depends on the item's true class "
        "alone, so that no item is harder than another. Where items differ, it is too sure of "
        "their labels and its intervals are too short."
    ),
    "CLARA": (
        "Each annotator has rates of error of their own, the same for every item of a class; given "
        "the class, labels are independent, and better than chance. Gold labels are not used."
    ),
    "AutoEval": (
        "Takes the model's scores as probabilities that an item is positive, and lets the gold "
        "labels correct what follows. Right as long as the gold items are a random sample."
    ),
    "Rogan-Gladen": (
        "Corrects the share of items with a positive majority for the errors that majorities make "
        "on gold items. Right as long as the gold items are a random sample, since majorities must "
        "err on other items as often."
    ),
}
"""Method -> what has to be true for it to be right."""
UNKNOWN = "No description; see the documentation of the method."


OF_ITEMS = "Its intervals are about the items at hand, not new ones."
OF_POPULATION = "Its intervals are about the population that the items were drawn from."


def assumptions_of(methods: list[str], about: str) -> list[tuple[str, str]]:
    """The assumptions of methods and what their intervals are about.

    Args:
        methods: their names.
        about: the setting that says what intervals are about.

    Returns:
        method and text in the order of `ASSUMPTIONS`; others come last.
    """
    known = [name for name in ASSUMPTIONS if name in methods]
    others = [name for name in methods if name not in ASSUMPTIONS]
    ends = {name: OF_POPULATION if is_of_population(name, about) else OF_ITEMS for name in known}
    return [(name, f"{ASSUMPTIONS[name]} {ends[name]}") for name in known] + [
        (name, UNKNOWN) for name in others
    ]
