"""Which gold items need another expert's opinion, so that experts' errors can be corrected.

All items that the first opinion puts into the rarer class need a second, and a tenth of the others,
at random; a third is needed where two differ. A few wrong labels among many negative items make up
much of what is called positive, so that doubles of the rarer class are worth most.
"""

import pandas as pd

from crowdgold.data import NO_GOLD, InputError, Items
from crowdgold.data.opinions import Opinions
from crowdgold.sampling.batch import random_places
from crowdgold.simulate.expert_opinions import OTHERS

COLUMNS = ("item", "label", "expert", "reason")
"""Of the file that goes to experts."""
SECOND, THIRD = "second", "third"
"""What an expert who is asked once more is called."""
OF_RARER = "the first expert put it into the rarer class"
AT_RANDOM = "one of the other items, at random"
DIFFER = "two experts differ"


def more_opinions(items: Items, seed: int) -> pd.DataFrame:
    """The items that need another opinion: columns item, label (empty), expert and reason.

    Args:
        items: with the gold labels, or opinions, that there are.
        seed: decides which of the items of the larger class are asked for; the same ones each time.

    Raises:
        InputError: where there are no gold labels.
    """
    opinions = items.opinions or Opinions(items.gold[:, None])
    number, first = opinions.number, opinions.labels[:, 0]
    if not number.any():
        raise InputError(
            "--second: found no gold labels, expected some that an expert has given; `crowdgold "
            "sample --n 100` says which items to label first"
        )
    known = first != NO_GOLD
    rarer = int(2 * (first == 1).sum() <= known.sum())
    of_rarer = (number == 1) & (first == rarer)
    drawn = (number == 1) & (first != rarer) & (random_places(items.item, [seed]) < OTHERS)
    differ = (number == 2) & (opinions.positive == 1)
    parts = [(differ, THIRD, DIFFER), (of_rarer, SECOND, OF_RARER), (drawn, SECOND, AT_RANDOM)]
    tables = [
        pd.DataFrame({"item": items.item[wanted], "expert": expert, "reason": reason})
        for wanted, expert, reason in parts
    ]
    return pd.concat(tables).assign(label="")[list(COLUMNS)]
