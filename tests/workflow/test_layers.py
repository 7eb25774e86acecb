"""Who may import whom, and no random numbers but those of a generator with a seed."""

import ast

import pytest

from crowdgold.record.imports import direct_imports, module_file, package_root

from .conftest import ROOT

ROOMS = (
    "found", "assets", "archives", "temporary", "extras", "toolchain", "data", "kernels",
    "declared", "given", "simulate", "models", "metrics", "inference", "methods", "evaluation",
    "sampling", "plotting", "documents", "experiments", "arena", "studies", "own", "commands",
    "notebook",
)  # fmt: skip
"""The rooms from above to below; each may import those above it."""
APART = {"own": {"experiments", "studies"}}
"""Room -> those above it that it does without all the same."""

MODULES = sorted(package_root().rglob("*.py"))
CODE = [
    *MODULES,
    *sorted((ROOT / "scripts").glob("*.py")),
    *sorted((ROOT / "benchmarks").glob("*.py")),
]
SEEDED = {"Generator", "SeedSequence", "PCG64", "BitGenerator", "RandomState", "default_rng"}
MAKERS = ("default_rng", "RandomState")


def module_name(path):
    parts = path.relative_to(package_root().parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def misplaced(name, imports):
    """The imports of a module that lead to a room below its own, or into another study."""
    _, own, *inside = [*name.split("."), ""]
    for module in imports:
        _, room, *rest = [*module.split("."), ""]
        if room and room == own:
            apart = room == "studies" and rest[:1] != [""] and rest[:1] != inside[:1]
        else:
            apart = room in APART.get(own, ()) or (
                room != "" and (not own or ROOMS.index(room) > ROOMS.index(own))
            )
        if apart:
            yield module


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_a_room_imports_only_those_above_it(path):
    name = module_name(path)
    assert not list(misplaced(name, direct_imports(path, name, package_root())))


@pytest.mark.parametrize(
    ("module", "wrong"),
    [
        ("crowdgold.plots.style", "crowdgold.papers.maven.experiments"),
        ("crowdgold.plots.style", "crowdgold.papers.arena.plots"),
        ("crowdgold.papers.maven.experiments", "crowdgold.papers.clara.experiments"),
        ("crowdgold.presentation.page", "crowdgold.papers.maven.experiments"),
        ("crowdgold", "crowdgold.data"),
    ],
)
def test_an_import_from_below_is_found(module, wrong):
    assert list(misplaced(module, ["crowdgold", wrong])) == [wrong]


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_the_library_knows_no_snakemake(path):
    for node in ast.walk(tree_of(path)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        assert not any(name.split(".")[0] == "snakemake" for name in names)


def dotted(node):
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def global_random_state(tree):
    """Lines that draw random numbers without a generator whose seed is given."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(alias.name == "random" for alias in node.names):
            yield node.lineno
        if isinstance(node, ast.ImportFrom) and node.module in ("random", "numpy.random"):
            yield node.lineno
        if isinstance(node, ast.Attribute):
            name = dotted(node)
            if (
                name.startswith(("np.random.", "numpy.random."))
                and name.split(".")[2] not in SEEDED
            ):
                yield node.lineno
        if isinstance(node, ast.Call):
            called = dotted(node.func)
            if called.endswith(MAKERS) and not (node.args or node.keywords):
                yield node.lineno
            if called.endswith(".rvs") and "random_state" not in {k.arg for k in node.keywords}:
                yield node.lineno


@pytest.mark.parametrize("path", CODE, ids=lambda path: path.name)
def test_no_global_random_state(path):
    assert list(global_random_state(tree_of(path))) == []


@pytest.mark.parametrize(
    "code",
    [
        "import random",
        "from numpy.random import rand",
        "np.random.seed(3)",
        "x = np.random.normal()",
        "rng = np.random.default_rng()",
        "rng = np.random.RandomState()",
        "norm.rvs(3)",
    ],
)
def test_the_search_for_global_random_state_finds_it(code):
    assert list(global_random_state(ast.parse(code)))


def test_every_import_of_the_package_is_resolved():
    for path in MODULES:
        for module in direct_imports(path, module_name(path), package_root()):
            assert module_file(module, package_root())


def test_a_package_that_looks_for_its_modules_imports_them_all():
    """A rule that reads a user's files runs again where the reader of one tool's changed."""
    folder = package_root() / "data/own/exports"
    readers = {f"crowdgold.reading.exports.{one.stem}" for one in folder.glob("[a-z]*.py")}
    assert len(readers) > 5
    found = direct_imports(folder / "__init__.py", "crowdgold.reading.exports", package_root())
    assert readers <= found
