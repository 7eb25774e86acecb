"""Cells, rows and columns of a good table that hold what a study cannot use."""

from collections.abc import Iterator, Mapping

from unit.bad_inputs.case import Case, Content
from unit.bad_inputs.good import COUNTS, GOLD, SCORES, VOTES, WIDE, parquet

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
    "more digits than a count": "1e30",
    "a list": '"[1, 2]"', "not a number": "nan",
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


def check(where: str, what: str, says: str, code: int = 2, **files: Content) -> Case:
    """A case of `check`: files are given as votes_csv=..., in the order of the command line."""
    named = {name.replace("_", "."): content for name, content in files.items()}
    return Case("check", where, what, list(named), named, says, code)


def _scores() -> Iterator[Case]:
    for what, cell in NO_SCORE.items():
        text = SCORES.replace("i3,0.3,", f"i3,{cell},")
        assert text != SCORES
        yield check("a score", what, r"score_large', row 4", votes_csv=VOTES, scores_csv=text)
    for what, cell in NO_SCORE.items():
        if what in ("infinite", "a word", "a truth value", "a date"):
            text = "item,model,score\n" + "".join(
                f"i{k},m,{cell if k == 3 else k / 10}\n" for k in range(1, 9)
            )
            yield check(
                "a score of long form", what, "'score', row 4", votes_csv=VOTES, scores_csv=text
            )
    items = [f"i{k}" for k in range(1, 9)]
    columns: Mapping[str, list[object]] = {
        "truth values": [True, False] * 4,
        "dates": list(map(str, range(8))),
        "texts": list("abcdefgh"),
        "lists": [[1.0]] * 8,
        "infinite numbers": [float("inf"), *map(float, range(7))],
        "bytes": [b"1"] * 8,
    }
    import datetime

    for what, values in columns.items():
        held = [datetime.date(2026, 3, 1 + k) for k in range(8)] if what == "dates" else values
        files = {"votes_csv": VOTES, "scores_parquet": parquet({"item": items, "score": held})}
        yield check("a column of scores, Parquet", what, "score", **files)
    one = "item,score_large\n" + "".join(f"i{k},0.5\n" for k in range(1, 9))
    yield check("a column of scores", "all equal", "every score is 0.5", votes_csv=VOTES,
                scores_csv=one)  # fmt: skip
    yield check("a column of scores", "of other items", "no item in common", votes_csv=VOTES,
                scores_csv=SCORES.replace("i", "x").replace("xtem", "item"))  # fmt: skip
    yield check("a column of scores", "an item twice", r"'item', rows 2, 10", votes_csv=VOTES,
                scores_csv=SCORES + "i1,0.5,0.5\n")  # fmt: skip
    yield check("a column of scores", "no item's name", r"'item', row 3", votes_csv=VOTES,
                scores_csv=SCORES.replace("i2,", ","))  # fmt: skip
    yield check("a column of scores", "two of one model", "'large'", votes_csv=VOTES,
                scores_csv=SCORES, more_csv="item,score_large\ni1,0.4\ni2,0.2\n")  # fmt: skip
    yield check("a column of scores", "without a name after the prefix", "score_",
                votes_csv=VOTES, scores_csv=SCORES.replace("score_large", "score_"))  # fmt: skip
    long = "item,model,score\ni1,,0.5\ni2,m,0.4\n"
    yield check("the column model", "nothing", "'model', row 2", votes_csv=VOTES, scores_csv=long)
    twice = "item,model,score\ni1,m,0.5\ni1,m,0.4\ni2,m,0.1\n"
    yield check("the column model", "an item twice", r"'item', rows 2, 3", votes_csv=VOTES,
                scores_csv=twice)  # fmt: skip
    within = VOTES.replace("label\n", "label,score\n").replace("\ni", "\ni")
    rows = within.splitlines()
    text = "\n".join([rows[0], *(f"{row},{k / 100}" for k, row in enumerate(rows[1:]))]) + "\n"
    yield check("a column of scores", "other ones in the rows of an item", "'score', rows? 3",
                votes_csv=text)  # fmt: skip


def _counts() -> Iterator[Case]:
    for what, cell in NO_COUNT.items():
        for column, text in (
            ("votes_positive", COUNTS.replace("i3,3,3", f"i3,{cell},3")),
            ("votes_total", COUNTS.replace("i3,3,3", f"i3,3,{cell}")),
        ):
            yield check(f"a cell of {column}", what, rf"{column}', row 4", votes_csv=text)
    for what, cell in NO_COUNT.items():
        if what not in ("nothing", "not a number", "more digits than a count"):
            text = COUNTS.replace("total", "negative").replace("i3,3,3", f"i3,3,{cell}")
            yield check("a cell of votes_negative", what, r"votes_(negative|total)', row 4",
                        votes_csv=text)  # fmt: skip
    yield check("a row of counts", "more positive votes than votes", "row 4: .* at most votes_tot",
                votes_csv=COUNTS.replace("i3,3,3", "i3,4,3"))  # fmt: skip
    yield check("a row of counts", "an item twice", "'item', rows 2, 10",
                votes_csv=COUNTS + "i1,1,3\n")  # fmt: skip
    yield check("a row of counts", "no item", "'item', row 3", votes_csv=COUNTS.replace("i2", ""))
    yield check("counts", "of no vote at all", "no votes|no rows",
                votes_csv="item,votes_positive,votes_total\ni1,0,0\ni2,0,0\n")  # fmt: skip
    yield check("counts", "positive ones alone", "no votes",
                votes_csv="item,votes_positive\ni1,1\ni2,0\n")  # fmt: skip
    yield check("counts", "in two files", "more than one file", votes_csv=COUNTS, w_csv=COUNTS)
    yield check("counts", "beside labels", "more than one file", votes_csv=COUNTS, w_csv=VOTES)
    yield check("counts", "beside a column an annotator", "more than one file", votes_csv=COUNTS,
                w_csv=WIDE)  # fmt: skip


def _labels() -> Iterator[Case]:
    for what, cell in NO_LABEL.items():
        files: dict[str, Content]
        yield check("a label", what, r"votes: found the labels", votes_csv=VOTES.replace(
            "i3,R1,", f"i3,R1,{cell}\nz,R1,"))  # fmt: skip
        yield check("a label in a column of an annotator", what, "votes: found the labels",
                    votes_csv=WIDE.replace("i3,1,", f"i3,{cell},"))  # fmt: skip
        yield check("a gold label", what, "gold labels: found the labels", votes_csv=VOTES,
                    gold_csv=GOLD.replace("i3,1", f"i3,{cell}"))  # fmt: skip
    files = {"votes_csv": VOTES.replace(",0\n", ",cat\n").replace(",1\n", ",dog\n")}
    yield check("labels", "two words that nothing orders", "--positive VALUE", **files)
    files = {"votes_csv": VOTES.replace(",1\n", ",dog\n")}
    yield check("labels", "a number and a word", "--positive VALUE", **files)
    files = {"votes_csv": VOTES, "gold_csv": GOLD.replace(",1\n", ",dog\n").replace(",0", ",cat")}
    yield check("labels", "other words of gold than of votes", "gold labels: found", **files)
    for what, text, says in (
        ("no item", VOTES.replace("i3,R2", ",R2"), r"'item', row 9"),
        ("no annotator", VOTES.replace("i3,R2", "i3,"), r"'annotator', row 9"),
        (
            "an annotator twice on an item",
            VOTES.replace("i3,R2", "i3,R1"),
            r"'annotator', rows 8, 9",
        ),
        ("a row twice", VOTES + "i1,R1,0\n", r"'annotator', rows 2, 26"),
    ):
        yield check("a row of labels", what, says, votes_csv=text)
        yield Case("fit-labelling", "a row of labels", what, ["votes.csv", "-o", "m.json"],
                   {"votes.csv": text}, says)  # fmt: skip
    yield check("labels", "none in any row", "no votes|no rows",
                votes_csv="item,annotator,label\na,R1,\nb,R1,\n")  # fmt: skip
    yield check("labels", "NA in every row", "no votes|no rows",
                votes_csv="item,annotator,label\na,R1,NA\nb,R1,NA\n")  # fmt: skip
    yield check("a column an annotator", "an item twice", r"'item', rows 2, 10",
                votes_csv=WIDE + "i1,1,1,1\n")  # fmt: skip
    yield check("a column an annotator", "nothing in any", "no votes|no rows",
                votes_csv="item,vote_1,vote_2\na,,\nb,,\n")  # fmt: skip
    yield check("a column an annotator", "numbers that are no labels", "found the labels",
                votes_csv="item,vote_1,vote_2\na,3,4\nb,7,1\n")  # fmt: skip
    both = "item,annotator,expert,label\na,R1,E1,1\nb,R1,,0\n"
    yield check("a row of labels", "an annotator and an expert", "'annotator', row 2",
                votes_csv=both)  # fmt: skip


def _columns() -> Iterator[Case]:
    for name in ("item", "annotator", "label"):
        for what, other in {
            "missing": f"about_{name}x",
            "empty name": "",
            "misspelt": name + "zz",
        }.items():
            head = VOTES.partition("\n")[0].replace(name, other)
            text = head + "\n" + VOTES.partition("\n")[2]
            if name != "annotator":  # without it each row is a vote
                yield check(f"the column {name}", what, f"{name}|no votes", votes_csv=text)
            yield Case(
                "labelling-threshold",
                f"the column {name}",
                what,
                ["model.json", "votes.csv", "--accuracy=0.5"],
                {"model.json": _model(), "votes.csv": text},
                f"column '{name}' is missing",
            )
            yield Case(
                "confidence",
                f"the column {name}",
                what,
                ["model.json", "votes.csv"],
                {"model.json": _model(), "votes.csv": text},
                f"column '{name}': found 0",
            )
    for name, text in {"gold": GOLD, "scores": SCORES}.items():
        yield check(f"the column item of {name}", "missing", "'item' is missing", votes_csv=VOTES,
                    **{f"{name}_csv": text.replace("item", "about", 1)})  # fmt: skip
    yield check(
        "the column item",
        "several that may be it",
        "several columns could name the items",
        votes_csv="post,text,annotator,label\na,x,R1,1\n",
        g_csv="text,post,label\nx,a,1\n",
    )


def _model() -> str:
    from unit.bad_inputs.good import model_with

    return model_with()


def _gold() -> Iterator[Case]:
    yield check("gold", "of other items", "no item in common", votes_csv=VOTES,
                gold_csv=GOLD.replace("i", "x").replace("xtem", "item"))  # fmt: skip
    yield check("gold", "an item twice, the same label", "rows|twice|repeatedly", votes_csv=VOTES,
                gold_csv=GOLD + "i1,0\n")  # fmt: skip
    yield check("gold", "an item twice, another label", "rows|twice|repeatedly", votes_csv=VOTES,
                gold_csv=GOLD + "i1,1\n")  # fmt: skip
    yield check("gold", "an expert twice on an item", "labels an item again, rows 2, 3",
                votes_csv=VOTES, gold_csv="item,expert,label\ni1,E,1\ni1,E,0\n")  # fmt: skip
    yield check("gold", "two files of one expert", "labels an item again", votes_csv=VOTES,
                gold_csv=GOLD, expert_csv=GOLD)  # fmt: skip
    yield check("gold", "no item's name", "'item', row 3", votes_csv=VOTES,
                gold_csv=GOLD.replace("i2,", ","))  # fmt: skip
    yield check("gold", "other ones in the rows of an item", "'gold', row 3",
                votes_csv="item,annotator,label,gold\na,R1,1,1\na,R2,1,0\nb,R1,0,0\n")  # fmt: skip


def _beside() -> Iterator[Case]:
    """Strata and weights."""
    counts = "item,votes_positive,votes_total,{}\n"
    for what, cell in NO_WEIGHT.items():
        text = counts.format("weight") + f"a,1,2,1\nb,1,2,{cell}\nc,2,2,1\n"
        says = r"'weight', row 3|'weight': 1 item"
        yield check("a weight", what, says, votes_csv=text)
    yield check("a weight", "another one in a row of the item", "'weight', row 3",
                votes_csv="item,annotator,label,weight\na,R1,1,1\na,R2,1,2\n")  # fmt: skip
    weights = "item,weight\n" + "".join(f"i{k},1\n" for k in range(1, 9))
    yield check("weights", "of two values in two files", "another file", votes_csv=VOTES,
                w_csv=weights, v_csv=weights.replace("i3,1", "i3,2"))  # fmt: skip
    yield check("weights", "of half the items", "without one", votes_csv=VOTES,
                w_csv=weights[:40])  # fmt: skip
    yield check("strata", "another one in a row of the item", "'stratum', row 3",
                votes_csv="item,annotator,label,stratum\na,R1,1,x\na,R2,1,y\n")  # fmt: skip
    strata = "item,stratum\n" + "".join(f"i{k},s\n" for k in range(1, 9))
    yield check("strata", "of two values in two files", "another file", votes_csv=VOTES,
                s_csv=strata, t_csv=strata.replace("i3,s", "i3,t"))  # fmt: skip
    yield check("strata", "an item twice", "'item', rows 2, 10", votes_csv=VOTES,
                s_csv=strata + "i1,t\n")  # fmt: skip


CASES = [*_scores(), *_counts(), *_labels(), *_columns(), *_gold(), *_beside()]
