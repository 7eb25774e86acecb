"""Settings as typed declarations, from which their checks, schema and documentation are made.

A class of settings derives from `Settings`. A field says its type, its range and what it means in
one annotation, `weight: Annotated[float, Above(0), "Weight of the prior, in items."] = 1.0`; words
are a `Literal`, and a mapping is a class of settings of its own. Nothing here is slow to import.
"""

import math
import types
from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields
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

from crowdgold.data.parameters import did_you_mean

NOUNS = {int: "a whole number", float: "a number", str: "a word", bool: "true or false"}
SEED = 20260301
"""Of random numbers, where a user names none."""
LEVEL = 0.95
"""Of intervals, where a user names none."""
KINDS = {int: "integer", float: "number", str: "string", bool: "boolean"}
"""Types -> what messages, and JSON schemas, call them."""


@dataclass(frozen=True)
class Range:
    """A range of numbers; without a bound where it is infinite.

    Attributes:
        least, most: bounds that are allowed.
        above, below: bounds that are not.
    """

    least: float = -math.inf
    most: float = math.inf
    above: float = -math.inf
    below: float = math.inf

    def __contains__(self, value: float) -> bool:
        return self.least <= value <= self.most and self.above < value < self.below

    def __str__(self) -> str:
        if self.above == 0 and self.below == 1:
            return "a number between 0 and 1"
        parts = [
            f"{self.least:,.10g} or more" if math.isfinite(self.least) else "",
            f"above {self.above:,.10g}" if math.isfinite(self.above) else "",
            f"at most {self.most:,.10g}" if math.isfinite(self.most) else "",
            f"below {self.below:,.10g}" if math.isfinite(self.below) else "",
        ]
        return " and ".join(filter(None, parts))

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


def Between(least: float, most: float) -> Range:
    """The range from a number to another, both allowed."""
    return Range(least=least, most=most)


def Above(above: float, below: float = math.inf) -> Range:
    """The range above a number, and below another where there is one."""
    return Range(above=above, below=below)


@dataclass(frozen=True)
class Json:
    """What a value that is no number and no word looks like, in the words of JSON schemas."""

    schema: Mapping[str, Any]


@dataclass(frozen=True)
class OnlyOf:
    """A setting that concerns one kind of table, such as `annotations`."""

    table: str


OF_EXPERIMENT = OnlyOf("experiment")
"""Of a parameter that the experiment reads, and not the generator that it is given to."""


def refuse(message: str) -> NoReturn:
    """Raise an `InputError`; it is imported here, since reading tables takes a while to load."""
    from crowdgold.data import InputError

    raise InputError(message)


def check_names(given: Collection[str], known: Collection[str], owner: str) -> None:
    """Raise an `InputError` with the nearest for a setting of an owner that is not known."""
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known, always=True) or "it has none"
            refuse(f"{owner}: no setting {name!r}; {hint}")


@dataclass(frozen=True)
class Declaration:
    """What the annotation of a field says.

    Attributes:
        name: of the field.
        kind: its type: a number, a word, true or false, or a class of settings.
        choices: the words or values that it takes; all where there are none.
        range: of numbers.
        about: what it means.
        table: the kind of table that it concerns; empty where it is all.
        default: where it is not given; None where that is left to the method.
        json: the JSON schema of a value of any other kind; empty where its type says it.
    """

    name: str
    kind: Any
    choices: tuple[Any, ...]
    range: Range
    about: str
    table: str
    default: Any
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
        if value is None and self.default is None:
            return None
        if _is_settings(self.kind):
            return value if isinstance(value, self.kind) else self._part(value)
        if self.choices:
            if value not in self.choices:
                hint = did_you_mean(value, map(str, self.choices))
                listed = ", ".join(map(str, self.choices))
                self._refuse(value, f"one of {listed}{hint and '; '}{hint}")
        elif self.kind in (int, float):
            value = self._number(value)
        elif not isinstance(value, self.kind) or value == "":
            self._refuse(value, NOUNS[self.kind])
        return value

    def _part(self, value: Any) -> Any:
        if not isinstance(value, Mapping):
            self._refuse(value, " and ".join(one.name for one in self.kind.declared()))
        check_names(value, [one.name for one in self.kind.declared()], self.name)
        try:
            return self.kind(**value)
        except ValueError as error:
            refuse(f"{self.name}: {error}")

    def _number(self, value: Any) -> float:
        whole = self.kind is int
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or (whole and value != int(value)):
            self._refuse(value, NOUNS[self.kind])
        if value not in self.range:
            self._refuse(value, str(self.range))
        return int(value) if whole else value

    def _refuse(self, value: Any, expected: str) -> NoReturn:
        refuse(f"{self.name}: found {value!r}, expected {expected}")


def _is_settings(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Settings)


def _declaration(field: Field[Any], hint: Any) -> Declaration:
    """Read a field's annotation."""
    kind, extras = hint, list[Any]()
    if get_origin(hint) is Annotated:
        kind, *extras = get_args(hint)
    if get_origin(kind) in (Union, types.UnionType):  # X | None: not given is None
        (kind,) = (one for one in get_args(kind) if one is not type(None))
    words = get_args(kind) if get_origin(kind) is Literal else ()
    default = None if field.default is MISSING else field.default
    if field.default_factory is not MISSING:
        default = field.default_factory()
    return Declaration(
        field.name,
        kind,
        words,
        next((one for one in extras if isinstance(one, Range)), Range()),
        next((one for one in extras if isinstance(one, str)), ""),
        next((one.table for one in extras if isinstance(one, OnlyOf)), ""),
        default,
        next((one.schema for one in extras if isinstance(one, Json)), {}),
    )


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
        """The settings that are given by name, the others as declared.

        Raises:
            InputError: where one is not known, or out of its range.
        """
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
    """A list of values of one type, of so many."""
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
