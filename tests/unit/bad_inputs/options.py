"""Options of each command whose value cannot be used, and command lines that are none."""

from collections.abc import Iterator

from unit.bad_inputs.case import UNSUPPORTED, Case
from unit.bad_inputs.good import GUESSES, LINES, PILOT, STUDY, changed

NO_NUMBER = {"words": "many", "nothing": "", "a unit": "5%", "a comma for a point": "0,5"}
NO_FLOAT = NO_NUMBER | {"not a number": "nan", "infinite": "inf", "infinite below": "-inf"}
NO_WHOLE = NO_NUMBER | {"a fraction": "1.5", "not a number": "nan", "infinite": "inf"}
SHARE = {"zero": "0", "one": "1", "negative": "-0.1", "above one": "1.1", "a percentage": "95"}
ABOVE_ZERO = {"zero": "0", "negative": "-1"}

FLOATS = {
    "plan": {
        "prevalence": SHARE, "tpr": SHARE, "tnr": SHARE, "vote-correlation": SHARE, "auc": SHARE,
        "delta": {}, "width": ABOVE_ZERO, "vote-price": ABOVE_ZERO, "gold-price": ABOVE_ZERO,
        "level": SHARE,
    },
    "evaluate": {"level": SHARE, "threshold": {}},
    "correct-rate": {"level": SHARE},
    "fit-labelling": {"alpha": ABOVE_ZERO, "gamma": ABOVE_ZERO},
    "confidence": {"threshold": {"negative": "-0.1", "above one": "1.1", "a percentage": "95"}},
    "labelling-threshold": {
        "accuracy": {"negative": "-0.1", "above one": "1.1", "a percentage": "95"},
        "budget": {"zero": "0", "negative": "-1"},
        "step": ABOVE_ZERO | {"above a half": "0.6", "so small that it has no end": "1e-300"},
    },
}  # fmt: skip
"""Command -> option that takes a number -> the numbers that it does not take."""
WHOLES = {
    "plan": {
        "items": ABOVE_ZERO, "gold": ABOVE_ZERO, "seed": {"negative": "-1"},
    },
    "check": {"seed": {"negative": "-1"}},
    "evaluate": {"cores": ABOVE_ZERO, "seed": {"negative": "-1"}},
    "fit-labelling": {
        "chains": {"zero": "0", "negative": "-1", "one, which has none beside it": "1"},
        "warmup": {"negative": "-1"}, "draws": ABOVE_ZERO, "lag": ABOVE_ZERO,
        "seed": {"negative": "-1"},
    },
    "confidence": {"most": ABOVE_ZERO},
}  # fmt: skip
TOO_LARGE = {
    "plan": {"items": "1" + "0" * 400, "votes": "1" + "0" * 30},
    "fit-labelling": {
        "chains": "1" + "0" * 15, "draws": "1" + "0" * 15, "warmup": "1" + "0" * 30,
        "lag": "1" + "0" * 30,
    },
}  # fmt: skip
CHOICES = {
    "evaluate": ("about", "repeated", "fail-on"), "check": ("repeated",), "plan": ("repeated",),
    "fit-labelling": ("repeated", "confusion"), "correct-rate": ("interval",),
    "confidence": ("repeated", "bad-rows"), "labelling-threshold": ("repeated", "against"),
}  # fmt: skip


def _numbers() -> Iterator[Case]:
    for kinds, options in ((NO_FLOAT, FLOATS), (NO_WHOLE, WHOLES)):
        for command, own in options.items():
            for option, limits in own.items():
                for what, value in (kinds | limits).items():
                    yield _option(command, option, what, value)
    for command, large in TOO_LARGE.items():
        for option, value in large.items():
            yield _option(command, option, "too large", value)
    for command, names in CHOICES.items():
        for option in names:
            for what, value in {"no choice": "other", "nothing": "", "two": "a,b"}.items():
                yield _option(command, option, what, value)


def _option(command: str, option: str, what: str, value: str | None) -> Case:
    line = changed(command, f"--{option}", value)
    if option == "budget":
        line = [one for one in line if one not in ("--accuracy", "0.5")]
    if option == "gold":
        line = [one for one in line if one not in ("--width", "0.1")] + ["--items=100"]
    words = rf"\b{option}s?\b"
    return Case(command, f"--{option}", what, line, LINES[command][1], words)


def _missing_values() -> Iterator[Case]:
    """An option at the end of the line, without its value."""
    more = {
        "evaluate": ("out", "methods", "metrics", "positive", "column", "fail-if", "badge"),
        "check": ("positive",),
        "plan": ("metric", "votes", "pilot"), "fit-labelling": ("output", "categories"),
        "correct-rate": ("positives", "negatives"), "confidence": ("header", "column"),
        "labelling-threshold": ("output",),
    }  # fmt: skip
    for options in (FLOATS, WHOLES, CHOICES, more):
        for command, names in options.items():
            for option in names:
                yield _option(command, option, "without a value", None)


def _lines() -> Iterator[Case]:
    """What is no command line at all."""
    yield Case("", "COMMAND", "none", [], says="COMMAND")
    yield Case("", "COMMAND", "an unknown one", ["evalute"], says="invalid choice: 'evalute'")
    yield Case("", "COMMAND", "an option before it", ["--json", "check"], says="--json|COMMAND")
    for command, (line, files) in LINES.items():
        unheard = [*line, "--unheard"]
        yield Case(command, "the line", "an unknown option", unheard, files, "--unheard")
        yield Case(command, "the line", "nothing but the command", [], says="required|expected")
        if command not in ("evaluate", "check", "fit-labelling"):
            more = line if command == "plan" else [line[0], "second", "third"]
            says = "unrecognized arguments: .*fourth|required"
            yield Case(command, "the line", "one argument too many", [*more, "fourth"], files, says)
    for command, option in (
        ("evaluate", "json"), ("plan", "json"), ("correct-rate", "within"),
        ("fit-labelling", "ordered"), ("evaluate", "no-models"), ("report", "json"),
    ):  # fmt: skip
        yield _option(command, option, "a value where none is taken", "yes")


def _plan() -> Iterator[Case]:
    def case(where: str, what: str, says: str, *line: str, pilot: bool = False) -> Case:
        return Case("plan", where, what, line, STUDY if pilot else {}, says)

    guesses = [f"--{name}={value}" for name, value in GUESSES.items()]
    for name in GUESSES:
        kept = [one for one in guesses if not one.startswith(f"--{name}=")]
        yield case(f"--{name}", "not given", f"--{name} not given", *kept, "--width=0.1")
        says = f"--{name}: not with --pilot"
        yield case(f"--{name}", "beside a pilot", says, *PILOT, f"--{name}=0.5", pilot=True)
    for name in ("vote-correlation", "auc", "delta"):
        says = f"--{name}: not with --pilot"
        yield case(f"--{name}", "beside a pilot", says, *PILOT, f"--{name}=0.5", pilot=True)
    yield case("--width", "beside --gold", "--width, or", *guesses, "--width=0.1", "--gold=50")
    yield case("--width", "neither it nor --gold", "--width, or", *guesses)
    yield case("--gold", "without --items", "--gold", *guesses, "--gold=50")
    yield case("--gold", "more than --items", "--gold", *guesses, "--gold=50", "--items=40")
    few = [*guesses, "--gold=2", "--items=40"]
    yield case("--gold", "fewer than are promised", "20 or more|expected", *few)
    yield case("--model", "without a pilot", "--model", *guesses, "--width=0.1", "--model=large")
    own = ["--pilot", *STUDY]
    huge, several = [*own, "--model", "huge", "--width=0.1"], [*own, "--width=0.1"]
    yield case("--model", "not in the pilot", "no model 'huge'", *huge, pilot=True)
    says = "--model: the pilot has several"
    yield case("--model", "not named, of several", says, *several, pilot=True)
    line = ["--tpr=0.5", "--tnr=0.5", "--prevalence=0.2", "--width=0.1"]
    yield case("--tpr and --tnr", "voters who guess", "--tpr 0.5 and --tnr 0.5", *line)
    line = ["--tpr=0.7", "--tnr=0.9", "--prevalence=1e-6", "--width=0.1"]
    yield case("--prevalence", "too rare to plan for", "prevalence: found 1e-06", *line)
    votes = {"words": "few", "nothing": "", "zero": "0,1", "negative": "-1", "a fraction": "1.5",
             "an empty one among them": "1,,3", "a range": "1-5"}  # fmt: skip
    for what, value in votes.items():
        yield case("--votes", what, "--votes", *guesses, "--width=0.1", f"--votes={value}")
    metrics = {
        "unknown": ("accurcy", "no metric 'accurcy'"), "nothing": ("", "no metric ''"),
        "a model parameter": ("phi", "phi"), "no threshold": ("F1", "F1@THRESHOLD"),
        "a threshold that it has not": ("AUC@0.5", "'AUC@0.5'"),
        "a threshold in words": ("F1@high", "'high'"), "a threshold of nan": ("F1@nan", "'nan'"),
        "an infinite threshold": ("F1@inf", "'inf'"), "an empty threshold": ("F1@", "F1@"),
        "a recall above one": ("precision_at_recall@2", "recall"),
        "a predictor that there is not": ("AUC:other", "AUC:other"),
        "a threshold beyond all scores": ("precision@1e9", "precision@1e9"),
        "a difference, of one model": ("delta_AUC", "delta_AUC"),
        "several": ("AUC,TPR_H", "AUC,TPR_H"),
    }  # fmt: skip
    for what, (value, says) in metrics.items():
        line = [*guesses, "--width=0.1", "--votes=1", f"--metric={value}"]
        yield case("--metric", what, says, *line)
    line = ["--pilot", "votes.csv", "gold.csv", "--metric=AUC", "--width=0.1"]
    what = "of scores, where the pilot has none"
    yield case("--metric", what, "it is of scores", *line, pilot=True)
    line = [*guesses, "--width=1e-9", "--votes=1", "--items=100"]
    what, says = "that no study reaches", "No study reaches the width"
    yield Case("plan", "--width", what, line, {}, says, UNSUPPORTED)


def _evaluate() -> Iterator[Case]:
    def case(where: str, what: str, says: str, *line: str) -> Case:
        return Case("evaluate", where, what, [*LINES["evaluate"][0], *line], STUDY, says)

    for option, what, says, *values in (
        ("--methods", "a slip", "no method 'logistic'; did you mean", "logistic"),
        ("--methods", "nothing", "no method ''", ""),
        ("--methods", "commas between", "no method", "GT,AUC"),
        ("--methods", "a good one and a bad", "no method 'zzz'", "GT", "zzz"),
        ("--metrics", "a slip", "no metric 'AUK'; did you mean", "AUK"),
        ("--metrics", "nothing", "no metric ''", ""),
        ("--metrics", "commas between", "no metric", "GT,AUC"),
        ("--metrics", "a good one and a bad", "no metric 'zzz'", "AUC", "zzz"),
        ("--methods", "one of the workflow's", "no method 'ORACLE'", "ORACLE"),
        ("--methods", "in lower case", "no method 'maven'; did you mean", "maven"),
        ("--methods", "a model, and --no-models", "--no-models leaves nothing", "MAVEN"),
        ("--metrics", "a difference", "come with each metric", "delta_AUC"),
        ("--metrics", "with its threshold", "no metric 'F1@0.5'", "F1@0.5"),
        ("--metrics", "a parameter", "no metric 'phi'", "phi"),
    ):
        yield case(option, what, says, option, *values)
    for what, value in {
        "of a model that there is not": "huge=0.5", "a model without a value": "large=",
        "a model with words": "large=high", "a model with nan": "large=nan",
        "a model with inf": "large=inf", "a value before the model": "0.5=large",
        "a colon for the sign": "large:0.5",
    }.items():  # fmt: skip
        yield case("--threshold", what, "threshold", f"--threshold={value}")
    for what, value in {
        "nothing": "", "a metric alone": "AUC", "no sign": "AUC 0.9", "a sign alone": "<",
        "no number": "AUC <", "a word for the number": "AUC < high", "nan": "AUC < nan",
        "an infinite number": "AUC < inf", "the wrong way round": "0.9 > AUC",
        "two signs": "0.5 < AUC < 0.9", "an equals sign": "AUC == 0.9",
        "a slip in the metric": "AUK < 0.9", "a model that there is not": "AUC:huge < 0.9",
        "a threshold that is not asked for": "F1@0.7 < 0.9", "a parameter": "phi > 0.5",
        "a number of too many digits": f"AUC < 1{'0' * 400}",
    }.items():  # fmt: skip
        yield case("--fail-if", what, "--fail-if", f"--fail-if={value}")
    for what, value in {"nothing": "", "a slip": "AUK", "a condition": "AUC < 0.9"}.items():
        yield case("--badge", what, "--badge", f"--badge={value}")
    yield case("--badge", "beside --json", "expected one of them", "--badge=AUC", "--json")
    for what, value in {"not in the data": "spam", "nothing": "", "a comma alone": ","}.items():
        yield case("--positive", what, "--positive", f"--positive={value}")


CASES = [
    *_numbers(), *_missing_values(), *_lines(), *_plan(), *_evaluate(),
]  # fmt: skip
