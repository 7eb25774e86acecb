"""The pages of docs/ whose numbers come from results: which they are, and their making.

`config/pages.yaml` lists them. A page is its template, docs/templates/NAME.md.jinja: Markdown, in
which `{{ ... }}` calls small functions of the page's modules. A template sees

    tables, printed, ...      the page's input files by their names there, read
    maven, ...                its modules by their names there
    claims()                  the claims of its study, judged, or of a section of `claims.yaml`; of
                              further tables where they are given by name (`verdicts.JudgedClaims`)
    bullets(lines)            a list
    replicates(tables)        the replicates of each of these tables of estimates
    table(header, rows)       a Markdown table
    with_error(value, error)
    picture(name)             the name of a figure, linked where the gallery has its picture

and what else the page takes from the configuration, by name.
"""

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import pandas as pd
from jinja2 import Environment, StrictUndefined

from crowdgold.documents.claims import read_claims
from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.documents.verdicts import JudgedClaims

Page = Mapping[str, Any]


def bullets(lines: str | Sequence[str]) -> str:
    """A list of Markdown of the lines of a text, or of several."""
    texts = [lines] if isinstance(lines, str) else lines
    return "\n".join(f"- {line}" for text in texts for line in text.splitlines())


def make_page(
    template: str, page: Page, files: Mapping[str, Any], options: Mapping[str, Any]
) -> str:
    """The text of a page.

    Args:
        template: its template's text.
        page: its entry in `config/pages.yaml`.
        files: what its input files hold, by their names; `tables` is experiment -> table.
        options: what it takes from the configuration; the names of the pictures of the `gallery`.
    """
    # Markdown, of our own results: nothing is escaped.
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)  # noqa: S701
    printed = {**files.get("printed", {}), **options}

    def claims(section: str = "", **joined: pd.DataFrame | None) -> JudgedClaims:
        found = read_claims(page["claims"], printed, section)
        known = {name: table for name, table in joined.items() if table is not None}
        tables = {**files.get("tables", {}), **known}
        return JudgedClaims([(one, one.judged(tables)) for one in found])

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
        {**files, **options, **modules},
        bullets=bullets,
        claims=claims,
        picture=picture,
        replicates=replicates,
        table=markdown_table,
        with_error=with_error,
    )
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n"
