"""Bad inputs that are not refused as they should be yet: name of the case -> why.

The test fails where one of them is refused as it should be: take it out of this list then.
"""

OUTPUTS = "options of outputs and steps are mended by another change"
RINGS = "Path.resolve raises a RuntimeError at a link to itself, up to Python 3.12"
FOLDERS = "damaged folders and records are mended by another change"
REASONS = {
    "labelling-threshold - --budget - infinite": OUTPUTS,
    "labelling-threshold - --step - so small that it has no end": OUTPUTS,
    "evaluate - scores - a link to itself": RINGS,
    "evaluate - --out - a link to itself": OUTPUTS,
    "report - study.json - unreadable": FOLDERS,
    "report - check.json - a folder": FOLDERS,
    "report - check.json - unreadable": FOLDERS,
    "report - estimates.csv - cut short": FOLDERS,
    "report - estimates.csv - unreadable": FOLDERS,
    "report - study.json - a level in words": FOLDERS,
    "report - study.json - a level of nothing": FOLDERS,
    "report - study.json - a level of 95": FOLDERS,
    "report - study.json - models of a number": FOLDERS,
    "report - study.json - models of nothing": FOLDERS,
    "report - study.json - strata of nothing": FOLDERS,
    "report - study.json - items in words": FOLDERS,
    "report - study.json - items of nothing": FOLDERS,
    "report - study.json - gold in words": FOLDERS,
    "report - study.json - headlines of nothing": FOLDERS,
    "report - study.json - a headline in words": FOLDERS,
    "report - study.json - fits of a number": FOLDERS,
    "report - study.json - problems of a number": FOLDERS,
    "report - study.json - notes of a number": FOLDERS,
    "report - check.json - items in words": FOLDERS,
    "report - check.json - votes per item of nothing": FOLDERS,
    "report - check.json - a verdict of a text": FOLDERS,
    "report - check.json - verdicts of a number": FOLDERS,
    "report - check.json - a gold sample of a text": FOLDERS,
    "report - check.json - scores of a list": FOLDERS,
    "report - check.json - warnings of a number": FOLDERS,
    "trace - a figure's record - without drawn": FOLDERS,
    "trace - a figure's record - files of a list": FOLDERS,
    "trace - a figure's record - tables of a number": FOLDERS,
    "trace - a figure's record - a table of a text": FOLDERS,
    "trace - a figure's record - a table without its path": FOLDERS,
    "trace - a figure's record - drawn by a text": FOLDERS,
    "trace - a figure's record - nested without end": FOLDERS,
    "trace - a table of results - blocks of a number": FOLDERS,
    "trace - a table of results - a block of a text": FOLDERS,
    "trace - a table of results - a block without a path": FOLDERS,
    "trace - a table of results - a block without its configuration": FOLDERS,
    "trace - a table of results - parts of a list": FOLDERS,
}
