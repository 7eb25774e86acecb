"""The pages of docs/ as the rule that writes them sees them: files, modules, options of each."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crowdgold.documents.claims import claims_file, own_modules
from crowdgold.experiments import plan
from crowdgold.experiments.configuration import load
from crowdgold.experiments.wiring.drawn import Drawn
from crowdgold.experiments.wiring.jobs import Wildcards

OF_FIGURE = re.compile(r"(.*){(.+)}(.*)")


class Pages:
    """The pages that `config/pages.yaml` lists; iterating gives their names.

    Args:
        drawn: the configuration's figures.
        file: the list.
    """

    def __init__(self, drawn: Drawn, file: Path) -> None:
        self.drawn, self.config = drawn, drawn.config
        self.pages: Mapping[str, Mapping[str, Any]] = load(file)

    def __iter__(self) -> Iterator[str]:
        return iter(self.pages)

    def of_target(self, target: str) -> list[str]:
        """The pages that a target makes."""
        return [name for name in self if self.pages[name].get("target", "docs") == target]

    def page(self, wildcards: Wildcards) -> Mapping[str, Any]:
        """The page's entry in the list."""
        return self.pages[wildcards.page]

    def files(self, wildcards: Wildcards) -> dict[str, Any]:
        """The files that a page is made of, by the names that its template has for them."""
        page = self.page(wildcards)
        files = {name: self._files(found) for name, found in page.get("files", {}).items()}
        # Those of other targets, which may cost hours, are read as they stand.
        own = self.of_target(page.get("target", "docs"))
        if told := [f"docs/{one}.md" for one in page.get("told", []) if one in own]:
            files["told"] = told
        tables = [
            one if one.endswith(".parquet") else f"<results>/tables/{one}.parquet"
            for one in page.get("tables", [])
        ]
        known = [one for one in page.get("available", []) if one in self.config["experiments"]]
        tables += self.drawn.available_tables(
            [one for one in known if plan.can_run(self.config, one)]
        )
        return {"tables": tables, **files} if tables else files

    def _files(self, found: str | list[str]) -> str | list[str]:
        """Files with `{FIGURE}` filled in by the experiments of a figure."""
        matched = OF_FIGURE.fullmatch(found) if isinstance(found, str) else None
        if matched is None:
            return found
        start, name, end = matched.groups()
        names = self.drawn.experiments(name)
        if end.startswith("_verdict"):
            names = [one for one in names if "expect" in self.config["experiments"][one]]
        return [f"{start}{one}{end}" for one in names]

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
        """What a page takes from the configuration, by name."""
        found = {}
        for name, path in self.page(wildcards).get("config", {}).items():
            value: Any = self.config
            for key in path.split("."):
                value = value[key]
            found[name] = value
        return found
