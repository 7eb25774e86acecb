"""What is found of gold as a random sample of the items, in numbers and words.

Where the table gives the chances that gold was drawn with, gold need not be a random sample of the
items. What is said then is whether it fits these chances.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from crowdgold.methods.doubts import CHOSEN, CHOSEN_MEND, DRAW_ANEW, SURELY_CHOSEN
from crowdgold.own.check.drawn_units import OF_CLUSTERS, OF_ITEMS

OF_STRATA = "a random sample within the strata that gold was drawn from"
BY_CHANCE = "drawn with the chances that the table gives"
OF_FIRST = "a random sample of the items (gold of the first batch)"
OF_SENT = "a random sample of the items that were sent to experts"
DRAWN_AFTER_MEND = (
    "Set all gold labels aside, since later batches were drawn from what the first left over, and "
    f"{DRAW_ANEW}"
)
"""What can be done about a first batch that was chosen without known chances."""
LEFT_OUT = "Have an expert label what was left out"
GIVEN_MEND = (
    "If experts left items out, if others were labelled too, or if the chances are of other items, "
    f"the numbers are wrong. {LEFT_OUT}, or correct the chances. Else set this gold aside and "
    f"{DRAW_ANEW}, or take its chances out of the table and have `crowdgold sample --poststratify` "
    "estimate them"
)
"""What can be done about gold that does not fit the chances that are given for it."""
CLUSTERS_MEND = (
    "If experts left clusters out, or if others were labelled too, the numbers are wrong. "
    f"{LEFT_OUT}, give the chances that clusters were drawn with, or draw clusters anew"
)
"""What can be done about clusters that were chosen without known chances."""


@dataclass(frozen=True)
class Told:
    """What is said of gold as a sample of some kind.

    Attributes:
        question: whether it is one.
        no: the answer where it surely is none.
        drawn: what samples are as uneven now and then.
        misfit: what is wrong with it, a clause.
        surely: the same where nothing can rest on gold.
        mend: what can be done, sentences without the last stop.
    """

    question: str
    no: str
    drawn: str
    misfit: str
    surely: str
    mend: str


def _at_random(of: str, mend: str, whose: str = "") -> Told:
    """What is said of gold, or of a part of it, that is to be a random sample."""
    plain = of.partition(" (")[0]
    return Told(
        f"{of}?", "it does not look like one", "random samples",
        f"gold{whose} does not look like {plain}",
        f"the gold items{whose} are surely no {plain.removeprefix('a ')}", mend,
    )  # fmt: skip


_OF_CHANCES = Told(
    "does gold fit the chances that the table gives?", "it does not", "samples drawn with them",
    "gold does not fit the chances that the table gives for it",
    "gold surely does not fit the chances that the table gives for it", GIVEN_MEND,
)  # fmt: skip
TOLD: Mapping[str, Told] = MappingProxyType(
    {
        OF_ITEMS: _at_random(OF_ITEMS, CHOSEN_MEND),
        OF_FIRST: _at_random(OF_FIRST, DRAWN_AFTER_MEND, " of the first batch"),
        OF_CLUSTERS: _at_random(OF_CLUSTERS, CLUSTERS_MEND),
        OF_STRATA: _OF_CHANCES,
        BY_CHANCE: _OF_CHANCES,
        OF_SENT: Told(
            "are the items of the last batch that came back without a label like the others?",
            "they are not", "random choices",
            "the items of the last batch that experts labelled are not like those that they left",
            "the items of the last batch that experts labelled are surely not like those that "
            "they left",
            f"The numbers are about items like the labelled ones. {LEFT_OUT}. Else set this gold "
            f"aside and {DRAW_ANEW}",
        ),
    }
)  # fmt: skip
"""By what gold is to be."""


def _as_uneven(p: float, of: str) -> str:
    share = f"{100 * p:.2g}" if p < 0.995 else "100"  # not 1e+02
    return f"{share} % of {TOLD[of].drawn} are as uneven"


def likeness_in_words(p: float, of: str = OF_ITEMS) -> str:
    """What the test's p-value says of gold as a sample of some kind, in a few words."""
    if p < SURELY_CHOSEN:
        return TOLD[of].no
    return f"{'possibly not' if p < CHOSEN else 'it may be'}: {_as_uneven(p, of)}"


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
        """Whether gold is to be doubted."""
        return self.p < CHOSEN

    @property
    def surely_chosen(self) -> bool:
        """Whether nothing can rest on gold."""
        return self.p < SURELY_CHOSEN

    @property
    def told(self) -> Told:
        """What is said of gold as the sample that it is to be."""
        return TOLD[self.of]

    @property
    def mend(self) -> str:
        """What can be done about gold that is to be doubted, without the last stop."""
        mend = self.told.mend
        if self.surely_chosen:
            return mend
        keep = f"{_as_uneven(self.p, self.of)}: if these labels were drawn so, keep them"
        return f"{keep}. Else {mend[0].lower()}{mend[1:]}"

    @property
    def to_do(self) -> list[str]:
        """What `crowdgold evaluate` does with gold that is to be doubted, and what to do."""
        does = (
            "evaluate sets this gold aside: its numbers rest on models of votes and scores, which "
            "nothing checks"
            if self.surely_chosen
            else "evaluate still corrects by this gold; its numbers may be wrong"
        )
        given = self.of not in (OF_ITEMS, OF_CLUSTERS)
        weigh = ", once its chances are out of the table" if given else ""
        do = (
            f"set this gold aside and {DRAW_ANEW}; or have `crowdgold sample --poststratify` weigh "
            f"it{weigh}"
        )
        unless = "" if self.surely_chosen else "if it was not drawn so, "
        left = "have an expert label what was left without a label; or "
        return [does, f"{unless}{left if self.of == OF_SENT else ''}{do}"]

    @property
    def doubt(self) -> str:
        """Why gold is to be doubted, and what can be done, without the last stop."""
        if self.of not in (OF_ITEMS, OF_FIRST):
            return f"{self.told.misfit} (p = {self.p:.2g}). {self.mend}"
        first, at_random = self.shifts[0], self.of == OF_ITEMS
        which = "with a gold label" if at_random else "of the first batch of gold labels"
        takes = "gold items" if at_random else "a first batch without strata"
        return (
            f"the items {which} do not look like a random sample of all items (p = "
            f"{self.p:.2g}): the {first.feature} is {first.gold:.3g} on average among them and "
            f"{first.others:.3g} among the others. Every estimator takes {takes} to be chosen at "
            "random; if they were chosen by votes, scores or difficulty, its numbers are wrong. "
            f"{self.mend}"
        )
