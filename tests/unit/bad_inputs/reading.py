"""Files that say less, or something else, than they seem to: good tables one by one."""

from collections.abc import Iterator, Mapping

from unit.bad_inputs.case import Case, Content

ITEMS = [f"img{k:02d}.jpg" for k in range(40)]
RATERS = ("R1", "R2", "R3")
"""Not all of them agree on any item but every fifth."""


def _label(item: int, rater: int) -> int:
    return int((item * 7 + rater * (item % 5 > 0)) % 3 == 0)


def _votes(names: Mapping[str, str] | None = None, words: tuple[str, str] = ("0", "1")) -> str:
    own = names or {}
    return "item,annotator,label\n" + "".join(
        f"{own.get(item, item)},{who},{words[_label(k, j)]}\n"
        for k, item in enumerate(ITEMS) for j, who in enumerate(RATERS)
    )  # fmt: skip


def _by_item(column: str, names: Mapping[str, str], every: int, values: tuple[str, ...]) -> str:
    return f"item,{column}\n" + "".join(
        f"{names.get(item, item)},{values[k % len(values)]}\n"
        for k, item in enumerate(ITEMS) if k % every == 0
    )  # fmt: skip


def _each(change: dict[str, str]) -> dict[str, str]:
    """Each third item by another name."""
    return {item: other for k, (item, other) in enumerate(change.items()) if k % 3 == 0}


FORMS = {
    "another case": _each({one: one.upper() for one in ITEMS}),
    "a folder before it": _each({one: f"images/{one}" for one in ITEMS}),
    "another ending": _each({one: one.replace("jpg", "png") for one in ITEMS}),
    "no leading zero": _each({one: one.replace("img0", "img") for one in ITEMS[:10]}),
}
"""How a name differs from that of the votes."""
BY_ITEM = {
    "gold": ("gold", 2, ("0", "1")), "scores": ("score", 1, ("0.1", "0.4", "0.7")),
    "strata": ("stratum", 1, ("a", "b")), "weights": ("weight", 1, ("1", "2")),
}  # fmt: skip
OTHER = {item: f"x{k}" for k, item in enumerate(ITEMS) if k % 4 == 0}
QUOTED = _votes().replace("label\n", "label,text\n", 1).replace("0\n", "0,fine\n").replace(
    "1\n", "1,fine\n")  # fmt: skip


def _with_quotes() -> str:
    head, *rows = QUOTED.splitlines()
    rows[3], rows[60] = rows[3].replace("fine", '"so it began'), rows[60].replace("fine", 'so"')
    return "\n".join([head, *rows]) + "\n"


def _judged(model: str, who: str, column: str = "model") -> str:
    return f"item,annotator,label,{column}\n" + "".join(
        f"{item},{who},{_label(k, 1)},{model}\n" for k, item in enumerate(ITEMS)
    )


def _log(*columns: str) -> str:
    """A log of judges over two tasks, whose items are numbered anew in each."""
    rows = (
        {"task": f"t{k // 20}", "doc_id": str(k % 20), "answer": "yes" if k % 3 else "no",
         "judge": who, "verdict": str(_label(k, j)), "reference": f"It is {item}."}
        for k, item in enumerate(ITEMS) for j, who in enumerate(RATERS)
    )  # fmt: skip
    return (
        ",".join(columns) + "\n" + "".join(",".join(row[c] for c in columns) + "\n" for row in rows)
    )


FILES: Mapping[str, tuple[Mapping[str, Content], tuple[str, ...], str]] = {
    "a quotation mark that swallows rows": ({"v.csv": _with_quotes()}, (), "rows 5 to 62: a quote"),
    "a label that could be a word for an empty cell": (
        {"v.csv": _votes(words=("NA", "AP"))}, ("--positive=AP",), "'NA' in .* could be the other",
    ),
    "two models' logs that name items alike": (
        {"v.csv": _judged("m1", "J1"), "w.csv": _judged("m2", "J2")}, (), "model differs in 40",
    ),
    "two tasks' logs that name items alike": (
        {"v.csv": _judged("arc", "J1", "task"), "w.csv": _judged("gsm", "J2", "task")}, (),
        "task differs in 40",
    ),
    "two columns that could name the items": (
        {"v.csv": _log("task", "doc_id", "verdict")}, (), "several columns could name the items",
    ),
    "the answer of a model alone": (
        {"v.csv": _log("doc_id", "answer", "judge").replace("doc_id", "item")}, (),
        "'answer'|annotator labels an item again",
    ),
    "a half of a UTF-16 file": (
        {"v.csv": _votes().encode("utf-16")[:-1]}, (), "cannot be read as utf-16-le",
    ),
    "columns of an item that are not there": (
        {"v.csv": _log("task", "doc_id", "judge", "verdict")}, ("--item=task,number",), "'number'",
    ),
}  # fmt: skip
"""What is wrong -> files, options, what is said."""
COMMANDS = (
    ("check", (), ()), ("evaluate", (), ("--out", "mine", "--no-models")),
    ("fit-labelling", (), ("-o", "fitted.json")), ("plan", ("--pilot",), ("--width=0.1",)),
)  # fmt: skip


def _cases() -> Iterator[Case]:
    for what, (files, options, says) in FILES.items():
        for command, before, after in COMMANDS:
            yield Case(command, ", ".join(files), what, [*before, *files, *options, *after], files,
                       says)  # fmt: skip
    for kind, (column, every, values) in BY_ITEM.items():
        for form, names in FORMS.items():
            files = {"votes.csv": _votes(), f"{kind}.csv": _by_item(column, names, every, values)}
            yield Case("check", kind, f"names of items with {form}", [*files], files,
                       "in the form of their names only")  # fmt: skip
    gold = {"votes.csv": _votes(), "gold.csv": _by_item("gold", OTHER, 2, ("0", "1"))}
    for command in ("check", "evaluate"):
        more = ["--out", "mine", "--no-models"] if command == "evaluate" else []
        yield Case(command, "gold", "half of it of other items", [*gold, *more], gold,
                   "10 of 20 items with a gold label have no votes")  # fmt: skip


CASES = list(_cases())
