"""Who may import whom, and no random numbers but those of a generator with a seed."""

import ast
import re

import pytest

from crowdgold.record.imports import direct_imports, module_file, package_root

from .conftest import ROOT

ROOMS = (
    "types", "system", "reading", "datasets", "metrics", "models", "simulate", "inference",
    "methods", "record", "experiment", "claims", "plots", "checking", "evaluation", "presentation",
    "planning", "papers", "cli", "notebook",
)  # fmt: skip
"""The rooms from above to below; each may import those above it."""
APART = {"papers": {"checking", "evaluation", "presentation"}, "cli": {"papers"}}
APART["notebook"] = APART["cli"]  # Room -> those above it that it does without all the same
DOORS = {"door", "json_shapes", "outputs", "study", "tables"}
"""Modules of `reading` that other rooms import."""

MODULES = sorted(package_root().rglob("*.py"))
CODE = [*MODULES, *(ROOT / "scripts").glob("*.py"), *(ROOT / "benchmarks").glob("*.py")]
SEEDED = {"Generator", "SeedSequence", "PCG64", "BitGenerator", "RandomState", "default_rng"}
MAKERS = ("default_rng", "RandomState")


def module_name(path):
    parts = path.relative_to(package_root().parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def misplaced(name, imports):
    """The imports of a module that lead below its room, into another paper, or past a door."""
    _, own, inside, *_ = [*name.split("."), "", ""]
    for module in imports:
        _, room, part, *_ = [*module.split("."), "", ""]
        if not room:
            continue
        if room == own:
            wrong = room == "papers" and part not in ("", inside)
        else:
            below = not own or ROOMS.index(room) > ROOMS.index(own)
            wrong = below or room in APART.get(own, ()) or (room == "reading" and part not in DOORS)
        if wrong:
            yield module


def test_a_room_imports_only_those_above_it():
    """And every folder is a room, every import of the package is resolved."""
    root, found, lost = package_root(), {}, []
    for path in MODULES:
        imports = direct_imports(path, name := module_name(path), root)
        lost += [(name, one) for one in imports if not module_file(one, root)]
        if wrong := list(misplaced(name, imports)):
            found[name] = wrong
    assert found == {}
    assert lost == []
    folders = {path.relative_to(root).parts[0] for path in MODULES}
    assert folders == {*ROOMS, "__init__.py", "notebook.py"} - {"notebook"}


@pytest.mark.parametrize(
    ("module", "wrong"),
    [
        ("crowdgold.plots.style", "crowdgold.papers.maven.experiments"),
        ("crowdgold.papers.maven.experiments", "crowdgold.papers.clara.experiments"),
        ("crowdgold.papers.maven.experiments", "crowdgold.evaluation.rows"),
        ("crowdgold.presentation.page", "crowdgold.papers.maven.experiments"),
        ("crowdgold.cli.plan", "crowdgold.papers.maven.experiments"),
        ("crowdgold.models.majority", "crowdgold.reading.contents"),
        ("crowdgold", "crowdgold.types.items"),
    ],
)
def test_an_import_from_below_is_found(module, wrong):
    assert list(misplaced(module, ["crowdgold", wrong])) == [wrong]


def test_the_library_knows_no_snakemake():
    imports = re.compile(r"^\s*(?:import|from)\s+snakemake\b", re.MULTILINE)
    assert [path for path in MODULES if imports.search(path.read_text(encoding="utf-8"))] == []
    assert imports.search("def f():\n    from snakemake.cli import main")


def dotted(node):
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def global_random_state(tree):
    """Lines that draw random numbers without a generator whose seed is given."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(alias.name == "random" for alias in node.names):
            yield node.lineno
        if isinstance(node, ast.ImportFrom):
            unseeded = {alias.name for alias in node.names} - SEEDED
            if node.module == "random" or (node.module == "numpy.random" and unseeded):
                yield node.lineno
        if isinstance(node, ast.Attribute):
            module, _, called = dotted(node).partition(".random.")
            if module in ("np", "numpy") and called and called.split(".")[0] not in SEEDED:
                yield node.lineno
        if isinstance(node, ast.Call):
            called = dotted(node.func)
            if called.endswith(MAKERS) and not (node.args or node.keywords):
                yield node.lineno
            if called.endswith(".rvs") and "random_state" not in {k.arg for k in node.keywords}:
                yield node.lineno


def test_no_global_random_state():
    lines = {path: list(global_random_state(tree_of(path))) for path in CODE}
    assert {path: found for path, found in lines.items() if found} == {}


def test_the_search_for_global_random_state_finds_it():
    for code in (
        "import random", "from numpy.random import SeedSequence, rand", "np.random.seed(3)",
        "from numpy.random import default_rng\nrng = default_rng()", "x = np.random.normal()",
        "rng = np.random.default_rng()", "rng = np.random.RandomState()", "norm.rvs(3)",
    ):  # fmt: skip
        assert list(global_random_state(ast.parse(code))), code


def test_a_rule_that_reads_a_users_files_runs_again_where_the_reader_of_a_tool_changed():
    folder = package_root() / "reading/exports"
    readers = {f"crowdgold.reading.exports.{one.stem}" for one in folder.glob("[a-z]*.py")}
    assert {"crowdgold.reading.exports.annotation_tools"} < readers
    found = direct_imports(folder.parent / "sheets.py", "crowdgold.reading.sheets", package_root())
    assert readers <= found
