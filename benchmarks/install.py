"""From nothing to a first answer: seconds and megabytes of an install, by its extras.

Each install has an environment and caches of its own, so that nothing is there before: the wheel is
installed with pip, and `crowdgold evaluate` is run on the bundled example. Its answer is there when
the table's first line is printed. With Stan a CmdStan home is made and models are compiled in that
time. The peer is the whole installation, extra `workflow`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

from crowdgold.record.results import write_csv
from own_study import seconds_to_answer

ROOT = Path(__file__).parents[1]
INSTALLS = {"": True, "stan": True, "stan,report": False, "workflow": False}
"""Extras -> whether a first answer is asked for, too."""
WITHOUT = ("PYTHONPATH", "NUMBA_CACHE_DIR", "CMDSTAN")


def size_of(folder: Path) -> float:
    """MB of all files of a folder."""
    return sum(one.lstat().st_size for one in folder.rglob("*") if one.is_file()) / 1e6


def first_answer(python: Path, folder: Path) -> tuple[float, float]:
    """Seconds to the answer on the bundled example, and to the end, without any cache before."""
    env = {name: value for name, value in os.environ.items() if name not in WITHOUT}
    env |= {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    code = "import crowdgold; print(crowdgold.__path__[0], end='')"
    package = subprocess.check_output([python, "-c", code], env=env, cwd=folder, text=True)
    files = [Path(package) / "example" / f"{name}.csv" for name in ("votes", "gold", "scores")]
    asked = ["crowdgold", "evaluate", *map(str, files), "--out", str(folder / "out")]
    asked[0] = str(python.with_name(asked[0]))
    start = time.perf_counter()
    answered: list[float] = []
    with subprocess.Popen(asked, env=env, cwd=folder, stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        seconds_to_answer(run.stdout, start, answered)
    if run.returncode:
        raise subprocess.CalledProcessError(run.returncode, asked)
    return answered[0], time.perf_counter() - start


def main() -> None:
    """Read the command line, measure each install, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="write the table here as CSV")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", made]
        subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        (wheel,) = folder.glob("*.whl")
        for place, (extras, asks) in enumerate(INSTALLS.items()):
            print(f"installing crowdgold[{extras}] ...", file=sys.stderr, flush=True)
            environment = folder / f"environment{place}"
            python, start = environment / "bin/python", time.perf_counter()
            subprocess.run([sys.executable, "-m", "venv", environment], check=True)
            asked = f"{wheel}[{extras}]" if extras else str(wheel)
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", asked], check=True)
            row: dict[str, float | str] = {"extras": extras, "install": time.perf_counter() - start}
            said = subprocess.check_output([python, "-m", "pip", "list", "--format", "json"])
            names = [one["name"] for one in json.loads(said)]
            row["packages"] = sum(name not in ("pip", "setuptools") for name in names)
            row["MB"] = size_of(environment / "lib")
            if asks:
                home = folder / f"home{place}"
                home.mkdir()
                row["answer"], row["all"] = first_answer(python, home)
                row["cache MB"] = size_of(home / "cache")
            rows.append(row)
    table = pd.DataFrame(rows)
    print(table.round(1).to_string(index=False))
    if arguments.output:
        write_csv(table, arguments.output)


if __name__ == "__main__":
    main()
