"""What a page tells from another page: the text of a section, or numbers of its tables."""

import re
from collections.abc import Mapping

from crowdgold.documents.printed_items import sections
from crowdgold.documents.verdicts import FURTHER, NO_CAUSE, NONE, SLIP, WHY, is_ours

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
CLAIM = re.compile(rf"- (\*\*.+?\*\*): (.+?)\.(?: {re.escape(WHY)} ([^;]*)(?:;.*)?\.)?")
"""A line of a list of claims (`verdicts.JudgedClaims.with_verdict`): place, words, cause."""
STAND_IN = "stand-in"
SLIPS = "slips of the text; the paper's own tables or published data have other numbers."
"""What is told of them in common."""


class ToldError(ValueError):
    """A page that does not hold what another one tells of it."""


def cells(page: str, heading: str, column: str, **where: str) -> list[str]:
    """The cells of a column, without stars.

    Args:
        page: its text, Markdown.
        heading: of the section that holds the table.
        column: the header of the column.
        where: column -> what its cell is to be.

    Raises:
        ToldError: there is no such cell.
    """
    found = [
        row[column].strip("*")
        for section in sections(page)
        if section.heading == heading
        for row in section.rows
        if column in row and all(row.get(name) == value for name, value in where.items())
    ]
    if not found:
        raise ToldError(f"{_asked(heading, column, where)}: found no cell; see the page's template")
    return found


def _asked(heading: str, column: str, where: Mapping[str, str]) -> str:
    return ", ".join([heading, column, *(f"{key} {value}" for key, value in where.items())])


def numbers(page: str, heading: str, column: str, **where: str) -> list[float]:
    """The numbers that `cells` begin with.

    Raises:
        ToldError: there is no such cell, or one has no number.
    """
    told = cells(page, heading, column, **where)
    found = [NUMBER.match(cell) for cell in told]
    if not all(found):
        raise ToldError(f"{_asked(heading, column, where)}: found {told}, expected numbers")
    return [float(one.group()) for one in found if one]


def causes(lines: str, link: str) -> str:
    """A list of a paper's claims that do not hold, in which claims of one cause stand together.

    Of a cause what comes after its first semicolon is left to the page. So are the words of slips,
    of which one line tells where they stand. Claims of our own are left out, and so is what stands
    between the lists.

    Args:
        lines: lists of claims.
        link: to the paper's page, with which each line begins.

    Raises:
        ToldError: a line of a list is no claim.
    """
    slips: dict[str, None] = {}
    told: dict[tuple[str, str], dict[str, list[str]]] = {}
    for line in lines.splitlines():
        if not line.startswith("- ") or line == NONE:
            continue
        if not (found := CLAIM.fullmatch(line)):
            raise ToldError(f"{line}: expected - **place**: words. {WHY} cause.")
        place, words, cause = found.groups(default="")
        if is_ours(place.strip("*")):
            continue
        if cause.startswith(SLIP):
            slips[place] = None
            continue
        alone = words if cause in ("", NO_CAUSE) else ""
        told.setdefault((cause, alone), {}).setdefault(place, []).append(words)
    listed = [
        " ".join(f"{place}: {_together(words)}." for place, words in places.items())
        + (f" {WHY} {cause}." if cause else "")
        for (cause, _), places in told.items()
    ]
    if slips:
        listed.append(f"{', '.join(slips)}: {SLIPS}")
    return "\n".join(f"- {link}, {one}" for one in listed)


def main_claims(lines: str) -> list[str]:
    """The main claims in lists of those that hold (`JudgedClaims.with_verdict`).

    Of one about a stand-in the place is told, too, since it holds of that alone.
    """
    lists = [part.rstrip().rpartition("\n\n")[2] for part in lines.split(FURTHER)[:-1]]
    found = [CLAIM.fullmatch(line) for one in lists for line in one.splitlines()]
    told = [(one[1].strip("*"), one[2]) for one in found if one]
    return [f"{words} ({place})" if STAND_IN in place else words for place, words in told]


def _together(words: list[str]) -> str:
    """Claims in one line; what all say before their last colon is said once."""
    parts = [one.rpartition(": ") for one in words]
    common = {before + colon for before, colon, _ in parts}
    if len(common) > 1:
        return "; ".join(words)
    return common.pop() + "; ".join(own for *_, own in parts)


def text(page: str, heading: str) -> str:
    """The text of a section, without its tables.

    Args:
        page: its text, Markdown.
        heading: of the section.

    Raises:
        ToldError: there is no such section, or several.
    """
    found = [one.text for one in sections(page) if one.heading == heading]
    if len(found) != 1:
        raise ToldError(f"{heading}: found {len(found)} sections of this heading, expected one")
    return found[0]
