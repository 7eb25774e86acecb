"""Verdicts by figure and table."""

import pytest

from crowdgold.documents.exhibits import counted, exhibits_of, verdicts_of
from crowdgold.documents.verdicts import FAILS, HOLDS, NOT_DECIDED, Claim, Judgement


@pytest.mark.parametrize(
    ("place", "named"),
    [
        ("Fig. 4", ["Fig. 4"]),
        ("Figs. 3 and 7", ["Fig. 3", "Fig. 7"]),
        ("Figs. 5 to 7, captions", ["Fig. 5", "Fig. 6", "Fig. 7"]),
        ("Fig. 7b, stand-in", ["Fig. 7"]),
        ("Table 3a, stand-in", ["Table 3"]),
        ("Sections 4.1 and 5.3, table 5", ["Table 5"]),
        ("Table 5 and fig. 5, stand-in", ["Table 5", "Fig. 5"]),
        ("Section 6", ["Section 6"]),
    ],
)
def test_a_place_names_its_exhibits(place, named):
    assert exhibits_of(place) == named


def test_verdicts_are_counted_by_exhibit():
    def claim(place, verdict, needs=()):
        return Claim(place, "words", needs, lambda _: Judgement("ours", verdict, "why", "5"))

    claims = [
        claim("Fig. 1", HOLDS),
        claim("Figs. 1 and 2", FAILS),
        claim("Fig. 2", NOT_DECIDED),
        claim("Fig. 2", HOLDS, ("none",)),
    ]
    found = verdicts_of(claims, {})
    assert list(found["exhibit"]) == ["Fig. 1", "Fig. 1", "Fig. 2", "Fig. 2", "Fig. 2"]
    assert counted(found, "Fig. 1") == "1 hold, 1 do not hold"
    assert counted(found, "Fig. 2") == "1 do not hold, 1 not decided, 1 not made"
    assert counted(found, "Fig. 3") == ""
    assert list(found.loc[0, ["verdict", "replicates", "reason"]]) == [HOLDS, "5", "why"]
