"""The papers' numbered figures and tables: what makes ours, and what the claims on each came to.

`studies/printed_items.yaml` lists them; the verdicts are read from the pages of docs/ that hold
claims and printed cells against ours, so that they are those of the last run.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from crowdgold.documents.verdicts import COUNTED, NOT_JUDGED

HEADER = [
    "printed",
    "what it shows",
    "drawn by",
    "blocks and their replicates",
    "scale",
    "verdicts",
]
Item = Mapping[str, Any]
Picture = Callable[[str], str]
"""The name of a figure, linked where there is a picture of it."""

NUMBER = r"(?:[A-Z]\.)?\d+[a-z]?"
NAMED = re.compile(rf"\b(fig|table)(?:ure)?s?\.? ({NUMBER}(?:(?:, | and | to ){NUMBER})*)", re.I)
KINDS = {"fig": "Figure", "table": "Table"}
CELLS = re.compile(r"[^.;]*\d+ of \d+ cells[^.;]*")
NOT_MADE = "not made"


class Section(NamedTuple):
    """A part of a page: its heading, its text, and the rows of its tables by their columns."""

    heading: str
    text: str
    rows: list[dict[str, str]]


def sections(page: str) -> Iterator[Section]:
    """The sections of a page of Markdown."""
    for part in re.split(r"^#+ ", page, flags=re.M):
        heading, _, body = part.partition("\n")
        rows, head, text = [], None, []
        for line in body.splitlines():
            if not line.startswith("|"):
                head = None
                text.append(line)
                continue
            cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
            if head is None:
                head = cells
            elif set(line) - set("| -"):
                rows.append(dict(zip(head, cells, strict=False)))
        yield Section(heading, "\n".join(text).strip(), rows)


def numbers_named(where: str) -> set[tuple[str, str]]:
    """The figures and tables that a place in a paper names: ("Figure", "7")."""
    found = set()
    for kind, names in NAMED.findall(where):
        for first, last in re.findall(rf"({NUMBER})(?: to ({NUMBER}))?", names):
            whole = first.isdigit() and last.isdigit()
            numbers = range(int(first), int(last) + 1) if whole else (first, last)
            found |= {(KINDS[kind.lower()], str(number)) for number in numbers if number != ""}
    return found


def _concerns(item: Item, where: str) -> bool:
    """Whether a claim that stands at a place is one on a figure or table."""
    if any(where == one or where.startswith(f"{one},") for one in item.get("claims", [])):
        return True
    kind, _, number = item["number"].partition(" ")
    return any(
        own == kind and number and re.fullmatch(rf"{re.escape(number)}[a-z]?", found)
        for own, found in numbers_named(where)
    )


def _counted(verdicts: Iterable[str]) -> str:
    found = Counter(verdicts)
    return ", ".join(
        f"{one}: {found[one]}" for one in [*COUNTED, *(set(found) - set(COUNTED))] if found[one]
    )


def _counted_cells(verdicts: Iterable[str]) -> str:
    """How many cells came to what, without what a cell adds to it."""
    found = Counter(re.split("[,:]", verdict)[0] for verdict in verdicts)
    return ", ".join(f"{count} {verdict}" for verdict, count in found.items())


def verdicts_on(item: Item, page: str) -> tuple[str, ...]:
    """What the claims on a figure or table came to, and then its printed cells; empty for none."""
    claims, cells = [], []
    for section in sections(page):
        claims += [row["verdict"] for row in section.rows
                   if "where" in row and _concerns(item, row["where"])]  # fmt: skip
        if not re.search(rf"\b{re.escape(item['number'])}(?![\w.])", section.heading, re.I):
            continue
        if section.text.startswith("Not made here"):
            return (NOT_MADE,)
        # A row without a verdict is the baseline that others are held against.
        cells += [
            row["verdict"] for row in section.rows if row.get("verdict") and "where" not in row
        ]
        if not cells and (said := CELLS.match(section.text)):
            text = said.group(0).strip()
            return tuple(filter(None, [_counted(claims), text[:1].lower() + text[1:]]))
    if claims and not cells and set(claims) == {NOT_JUDGED}:
        return (NOT_MADE,)
    told = f"cells: {_counted_cells(cells)}" if cells else ""
    return tuple(filter(None, [_counted(claims), told]))


def blocks_of(item: Item, config: Mapping[str, Any]) -> list[str]:
    """The experiments, or the benchmark, behind a figure or table: those it names, or all."""
    if "blocks" in item:
        return list(item["blocks"])
    found: dict[str, None] = {}
    for name in item.get("figures", []):
        figure = config["figures"][name]
        found |= dict.fromkeys([*figure.get("experiments", []), figure.get("benchmark", "")])
    return [one for one in found if one]


def pages_of(item: Item) -> list[str]:
    """The pages that hold a figure's or table's numbers and claims."""
    found = item.get("page", [])
    return [found] if isinstance(found, str) else list(found)


def _told_block(name: str, config: Mapping[str, Any]) -> str:
    """A block with its replicates; a benchmark has none."""
    block = config["experiments"].get(name)
    return f"`{name}` ({block['replicates']})" if block else f"`{name}`"


def item_row(
    item: Item,
    config: Mapping[str, Any],
    scales: Mapping[str, str],
    told: Mapping[str, str],
    picture: Picture = "`{}`".format,
) -> list[str]:
    """The line of a figure or table.

    Args:
        item: its entry in `printed_items.yaml`.
        config: `figures` and `experiments` of the configuration.
        scales: experiment -> the scale at which it was run.
        told: page -> its text.
    """
    if "nothing" in item:
        return [item["number"], item["shows"], "", "", "", item["nothing"]]
    names, pages = item.get("figures", []), pages_of(item)
    found = {page: verdicts_on(item, told[page]) for page in pages}
    targets = {config["figures"][name].get("target", "") for name in names} - {""}
    blocks = blocks_of(item, config)
    at = ", ".join(
        [
            *sorted({scales[one] for one in blocks if one in scales}),
            *(f"`make {one}`" for one in sorted(targets)),
        ]
    )
    said = {page: "; ".join(own) for page, own in found.items() if own}
    if list(found.values()) == [(NOT_MADE,)]:
        why = f"{NOT_MADE}: needs {item['needs']}" if "needs" in item else NOT_MADE
        at, said = "", dict.fromkeys(pages, why)
    said = said or dict.fromkeys(pages[:1] or [""], "no claim")
    return [
        item["number"],
        item["shows"],
        ", ".join(map(picture, names)),
        ", ".join(_told_block(one, config) for one in blocks),
        at,
        "; ".join(f"[{text}]({page}.md)" if page else text for page, text in said.items()),
    ]


def item_rows(
    items: Sequence[Item],
    config: Mapping[str, Any],
    scales: Mapping[str, str],
    told: Mapping[str, str],
    picture: Picture,
) -> list[list[str]]:
    """The lines of a paper's figures and tables."""
    return [item_row(item, config, scales, told, picture) for item in items]


def count_items(papers: Mapping[str, Sequence[Item]]) -> Counter[str]:
    """How many there are, by why there is nothing to make; those that are made by ""."""
    return Counter(str(one.get("nothing", "")) for items in papers.values() for one in items)


def claim_pages(papers: Mapping[str, Sequence[Item]]) -> dict[str, list[str]]:
    """The pages that judge each paper's claims."""
    return {
        paper: list(dict.fromkeys(page for item in own for page in pages_of(item)))
        for paper, own in papers.items()
    }


def claim_verdicts(page: str) -> list[str]:
    """What each claim of a page came to."""
    return [row["verdict"] for one in sections(page) for row in one.rows if "where" in row]


def count_verdicts(papers: Mapping[str, Sequence[Item]], told: Mapping[str, str]) -> Counter[str]:
    """How many claims of all papers came to what; arguments as for `paper_rows`."""
    pages = [page for own in claim_pages(papers).values() for page in own]
    return Counter(verdict for page in pages for verdict in claim_verdicts(told[page]))


OF_PAPER = ["paper", "figures and tables", "made here", "claims"]


def paper_rows(papers: Mapping[str, Sequence[Item]], told: Mapping[str, str]) -> list[list[str]]:
    """How many of each paper's figures and tables are made, and what its claims came to.

    Args:
        papers: paper -> its figures and tables.
        told: page -> its text; each claim of a paper stands on one of its pages.
    """
    rows = []
    for paper, pages in claim_pages(papers).items():
        own = papers[paper]
        claims = [
            f"[{_counted(found)}]({page}.md)"
            for page in pages
            if (found := claim_verdicts(told[page]))
        ]
        made = sum("nothing" not in item for item in own)
        rows.append([paper, str(len(own)), str(made), "; ".join(claims)])
    return rows
