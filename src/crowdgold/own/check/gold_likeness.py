"""What is found of gold as a random sample of the items, in numbers and words."""

from dataclasses import dataclass

from crowdgold.methods.doubts import CHOSEN, CHOSEN_MEND, SURELY_CHOSEN
from crowdgold.own.check.drawn_units import OF_ITEMS

DOUBTFUL = 0.05
"""p-value up to which a random sample would be as unlike the others only now and then."""
OF_STRATA = "a random sample within the strata that gold was drawn from"
BY_CHANCE = "drawn with the chances that the table gives"
OF_FIRST = "a random sample of the items (gold of the first batch)"
DRAWN_AFTER_MEND = (
    "Set all gold labels aside, since later batches were drawn from what the first left over, and "
    "have an expert label 50 items that `crowdgold sample` draws"
)
"""What can be done about a first batch that was chosen without known chances."""


def likeness_in_words(p: float) -> str:
    """What the test's p-value says of gold as a random sample, in a few words."""
    if p < CHOSEN:
        return "it does not look like one"
    if p < DOUBTFUL:
        return f"possibly: {100 * p:.2g} % of random samples are as uneven"
    return "nothing speaks against it"


@dataclass(frozen=True)
class Shift:
    """How gold items differ from the others in a feature.

    Attributes:
        feature: what it is, in words.
        gold, others: its mean over the gold items, and over the others; where these are weighed,
            over all items.
        z: difference in standard errors of a random sample.
    """

    feature: str
    gold: float
    others: float
    z: float


@dataclass(frozen=True)
class GoldSample:
    """What the test found.

    Attributes:
        p: share of random samples that lie as far from the mean; small where gold was chosen.
        shifts: each feature, that which differs most first.
        note: why there is no test, empty where there is one; p is NaN then.
        of: what it is a sample of, and how, in words.
    """

    p: float
    shifts: tuple[Shift, ...] = ()
    note: str = ""
    of: str = OF_ITEMS

    @property
    def chosen(self) -> bool:
        """Say whether gold is to be doubted."""
        return self.p < CHOSEN

    @property
    def surely_chosen(self) -> bool:
        """Say whether nothing can rest on gold."""
        return self.p < SURELY_CHOSEN

    @property
    def doubt(self) -> str:
        """Why gold is to be doubted, and what can be done, without the last stop."""
        if self.of not in (OF_ITEMS, OF_FIRST):
            return (
                f"the items with a gold label do not look like {self.of} (p = {self.p:.2g}). If "
                "experts left items out, or others were labelled too, the numbers are wrong. Have "
                "an expert label what was left out, say the chances that items were drawn with, "
                "or draw items anew"
            )
        first, at_random = self.shifts[0], self.of == OF_ITEMS
        which = "with a gold label" if at_random else "of the first batch of gold labels"
        takes = "gold items" if at_random else "a first batch without strata"
        return (
            f"the items {which} do not look like a random sample of all items (p = "
            f"{self.p:.2g}): the {first.feature} is {first.gold:.3g} on average among them and "
            f"{first.others:.3g} among the others. Every estimator takes {takes} to be chosen at "
            "random; if they were chosen by votes, scores or difficulty, its numbers are wrong. "
            f"{CHOSEN_MEND if at_random else DRAWN_AFTER_MEND}"
        )
