"""The library files that a Python file imports, found by walking the import graph.

A rule depends on them, so that editing a module reruns the rules that use it and no others. Nothing
is imported here: the files are parsed. Imports inside functions count too; those under
`if TYPE_CHECKING:` do not, since they have no effect when the program runs. A package that looks
for its own modules (`iter_modules(__path__)`) imports them all.
"""

import ast
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path

from crowdgold.record.seals import file_hash

PACKAGE = "crowdgold"


def package_root() -> Path:
    """The folder of the installed package."""
    return Path(__file__).resolve().parents[1]


def module_file(module: str, root: Path) -> Path | None:
    """The file of a module of the package, None where there is no such module."""
    path = root.parent.joinpath(*module.split("."))
    for file in (path / "__init__.py", path.with_suffix(".py")):
        if file.is_file():
            return file
    return None


def _statements(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield node
    children: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        children = node.orelse
    for child in children:
        yield from _statements(child)


def _with_parents(module: str) -> list[str]:
    return list(accumulate(module.split("."), "{}.{}".format))


@cache
def direct_imports(file: Path, module: str, root: Path) -> frozenset[str]:
    """The modules of the package that one file imports, their parents among them.

    `module` is the file's dotted name, anything for a script; `root` the package's folder.
    """
    tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
    looks = (ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Call))
    named: set[str] = set()
    if any(call.startswith("pkgutil.iter_modules(__path__") for call in looks):
        named.update(f"{module}.{one.stem}" for one in file.parent.glob("*.py"))
    for statement in _statements(tree):
        if isinstance(statement, ast.Import):
            named.update(alias.name for alias in statement.names)
            continue
        base = [statement.module] if statement.module else []
        if statement.level:
            parts = module.split(".")
            base = parts[: len(parts) - statement.level + (file.name == "__init__.py")] + base
        named.add(".".join(base))
        named.update(".".join([*base, alias.name]) for alias in statement.names)
    inside = {name for name in named if name.split(".")[0] == root.name}
    found = {parent for name in inside for parent in _with_parents(name)}
    return frozenset(name for name in found if module_file(name, root))


def imported_modules(
    start: Path,
    also: Collection[str] = (),
    without: Collection[str] = (),
    registries: Collection[str] = (),
    root: Path | None = None,
) -> set[str]:
    """The modules of the package that a file imports, directly or not, and those that others do
    that are `also` walked.

    Registries import many others only to list them by name; from these the walk does not enter
    those that the job does `without`.
    """
    root = root or package_root()
    found: set[str] = set()
    waiting = [*direct_imports(start, "", root), *also]
    # A folder of modules may have no file of its own.
    waiting += [one for name in also for one in _with_parents(name) if module_file(one, root)]
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        found.add(module)
        file = module_file(module, root)
        if file is None:
            raise ValueError(f"no module {module} in {root}")
        imports = direct_imports(file, module, root)
        waiting += imports - set(without) if module in registries else imports
    return found


def library_files(
    start: Path,
    also: Collection[str] = (),
    without: Collection[str] = (),
    registries: Collection[str] = (),
) -> list[Path]:
    """The file itself and the library files that it imports, sorted; else as `imported_modules`."""
    modules = imported_modules(start, also, without, registries)
    files = (module_file(module, package_root()) for module in modules)
    return [start, *sorted({*filter(None, files)})]


def named_hashes(files: Iterable[Path]) -> dict[str, str]:
    """The name of each file -> a hash of what it holds now.

    Names are those of a checkout, without the folder `src`: `crowdgold/models/majority.py`.
    """
    found = {}
    for file in files:
        whole = file.resolve()
        inside = whole.is_relative_to(package_root().parent)
        folder = package_root().parent if inside else whole.parents[1]
        found[whole.relative_to(folder).as_posix()] = code_hash(file)
    return dict(sorted(found.items()))


@cache
def code_hash(file: Path) -> str:
    """A hash of what a file of code holds; once for a process, as what it imports is."""
    return file_hash(file)[:16]
