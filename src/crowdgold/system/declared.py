"""What the library's files declare: generators, checks and plots, each in a file of its own.

A file that holds `X = Check("NAME", ...)` at its top level offers a check of that name; no list
names it. Files are read and not imported, so that a job loads what it uses and no more.
"""

import ast
import importlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
"""The folder of the package."""
KINDS = {"simulator": "Generator", "check": "Check", "plot": "Plot"}
"""Kind, as configurations name it -> the class of what is declared."""


def _declarations(code: str, made: str) -> Iterator[tuple[str, str]]:
    """The name of each thing of a class that a file declares, and the variable that holds it."""
    if f" = {made}(" not in code:
        return
    for node in ast.parse(code).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
            call = node.value
            variable = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            if isinstance(call.func, ast.Name) and call.func.id == made:
                yield _name(call, made), ast.unparse(variable)


def _name(call: ast.Call, made: str) -> str:
    """The name under which a call declares, its first argument or `name`."""
    given = [*call.args[:1], *(one.value for one in call.keywords if one.arg == "name")]
    if not given or not isinstance(given[0], ast.Constant) or not isinstance(given[0].value, str):
        found = ast.unparse(given[0]) if given else "nothing"
        raise ValueError(
            f"line {call.lineno}: {made}(...) declares {found}, expected its name as a text, "
            f'as {made}("my_name", ...)'
        )
    return given[0].value


@cache
def declared(kind: str) -> Mapping[str, tuple[str, str]]:
    """Name -> the module that declares it, and the variable there.

    Raises:
        ValueError: where two files declare one name, or one that cannot be read off its text.
    """
    found: dict[str, tuple[str, str]] = {}
    for file in sorted(ROOT.rglob("*.py")):
        try:
            own = list(_declarations(file.read_text(encoding="utf-8"), KINDS[kind]))
        except (ValueError, SyntaxError) as error:
            raise ValueError(f"{file}: {error}") from None
        for name, variable in own:
            module = ".".join(file.relative_to(ROOT.parent).with_suffix("").parts)
            if name in found:
                raise ValueError(f"{kind} {name!r}: declared in {found[name][0]} and in {module}")
            found[name] = (module, variable)
    return found


def load(kind: str, name: str) -> Any:
    """What a file declares under a name: its `Generator`, `Check` or `Plot`.

    Raises:
        KeyError: where there is none.
    """
    module, variable = declared(kind)[name]
    return getattr(importlib.import_module(module), variable)
