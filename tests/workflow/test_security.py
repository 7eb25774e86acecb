"""Nothing from outside is run: no pickle, no unsafe YAML, no eval, no shell with a user's text.

Ruff searches all code, under whatever name something was imported.
"""

import re

import pytest

from .conftest import ROOT, UV, ended

CODE = [ROOT / part for part in ("src", "scripts", "benchmarks")]
RULES = [ROOT / "Snakefile", ROOT / "workflow/Snakefile"]
RULES += sorted((ROOT / "workflow/rules").glob("*.smk"))
OWN = {
    # Lines of the repository's own templates, when a developer makes the pages of docs/how-to.
    "src/crowdgold/claims/how_to.py": {"S102", "S307"},
    # Markdown of the repository's own templates and results, which is not to be escaped.
    "src/crowdgold/claims/pages.py": {"S701"},
    "src/crowdgold/claims/claims.py": {"jinja2.nativetypes.NativeEnvironment"},
    # The only place where archives are opened: it looks at every member first.
    "src/crowdgold/system/archives.py": {"gzip.open", "zipfile.ZipFile"},
}
"""What may be read or run because it does not come from outside."""
BANNED = """
dill cloudpickle joblib shelve marshal pickle.load pickle.loads pickle.Unpickler pandas.read_pickle
pandas.read_hdf torch.load numpy.load numpy.lib.format.read_array os.system os.popen
subprocess.getoutput subprocess.getstatusoutput asyncio.create_subprocess_shell pty.spawn
tempfile.mktemp yaml.unsafe_load yaml.unsafe_load_all yaml.full_load yaml.full_load_all
zipfile.ZipFile tarfile.open tarfile.TarFile gzip.open gzip.GzipFile gzip.decompress bz2 lzma
shutil.unpack_archive jinja2.nativetypes.NativeEnvironment
""".split()  # noqa: SIM905
UNSAFE = re.compile(
    r"\b(?:allow_pickle|shell)=(?!False\b)|\bautoescape=(?!True\b)"
    r"|= (?:exec|eval|compile|__import__)$|(?<![.\w])(?:compile|__import__)\(",
    re.MULTILINE,
)
FOUND = re.compile(r"^(.+?):(\d+):\d+: (\w+) (?:`([\w.]+)` is banned)?", re.MULTILINE)


def dangers(folder, *paths):
    """(file, line) -> what reads a pickle, runs a text, starts a shell or unpacks there."""
    own = "".join(f'"{name}".msg = ""\n' for name in BANNED)
    (folder / "ruff.toml").write_text(
        '[lint]\nselect = ["TID251", "S102", "S307", "S506", "S602", "S604", "S605", "S701"]\n'
        f"[lint.flake8-tidy-imports.banned-api]\n{own}"
    )
    asked = ["check", "--no-cache", "--ignore-noqa", "--output-format", "concise", *paths]
    said = ended(UV.with_name("ruff"), *asked, "--config", folder / "ruff.toml", cwd=ROOT)
    assert said.returncode in (0, 1), said.stderr
    found = {}
    for name, line, rule, banned in FOUND.findall(said.stdout):
        found.setdefault((name, int(line)), set()).add(banned or rule)
    return found


def test_no_code_runs_what_comes_from_outside(tmp_path):
    found, texts = {}, {}
    for (name, line), what in dangers(tmp_path, *CODE).items():
        texts.setdefault(name, (ROOT / name).read_text().splitlines())
        harmless = {"numpy.load"} if "allow_pickle=False" in texts[name][line - 1] else set()
        if what - harmless:
            found[name] = found.get(name, set()) | what - harmless
    assert found == OWN
    files = [path for folder in CODE for path in folder.rglob("*.py")]
    assert [path for path in files if UNSAFE.search(path.read_text(encoding="utf-8"))] == []


HARM = """
import pickle; pickle.load(file)
import joblib; joblib.load(path)
import pandas as pd; pd.read_pickle(path)
import numpy as np; np.load(path)
import yaml; yaml.load(text)
import yaml; yaml.load(text, Loader=yaml.Loader)
eval(text)
import os; os.system(text)
import subprocess; subprocess.run(text, shell=True)
import tempfile; tempfile.mktemp()
import zipfile; zipfile.ZipFile(path).extractall()
import jinja2; jinja2.Environment(loader=loader)
from pickle import loads as read; read(text)
from yaml import unsafe_load; unsafe_load(text)
from tarfile import open as unpack; unpack(path)
from jinja2 import Environment; Environment(autoescape=False)
"""
HARMLESS = """
import pickle; key = pickle.dumps(values)
import yaml; yaml.safe_load(text); yaml.load(text, Loader=yaml.CSafeLoader)
import re; re.compile(text); model.eval()
import subprocess; subprocess.run(['ls', text], shell=False)
"""


def test_the_search_finds_what_would_run_it_and_passes_over_what_is_harmless(tmp_path):
    (tmp_path / "code.py").write_text(HARM + HARMLESS)
    found = {line for _, line in dangers(tmp_path, tmp_path / "code.py")}
    assert found == set(range(2, len(HARM.splitlines()) + 1))
    for code in (
        "f(path, allow_pickle=True)", "f(path, allow_pickle=asked)", "Popen(text, shell=wanted)",
        "f(autoescape=False)", "x = 1\nrun = exec\n", "x = compile(text)",
    ):  # fmt: skip
        assert UNSAFE.search(code), code
    assert not UNSAFE.search("f(allow_pickle=False, autoescape=True)")
    assert not UNSAFE.search(HARMLESS)


SHELL = re.compile(r"^( +)shell:\n((?:\1    .*\n)+)", re.MULTILINE)
FIELD = re.compile(r"(?<!{){([^{}]*)}(?!})")


def unquoted(text):
    """The fields of the shell commands of a rule file that are not quoted for the shell."""
    fields = [field for _, command in SHELL.findall(text) for field in FIELD.findall(command)]
    return [field for field in fields if not field.endswith(":q") and field != "threads"]


def test_a_rule_quotes_what_it_hands_to_a_shell():
    for path in RULES:
        text = path.read_text()
        assert unquoted(text) == [], path
        assert text.count("shell:") == len(SHELL.findall(text)), f"another form of shell in {path}"
        assert not re.search(r"\b(eval|exec)\(|shell=True|yaml\.load\(|\bos\.system\b", text), path


@pytest.mark.parametrize("indented", ["", "    "], ids=["a rule", "a rule in a loop"])
def test_the_search_for_unquoted_fields_finds_them(indented):
    rule = ["rule a:", "    shell:", '        "cp {input} {output:q} {{x}} -t {threads}"', ""]
    assert unquoted("\n".join(indented + line if line else "" for line in rule)) == ["input"]


def test_no_template_lets_a_text_through_unescaped():
    texts = {path: path.read_text() for path in (ROOT / "src").rglob("*.html")}
    assert [path for path, t in texts.items() if re.search(r"\|\s*safe\b|autoescape", t)] == []
