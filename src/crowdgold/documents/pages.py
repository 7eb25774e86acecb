"""The pages of docs/ whose numbers come from results: which they are, and their making.

`config/pages.yaml` lists them. A page is its template, docs/templates/NAME.md.jinja: Markdown, in
which `{{ ... }}` calls small functions of the page's modules. A template sees

    tables, printed, ...      the page's input files by their names there, read
    maven, ...                its modules by their names there
    claims()                  the table of claims of its study, or of a section of `claims.yaml`
    table(header, rows)       a Markdown table
    with_error(value, error)

and what else the page takes from the configuration, by name.
"""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, StrictUndefined

from crowdgold.documents.claims import claims_file, own_modules, read_claims
from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.documents.verdicts import claim_rows

HEADER = ["where", "printed", "ours", "verdict", "reason"]
Page = Mapping[str, Any]


def read_pages(path: Path) -> dict[str, dict[str, Any]]:
    """The pages by name.

    Args:
        path: `config/pages.yaml`.
    """
    pages: dict[str, dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return pages


def modules_of_page(page: Page) -> list[str]:
    """The modules that a page is made with, which no import statement names."""
    own = own_modules(page["claims"]) if "claims" in page else set()
    return sorted({*page.get("modules", {}).values(), *own})


def files_of_page(page: Page) -> list[Path]:
    """The file of the page's claims, if it has some."""
    return [claims_file(page["claims"])] if "claims" in page else []


def from_configuration(page: Page, config: Mapping[str, Any]) -> dict[str, Any]:
    """What a page takes from the configuration: name -> value.

    Its `config` names for each the path of keys, with dots between them.
    """
    found = {}
    for name, path in page.get("config", {}).items():
        value: Any = config
        for key in path.split("."):
            value = value[key]
        found[name] = value
    return found


def make_page(
    template: str, page: Page, files: Mapping[str, Any], options: Mapping[str, Any]
) -> str:
    """The text of a page.

    Args:
        template: its template's text.
        page: its entry in `config/pages.yaml`.
        files: what its input files hold, by their names; `tables` is experiment -> table.
        options: what it takes from the configuration.
    """
    # Markdown, of our own results: nothing is escaped.
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)  # noqa: S701
    printed = {**files.get("printed", {}), **options}

    def claims(section: str = "") -> str:
        found = read_claims(page["claims"], printed, section)
        return markdown_table(HEADER, claim_rows(found, files["tables"]))

    modules = {name: import_module(module) for name, module in page.get("modules", {}).items()}
    text = environment.from_string(template).render(
        {**files, **options, **modules}, claims=claims, table=markdown_table, with_error=with_error
    )
    return text.rstrip("\n") + "\n"
