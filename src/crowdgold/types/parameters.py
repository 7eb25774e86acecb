"""Settings as typed declarations, from which their checks, schema and documentation are made.

A class of settings derives from `Settings`. A field says its type, its range and what it means in
one annotation, `weight: Annotated[float, Above(0), "Weight of the prior, in items."] = 1.0`; words
are a `Literal`, and a mapping is a class of settings of its own. `Parameters` are read by name, one
at a time; a class may declare them too. Nothing here is slow to import.
"""

import difflib
import math
import types
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, replace
from numbers import Real
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NoReturn,
    Self,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from crowdgold.types.errors import InputError

LEAST_LEVEL, MOST_LEVEL = 0.01, 0.99999
"""Levels of intervals: a lower one is mere rounding, a higher one has no end."""
LIKE = 0.5
"""Similarity, 0 to 1, from which on a known name is suggested for one that is not known."""


def did_you_mean(name: object, known: Iterable[str], always: bool = False) -> str:
    """The question whether the nearest known name is meant, however far it is if `always`."""
    folded = {str(one).casefold(): one for one in known}
    close = difflib.get_close_matches(str(name).casefold(), folded, 1, 0 if always else LIKE)
    return f"did you mean {folded[close[0]]!r}?" if close else ""


def unknown(kind: str, name: object, known: Iterable[str]) -> str:
    """What a message says of a name that is not known: the nearest one, and all that there are."""
    known = list(known)
    meant = did_you_mean(name, known)
    return f"no {kind} {name!r}; {f'{meant} There' if meant else 'there'} are {', '.join(known)}"


@dataclass(frozen=True)
class Range:
    """A range of numbers; without a bound where it is infinite."""

    least: float = -math.inf  # bounds that are allowed
    most: float = math.inf
    above: float = -math.inf  # bounds that are not
    below: float = math.inf

    def __contains__(self, value: float) -> bool:
        return self.least <= value <= self.most and self.above < value < self.below

    def __str__(self) -> str:
        if self.above == 0 and self.below == 1:
            return "a number between 0 and 1"
        ends = {
            "{:,.10g} or more": self.least, "above {:,.10g}": self.above,
            "at most {:,.10g}": self.most, "below {:,.10g}": self.below,
        }  # fmt: skip
        return " and ".join(form.format(end) for form, end in ends.items() if math.isfinite(end))

    @property
    def schema(self) -> dict[str, float]:
        """The range in the words of JSON schemas."""
        names = {
            "minimum": self.least, "maximum": self.most,
            "exclusiveMinimum": self.above, "exclusiveMaximum": self.below,
        }  # fmt: skip
        return {name: bound for name, bound in names.items() if math.isfinite(bound)}


def AtLeast(least: float, most: float = math.inf) -> Range:
    """The range from a number on, up to another where there is one."""
    return Range(least=least, most=most)


Between = AtLeast  # reads better where both bounds are given


def Above(above: float, below: float = math.inf) -> Range:
    """The range above a number, and below another where there is one."""
    return Range(above=above, below=below)


def _words(bounds: Range) -> str:
    """A range as messages say it after "a number"."""
    closed = [end for end in (bounds.least, bounds.most) if math.isfinite(end)]
    if len(closed) == 2:
        return f"from {bounds.least:g} to {bounds.most:g}"
    if closed:
        return f"that is {bounds}"
    ends = {"above": bounds.above, "below": bounds.below}
    return " and ".join(f"{word} {end:g}" for word, end in ends.items() if math.isfinite(end))


def is_number(value: Any) -> bool:
    """Whether a value is a finite number (a boolean is none)."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number (a boolean is none)."""
    return is_number(value) and float(value).is_integer()


def check_level(level: float, name: str = "level") -> None:
    """Raise an `InputError` where no interval of a level can be worked out."""
    if not LEAST_LEVEL <= level <= MOST_LEVEL:
        raise InputError(
            f"{name}: found {level:g}, expected a number from {LEAST_LEVEL:g} to {MOST_LEVEL:g}"
        )


NOUNS = {int: "a whole number", float: "a number", str: "a word", bool: "true or false"}
SEED = 20260301
"""The seed of random numbers where a user names none."""
LEVEL = 0.95
"""The level of intervals where a user names none."""
SURELY, ESTIMATED, POSSIBLY = RULES = ("surely", "estimate", "possibly")
"""When a condition on an answer is met: at both ends of its interval, its estimate, or one end."""
ESTIMATE = "estimate"
"""In the place of how often experts err: find it from second opinions."""
ONE_LABEL = ("refuse", "first", "last")
"""Rules that leave one label of an annotator on an item, where there are more."""
REPEATED = (*ONE_LABEL, "keep")
"""What to do where an annotator labels an item more than once."""
KINDS = {int: "integer", float: "number", str: "string", bool: "boolean"}
"""Types -> what messages, and JSON schemas, call them."""


@dataclass(frozen=True)
class Json:
    """What a value that is no number and no word looks like, in the words of JSON schemas."""

    schema: Mapping[str, Any]


@dataclass(frozen=True)
class OnlyOf:
    """A setting that concerns one kind of table, such as `annotations`."""

    table: str


OF_EXPERIMENT = OnlyOf("experiment")
"""Marks a parameter that the experiment reads, though it stands among the generator's."""


def refuse(message: str) -> NoReturn:
    """Raise an `InputError`."""
    raise InputError(message)


def check_names(given: Collection[str], known: Collection[str], owner: str) -> None:
    """Raise an `InputError` with the nearest for a setting of an owner that is not known."""
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known, always=True) or "it has none"
            refuse(f"{owner}: no setting {name!r}; {hint}")


@dataclass(frozen=True)
class Declaration:
    """What the annotation of a field says."""

    name: str  # of the field
    kind: Any  # its type: a number, a word, true or false, or a class of settings
    choices: tuple[Any, ...]  # the words or values that it takes; all where there are none
    range: Range  # of numbers
    about: str  # what it means
    table: str  # the kind of table that it concerns; empty where it is all
    default: Any  # where it is not given; None where that is left to the method
    # the JSON schema of a value of any other kind; empty where its type says it
    json: Mapping[str, Any]

    @property
    def schema(self) -> dict[str, Any]:
        """The field as a JSON schema; a class of settings by its name among the definitions."""
        if _is_settings(self.kind):
            return {"$ref": f"#/$defs/{self.kind.key()}"}
        found: dict[str, Any] = {"description": self.about}
        if self.default is not None:
            found["default"] = self.default
        if self.json:
            return {**self.json, **found}
        if self.choices:
            return {**found, "enum": list(self.choices)}
        found |= {"type": KINDS[self.kind], **self.range.schema}
        return {**found, "minLength": 1} if self.kind is str else found

    def read(self, value: Any) -> Any:
        """A value that is given, in its type; `InputError` where it cannot be."""
        expected = ""
        if value is None and self.default is None:
            return None
        if _is_settings(self.kind):
            if isinstance(value, self.kind):
                return value
            if isinstance(value, Mapping):
                return self.kind.read(value, self.name)
            expected = " and ".join(one.name for one in self.kind.declared())
        elif self.choices:
            if value not in self.choices:
                hint = did_you_mean(value, map(str, self.choices))
                listed = ", ".join(map(str, self.choices))
                expected = f"one of {listed}{hint and '; '}{hint}"
        elif self.kind in (int, float):
            whole = self.kind is int
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not math.isfinite(value) or (whole and value != int(value)):
                expected = NOUNS[self.kind]
            elif value not in self.range:
                expected = str(self.range)
            else:
                value = int(value) if whole else value
        elif not isinstance(value, self.kind) or value == "":
            expected = NOUNS[self.kind]
        if expected:
            refuse(f"{self.name}: found {value!r}, expected {expected}")
        return value


def _is_settings(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Settings)


def _declaration(field: Field[Any], hint: Any) -> Declaration:
    kind, *extras = get_args(hint) if get_origin(hint) is Annotated else [hint]
    if get_origin(kind) in (Union, types.UnionType):  # X | None: not given is None
        (kind,) = (one for one in get_args(kind) if one is not type(None))
    words = get_args(kind) if get_origin(kind) is Literal else ()
    default = None if field.default is MISSING else field.default
    if field.default_factory is not MISSING:
        default = field.default_factory()

    def said(kind: type, otherwise: Any) -> Any:
        return next((one for one in extras if isinstance(one, kind)), otherwise)

    bounds, about, table = said(Range, Range()), said(str, ""), said(OnlyOf, OnlyOf("")).table
    schema = said(Json, Json({})).schema
    return Declaration(field.name, kind, words, bounds, about, table, default, schema)


@dataclass(frozen=True)
class Settings:
    """Settings that are checked as they are made; derive from it to declare some."""

    _declared: ClassVar[tuple[Declaration, ...]]
    rules: ClassVar[Mapping[str, Any]] = {}
    """What some settings ask of others, in the words of JSON schemas."""

    def __post_init__(self) -> None:
        for one in self.declared():
            object.__setattr__(self, one.name, one.read(getattr(self, one.name)))
        self.agree()

    def agree(self) -> None:
        """Raise an `InputError` where settings that are right alone contradict one another."""

    @classmethod
    def declared(cls) -> tuple[Declaration, ...]:
        """What the fields declare, in their order."""
        if "_declared" not in cls.__dict__:
            hints = get_type_hints(cls, include_extras=True)
            cls._declared = tuple(_declaration(one, hints[one.name]) for one in fields(cls))
        return cls._declared

    @classmethod
    def read(cls, given: Mapping[str, Any], owner: str) -> Self:
        """The settings that are given by name, the others as declared."""
        check_names(given, [one.name for one in cls.declared()], owner)
        try:
            return cls(**given)
        except ValueError as error:
            refuse(f"{owner}: {error}")

    @classmethod
    def key(cls) -> str:
        """The name of its definition in a schema: PhiPrior is phi_prior."""
        letters = (f"_{one.lower()}" if one.isupper() else one for one in cls.__name__)
        return "".join(letters).lstrip("_")


def object_schema(kind: type[Settings], without: Collection[str] = ()) -> dict[str, Any]:
    """The JSON schema of a class of settings, but for some of them."""
    parts = {one.name: one.schema for one in kind.declared() if one.name not in without}
    about = {"description": " ".join((kind.__doc__ or "").split())}
    whole = {**about, "type": "object", "additionalProperties": False, "properties": parts}
    return {**whole, **kind.rules}


def Each(kind: type, bounds: Range | None = None, least: int = 0, most: int | None = None) -> Json:
    """A list of values of one type, from `least` to `most` of them."""
    sizes = {name: size for name, size in {"minItems": least, "maxItems": most}.items() if size}
    items = {"type": KINDS[kind], **(bounds or Range()).schema}
    return Json({"type": "array", **sizes, "items": items})


def Part(kind: type[Settings], required: Collection[str] = ()) -> Json:
    """A mapping that a class declares, some of whose keys must be given."""
    whole = object_schema(kind)
    return Json({**whole, "required": list(required)} if required else whole)


def Named(kind: type[Settings], required: Collection[str] = ()) -> Json:
    """A mapping from names, one at least, to mappings that a class declares."""
    each = Part(kind, required).schema
    return Json({"type": "object", "minProperties": 1, "additionalProperties": each})


def parts_of(kind: type[Settings]) -> Iterator[type[Settings]]:
    """The classes of settings that a class has as its fields."""
    return (one.kind for one in kind.declared() if _is_settings(one.kind))


@dataclass(frozen=True)
class Parameters:
    """Values by name, and how messages name their owner ("generator maven", "dataset chaosnli").

    A class may declare their names, ranges, words and defaults. They are read one at a time, since
    an experiment may not give those that it varies, and what one may be can rest on another.
    """

    owner: str
    values: Mapping[str, Any]
    kind: type[Settings] | None = None

    def __post_init__(self) -> None:
        """Fill in the declared defaults of parameters that are not given."""
        known = {name: one.default for name, one in self._declared.items()}
        known = {name: value for name, value in known.items() if value is not None}
        object.__setattr__(self, "values", {**known, **self.values})

    @property
    def _declared(self) -> dict[str, Declaration]:
        return {one.name: one for one in self.kind.declared()} if self.kind else {}

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def check_names(self, known: Iterable[str] = ()) -> None:
        """Raise `InputError` for the first name that is not a known one, or not declared."""
        own = (name for name, one in self._declared.items() if one.table != OF_EXPERIMENT.table)
        known = list(known) or list(own)
        for name in self.values:
            if name not in known:
                raise InputError(f"{self.owner}: {unknown('parameter', name, known)}")

    def fault(self, name: str, expected: str) -> InputError:
        """The error for a parameter that is missing, or is not what is expected."""
        if name not in self.values:
            return InputError(f"{self.owner}: parameter {name!r} is missing; expected {expected}")
        found = self.values[name]
        return InputError(f"{self.owner}: parameter {name!r}: found {found!r}, expected {expected}")

    def _range(self, name: str) -> Range:
        return self._declared[name].range if self.kind else Range()

    def real(self, name: str, above: float = -math.inf, below: float = math.inf) -> float:
        """A finite number in its range, strictly between two bounds."""
        own = self._range(name)
        bounds = replace(own, above=max(above, own.above), below=min(below, own.below))
        value: Any = self.values.get(name)
        if is_number(value) and value in bounds:
            return float(value)
        raise self.fault(name, f"a number {_words(bounds)}".strip())

    def whole(self, name: str, at_least: float = -math.inf, at_most: float = math.inf) -> int:
        """A whole number in its range, between two bounds, both allowed; 4000.0 is whole."""
        own = self._range(name)
        ends = {"at least": max(at_least, own.least), "at most": min(at_most, own.most)}
        value: Any = self.values.get(name)
        if is_whole(value) and ends["at least"] <= value <= ends["at most"]:
            return int(value)
        told = [f"{word} {end:g}" for word, end in ends.items() if math.isfinite(end)]
        raise self.fault(name, f"a whole number {' and '.join(told)}".strip())

    def flag(self, name: str) -> bool:
        """True or false; false where the parameter is not given."""
        value = self.values.get(name, False)
        if not isinstance(value, bool):
            raise self.fault(name, "true or false")
        return value

    def choice(self, name: str, allowed: Iterable[str] = ()) -> str:
        """One of its words, or of some; the nearest is suggested for another."""
        allowed = list(allowed) or list(self._declared[name].choices)
        value = self.values.get(name)
        if isinstance(value, str) and value in allowed:
            return value
        if name in self.values:
            raise InputError(f"{self.owner}: {unknown(name, value, allowed)}")
        raise self.fault(name, f"one of {', '.join(allowed)}")

    def numbers(self, name: str, bounds: Range, more: str = "") -> list[float]:
        """A list of numbers in a range, at least one; `more` is what else it may be, in words."""
        value: Any = self.values.get(name)
        several = isinstance(value, list | tuple) and value
        if several and all(is_number(one) and one in bounds for one in value):
            return [float(one) for one in value]
        raise self.fault(name, f"{more}a list of numbers {_words(bounds)}".strip())

    def part(self, name: str, kind: type[Settings]) -> Self:
        """The parameters of a mapping, as a class declares them."""
        return self._parts({name: self.values.get(name)}, name, kind, "{}")[0]

    def parts(self, name: str, kind: type[Settings]) -> list[Self]:
        """The parameters of each mapping of a list, at least one, as a class declares them."""
        given = self.values.get(name)
        values = given if isinstance(given, list | tuple) and given else [None]
        places = {f"{name}, entry {place}": one for place, one in enumerate(values, start=1)}
        return self._parts(places, name, kind, "[{}, ...]")

    def _parts(
        self, values: Mapping[str, Any], name: str, kind: type[Settings], form: str
    ) -> list[Self]:
        if not all(isinstance(one, Mapping) for one in values.values()):
            numbers = ", ".join(f"{one.name}: number" for one in kind.declared())
            raise self.fault(name, form.format(f"{{{numbers}}}"))
        parts = [type(self)(f"{self.owner}, {place}", one, kind) for place, one in values.items()]
        for part in parts:
            part.check_names()
        return parts


Given = Parameters  # those that a generator or a check is given, as its `kind` declares them
