"""Nothing from outside is run: no pickle, no unsafe YAML, no eval, no shell with a user's text.

The searches are of the syntax trees of all code, under whatever name something was imported.
"""

import ast
import re

import pytest

from .conftest import ROOT

CODE = sorted(
    path for part in ("src", "scripts", "benchmarks") for path in (ROOT / part).rglob("*.py")
)
RULES = [
    ROOT / "Snakefile",
    ROOT / "workflow/Snakefile",
    *sorted((ROOT / "workflow/rules").glob("*.smk")),
]
ARCHIVES = "src/crowdgold/system/archives.py"
"""The only place where archives are opened: it looks at every member first."""

OWN = {
    # Lines of the repository's own templates, when a developer makes the pages of docs/how-to.
    "src/crowdgold/claims/how_to.py": {"exec", "eval"},
    # Markdown of the repository's own templates and results, which is not to be escaped.
    "src/crowdgold/claims/pages.py": {"jinja2.Environment"},
    "src/crowdgold/claims/claims.py": {"jinja2.nativetypes.NativeEnvironment"},
    # What a job of the same run has written into its results folder.
    "src/crowdgold/evaluation/run.py": {"pickle.loads"},
}
"""What may be read or run because it does not come from outside."""

PICKLES = {"dill", "cloudpickle", "joblib", "shelve", "marshal"}
"""Modules that run what they read; of pickle, what reads."""
READERS = {
    "pickle.load", "pickle.loads", "pickle.Unpickler", "pandas.read_pickle", "pandas.read_hdf",
    "torch.load", "numpy.lib.format.read_array",
}  # fmt: skip
RUNNERS = {
    "eval", "exec", "compile", "__import__", "os.system", "os.popen", "subprocess.getoutput",
    "subprocess.getstatusoutput", "asyncio.create_subprocess_shell", "pty.spawn", "tempfile.mktemp",
    "yaml.unsafe_load", "yaml.unsafe_load_all", "yaml.full_load", "yaml.full_load_all",
}  # fmt: skip
UNPACKERS = ("zipfile.", "tarfile.", "gzip.", "bz2.", "lzma.", "shutil.unpack_archive")
ENVIRONMENTS = {"jinja2.Environment", "jinja2.nativetypes.NativeEnvironment"}
ERRORS = {"zipfile.BadZipFile"}
"""Of unpackers' modules, what is caught where numpy's reader finds a damaged file."""


def imported(tree):
    """The name in a module -> what it stands for."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                first = one.name.split(".")[0]
                names[one.asname or first] = one.name if one.asname else first
        if isinstance(node, ast.ImportFrom) and not node.level:
            for one in node.names:
                names[one.asname or one.name] = f"{node.module}.{one.name}"
    return names


def full_name(node, names):
    if isinstance(node, ast.Attribute):
        return f"{full_name(node.value, names)}.{node.attr}"
    return names.get(node.id, node.id) if isinstance(node, ast.Name) else ""


def is_constant(node, value):
    return isinstance(node, ast.Constant) and node.value is value


def dangers_of_a_call(node, names):
    called = full_name(node.func, names)
    given = {one.arg: one.value for one in node.keywords}
    if called in ("yaml.load", "yaml.load_all"):
        loader = given.get("Loader", node.args[1] if len(node.args) > 1 else None)
        if full_name(loader, names).split(".")[-1] not in ("SafeLoader", "CSafeLoader"):
            yield called
    if called == "numpy.load" and "allow_pickle" not in given:
        yield called
    for option, harmless in (("allow_pickle", False), ("shell", False), ("autoescape", True)):
        if option in given and not is_constant(given[option], harmless):
            yield option
    if called in ENVIRONMENTS and "autoescape" not in given:
        yield called


def dangers(tree, archives=False):
    """What reads a pickle, runs a text, starts a shell or unpacks, with its line."""
    names = imported(tree)
    for node in ast.walk(tree):
        found = list(dangers_of_a_call(node, names)) if isinstance(node, ast.Call) else []
        if isinstance(node, ast.Name | ast.Attribute):
            name = full_name(node, names)
            found += [name] if name in READERS | RUNNERS or name.split(".")[0] in PICKLES else []
            unpacks = name.startswith(UNPACKERS) and name not in ERRORS
            found += [name] if unpacks and not archives else []
        yield from (f"line {node.lineno}: {one}" for one in found)


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_code_runs_what_comes_from_outside(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    name = str(path.relative_to(ROOT))
    found = {one.split(": ")[1] for one in dangers(tree, archives=name == ARCHIVES)}
    assert found == OWN.get(name, set())


@pytest.mark.parametrize(
    "code",
    [
        "import pickle\npickle.load(file)",
        "from pickle import loads as read\nread(text)",
        "import joblib\njoblib.load(path)",
        "import pandas as pd\npd.read_pickle(path)",
        "import numpy as np\nnp.load(path)",
        "import numpy as np\nnp.load(path, allow_pickle=True)",
        "import numpy as np\nnp.load(path, allow_pickle=asked)",
        "import yaml\nyaml.load(text)",
        "import yaml\nyaml.load(text, Loader=yaml.Loader)",
        "from yaml import unsafe_load\nunsafe_load(text)",
        "eval(text)",
        "run = exec",
        "import os\nos.system(text)",
        "import subprocess\nsubprocess.run(text, shell=True)",
        "from subprocess import Popen\nPopen(text, shell=wanted)",
        "import tempfile\ntempfile.mktemp()",
        "import zipfile\nzipfile.ZipFile(path).extractall()",
        "from tarfile import open as unpack\nunpack(path)",
        "import jinja2\njinja2.Environment(loader=loader)",
        "from jinja2 import Environment\nEnvironment(autoescape=False)",
    ],
)
def test_the_search_finds_what_would_run_it(code):
    assert list(dangers(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "import pickle\nkey = pickle.dumps(values)",
        "import yaml\nyaml.safe_load(text)\nyaml.load(text, Loader=yaml.CSafeLoader)",
        "import numpy as np\nnp.load(path, allow_pickle=False)",
        "import re\nre.compile(text)\nmodel.eval()",
        "import subprocess\nsubprocess.run(['ls', text], shell=False)",
    ],
)
def test_the_search_passes_over_what_is_harmless(code):
    assert list(dangers(ast.parse(code))) == []


SHELL = re.compile(r"^( +)shell:\n((?:\1    .*\n)+)", re.MULTILINE)
FIELD = re.compile(r"(?<!{){([^{}]*)}(?!})")


def unquoted(text):
    """The fields of the shell commands of a rule file that are not quoted for the shell."""
    fields = [field for _, command in SHELL.findall(text) for field in FIELD.findall(command)]
    return [field for field in fields if not field.endswith(":q") and field != "threads"]


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.name)
def test_a_rule_quotes_what_it_hands_to_a_shell(path):
    text = path.read_text()
    assert unquoted(text) == []
    assert text.count("shell:") == len(SHELL.findall(text)), "a shell command in another form"
    assert not re.search(r"\b(eval|exec)\(|shell=True|yaml\.load\(|\bos\.system\b", text)


@pytest.mark.parametrize("indented", ["", "    "], ids=["a rule", "a rule in a loop"])
def test_the_search_for_unquoted_fields_finds_them(indented):
    rule = ["rule a:", "    shell:", '        "cp {input} {output:q} {{x}} -t {threads}"', ""]
    assert unquoted("\n".join(indented + line if line else "" for line in rule)) == ["input"]


def test_no_template_lets_a_text_through_unescaped():
    for path in (ROOT / "src").rglob("*.html"):
        text = path.read_text()
        assert not re.search(r"\|\s*safe\b|autoescape", text), path
