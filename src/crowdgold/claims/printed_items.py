"""The papers' numbered figures and tables: what makes ours, and what the claims on each came to.

`papers/printed_items.yaml` lists them. The verdicts are those of the last run: on claims from the
table that is written beside each page that judges some (`verdicts.JudgedClaims.frame`; `Judged` is
page -> table), on printed cells from the page itself. A page can also repeat numbers of another
page's tables.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
import pyarrow.parquet as pq

from crowdgold.claims.verdicts import (
    COUNTED,
    FAILS,
    HEADINGS,
    HOLDS,
    NO_CAUSE,
    NOT_JUDGED,
    SLIP,
    WHY,
    in_words,
)

HEADER = ["printed", "what it shows", "drawn by", "experiments and their replicates", "scale",
          "verdicts"]  # fmt: skip
Item = Mapping[str, Any]
Judged = Mapping[str, pd.DataFrame]
Picture = Callable[[str], str]  # the name of a figure, linked where there is a picture of it

NUMBER = r"(?:[A-Z]\.)?\d+[a-z]?"
NAMED = re.compile(rf"\b(fig|table)(?:ure)?s?\.? ({NUMBER}(?:(?:, | and | to ){NUMBER})*)", re.I)
KINDS = {"fig": "Figure", "table": "Table"}
CELLS = re.compile(r"[^.;]*\d+ of \d+ cells[^.;]*")
NOT_MADE = "not made"
TABLES = Path("docs/results/tables")  # where published tables are


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


def _counted(verdicts: Iterable[str]) -> str:
    found = Counter(verdicts)
    return ", ".join(
        f"{one}: {found[one]}" for one in [*COUNTED, *(set(found) - set(COUNTED))] if found[one]
    )


def verdicts_on(item: Item, page: str, claims: pd.DataFrame) -> tuple[str, ...]:
    """How many claims on a figure or table have each verdict, then how many printed cells do."""
    kind, _, number = item["number"].partition(" ")

    def concerns(where: str) -> bool:
        """Whether a claim that stands at a place is one on the figure or table."""
        return where in item.get("claims", []) or any(
            own == kind and number and re.fullmatch(rf"{re.escape(number)}[a-z]?", named)
            for own, named in numbers_named(where)
        )

    verdicts = list(claims["verdict"][~claims["ours"] & claims["place"].map(concerns).astype(bool)])
    cells: list[str] = []
    for section in sections(page):
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
            return tuple(filter(None, [_counted(verdicts), text[:1].lower() + text[1:]]))
    if verdicts and not cells and set(verdicts) == {NOT_JUDGED}:
        return (NOT_MADE,)
    # Without what a cell adds to its verdict.
    counts = Counter(re.split("[,:]", verdict)[0] for verdict in cells)
    counted = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    return tuple(filter(None, [_counted(verdicts), f"cells: {counted}" if cells else ""]))


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


def replicates_made(scales: Mapping[str, str], folder: Path = TABLES) -> dict[str, int]:
    """The replicates in the table of each experiment, or benchmark, that is published."""
    paths = {name: folder / f"{name}.parquet" for name in scales}
    return {
        name: pd.read_parquet(path, columns=["replicate"])["replicate"].nunique()
        for name, path in paths.items()
        if path.is_file() and "replicate" in pq.read_schema(path).names
    }


def why_nothing(item: Item, texts: Mapping[str, str], judged: Judged) -> str:
    """Why a figure or table has nothing of ours; empty where it is made."""
    pages = pages_of(item)
    if pages and all(verdicts_on(item, texts[page], judged[page]) == (NOT_MADE,) for page in pages):
        return f"{NOT_MADE}: needs {item['needs']}" if "needs" in item else NOT_MADE
    return str(item.get("nothing", ""))


def item_row(
    item: Item, config: Mapping[str, Any], scales: Mapping[str, str], texts: Mapping[str, str],
    judged: Judged, picture: Picture = "`{}`".format,
    replicates: Mapping[str, int] = MappingProxyType({}),
) -> list[str]:  # fmt: skip
    """The line of a figure or table, of an entry in `printed_items.yaml`.

    `scales` are those at which an experiment or benchmark was run, `texts` page -> its text,
    and `replicates` how many the table of an experiment has.
    """
    if "nothing" in item:
        return [item["number"], item["shows"], "", "", "", item["nothing"]]
    names, pages, blocks = item.get("figures", []), pages_of(item), blocks_of(item, config)
    targets = {config["figures"][name].get("target", "") for name in names} - {""}
    made_at = sorted({scales[one] for one in blocks if one in scales})
    at = ", ".join([*made_at, *(f"`make {one}`" for one in sorted(targets))])
    verdicts = {page: verdicts_on(item, texts[page], judged[page]) for page in pages}
    said = {page: "; ".join(own) for page, own in verdicts.items() if own}
    if why := why_nothing(item, texts, judged):
        at, said = "", dict.fromkeys(pages, why)
    said = said or dict.fromkeys(pages[:1] or [""], "no claim")
    beside = {one: f" ({size})" for one, size in replicates.items()}
    beside |= {one: f" ({NOT_MADE})" for one in blocks if one not in scales}
    return [
        item["number"],
        item["shows"],
        ", ".join(map(picture, names)),
        ", ".join(f"`{one}`{beside.get(one, '')}" for one in blocks),
        at,
        "; ".join(f"[{text}]({page}.md)" if page else text for page, text in said.items()),
    ]


def item_rows(
    items: Sequence[Item], config: Mapping[str, Any], scales: Mapping[str, str],
    texts: Mapping[str, str], judged: Judged, picture: Picture, replicates: Mapping[str, int],
) -> list[list[str]]:  # fmt: skip
    """The lines of a paper's figures and tables."""
    return [item_row(item, config, scales, texts, judged, picture, replicates) for item in items]


def count_items(
    papers: Mapping[str, Sequence[Item]], texts: Mapping[str, str], judged: Judged
) -> Counter[str]:
    """The number of figures and tables by `why_nothing`; the empty text counts those made."""
    return Counter(why_nothing(one, texts, judged) for items in papers.values() for one in items)


def claim_pages(papers: Mapping[str, Sequence[Item]]) -> dict[str, list[str]]:
    """The pages that judge each paper's claims."""
    return {
        paper: list(dict.fromkeys(page for item in own for page in pages_of(item)))
        for paper, own in papers.items()
    }


def claims_on(pages: Iterable[str], judged: Judged, ours: bool = False) -> pd.DataFrame:
    """The claims that pages judge, a row each: the papers', or our own."""
    found = pd.concat([judged[page] for page in pages], ignore_index=True)
    return found[found["ours"] == ours]


def claims_in_words(claims: pd.DataFrame) -> str:
    """How many claims hold and how many do not, of these how many by whose fault."""
    kinds = in_words(claims["kind"][claims["kind"] != ""], HEADINGS)
    decided = in_words(claims["verdict"][claims["verdict"].isin([HOLDS, FAILS])], COUNTED)
    return f"{decided} ({kinds})" if kinds else decided


OF_PAPER = ["paper", "figures and tables", "claims"]


def paper_rows(
    papers: Mapping[str, Sequence[Item]], texts: Mapping[str, str], judged: Judged
) -> list[list[str]]:
    """How many of each paper's figures and tables are made, and what its claims came to."""
    rows = []
    for paper, pages in claim_pages(papers).items():
        verdicts = {page: claims_on([page], judged)["verdict"] for page in pages}
        claims = [
            f"[{_counted(own)}]({page}.md#what-holds)" for page, own in verdicts.items() if len(own)
        ]
        made = sum(not why_nothing(item, texts, judged) for item in papers[paper])
        rows.append([paper, f"{made} of {len(papers[paper])} made", "; ".join(claims)])
    return rows


SLIPS = "slips of text or code, which the paper's own tables, data or code show."
"""The one sentence on all claims whose kind is `SLIP`."""


class ToldError(ValueError):
    """A page that does not hold what another page repeats from it."""


def cells(page: str, heading: str, column: str, **where: str) -> list[str]:
    """The cells of a column, without stars."""
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
    """The numbers that `cells` begin with."""
    found_cells = cells(page, heading, column, **where)
    matches = [re.match(r"-?\d+(?:\.\d+)?", cell) for cell in found_cells]
    if not all(matches):
        raise ToldError(f"{_asked(heading, column, where)}: found {found_cells}, expected numbers")
    return [float(one.group()) for one in matches if one]


def causes(claims: pd.DataFrame, link: str) -> str:
    """A list of a paper's claims that do not hold, in which claims of one cause stand together.

    What a cause says after its first semicolon is left to the page. So are the words of slips: one
    line says where all of them stand. Claims of our own are left out.
    """
    failing = claims[(claims["verdict"] == FAILS) & ~claims["ours"]]
    by_cause: dict[tuple[str, str], dict[str, list[str]]] = {}
    for _, claim in failing[failing["kind"] != SLIP].iterrows():
        cause = claim["cause"].partition(";")[0]
        alone = claim["printed"] if cause == NO_CAUSE else ""
        places = by_cause.setdefault((cause, alone), {})
        places.setdefault(f"**{claim['place']}**", []).append(claim["printed"])
    listed = [
        " ".join(f"{place}: {_together(words)}." for place, words in places.items())
        + f" {WHY} {cause}."
        for (cause, _), places in by_cause.items()
    ]
    slips = dict.fromkeys(f"**{place}**" for place in failing["place"][failing["kind"] == SLIP])
    if slips:
        listed.append(f"{', '.join(slips)}: {SLIPS}")
    return "\n".join(f"- {link}, {one}" for one in listed)


def main_claims(claims: pd.DataFrame) -> list[str]:
    """The main claims that hold, with what is told beside them.

    Of one about a stand-in the place is told, too, since it holds of that alone.
    """
    found = []
    for _, claim in claims[(claims["verdict"] == HOLDS) & claims["main"]].iterrows():
        aside = f" ({claim['aside']})" if claim["aside"] else ""
        place = f" ({claim['place']})" if claim["stand_in"] else ""
        found.append(f"{claim['printed']}{aside}{place}")
    return found


def _together(words: list[str]) -> str:
    """Claims in one line; what all say before their last colon is said once."""
    parts = [one.rpartition(": ") for one in words]
    common = {before + colon for before, colon, _ in parts}
    if len(common) > 1:
        return "; ".join(words)
    return common.pop() + "; ".join(own for *_, own in parts)
