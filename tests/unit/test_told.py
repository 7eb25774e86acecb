"""What a page tells from another's claims: those of one cause stand together."""

import pandas as pd
import pytest

from crowdgold.claims.printed_items import SLIPS, causes, claims_in_words, main_claims
from crowdgold.claims.verdicts import FAILS, HOLDS, NO_CAUSE, NOT_DECIDED

LINK = "[A](a.md)"


def frame(*rows):
    """Claims that do not hold, where a row does not say otherwise: place, words, cause, more."""
    plain = {"verdict": FAILS, "kind": "substance", "ours": False, "stand_in": False,
             "main": False, "aside": ""}  # fmt: skip
    return pd.DataFrame(
        [
            {**plain, "place": place, "printed": words, "cause": cause, **more}
            for place, words, cause, more in rows
        ]
    )


def test_claims_of_one_cause_stand_together():
    """What has no known cause has none in common; slips are told in one line; ours are not told."""
    claims = frame(
        ("Section 1", "MV is best", "table 1 says so; ours too", {}),
        ("Fig. 2", "widths are .1 to .2", NO_CAUSE, {"kind": "unknown"}),
        ("Fig. 2", "widths are .3", NO_CAUSE, {"kind": "unknown"}),
        ("Section 1", "DS is best", "table 1 says so; ours too", {}),
        ("Section 5.1", "a", "table 1 has b", {"kind": "slip"}),
        ("Fig. 3", "PEC is best", "", {"verdict": HOLDS, "kind": ""}),
        ("ours, on fig. 1", "a", "c", {"ours": True}),
        ("Fig. 8, caption", "a", "table 4 has b", {"kind": "slip"}),
        ("Fig. 4", "MV is worst", "table 1 says so", {}),
    )
    assert causes(claims, LINK) == (
        "- [A](a.md), **Section 1**: MV is best; DS is best. **Fig. 4**: MV is worst. "
        "*Why not:* table 1 says so.\n"
        "- [A](a.md), **Fig. 2**: widths are .1 to .2. *Why not:* no cause is known.\n"
        "- [A](a.md), **Fig. 2**: widths are .3. *Why not:* no cause is known.\n"
        f"- [A](a.md), **Section 5.1**, **Fig. 8, caption**: {SLIPS}"
    )
    assert causes(claims[claims["ours"]], LINK) == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["over items: MV covers", "over items: PEC covers"], "over items: MV covers; PEC covers"),
        (["over items: MV covers", "DS covers"], "over items: MV covers; DS covers"),
        (["all: a: b", "all: c"], "all: a: b; all: c"),
    ],
)
def test_what_all_claims_of_a_place_begin_with_is_told_once(words, told):
    """Nothing is said of DS over items."""
    claims = frame(*(("Fig. 1", one, "c", {}) for one in words))
    assert causes(claims, LINK) == f"- [A](a.md), **Fig. 1**: {told}. *Why not:* c."


def test_main_claims_that_hold_are_told_with_what_is_beside_them():
    claims = frame(
        ("Fig. 1", "a", "", {"verdict": HOLDS, "main": True, "aside": "b 2"}),
        ("Fig. 2, stand-in", "c", "", {"verdict": HOLDS, "main": True, "stand_in": True}),
        ("Fig. 3", "d", "", {"verdict": HOLDS}),
        ("Fig. 4", "e", "f", {"main": True}),
    )
    assert main_claims(claims) == ["a (b 2)", "c (Fig. 2, stand-in)"]


def test_claims_are_counted_by_verdict_and_by_whose_fault_it_is():
    """What is not decided is counted elsewhere."""
    holding = ("Fig. 1", "a", "", {"verdict": HOLDS, "kind": ""})
    open_claim = ("Fig. 1", "a", "", {"verdict": NOT_DECIDED, "kind": ""})
    slip = ("Fig. 1", "a", "b", {"kind": "slip"})
    assert claims_in_words(frame(holding, holding, open_claim)) == "2 hold"
    said = claims_in_words(frame(holding, slip, slip, ("Fig. 2", "a", "b", {})))
    assert said == (
        "1 holds and 3 do not hold (1 is wrong in substance and 2 are slips of text or code)"
    )
