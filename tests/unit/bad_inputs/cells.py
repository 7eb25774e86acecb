"""Cells, rows and columns of a good table that hold what a study cannot use."""

import datetime
from collections.abc import Iterator, Mapping

from unit.bad_inputs.case import Case, Content
from unit.bad_inputs.good import COUNTS, GOLD, SCORES, VOTES, WIDE, model_with, parquet

NO_SCORE = {
    "a word": "high", "infinite": "inf", "infinite below": "-inf", "beyond all floats": "1e999",
    "a date": "2026-03-01", "a truth value": "True", "a percentage": "50%", "a unit": "0.5 p",
    "a comma for a point": '"0,5"', "hexadecimal": "0x1F", "complex": "1+2j", "a fraction": "1/2",
    "a formula": "=1/2", "an error of a spreadsheet": "#DIV/0!", "a dash": "-", "none": "none",
    "two points": "0.5.1", "a list": '"[0.5, 0.5]"', "a question mark": "?", "a range": "0.4-0.6",
    "a power with blanks": "1 e-3", "a bound": "<0.1", "thousands set apart": '"1,000"',
}  # fmt: skip
"""What is no score in a cell of one."""
NO_COUNT = {
    "a word": "two", "negative": "-1", "a fraction": "1.5", "infinite": "inf",
    "a date": "2026-03-01", "a truth value": "True", "a percentage": "50%", "nothing": "",
    "more digits than a count": "1e30", "a list": '"[1, 2]"', "not a number": "nan",
}  # fmt: skip
NO_WEIGHT = {
    "a word": "heavy", "negative": "-1", "zero": "0", "infinite": "inf", "a percentage": "50%",
    "nothing": "", "a date": "2026-03-01", "not a number": "nan", "a fraction": "1/2",
}  # fmt: skip
NO_LABEL = {
    "a third one": "2", "a word": "maybe", "a half": "0.5", "negative": "-1",
    "a question mark": "?", "two in one": "0|1", "a truth value among numbers": "True",
    "a date": "2026-03-01", "infinite": "inf", "a number in words": "one", "none": "none",
    "n/a": "n/a",
}  # fmt: skip
"""What is no label among 0 and 1."""
ITEMS = [f"i{k}" for k in range(1, 9)]


def check(where: str, what: str, says: str, *tables: str, **files: Content) -> Case:
    """A case of `check`: tables are votes.csv, w.csv and v.csv, other files as scores_csv=..."""
    named = dict(zip(("votes.csv", "w.csv", "v.csv"), tables, strict=False))
    named |= {name.replace("_", "."): content for name, content in files.items()}
    return Case("check", where, what, list(named), named, says)


def by_item(column: str, value: object) -> str:
    """A table in which each item has the same value."""
    return f"item,{column}\n" + "".join(f"{item},{value}\n" for item in ITEMS)


def renamed(text: str) -> str:
    """A table of other items."""
    return text.replace("i", "x").replace("xtem", "item")


DOGS = VOTES.replace(",1\n", ",dog\n")
STRATA, WEIGHTS = by_item("stratum", "s"), by_item("weight", 1)
TWO_ROWS = "item,annotator,label,{0}\na,R1,1,{1}\na,R2,1,{2}\n"
SCORED = [f"{row},{k / 100}" for k, row in enumerate(VOTES.splitlines()[1:])]
AGAIN, NOTHING = "another one in a row of the item", "no votes|no rows"
ALONE = (
    ("a column of scores", "other ones in the rows of an item", "'score', rows? 3",
     "\n".join(["item,annotator,label,score", *SCORED]) + "\n"),
    ("a row of counts", "more positive votes than votes", "row 4: .* at most votes_tot",
     COUNTS.replace("i3,3,3", "i3,4,3")),
    ("a row of counts", "an item twice", "'item', rows 2, 10", COUNTS + "i1,1,3\n"),
    ("a row of counts", "no item", "'item', row 3", COUNTS.replace("i2", "")),
    ("counts", "of no vote at all", NOTHING, "item,votes_positive,votes_total\ni1,0,0\ni2,0,0\n"),
    ("counts", "positive ones alone", "no votes", "item,votes_positive\ni1,1\ni2,0\n"),
    ("labels", "two words that nothing orders", "--positive VALUE", DOGS.replace(",0\n", ",cat\n")),
    ("labels", "a number and a word", "--positive VALUE", DOGS),
    ("labels", "none in any row", NOTHING, "item,annotator,label\na,R1,\nb,R1,\n"),
    ("labels", "NA in every row", NOTHING, "item,annotator,label\na,R1,NA\nb,R1,NA\n"),
    ("a column an annotator", "an item twice", r"'item', rows 2, 10", WIDE + "i1,1,1,1\n"),
    ("a column an annotator", "nothing in any", NOTHING, "item,vote_1,vote_2\na,,\nb,,\n"),
    ("a column an annotator", "numbers that are no labels", "found the labels",
     "item,vote_1,vote_2\na,3,4\nb,7,1\n"),
    ("a row of labels", "an annotator and an expert", "'annotator', row 2",
     "item,annotator,expert,label\na,R1,E1,1\nb,R1,,0\n"),
    ("gold", "other ones in the rows of an item", "'gold', row 3",
     "item,annotator,label,gold\na,R1,1,1\na,R2,1,0\nb,R1,0,0\n"),
    ("a weight", AGAIN, "'weight', row 3", TWO_ROWS.format("weight", 1, 2)),
    ("strata", AGAIN, "'stratum', row 3", TWO_ROWS.format("stratum", "x", "y")),
)  # fmt: skip
"""Of a file of votes: the place, what is wrong, what is said, the file."""
BESIDE = (
    ("scores_csv", "a column of scores", "all equal", "every score is 0.5",
     by_item("score_large", 0.5)),
    ("scores_csv", "a column of scores", "of other items", "no item in common", renamed(SCORES)),
    ("scores_csv", "a column of scores", "an item twice", r"'item', rows 2, 10",
     SCORES + "i1,0.5,0.5\n"),
    ("scores_csv", "a column of scores", "no item's name", r"'item', row 3",
     SCORES.replace("i2,", ",")),
    ("scores_csv", "a column of scores", "without a name after the prefix", "score_",
     SCORES.replace("score_large", "score_")),
    ("scores_csv", "the column model", "nothing", "'model', row 2",
     "item,model,score\ni1,,0.5\ni2,m,0.4\n"),
    ("scores_csv", "the column model", "an item twice", r"'item', rows 2, 3",
     "item,model,score\ni1,m,0.5\ni1,m,0.4\ni2,m,0.1\n"),
    ("scores_csv", "the column item of scores", "missing", "'item' is missing",
     SCORES.replace("item", "about", 1)),
    ("gold_csv", "the column item of gold", "missing", "'item' is missing",
     GOLD.replace("item", "about", 1)),
    ("gold_csv", "labels", "other words of gold than of votes", "gold labels: found",
     GOLD.replace(",1\n", ",dog\n").replace(",0", ",cat")),
    ("gold_csv", "gold", "of other items", "no item in common", renamed(GOLD)),
    ("gold_csv", "gold", "an item twice, the same label", "rows|twice|repeatedly", GOLD + "i1,0\n"),
    ("gold_csv", "gold", "an item twice, another label", "rows|twice|repeatedly", GOLD + "i1,1\n"),
    ("gold_csv", "gold", "an expert twice on an item", "labels an item again, rows 2, 3",
     "item,expert,label\ni1,E,1\ni1,E,0\n"),
    ("gold_csv", "gold", "no item's name", "'item', row 3", GOLD.replace("i2,", ",")),
    ("w_csv", "weights", "of half the items", "without one", WEIGHTS[:40]),
    ("s_csv", "strata", "an item twice", "'item', rows 2, 10", STRATA + "i1,t\n"),
)  # fmt: skip
"""The same of a file beside good votes, its name first."""
TOLD_TWICE = "of two values in two files", "another file"
SEVERAL = (
    check("a column of scores", "two of one model", "'large'", VOTES, scores_csv=SCORES,
          more_csv="item,score_large\ni1,0.4\ni2,0.2\n"),
    check("counts", "in two files", "more than one file", COUNTS, COUNTS),
    check("counts", "beside labels", "more than one file", COUNTS, VOTES),
    check("counts", "beside a column an annotator", "more than one file", COUNTS, WIDE),
    check("the column item", "several that may be it", "several columns could name the items",
          "post,text,annotator,label\na,x,R1,1\n", g_csv="text,post,label\nx,a,1\n"),
    check("gold", "two files of one expert", "labels an item again", VOTES, gold_csv=GOLD,
          expert_csv=GOLD),
    check("weights", *TOLD_TWICE, VOTES, WEIGHTS, WEIGHTS.replace("i3,1", "i3,2")),
    check("strata", *TOLD_TWICE, VOTES, s_csv=STRATA, t_csv=STRATA.replace("i3,s", "i3,t")),
)  # fmt: skip
SCORE_COLUMNS: Mapping[str, list[object]] = {
    "truth values": [True, False] * 4,
    "dates": [datetime.date(2026, 3, 1 + k) for k in range(8)],
    "texts": list("abcdefgh"),
    "lists": [[1.0]] * 8,
    "infinite numbers": [float("inf"), *map(float, range(7))],
    "bytes": [b"1"] * 8,
}


def _scores() -> Iterator[Case]:
    for what, cell in NO_SCORE.items():
        text = SCORES.replace("i3,0.3,", f"i3,{cell},")
        assert text != SCORES
        yield check("a score", what, r"score_large', row 4", VOTES, scores_csv=text)
    for what in ("a word", "infinite", "a date", "a truth value"):
        rows = (f"i{k},m,{NO_SCORE[what] if k == 3 else k / 10}\n" for k in range(1, 9))
        text = "item,model,score\n" + "".join(rows)
        yield check("a score of long form", what, "'score', row 4", VOTES, scores_csv=text)
    for what, held in SCORE_COLUMNS.items():
        made = parquet({"item": ITEMS, "score": held})
        yield check("a column of scores, Parquet", what, "score", VOTES, scores_parquet=made)


def _numbers() -> Iterator[Case]:
    for what, cell in NO_COUNT.items():
        for column, row in (("votes_positive", f"i3,{cell},3"), ("votes_total", f"i3,3,{cell}")):
            text = COUNTS.replace("i3,3,3", row)
            yield check(f"a cell of {column}", what, rf"{column}', row 4", text)
        if what not in ("nothing", "not a number", "more digits than a count"):
            text = COUNTS.replace("total", "negative").replace("i3,3,3", f"i3,3,{cell}")
            says = r"votes_(negative|total)', row 4"
            yield check("a cell of votes_negative", what, says, text)
    for what, cell in NO_WEIGHT.items():
        text = f"item,votes_positive,votes_total,weight\na,1,2,1\nb,1,2,{cell}\nc,2,2,1\n"
        yield check("a weight", what, r"'weight', row 3|'weight': 1 item", text)


def _labels() -> Iterator[Case]:
    for what, cell in NO_LABEL.items():
        long = VOTES.replace("i3,R1,", f"i3,R1,{cell}\nz,R1,")
        wide = WIDE.replace("i3,1,", f"i3,{cell},")
        gold = GOLD.replace("i3,1", f"i3,{cell}")
        yield check("a label", what, "votes: found the labels", long)
        yield check("a label in a column of an annotator", what, "votes: found the labels", wide)
        yield check("a gold label", what, "gold labels: found the labels", VOTES, gold_csv=gold)
    twice = "an annotator twice on an item"
    for what, says, text in (
        ("no item", r"'item', row 9", VOTES.replace("i3,R2", ",R2")),
        ("no annotator", r"'annotator', row 9", VOTES.replace("i3,R2", "i3,")),
        (twice, r"'annotator', rows 8, 9", VOTES.replace("i3,R2", "i3,R1")),
        ("a row twice", r"'annotator', rows 2, 26", VOTES + "i1,R1,0\n"),
    ):
        yield check("a row of labels", what, says, text)
        line = ["votes.csv", "-o", "m.json"]
        yield Case("fit-labelling", "a row of labels", what, line, {"votes.csv": text}, says)


def _columns() -> Iterator[Case]:
    for name in ("item", "annotator", "label"):
        others = {"missing": f"about_{name}x", "empty name": "", "misspelt": f"{name}zz"}
        for what, other in others.items():
            head, _, rows = VOTES.partition("\n")
            text = head.replace(name, other) + "\n" + rows
            if name != "annotator":  # without it each row is a vote
                yield check(f"the column {name}", what, f"{name}|no votes", text)
            files = {"model.json": model_with(), "votes.csv": text}
            for command, more, says in (
                ("labelling-threshold", ["--accuracy=0.5"], f"column '{name}' is missing"),
                ("confidence", [], f"column '{name}': found 0"),
            ):
                yield Case(command, f"the column {name}", what, [*files, *more], files, says)


CASES = [
    *_scores(), *_numbers(), *_labels(), *_columns(), *SEVERAL, *(check(*one) for one in ALONE),
    *(check(*about, VOTES, **{name: text}) for name, *about, text in BESIDE),
]  # fmt: skip
