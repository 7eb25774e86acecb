"""Files that say less, or something else, than they seem to: good tables one by one."""

import gzip
from collections.abc import Callable, Iterator, Mapping

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


def _table(head: str, row: Callable[[int, int], str], each: int = 3) -> str:
    """A table of some rows an item."""
    rows = (row(k, j) for k in range(len(ITEMS)) for j in range(each))
    return head + "\n" + "".join(f"{one}\n" for one in rows)


def _numbered(names: Callable[[int], str]) -> str:
    """Votes that each have a number of their own beside the item's name."""
    return _table(
        "id,about,annotator,label",
        lambda k, j: f"{7 * (3 * k + j)},{names(k)},{RATERS[j]},{_label(k, j)}",
    )


def _one_a_row(column: str, value: Callable[[int], object], more: str = "") -> str:
    return _table(f"item,{column}", lambda k, _: f"{ITEMS[k]},{value(k)}{more}", 1)


def _majority(item: int) -> int:
    return int(sum(_label(item, j) for j in range(3)) > 1)


ANONYMOUS = _table("item,label", lambda k, j: f"{ITEMS[k]},{_label(k, j)}")
ASKED: Mapping[str, tuple[Mapping[str, Content], tuple[str, ...], str]] = {
    "rows that each have a number": (
        {"v.csv": _numbered("text {}".format)}, (), "'id' is another one in each row",
    ),
    "answers of several models to a prompt": (
        {"v.csv": _table("item,model,label", lambda k, j: f"{k},m{j},{_label(k, j)}")}, (),
        "model differs within 40 of 40 items",
    ),
    "models that annotators share": (
        {"v.csv": _table("item,annotator,model,label",
                         lambda k, j: f"{k},{RATERS[j]},m{(k + j) % 2},{_label(k, j)}")}, (),
        "model differs within 40 of 40 items",
    ),
    "two questions about things of one name": (
        {"v.csv": _table("item,question,annotator,label", lambda k, j:
                         f"{k},{('why', 'how')[j // 2]} is {k},R{j},{_label(k, j)}", 4)}, (),
        "question differs within 40 of 40 items",
    ),
    "a column that tells votes without annotators apart": (
        {"v.csv": _table("item,pass,label", lambda k, j: f"{k},{j},{_label(k, j)}")}, (),
        "pass differs within 40 of 40 items",
    ),
    "votes twice": (
        {"v.csv": ANONYMOUS + ANONYMOUS.partition("\n")[2]}, (), "same as those before",
    ),
    "the same votes in two files": (
        {"v.csv": ANONYMOUS, "w.csv": ANONYMOUS}, (), "hold the same votes",
    ),
    "items with two names": (
        {"v.csv": _table("item,annotator,label", lambda k, j:
                         f"{f'{k:03}' if j else k},{RATERS[j]},{_label(k, j)}")}, (),
        "two names, which differ in form only",
    ),
    "columns of an item that no file has": (
        {"v.csv": _votes()}, ("--item=question,model",), "no file has a column 'question'",
    ),
    "one label an item in each of two files": (
        {"a.csv": _one_a_row("label", lambda k: _label(k, 0)),
         "b.csv": _one_a_row("label", lambda k: _label(k, 1))}, (), "a.csv:label=vote_a",
    ),
    "another column of labels that annotators agree on": (
        {"v.csv": _table("item,annotator,label,answer", lambda k, j:
                         f"{k},{RATERS[j]},{k % 2},{_label(k, j)}")}, (), "'label' all annotators",
    ),
    "a number beside 0 and 1": (
        {"v.csv": _votes().replace("R3,0", "R3,-1")}, ("--positive=1",), "found '-1' in",
    ),
    "a text that is packed": ({"v.csv": gzip.compress(_votes().encode())}, (), "packed by gzip"),
    "one zero byte": ({"v.csv": _votes().replace("R1", "R\0", 1)}, (), "take it out"),
}  # fmt: skip
"""Files of votes that could be read in two ways."""
BESIDE: Mapping[str, tuple[str, str, str]] = {
    "a model's classes": (
        "m.csv", _one_a_row("label,confidence", lambda k: _label(k, 1), ",.5"), "model's classes",
    ),
    "a file of this name": (
        "gpt4.csv", _one_a_row("label", lambda k: _label(k, 1)), "in a file of this name",
    ),
    "the probability of the class that was chosen": (
        "m.csv", _one_a_row("predicted_label,score", lambda k: f"{_label(k, 1)},.{60 + k}"),
        "no score is below 0.5",
    ),
    "a remark beside gold": (
        "gold.csv", _one_a_row("gold,gold_reviewed", lambda k: f"{_label(k, 1)},{k % 2}"),
        "'gold_reviewed' could be",
    ),
    "numbers of classes by a name that says nothing": (
        "t.csv", _one_a_row("truth", lambda k: k % 4), "'truth' holds labels, 0, 1, 2, 3",
    ),
    "the majority of votes": ("m.csv", _one_a_row("label", _majority), "are the majority of their"),
    "names that count rows": (
        "gold.csv", _table("item,gold", lambda k, _: f"{k},{_label(k, 0)}", 1),
        "seem to count rows",
    ),
    "labels by a name that says nothing": (
        "gold.csv", _one_a_row("target", lambda k: _label(k, 0)), "'target' holds labels",
    ),
    "a point that marks thousands": (
        "s.csv", _one_a_row("score", lambda k: f"1.{100 + k}" if k % 3 else 200 + k),
        "seems to mark thousands",
    ),
    "names of which none has votes but by form": (
        "s.csv", _one_a_row("score", lambda k: k / 7).upper().replace("ITEM,SCORE", "item,score"),
        "in the form of their names only",
    ),
}  # fmt: skip
"""What stands beside votes -> the file's name, the file, what is said."""
COUNTS = _table("item,votes_positive,votes_total", lambda k, _: f"{k},{k % 4},3", 1)
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
    for what, (files, options, says) in ASKED.items():
        for command, _, more in COMMANDS[:2]:
            yield Case(command, ", ".join(files), what, [*files, *options, *more], files, says)
    numbers = _table("item,annotator,label", lambda k, j: f"{k + 1},{RATERS[j]},{_label(k, j)}")
    for what, (name, table, says) in BESIDE.items():
        files = {"v.csv": numbers if "count" in what else _votes(), name: table}
        yield Case("check", name, what, [*files], files, says)
    sums = f"{sum(k % 4 for k in range(40))},120\n"
    subtotal = COUNTS.replace("\n20,0,3", "\nSubtotal A,30,60\n20,0,3")
    for what, text, says in (
        ("a subtotal", subtotal, "row of sums"),
        ("sums by another name", f"{COUNTS}all of them,{sums}", "as many votes as all other items"),
        ("a row of sums", f"{COUNTS}Total,{sums}", "row of sums"),
    ):
        yield Case("check", "v.csv", what, ["v.csv"], {"v.csv": text}, says)
    for what, (files, options, says) in FILES.items():
        for command, before, after in COMMANDS:
            line = [*before, *files, *options, *after]
            yield Case(command, ", ".join(files), what, line, files, says)
    for kind, (column, every, values) in BY_ITEM.items():
        for form, names in FORMS.items():
            files = {"votes.csv": _votes(), f"{kind}.csv": _by_item(column, names, every, values)}
            yield Case("check", kind, f"names of items with {form}", [*files], files,
                       "in the form of their names only")  # fmt: skip
    gold = {"votes.csv": _votes(), "gold.csv": _by_item("gold", OTHER, 2, ("0", "1"))}
    for command, _, more in COMMANDS[:2]:
        yield Case(command, "gold", "half of it of other items", [*gold, *more], gold,
                   "10 of 20 items with a gold label have no votes")  # fmt: skip


CASES = list(_cases())
