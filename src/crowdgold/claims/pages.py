"""The pages of docs/ whose numbers come from results: which they are, and their making.

`config/pages.yaml` lists them. A page is its template, docs/templates/NAME.md.jinja: Markdown, in
which `{{ ... }}` calls small functions of the page's modules. A template sees

    tables, printed, ...      the page's input files by their names there, read
    maven, ...                its modules by their names there
    claims()                  the claims of its study, judged, or of a section of `claims.yaml`; of
                              further tables where they are given by name (`verdicts.JudgedClaims`).
                              They are written to docs/claims/NAME.csv, too
    told, judged              the texts and the judged claims of the pages that it tells, by name
    bullets(lines)            a list
    replicates(tables)        the replicates of each of these tables of estimates
    table(header, rows)       a Markdown table
    with_error(value, error)
    picture(name)             the name of a figure, linked where the gallery has its picture

and what else the page takes from the configuration, by name.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, StrictUndefined

from crowdgold.claims.cells import markdown_table, with_error
from crowdgold.claims.claims import claims_file, own_modules, read_claims
from crowdgold.claims.verdicts import JudgedClaims
from crowdgold.experiment import plan
from crowdgold.experiment.configuration import load
from crowdgold.experiment.publication import scale_notes
from crowdgold.experiment.wiring import Drawn, Wildcards

OF_FIGURE = re.compile(r"(.*){(.+)}(.*)")


class Pages:
    """The pages that `config/pages.yaml`, the file, lists; iterating gives their names."""

    def __init__(self, drawn: Drawn, file: Path) -> None:
        self.drawn, self.config = drawn, drawn.config
        self.pages: dict[str, dict[str, Any]] = load(file)
        for page in self.pages.values():
            if "told" in page:  # an anchor may stand for several pages
                named = [[one] if isinstance(one, str) else one for one in page["told"]]
                page["told"] = [one for some in named for one in some]

    def __iter__(self) -> Iterator[str]:
        return iter(self.pages)

    @property
    def with_claims(self) -> list[str]:
        """The names of the pages that judge claims."""
        return [name for name, page in self.pages.items() if "claims" in page]

    def page(self, wildcards: Wildcards) -> Mapping[str, Any]:
        """The page's entry in the list."""
        return self.pages[wildcards.page]

    def files(self, wildcards: Wildcards) -> dict[str, Any]:
        """The files that a page is made of, by the names that its template has for them."""
        files = self._files_of(wildcards.page)
        # What other pages say is read once those that this run writes are written.
        pages = [one for one in self.page(wildcards).get("told", []) if not self.lacks(one)]
        if pages:
            files["told"] = [f"docs/{one}.md" for one in pages]
            if judged := [judged_claims(one) for one in pages if one in self.with_claims]:
                files["judged"] = judged
        return files

    def _files_of(self, name: str) -> dict[str, Any]:
        """The files of a page, without other pages."""
        page = self.pages[name]
        files = {key: self._files(found) for key, found in page.get("files", {}).items()}
        tables = [
            self.drawn.place(one if one.endswith(".parquet") else f"<results>/{plan.table(one)}")
            for one in page.get("tables", [])
        ]
        known = [one for one in page.get("available", []) if one in self.config["experiments"]]
        tables += self.drawn.available_tables(known)
        return {"tables": tables, **files} if tables else files

    def sources(self, name: str) -> list[str]:
        """The files that a page is made of."""
        found = self._files_of(name).values()
        return [one for some in found for one in ([some] if isinstance(some, str) else some)]

    def evidence(self, name: str, target: str) -> Callable[[Wildcards], list[str]]:
        """An input function for what a page is made of, where a target's figures are drawn.

        Not at the smallest scale, whose numbers say nothing.
        """
        written = not self.config["together"]
        return lambda wildcards: (
            self.sources(name) if written and self.drawn.figures(target) else []
        )

    def lacks(self, name: str) -> list[str]:
        """The files of a page that are not there."""
        return [path for path in self.sources(name) if not self.drawn.is_there(path)]

    def ready(self, say: Callable[[str], object]) -> list[str]:
        """The pages of which every file is there; say which stay as they are."""
        lacking = {name: self.lacks(name) for name in self}
        for name, files in lacking.items():
            if files:
                more = f" and {len(files) - 1} more" if len(files) > 1 else ""
                say(f"docs/{name}.md stays as it is: no {files[0]}{more}")
        return [name for name, files in lacking.items() if not files]

    def to_publish(self) -> list[str]:
        """The files of runs that pages and figures are made of, as rules name them."""
        figures = self.config["figures"]
        of_pages = [path for name in self for path in self.sources(name)]
        of_figures = [path for name in figures for path in self.drawn.tables_of(name)(None)]
        start = ("<results>/", "results/")
        return [path for path in [*of_pages, *of_figures] if path.startswith(start)]

    def _files(self, found: str | list[str]) -> str | list[str]:
        """Where files are read, with `{FIGURE}` filled in by the experiments of a figure."""
        if not isinstance(found, str):
            return list(map(self.drawn.place, found))
        matched = OF_FIGURE.fullmatch(found)
        if matched is None:
            return self.drawn.place(found)
        start, name, end = matched.groups()
        names = self.drawn.experiments(name)
        if end.startswith("_verdict"):
            names = [one for one in names if "expect" in self.config["experiments"][one]]
        return [self.drawn.place(f"{start}{one}{end}") for one in names]

    def claims(self, wildcards: Wildcards) -> list[str]:
        """The file of the page's claims, if it has some."""
        page = self.page(wildcards)
        return [os.path.relpath(claims_file(page["claims"]))] if "claims" in page else []

    def modules(self, wildcards: Wildcards) -> list[str]:
        """The modules that a page is made with, which no import statement names."""
        page = self.page(wildcards)
        own = own_modules(page["claims"]) if "claims" in page else set()
        return sorted({*page.get("modules", {}).values(), *own})

    def options(self, wildcards: Wildcards) -> dict[str, Any]:
        """What a page takes from the configuration, by name.

        `scale_of.FIGURE` ends the caption of a figure's picture.
        """
        found: dict[str, Any] = {"scale_of": scale_notes(self.config)}
        for name, path in self.page(wildcards).get("config", {}).items():
            value: Any = self.config
            for key in path.split("."):
                value = value[key]
            found[name] = value
        if self.page(wildcards).get("pictures"):
            there = {one.stem for one in Path("docs/gallery").glob("*.svg")}
            found["gallery"] = sorted(there | set(self.drawn.gallery()))
            found["titles"] = self.drawn.titles()
        return found


def judged_claims(page: str) -> str:
    """The file of the claims that a page judges."""
    return f"docs/claims/{page}.csv"


def bullets(lines: str | Sequence[str]) -> str:
    """A list of Markdown of the lines of a text, or of several."""
    texts = [lines] if isinstance(lines, str) else lines
    return "\n".join(f"- {line}" for text in texts for line in text.splitlines())


def make_page(
    template: str, page: Mapping[str, Any], files: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[str, pd.DataFrame]:
    """The text of a page from its template's text and its entry, and the claims that it judges.

    The entry is that of `config/pages.yaml`. `files` are what its input files hold (`tables`:
    experiment -> table), `options` what it takes from the configuration.
    """
    # Markdown, of our own results: nothing is escaped.
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)  # noqa: S701
    printed = {**files.get("printed", {}), **options}

    judged: list[pd.DataFrame] = []

    def claims(section: str = "", **joined: pd.DataFrame | None) -> JudgedClaims:
        found = read_claims(page["claims"], printed, section)
        known = {name: table for name, table in joined.items() if table is not None}
        tables = {**files.get("tables", {}), **known}
        claims = JudgedClaims([(one, one.judged(tables)) for one in found])
        judged.append(claims.frame)
        return claims

    def replicates(tables: Mapping[str, pd.DataFrame]) -> str:
        sizes = {
            name: table["replicate"].nunique()
            for name, table in tables.items()
            if "replicate" in table and {"method", "policy"} & set(table)
        }
        return ", ".join(f"{name} {size}" for name, size in sizes.items()) or "none"

    def picture(name: str) -> str:
        there = name in options.get("gallery", ())
        return f"[`{name}`](gallery/{name}.svg)" if there else f"`{name}`"

    modules = {name: import_module(module) for name, module in page.get("modules", {}).items()}
    text = environment.from_string(template).render(
        {**files, **options, **modules}, bullets=bullets, claims=claims, picture=picture,
        replicates=replicates, table=markdown_table, with_error=with_error,
    )  # fmt: skip
    page_text = re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n"
    return page_text, pd.concat(judged, ignore_index=True) if judged else pd.DataFrame()
