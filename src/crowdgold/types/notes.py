"""Notes: what is said beside a number, as a code with values; its sentence stands here alone.

Decisions look at codes. Whatever speaks to a reader, a table, a page or a JSON file, takes the
sentence from `CATALOGUE`, so that a change of words is a change of one line.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any, NamedTuple

from crowdgold.types.columns import counted, list_names

FATAL, GRAVE, MINOR, TOLD = WEIGHTS = ("fatal", "grave", "minor", "told")
"""No answer for it; it may be wrong by any amount; it may be a little wrong; to be known."""


class Words(NamedTuple):
    """How a note is said, with places for its values."""

    text: str  # a clause without its last stop; sentences where it is a doubt
    title: str = ""  # above the text in a report
    weight: str = TOLD  # one of `WEIGHTS`, where a note does not say another


NUMBERS_IN = "numbers in estimates.csv"
CATALOGUE: Mapping[str, Words] = {
    # Why gold labels correct nothing.
    "no_gold": Words(
        "no gold labels: votes and scores allow a range and no more; the number of a model rests "
        "on what it assumes, and nothing checks it"
    ),
    "gold_surely_chosen": Words(
        "{surely}: the numbers rest on a model of votes and scores, where there is one, and gold "
        "labels cannot check it"
    ),
    "only_models": Words(
        "only models were asked for: the numbers rest on them, and gold labels do not correct them"
    ),
    # What is said of an estimate.
    "gold_alone": Words("from the gold labels alone: the prediction makes it no surer"),
    "rests_on_few": Words("it rests on {number:counted {units}}"),
    "exact_bound": Words(
        "it rests on {number:counted {units}}, so that the interval is an exact bound"
    ),
    "vague": Words("no interval: it could have nearly any value", weight=FATAL),
    "left_open": Words(
        "no interval: a stratum, or items that count for as many others, has so few gold labels "
        "that they leave more than half of the range open",
        weight=FATAL,
    ),
    "all_alike": Words(
        "no interval: the gold items are all alike, and show no spread", weight=FATAL
    ),
    "no_value": Words("the gold items leave it without a value", weight=FATAL),
    "no_value_of_draws": Words("the labels leave it without a value", weight=FATAL),
    "no_difference": Words("it gives no difference of two predictors", weight=FATAL),
    "annotators_apart": Words(
        "this is of all votes together, and annotators differ: {lowest} has {low:.2f}, {highest} "
        "{high:.2f}; annotators.csv has each",
        weight=MINOR,
    ),
    "scores_of": Words("with the scores of {model}"),
    "said": Words("{text}"),
    # Why a method gives no answer.
    "no_number": Words("no value", weight=FATAL),
    "no_interval": Words("no interval", weight=FATAL),
    "without_scores": Words("it does not use the scores"),
    "not_converged": Words("its chains had not converged ({message})"),
    "contradicted": Words("the gold labels contradict it"),
    "too_wide": Words(
        f"its interval, {{lower:.3f}} to {{upper:.3f}}, says next to nothing; {NUMBERS_IN}",
        weight=FATAL,
    ),
    "model_beside_gold": Words("it is a model, which is no answer where there are gold labels"),
    "takes_gold_for_true": Words(
        f"it takes gold labels for the truth, and experts err; {NUMBERS_IN}"
    ),
    "not_from_this_gold": Words(f"it rests on these gold items; {NUMBERS_IN}"),
    "not_by_itself": Words(f"it is no answer by itself; {NUMBERS_IN}"),
    "no_model": Words(
        "no model was fitted that could answer (--no-models leaves them out)", weight=FATAL
    ),
    "not_run": Words("{why}"),
    "wide": Words(
        "the interval has more than half of the values that the metric can take, and says little",
        weight=MINOR,
    ),
    # Why there is no range without gold labels.
    "range_not_known": Words("votes and scores alone give it no range", weight=FATAL),
    "range_of_single_votes": Words("too few items have two votes", weight=FATAL),
    "range_of_others": Words(
        "the range leaves out judges who vote against the others, and this is of all votes",
        weight=FATAL,
    ),
    "range_contradicted": Words("the votes contradict what is assumed of the judges", weight=FATAL),
    "range_too_wide": Words(
        "the data allow anything from {lower:.2f} to {upper:.2f}", weight=FATAL
    ),
    # What would change the answer.
    "gold_not_random": Words(
        "{what} of the gold items differ from those of the others{p}. Every method takes "
        "gold items to be drawn at random; if they were chosen by {by}scores or difficulty, the "
        "numbers can be wrong by any amount. {mend}.",
        "Gold {may} a random sample",
    ),
    "gold_unlike_its_draw": Words("{what} speak against it{p}. {mend}.", "{misfit}"),
    "nothing_checks": Words(
        "Nothing checks the model of the votes against the truth. It takes voters to be right more "
        "often than not. Have an expert label items drawn at random: {enough} are enough for a "
        "first answer, 100 for a useful one.",
        "No gold labels",
    ),
    "few_of_a_class": Words(
        "There are {positive:,} positive and {negative:,} negative ones; a metric that rests on "
        "fewer than {fewest} of them has no interval. Label more random items.",
        "Too few gold labels of a class",
    ),
    "few_gold": Words(
        "How often the intervals are right was measured with {measured} gold labels or more. Label "
        "more random items.",
        "{gold:counted gold labels}, fewer than {measured}",
    ),
    "contradicts": Words(
        "Its estimates of {metrics} are more than two standard errors from those of {corrected}, "
        "which the gold labels correct: {flagged} of the {compared} estimates that were compared, "
        "where a model that is right has at most one in twenty by chance. {rest}",
        "The gold labels contradict {method}",
    ),
    "answer_rests_on_it": Words("The answer rests on it."),
    "answer_not_on_it": Words("The answer does not rest on it: use that."),
    "chance_can": Words("{rest} With so many estimates compared, chance alone can do that."),
    "disagrees": Words(
        "Its {level} interval does not overlap the answer's for {metrics}. What one of the two "
        "assumes is wrong: see Assumptions.",
        "{method} disagrees",
    ),
    "chains": Words(
        "{problems}. Its numbers are shown. {rest}",
        "The chains of {method}{of} had not converged",
    ),
    "rests_not_on_chains": Words("The answer does not rest on it."),
    "corrected_all_the_same": Words(
        "The gold labels correct the answer, so its interval is right all the same."
    ),
    "not_reproduced": Words(
        "{outside} of {rows} observations are outside the {level} intervals of data drawn from the "
        "fit. This weakens {touched} by this model. An answer that gold labels correct does not "
        "rest on it.",
        "{method} with {model} does not reproduce {name}",
    ),
    "undecided": Words(
        "Their intervals hold 0. If they are as large as estimated, they would be seen in a study "
        "larger (items, votes and gold alike) by: {sizes}. `crowdgold plan` finds the cheapest.",
        "Differences that these data do not decide",
    ),
    "only_models_asked": Words(
        "Each model is right where its assumptions are, and no estimate that gold labels correct "
        "was asked for. Add {method} to the methods.",
        "Only models were asked for",
    ),
    "remarks": Words("{told}.", "Remarks on single answers"),
    "weighted": Words(
        "Items are weighted: the numbers are of {whose} and no better than the weights.", "Weights"
    ),
    # What was found of all that would change it.
    "verdict_grave": Words(
        "{number:counted grave doubts}: read below why these numbers may be wrong."
    ),
    "verdict_none": Words("We found no reason to distrust these numbers."),
    "verdict_minor": Words(
        "We found no grave reason to distrust these numbers, and {number:counted minor ones}: read "
        "below."
    ),
}


class _Places(Formatter):
    """Fills the places of a sentence: `{n:counted item}` is 2 items, `{names:list}` a, b."""

    def format_field(self, value: Any, spec: str) -> str:
        if spec.startswith("counted "):
            thing = spec.removeprefix("counted ")
            if value == 1 and not thing.endswith("s"):
                return counted(value, thing)
            return counted_things(value, thing)
        if isinstance(value, Note):
            return value.text
        if spec == "list":
            return list_names(value)
        return str(super().format_field(value, spec))


def counted_things(number: int, things: str) -> str:
    """A number of things that are named in the plural: 1 gold item, 2 gold items."""
    if number == 1:  # clusters of gold items, or gold items
        things = things.replace("clusters", "cluster") if "clusters" in things else things[:-1]
    return f"{number} {things}"


@dataclass(frozen=True)
class Note:
    """Something that a reader should know, and how much weight it has."""

    code: str  # one of `CATALOGUE`
    values: Mapping[str, Any] = field(default_factory=dict)  # what stands in its places
    weight: str = ""  # one of `WEIGHTS`; that of its code where none is given

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", self.weight or CATALOGUE[self.code].weight)

    @property
    def text(self) -> str:
        """Its sentence."""
        return _Places().vformat(CATALOGUE[self.code].text, (), self.values)

    @property
    def title(self) -> str:
        """What it is, in a few words; empty where it has none."""
        return _Places().vformat(CATALOGUE[self.code].title, (), self.values)

    def as_json(self) -> dict[str, Any]:
        """As study.json has it, with its sentence."""
        return {"code": self.code, "weight": self.weight, "values": dict(self.values),
                "text": self.text}  # fmt: skip


def said(text: str) -> tuple[Note, ...]:
    """A remark that no one decides by, as its only note; none where it is empty."""
    return (Note("said", {"text": text}),) if text else ()


def note_of(held: Mapping[str, Any]) -> Note:
    """The note that `Note.as_json` wrote."""
    return Note(held["code"], held["values"], held["weight"])


def texts(notes: Iterable[Note]) -> str:
    """The sentences of notes, one after the other."""
    return "; ".join(note.text for note in notes)


def codes(notes: Iterable[Note]) -> str:
    """The codes of notes, for a cell of a table."""
    return " ".join(note.code for note in notes)
