"""How the files of a study are read, as a user says it by options, a study file or in Python."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from crowdgold.reading.sheets import MISSING, NOTHING_MISSING
from crowdgold.types.columns import REPEATED
from crowdgold.types.errors import InputError

REFUSE, DROP = UNMATCHED = ("refuse", "drop")
"""What to do with gold labels, scores and strata of items that have no votes."""


@dataclass(frozen=True)
class Reading:
    """The user's settings for reading the files of a study."""

    # the files' own column name -> the name used here, e.g. {"worker": "annotator"}; for
    # one file alone, {"votes.csv:worker": "annotator"}; "ignore" passes a column over. What
    # is not named is guessed, and noted
    columns: Mapping[str, str] = field(default_factory=dict)
    # the positive label, or several of them, in one text with commas or each in its own;
    # all others are negative
    positive: Sequence[str] = ()
    # the rule for an annotator with several labels on an item: "refuse", keep the "first"
    # or the "last", or "keep" all
    repeated: str = "refuse"
    # columns that name an item together, e.g. ("question", "model") or "question,model"
    item: str | Sequence[str] = ()
    # words that stand for an empty cell among labels and numbers, or "nothing"; where none
    # are given NA, NaN and null do, unless NA could be a label
    missing: Sequence[str] = ()
    encoding: str | None = None  # of text files that are not UTF-8 and do not say what they are
    # "refuse" files that do not name the same items, or "drop" what matches nothing
    unmatched: str = REFUSE

    def __post_init__(self) -> None:
        for name, rules in (("repeated", REPEATED), ("unmatched", UNMATCHED)):
            if getattr(self, name) not in rules:
                raise InputError(
                    f"{name} {getattr(self, name)!r}; expected one of {', '.join(rules)}"
                )
        if isinstance(self.item, str):
            object.__setattr__(self, "item", tuple(map(str.strip, self.item.split(","))))
        if NOTHING_MISSING in self.missing and len(self.missing) > 1:
            raise InputError(f"missing: {NOTHING_MISSING!r} beside others; expected it alone")

    @property
    def words(self) -> tuple[str, ...]:
        """Texts that stand for an empty cell, the empty text among them."""
        if NOTHING_MISSING in self.missing:
            return ("",)
        return ("", *self.missing) if self.missing else MISSING
