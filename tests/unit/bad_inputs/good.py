"""Good files and command lines, from which the bad ones are made by one mistake each."""

import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from unit.bad_inputs.case import Content

VOTES = "item,annotator,label\n" + "".join(
    f"i{item},R{rater},{int((item + rater * (item % 2)) % 3 == 0)}\n"
    for item in range(1, 9)
    for rater in (1, 2, 3)
)
"""Votes of three annotators on eight items."""
COUNTS = "item,votes_positive,votes_total\n" + "".join(f"i{k},{k % 4},3\n" for k in range(1, 9))
WIDE = "item,vote_R1,vote_R2,vote_R3\n" + "".join(
    f"i{k},{k % 2},{int(k % 3 == 0)},{int(k > 4)}\n" for k in range(1, 9)
)
GOLD = "item,gold\n" + "".join(f"i{k},{int(k % 3 == 0)}\n" for k in range(1, 8))
SCORES = "item,score_large,score_small\n" + "".join(
    f"i{k},{(k * 7 % 9) / 10},{(k * 5 % 8) / 10}\n" for k in range(1, 9)
)
STUDY: Mapping[str, Content] = {"votes.csv": VOTES, "gold.csv": GOLD, "scores.csv": SCORES}
FILES = tuple(STUDY)

MODEL: Mapping[str, Any] = {
    "format": "crowdgold labelling model",
    "version": 1,
    "about": ["an example"],
    "made": {},
    "categories": ["0", "1"],
    "prevalence": [0.7, 0.3],
    "confusion": "annotator",
    "fallback": [[0.8, 0.2], [0.2, 0.8]],
    "matrices": {"R1": [[0.9, 0.1], [0.2, 0.8]], "R2": [[0.7, 0.3], [0.4, 0.6]]},
}
"""A labelling model, as JSON."""
ROWS = "item,annotator,label\na,R1,0\nb,R2,1\na,R2,0\nb,R1,1\n"
"""A stream of labels for it."""
VALIDATION = "item,annotator,label,truth\n" + "".join(
    f"i{k},R{r},{(k + r * (k % 3 == 0)) % 2},{k % 2}\n" for k in range(6) for r in (1, 2)
)
GUESSES = {"prevalence": "0.2", "tpr": "0.75", "tnr": "0.9"}

LINES: Mapping[str, tuple[Sequence[str], Mapping[str, Content]]] = {
    "check": (FILES, STUDY),
    "evaluate": ((*FILES, "--out", "mine", "--no-models"), STUDY),
    "plan": (
        (*(part for own in GUESSES.items() for part in (f"--{own[0]}", own[1])), "--width", "0.1"),
        {},
    ),
    "fit-labelling": (("votes.csv", "-o", "model.json"), {"votes.csv": VOTES}),
    "correct-rate": (("645/1000", "--positives", "180/200", "--negatives", "190/200"), {}),
    "confidence": (("model.json", "rows.csv"), {"model.json": json.dumps(MODEL), "rows.csv": ROWS}),
    "labelling-threshold": (
        ("model.json", "validation.csv", "--accuracy", "0.5"),
        {"model.json": json.dumps(MODEL), "validation.csv": VALIDATION},
    ),
    "report": (("mine",), {}),
    "trace": (("figure.svg",), {}),
}  # fmt: skip
"""Command -> a good command line, and its files (report and trace: none yet)."""
PILOT = ("--pilot", *FILES, "--model", "large", "--width", "0.1")


def model_with(**changes: Any) -> str:
    """The model's file with other values; a key whose value is `...` is left out."""
    held = {**MODEL, **changes}
    return json.dumps({key: value for key, value in held.items() if value is not ...})


def changed(command: str, option: str, value: str | None) -> list[str]:
    """A good command line with another value of an option, or the option alone at its end."""
    line = list(LINES[command][0])
    if option in line:
        place = line.index(option)
        del line[place : place + 2]
    return [*line, option] if value is None else [*line, f"{option}={value}"]


def parquet(frame: Mapping[str, Any]) -> Callable[[Path], None]:
    """What makes a Parquet file."""
    return lambda path: pd.DataFrame(frame).to_parquet(path)


def workbook(*rows: Sequence[Any]) -> Callable[[Path], None]:
    """What makes a workbook with one sheet."""

    def make(path: Path) -> None:
        from openpyxl import Workbook

        book = Workbook()
        for row in rows:
            book.active.append(list(row))
        book.save(path)

    return make


def cut(make: Callable[[Path], None]) -> Callable[[Path], None]:
    """What makes the first half of a file."""

    def half(path: Path) -> None:
        make(path)
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])

    return half


def records(text: str) -> str:
    """A CSV table as JSON lines."""
    found: str = pd.read_csv(io.StringIO(text)).to_json(orient="records", lines=True)
    return found
