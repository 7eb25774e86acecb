"""What a page tells from another: claims of one cause stand together."""

import pytest

from crowdgold.claims.printed_items import SLIPS, ToldError, causes

LINK = "[A](a.md)"
LISTS = """On real data:

- **Section 1**: MV is best. *Why not:* table 1 says so; ours too.
- **Fig. 2**: widths are .1 to .2. *Why not:* no cause is known.
- **Fig. 2**: widths are .3. *Why not:* no cause is known.
- **Section 1**: DS is best. *Why not:* table 1 says so; ours too.
- **Fig. 3**: PEC is best.

In the simulated study:

- **Fig. 4**: MV is worst. *Why not:* table 1 says so."""


def test_claims_of_one_cause_stand_together():
    # What stands between lists is left out; what has no known cause has none in common.
    assert causes(LISTS, LINK) == (
        "- [A](a.md), **Section 1**: MV is best; DS is best. **Fig. 4**: MV is worst. "
        "*Why not:* table 1 says so.\n"
        "- [A](a.md), **Fig. 2**: widths are .1 to .2. *Why not:* no cause is known.\n"
        "- [A](a.md), **Fig. 2**: widths are .3. *Why not:* no cause is known.\n"
        "- [A](a.md), **Fig. 3**: PEC is best."
    )
    ours = "- **ours, on fig. 1**: a. *Why not:* c."
    assert causes(ours, LINK) == ""
    assert causes(f"{ours}\n- **Fig. 1**: b.", LINK) == "- [A](a.md), **Fig. 1**: b."
    lines = "On real data:\n\n- none\n\nOurs:\n\n- **Fig. 1**: a."
    assert causes(lines, LINK) == "- [A](a.md), **Fig. 1**: a."
    slips = (
        "On real data:\n\n"
        "- **Section 5.1**: a. *Why not:* a slip: table 1 has b.\n\n"
        "In the simulated study:\n\n"
        "- **Fig. 8, caption**: a. *Why not:* a slip: table 4 has b; ours too.\n"
        "- **Fig. 1**: c. *Why not:* d.\n"
        "- **Fig. 9, caption**: e. *Why not:* a slip: table 6 has f."
    )
    assert causes(slips, LINK) == (
        "- [A](a.md), **Fig. 1**: c. *Why not:* d.\n"
        f"- [A](a.md), **Section 5.1**, **Fig. 8, caption**, **Fig. 9, caption**: {SLIPS}"
    )


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
    lines = "\n".join(f"- **Fig. 1**: {one}. *Why not:* c." for one in words)
    assert causes(lines, LINK) == f"- [A](a.md), **Fig. 1**: {told}. *Why not:* c."


def test_a_line_that_is_no_claim_is_refused():
    """A claim that is written in another way would otherwise be left out unseen."""
    with pytest.raises(ToldError, match=r"- Fig\. 1: a: expected - \*\*place\*\*: words"):
        causes("- **Fig. 2**: b.\n- Fig. 1: a", LINK)
