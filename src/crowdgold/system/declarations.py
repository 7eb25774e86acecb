"""Generators, computations and plots by name, from what the library's files declare.

A file that holds `X = Computation("NAME", ...)` at its top level offers that computation; no list
names it. Files are read and not imported, so that a job loads what it uses and no more.
"""

import ast
import importlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]  # The folder of the package
KINDS = {"simulator": "Generator", "computation": "Computation", "plot": "Plot"}
"""Kind, as configurations name it -> the class of what is declared."""


def _declarations(code: str, class_name: str) -> Iterator[tuple[str, str]]:
    """The name of each object of a class that a file declares, and the variable that holds it."""
    if f" = {class_name}(" not in code:
        return
    for node in ast.parse(code).body:
        match node:
            case ast.Assign(
                targets=[variable, *_], value=ast.Call(func=ast.Name(id=called)) as call
            ):
                pass
            case ast.AnnAssign(target=variable, value=ast.Call(func=ast.Name(id=called)) as call):
                pass
            case _:
                continue
        if called != class_name:
            continue
        given = [*call.args[:1], *(one.value for one in call.keywords if one.arg == "name")]
        match given:
            case [ast.Constant(value=str(name)), *_]:
                yield name, ast.unparse(variable)
            case _:
                found = ast.unparse(given[0]) if given else "nothing"
                raise ValueError(
                    f"line {call.lineno}: {class_name}(...) declares {found}, expected its name "
                    f'as a text, as {class_name}("my_name", ...)'
                )


@cache
def declared(kind: str) -> Mapping[str, tuple[str, str]]:
    """Name -> the module that declares it, and the variable there.

    A `ValueError` names what two files declare, or what cannot be read off a file's text.
    """
    found: dict[str, tuple[str, str]] = {}
    for file in sorted(ROOT.rglob("*.py")):
        try:
            declarations = list(_declarations(file.read_text(encoding="utf-8"), KINDS[kind]))
        except (ValueError, SyntaxError) as error:
            raise ValueError(f"{file}: {error}") from None
        module = ".".join(file.relative_to(ROOT.parent).with_suffix("").parts)
        for name, variable in declarations:
            if name in found:
                raise ValueError(f"{kind} {name!r}: declared in {found[name][0]} and in {module}")
            found[name] = (module, variable)
    return found


def load(kind: str, name: str) -> Any:
    """The `Generator`, `Computation` or `Plot` that a file declares under a name."""
    module, variable = declared(kind)[name]
    return getattr(importlib.import_module(module), variable)
