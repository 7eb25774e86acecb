"""`make matrix`: a quick part of the tests under each Python and Snakemake that is supported.

For each pair an environment is made in .matrix/: the versions of uv.lock, but for
Snakemake and what only it needs, which are its oldest supported version or the newest there is. A
Python that this machine lacks is fetched by uv where the network allows; where not, it is named.

exit codes: 0, all passed; 1, some failed; 2, some Python is absent (0 with --allow-absent).
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".matrix"
PYTHONS = ("3.11", "3.12", "3.13")
OLDEST, NEWEST = "oldest", "newest"
QUICK = (
    # The library: reading, checking, simulating, fitting, metrics, figures, commands.
    "tests/unit/test_items.py",
    "tests/unit/test_annotations.py",
    "tests/unit/test_archives.py",
    "tests/unit/test_imputation.py",
    "tests/unit/test_metrics.py",
    "tests/unit/test_vote_model.py",
    "tests/unit/test_correct_rate.py",
    "tests/unit/test_table_rows.py",
    # A dry run of the whole workflow, and a tiny real one, which must then have nothing to do.
    "tests/workflow/test_limits.py",
    "tests/workflow/test_module.py::test_from_another_folder",
    "tests/workflow/test_reruns.py::test_a_second_run_does_nothing_and_says_so",
)
OWN_TO_SNAKEMAKE = ("snakemake", "pulp", "wrapt", "smart-open", "yte", "dpath", "immutables")
"""Beginnings of the names of packages of which old and new Snakemakes need different versions."""


def say(line: str) -> None:
    print(line, flush=True)


def uv() -> str:
    """The program uv, of the environment that runs this or of the path."""
    beside = Path(sys.executable).with_name("uv")
    return str(beside) if beside.is_file() else shutil.which("uv") or sys.exit("Error: no uv")


def answers(python: str | Path, version: str) -> bool:
    """Whether a program is a Python of this version; a shim of pyenv may run none."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return done.stdout.strip() == version


def interpreter(version: str) -> Path | None:
    """A Python of this version on this machine, or fetched by uv; None where neither is."""
    shelf = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    places = [shutil.which(f"python{version}"), *sorted(shelf.glob(f"{version}.*/bin/python"))]
    for place in filter(None, places):
        if answers(place, version):
            return Path(place)
    fetched = subprocess.run(
        [uv(), "python", "install", "--quiet", version], capture_output=True, check=False
    )
    if fetched.returncode == 0:
        found = subprocess.run(
            [uv(), "python", "find", version], capture_output=True, text=True, check=False
        )
        return Path(found.stdout.strip()) if found.returncode == 0 else None
    return None


def oldest_snakemake() -> str:
    """The oldest supported Snakemake, which pyproject.toml names."""
    found = re.search(r'"snakemake>=([\d.]+),<10"', (ROOT / "pyproject.toml").read_text())
    assert found, "pyproject.toml names snakemake>=9.x,<10"
    parts = found[1].split(".")
    return ".".join([*parts, *["0"] * (3 - len(parts))])


def constraints(folder: Path) -> Path:
    """Write a file of the locked versions, peers' too, without the packages `OWN_TO_SNAKEMAKE`."""
    export = [uv(), "export", "--frozen", "--no-emit-project", "--no-hashes", "--no-annotate"]
    command = [*export, "--extra", "dev", "--extra", "peers"]
    locked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    lines = [line for line in locked.splitlines() if not line.startswith(OWN_TO_SNAKEMAKE)]
    path = folder / "constraints.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


def environment(python: Path, name: str, snakemake: str) -> Path:
    """Make an environment of the name, with its packages; returns its Python."""
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    new_python = folder / "bin/python"
    subprocess.run([uv(), "venv", "--quiet", "--clear", "--python", python, folder], check=True)
    wanted = ["snakemake<10" if snakemake == NEWEST else f"snakemake=={oldest_snakemake()}"]
    wanted += ["pytest", "pytest-xdist", "hypothesis", "ppi-python", "editables", "hatchling"]
    # A peer in tests that has no release for Python 3.11.
    wanted += ["glide-py; python_version >= '3.12'"]
    install = [uv(), "pip", "install", "--quiet", "--python", new_python]
    subprocess.run(
        [*install, "-c", constraints(folder), "-e", f"{ROOT}[workflow]", *wanted], check=True
    )
    return new_python


def run(python: str, snakemake: str, tests: list[str]) -> str:
    """Run the tests under a Python and a Snakemake; returns absent, passed or failed, and how."""
    path = interpreter(python)
    if path is None:
        return "absent"
    try:
        program = environment(path, f"python{python}-{snakemake}", snakemake)
    except subprocess.CalledProcessError as error:
        return f"failed: no environment (exit {error.returncode})"
    version = subprocess.run(
        [program, "-m", "snakemake", "--version"], capture_output=True, text=True, check=False
    ).stdout.strip()
    say(f"== Python {python}, Snakemake {version}: {path}")
    start = time.monotonic()
    pytest = [program, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    single = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    code = subprocess.run(pytest, cwd=ROOT, env=os.environ | single, check=False).returncode
    how = "passed" if code == 0 else f"failed: pytest ended with exit {code}"
    return f"{how} ({version}, {time.monotonic() - start:.0f} s)"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", nargs="+", default=PYTHONS, choices=PYTHONS)
    parser.add_argument(
        "--snakemake", nargs="+", default=(OLDEST, NEWEST), choices=(OLDEST, NEWEST)
    )
    parser.add_argument("--allow-absent", action="store_true", help="an absent Python is no error")
    parser.add_argument("tests", nargs="*", default=QUICK, help="pytest's names of other tests")
    arguments = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    pairs = list(product(arguments.python, arguments.snakemake))
    results = {pair: run(*pair, list(arguments.tests)) for pair in pairs}
    for (python, snakemake), how in results.items():
        say(f"Python {python}, {snakemake} Snakemake: {how}")
    absent = sorted({python for (python, _), how in results.items() if how == "absent"})
    if absent:
        say(
            f"Not tested: Python {', '.join(absent)}: neither here nor fetched (`uv python install`"
            " needs GitHub); install it, or set PYENV_ROOT"
        )
    if any(how.startswith("failed") for how in results.values()):
        return 1
    return 2 if absent and not arguments.allow_absent else 0


if __name__ == "__main__":
    sys.exit(main())
