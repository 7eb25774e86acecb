"""What a page tells from another: claims of one cause stand together."""

from crowdgold.documents.told import SLIPS, causes

LISTS = """On real data:

- **Section 1**: MV is best. *Why not:* table 1 says so; ours too.
- **Fig. 2**: widths are .1 to .2. *Why not:* no cause is known.
- **Fig. 2**: widths are .3. *Why not:* no cause is known.
- **Section 1**: DS is best. *Why not:* table 1 says so; ours too.
- **Fig. 3**: PEC is best.

In the simulated study:

- **Fig. 4**: MV is worst. *Why not:* table 1 says so."""


def test_claims_of_one_cause_stand_together_within_their_list():
    """Words before a list stay as they are; what has no known cause has none in common."""
    assert causes(LISTS) == (
        "On real data:\n\n"
        "- **Section 1**: MV is best; DS is best. *Why not:* table 1 says so.\n"
        "- **Fig. 2**: widths are .1 to .2. *Why not:* no cause is known.\n"
        "- **Fig. 2**: widths are .3. *Why not:* no cause is known.\n"
        "- **Fig. 3**: PEC is best.\n\n"
        "In the simulated study:\n\n"
        "- **Fig. 4**: MV is worst. *Why not:* table 1 says so."
    )


def test_two_places_of_one_cause_are_both_named():
    lines = "- **Fig. 1**: a. *Why not:* c.\n- **Fig. 2**: b. *Why not:* c."
    assert causes(lines) == "- **Fig. 1**: a. **Fig. 2**: b. *Why not:* c."


def test_claims_of_our_own_are_left_out():
    ours = "- **ours, on fig. 1**: a. *Why not:* c."
    assert causes(ours) == ""
    assert causes(f"{ours}\n- **Fig. 1**: b.") == "- **Fig. 1**: b."


def test_a_list_of_no_claims_and_the_line_before_it_are_left_out():
    assert (
        causes("On real data:\n\n- none\n\nOurs:\n\n- **Fig. 1**: a.")
        == "Ours:\n\n- **Fig. 1**: a."
    )


def test_slips_are_told_by_their_places_alone():
    slips = (
        "On real data:\n\n"
        "- **Section 5.1**: a. *Why not:* a slip: table 1 has b.\n\n"
        "In the simulated study:\n\n"
        "- **Fig. 8, caption**: a. *Why not:* a slip: table 4 has b; ours too.\n"
        "- **Fig. 1**: c. *Why not:* d.\n"
        "- **Fig. 9, caption**: e. *Why not:* a slip: table 6 has f."
    )
    assert causes(slips) == (
        "In the simulated study:\n\n"
        "- **Fig. 1**: c. *Why not:* d.\n\n"
        f"**Section 5.1**; **Fig. 8, caption**; **Fig. 9, caption**: {SLIPS}"
    )
