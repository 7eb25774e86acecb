"""Numbers and texts that a refactoring must not change: records them, and compares with the record.

`python tests/golden.py record` writes them into tests/golden, and `check` compares with them.
A number that is to change is recorded anew, in a commit that says which and why.

studies    `estimates.csv` and `study.json` of studies of many kinds, by `crowdgold evaluate`
lines      what command lines print, and their exit codes
samplers   what our methods without Stan estimate at a seed
pages      the report of some studies, without its figures, and what a notebook shows
tables     the tables of the smallest scale (with --tables results/tables)

Numbers are compared to nine digits: other processors round otherwise.
"""

import argparse
import contextlib
import hashlib
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np
import pandas as pd

from crowdgold import notebook
from crowdgold.cli import COMMANDS, main
from crowdgold.inference.labels import evaluate
from crowdgold.methods.registry import METHODS, fit
from crowdgold.simulate import simulate
from unit.bad_inputs import controls, counts, formats, options, places, reading, study_files

GOLDEN = Path(__file__).resolve().parent / "golden"
EXPORTS = Path(__file__).resolve().parent / "data/exports"
DIGITS = 9
OF_THE_RUN = ("date", "versions", "seconds", "files", "data", "code", "python")
"""Keys of study.json that differ between days and machines."""
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")
PROGRESS = re.compile(r"^.*; \d+ s so far\n", re.MULTILINE)
"""A line that commands print only on a slow machine."""
Texts = Mapping[str, str]
"""Name -> text."""


def _study(seed: int, n: int = 240, raters: int = 4, models: int = 1) -> dict[str, Any]:
    """Items with true labels, and votes and scores that depend on these."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.35
    votes = truth[:, None] ^ (rng.random((n, raters)) < np.linspace(0.1, 0.3, raters))
    scores = {f"m{k}": rng.normal(1.2 * truth, 1 + 0.2 * k) for k in range(models)}
    return {"item": [f"i{k}" for k in range(n)], "truth": truth, "votes": votes, "scores": scores}


def _write(folder: Path, study: Mapping[str, Any], gold: np.ndarray, more: Texts | None = None,
           **changes: Any) -> list[str]:  # fmt: skip
    """Write votes, gold labels of the items `gold`, scores and other files; returns their names."""
    names = changes.get("raters", [f"R{k}" for k in range(study["votes"].shape[1])])
    item, votes = np.array(study["item"]), study["votes"]
    pd.DataFrame(
        {"item": np.repeat(item, len(names)), "annotator": list(names) * len(item),
         "label": votes.astype(int).ravel()}
    ).to_csv(folder / "votes.csv", index=False)  # fmt: skip
    by_item = {"item": item} | {f"score_{name}": one for name, one in study["scores"].items()}
    pd.DataFrame(by_item).round(6).to_csv(folder / "scores.csv", index=False)
    files = ["votes.csv", "scores.csv"]
    if len(gold):
        labels = {"item": item[gold], "gold": study["truth"][gold].astype(int)}
        labels |= {name: np.asarray(one)[gold] for name, one in changes.get("labels", {}).items()}
        pd.DataFrame(labels).to_csv(folder / "gold.csv", index=False)
        files.append("gold.csv")
    for name, text in (more or {}).items():
        (folder / name).write_text(text, encoding="utf-8")
        files.append(name)
    return files


def _by_item(study: Mapping[str, Any], column: str, values: Any) -> Texts:
    """A file of one more column of the items."""
    table = pd.DataFrame({"item": study["item"], column: values})
    return {f"{column}.csv": table.to_csv(index=False)}


def studies() -> Iterator[tuple[str, Any]]:
    """Each study's name, and the function that writes its files and returns the arguments."""
    first, every = _study(1), np.arange(240)
    order = np.random.default_rng(2).permutation(240)
    six = _study(3, models=6)
    coarse = _study(4)
    coarse["scores"] = {name: np.clip(np.round(one + 2), 1, 5) for name, one in
                        coarse["scores"].items()}  # fmt: skip
    second = first["truth"] ^ (np.random.default_rng(5).random(240) < 0.1)
    third = first["truth"] ^ (np.random.default_rng(6).random(240) < 0.1)
    strata = {"gold_stratum": np.where(every % 3 == 0, "a", "b"),
             "gold_stratum_size": np.where(every % 3 == 0, 80, 160)}  # fmt: skip
    negatives = np.concatenate([np.flatnonzero(~first["truth"])[:40]])
    example = Path(sys.modules["crowdgold"].__file__ or "").parent / "example"  # type: ignore[attr-defined]
    yield "example", lambda _: [str(example / f"{one}.csv") for one in ("votes", "gold", "scores")]
    yield "plain", lambda out: _write(out, first, order[:80])
    yield "20 gold labels", lambda out: _write(out, first, order[:20])
    yield "no gold labels", lambda out: _write(out, first, order[:0])
    yield "gold of one class", lambda out: _write(out, first, negatives)
    yield "six models", lambda out: _write(out, six, order[:80])
    yield "tied scores", lambda out: _write(out, coarse, order[:80])
    stratum = _by_item(first, "stratum", np.where(every % 2, "x", "y"))
    yield "strata", lambda out: _write(out, first, order[:80], stratum)
    weight = _by_item(first, "weight", 1 + every % 5)
    yield "weights", lambda out: _write(out, first, order[:80], weight)
    cluster = _by_item(first, "cluster", every // 4)
    yield "clusters", lambda out: _write(out, first, every[:80], cluster)
    judges = ["gpt-4", "claude", "ann", "bob"]
    yield "judges by name", lambda out: _write(out, first, order[:80], raters=judges)
    experts = {"gold_b": second.astype(int), "gold_c": third.astype(int)}
    yield "several experts", lambda out: _write(out, first, order[:80], labels=experts)
    yield "experts who err", lambda out: [*_write(out, first, order[:80]), "--expert-error", "0.05"]
    yield "gold in strata", lambda out: _write(out, first, order[:80], labels=strata)
    for path in sorted(EXPORTS.iterdir()):
        if path.suffix != ".md":
            yield f"export {path.stem}", lambda _, path=path: [str(path)]


def printed(line: list[str]) -> str:
    """What a command line prints, and its exit code; the machine's folders by fixed words."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(line)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
    text = PROGRESS.sub("", f"{out.getvalue()}{err.getvalue()}exit {code}\n")
    return text.replace(str(Path.cwd()), "HERE").replace(str(EXPORTS.parents[2]), "CHECKOUT")


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as made:
        os.chdir(made)
        try:
            yield Path(made).resolve()
        finally:
            os.chdir(before)


def _comparable(value: Any) -> Any:
    """A value of study.json without the keys `OF_THE_RUN`."""
    if isinstance(value, dict):
        note = "weight" in value
        return {key: _comparable(one) for key, one in value.items()
                if note or key not in OF_THE_RUN}  # fmt: skip
    return [_comparable(one) for one in value] if isinstance(value, list) else value


def of_studies() -> Texts:
    """The answers to each study: the table, what study.json says, and what is printed."""
    found = {}
    for name, write in studies():
        with _folder() as folder:
            line = ["evaluate", *write(folder), "--no-models", "--out", "out"]
            parts = [printed(line)]
            if (folder / "out/estimates.csv").is_file():
                study = json.loads((folder / "out/study.json").read_text(encoding="utf-8"))
                parts += [(folder / "out/estimates.csv").read_text(encoding="utf-8"),
                          json.dumps(_comparable(study), indent=1, sort_keys=True)]  # fmt: skip
            found[name] = "\n".join(parts)
    return found


def of_lines() -> Texts:
    """What `crowdgold` prints: helps, good command lines, and the first bad one of each place."""
    cases = list(controls.CASES)
    for module in (options, counts, formats, reading, places, study_files):
        places_seen = {(case.command, case.where): case for case in reversed(module.CASES)}
        cases += list(places_seen.values())
    found = {}
    for command in ("", *COMMANDS):
        with _folder():
            found[f"{command} --help".strip()] = printed([*filter(None, [command]), "--help"])
    for case in cases:
        with _folder() as folder:
            case.make_files(folder)
            found[case.name] = printed([*filter(None, [case.command]), *case.arguments])
    return found


def of_samplers() -> Texts:
    """What each method estimates from a table of items at a seed; those that need Stan refuse."""
    parameters = {
        "phi": 0.3, "a0": 0.2, "a1": 0.6, "d0": 1.5, "d1": 1.5, "votes_total": 3, "n": 400,
        "n_gold": 80, "predictors": {"A": {"mu": 1.0, "delta": 1.0}, "B": {"mu": 0.5, "delta": 1}},
    }  # fmt: skip
    items = simulate("maven", parameters, np.random.default_rng(8)).table
    metrics = ["prevalence", "TNR_H", "TPR_H", "AUC", "delta_TPR", "accuracy@1", "delta_AUC"]
    found = {}
    for name in METHODS:
        rng = np.random.default_rng(9)
        try:
            fitted = fit(name, items, rng)
            rows = [one.as_row() for one in evaluate(fitted, items, metrics, rng)]
        except Exception as error:  # what a method refuses is kept, too
            found[name] = f"{type(error).__name__}: {error}"
            continue
        found[name] = pd.DataFrame(rows).to_csv(index=False)
    return found


def of_pages() -> Texts:
    """The report of some studies without its figures and its day, and a notebook's table."""
    found, by_name = {}, dict(studies())
    for name in ("example", "no gold labels", "strata"):
        with _folder() as folder:
            files = by_name[name](folder)
            with contextlib.redirect_stderr(io.StringIO()):
                result = notebook.evaluate(notebook.read(*files), models=False, cores=1)
                page = result.report("report.html").read_text(encoding="utf-8")
            page = re.sub(r"<svg.*?</svg>|<style>.*?</style>", "", page, flags=re.DOTALL)
            page = re.sub(r"Evaluated on [0-9-]+|<dt>seconds of work</dt><dd>[0-9.]+", "", page)
            page = re.sub(r'(<td data-head="seconds">)[0-9.]+', r"\1", page)
            found[f"report of {name}"] = page
            found[f"notebook of {name}"] = result._repr_html_()
    return found


def of_tables(folder: Path) -> Texts:
    """A digest of each table of results, without the version of the code and seconds."""
    found = {}
    for path in sorted(folder.glob("*.parquet")):
        table = pd.read_parquet(path).drop(columns=["code_version", "seconds"], errors="ignore")
        found[path.stem] = hashlib.sha256(table.to_csv(index=False).encode()).hexdigest()
    return found


def differences(before: Texts, now: Texts) -> list[str]:
    """Names that are gone or new, and of each text that differs its first such line."""
    found = [f"{name}: gone" for name in before.keys() - now.keys()]
    found += [f"{name}: new" for name in now.keys() - before.keys()]
    for name in sorted(before.keys() & now.keys()):
        old, new = before[name].splitlines(), now[name].splitlines()
        for number, (one, other) in enumerate(zip([*old, ""], [*new, ""], strict=False), 1):
            if _rounded(one) != _rounded(other):
                found.append(f"{name}, line {number}:\n  - {one}\n  + {other}")
                break
        else:
            if len(old) != len(new):
                found.append(f"{name}: {len(old)} lines, now {len(new)}")
    return found


def _rounded(line: str) -> str:
    return NUMBER.sub(lambda number: f"{float(number[0]):.{DIGITS - 1}g}", line)


PARTS = {"studies": of_studies, "lines": of_lines, "samplers": of_samplers, "pages": of_pages}


def run() -> int:
    """Record the parts that the command line asks for, or check them; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("record", "check"))
    parser.add_argument("--part", choices=(*PARTS, "tables"), action="append", default=[])
    parser.add_argument("--tables", type=Path, help="folder of the tables of the smallest scale")
    arguments = parser.parse_args()
    names = arguments.part or PARTS
    parts = {name: make for name, make in PARTS.items() if name in names}
    if arguments.tables:
        parts["tables"] = lambda: of_tables(arguments.tables)
    code = 0
    for name, make in parts.items():
        path, now = GOLDEN / f"{name}.json", make()
        if arguments.what == "record":
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            print(f"{name}: {len(now)} recorded")
            continue
        off = differences(json.loads(path.read_text(encoding="utf-8")), now)
        print("\n".join([f"{name}: {len(off)} of {len(now)} differ", *off]))
        code = code or bool(off)
    return int(code)


if __name__ == "__main__":
    sys.exit(run())
