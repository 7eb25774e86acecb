"""Counts that `correct-rate` cannot correct."""

from unit.bad_inputs.case import Case

GOOD = {"POSITIVE/JUDGED": "645/1000", "--positives": "180/200", "--negatives": "190/200"}
NO_COUNTS = {
    "a rate": "0.9", "words": "most", "nothing": "", "one count": "180", "three counts": "1/2/3",
    "a percentage": "90%", "decimals": "180.5/200", "a negative part": "-1/200",
    "a negative whole": "180/-200", "a part above the whole": "201/200", "none of none": "0/0",
    "a colon for the stroke": "180:200", "a whole without a part": "/200",
    "a part without a whole": "180/", "blanks between": "180 / 200", "nan": "nan/200",
    "infinite": "inf/inf", "powers of ten": "1e2/2e2", "more digits than a count has": "1" * 5000
    + "/" + "2" * 5000, "so many that no float holds them": "1" + "0" * 400 + "/1" + "0" * 401,
    "thousands set apart": "1,800/2,000", "a sign": "+180/200",
    "a letter for a digit": "18O/200",
}  # fmt: skip


def line(**changes: str) -> list[str]:
    """A command line, some of whose counts are others."""
    found = {**GOOD, **changes}
    options = [f"{name}={value}" for name, value in found.items() if name.startswith("--")]
    return [*options, "--", found["POSITIVE/JUDGED"]]


WITHIN = "within|judged"
OTHERS = (  # where, what, the line, what is said
    ("both gold counts", "judges who guess",
     line(**{"--positives": "100/200", "--negatives": "100/200"}), "TPR|guess|chance"),
    ("both gold counts", "judges worse than chance",
     line(**{"--positives": "20/200", "--negatives": "20/200"}), "TPR|chance|wrong"),
    *((where, "more gold items than judged ones, within",
       ["--within", *line(**{where: "900/1000", "POSITIVE/JUDGED": "60/100"})], WITHIN)
      for where in ("--positives", "--negatives")),
    ("POSITIVE/JUDGED", "fewer positive than known positives found",
     ["--within", *line(**{"--positives": "90/100", "POSITIVE/JUDGED": "50/1000"})], WITHIN),
    ("POSITIVE/JUDGED", "fewer negative than known negatives found",
     ["--within", *line(**{"--negatives": "190/200", "POSITIVE/JUDGED": "950/1000"})], WITHIN),
    ("the line", "counts alone, without gold", ["645/1000"], "--positives"),
    ("the line", "known negatives missing", ["645/1000", "--positives=9/10"], "--negatives"),
    ("the line", "no counts of the judged", ["--positives=9/10", "--negatives=9/10"],
     "POSITIVE/JUDGED"),
)  # fmt: skip
CASES = [
    *(
        Case("correct-rate", where, what, line(**{where: value}), {},
             f"{where}|gold (pos|neg)itives|judged")
        for where in GOOD for what, value in NO_COUNTS.items()
    ),
    *(Case("correct-rate", where, what, own, {}, says) for where, what, own, says in OTHERS),
]  # fmt: skip
