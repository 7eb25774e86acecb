"""What a page tells from another page: the text of a section, or numbers of its tables."""

import re

from crowdgold.documents.printed_items import sections
from crowdgold.documents.verdicts import NO_CAUSE, NONE, SLIP, WHY, is_ours

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
CLAIM = re.compile(rf"- (\*\*.+?\*\*): (.+?)\.(?: {re.escape(WHY)} ([^;]*)(?:;.*)?\.)?")
"""A line of a list of claims (`verdicts.JudgedClaims.with_verdict`): place, words, cause."""
SLIPS = "the text says one thing, the paper's own tables or published data another."
"""What is told of them in common."""


class ToldError(ValueError):
    """A page that does not hold what another one tells of it."""


def numbers(page: str, heading: str, column: str, **where: str) -> list[float]:
    """The numbers that the cells of a column begin with.

    Args:
        page: its text, Markdown.
        heading: of the section that holds the table.
        column: the header of the column.
        where: column -> what its cell is to be.

    Raises:
        ToldError: there is no such cell, or one has no number.
    """
    cells = [
        row[column]
        for section in sections(page)
        if section.heading == heading
        for row in section.rows
        if column in row and all(row.get(name) == value for name, value in where.items())
    ]
    found = [NUMBER.match(cell.strip("*")) for cell in cells]
    if not found or not all(found):
        asked = ", ".join([heading, column, *(f"{key} {value}" for key, value in where.items())])
        raise ToldError(f"{asked}: found {cells}, expected numbers; see the page's template")
    return [float(one.group()) for one in found if one]


def causes(lines: str) -> str:
    """Lists of a paper's claims that do not hold, in which claims of one cause stand together.

    Of a cause what comes after its first semicolon is left to the page. So are the words of slips,
    of which one line tells where they stand. Claims of our own are left out, and so is the line
    before a list of which nothing is left.
    """
    slips: dict[str, None] = {}
    parts = [_by_cause(part, slips) for part in lines.split("\n\n")]
    kept = [
        part
        for part, after in zip(parts, [*parts[1:], ""], strict=True)
        if part.startswith("- ") or after.startswith("- ")
    ]
    if slips:
        kept.append(f"{'; '.join(slips)}: {SLIPS}")
    return "\n\n".join(kept)


def _by_cause(part: str, slips: dict[str, None]) -> str:
    """A list whose claims of one cause are one line; a paragraph that is none as it is.

    Args:
        slips: takes the places of slips, which are left out.
    """
    claims = [CLAIM.fullmatch(line) for line in part.splitlines() if line != NONE]
    if not all(claims):
        return part
    told: dict[tuple[str, str], dict[str, list[str]]] = {}
    for place, words, cause in (claim.groups() for claim in claims if claim):
        if is_ours(place.strip("*")):
            continue
        if (cause or "").startswith(SLIP):
            slips[place] = None
            continue
        alone = words if cause in (None, NO_CAUSE) else ""
        told.setdefault((cause or "", alone), {}).setdefault(place, []).append(words)
    lines = [
        "- "
        + " ".join(f"{place}: {'; '.join(words)}." for place, words in places.items())
        + (f" {WHY} {cause}." if cause else "")
        for (cause, _), places in told.items()
    ]
    return "\n".join(lines)


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
