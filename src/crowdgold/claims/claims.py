"""Claims of a paper as data: `claims.yaml` in its study's room, read into claims that are judged.

A new claim is an entry of that list:

    - where: Fig. 4                                # of the paper
      printed: MAVEN's intervals are narrower      # its words; {{ ... }} is a number it prints
      tables: [maven_fig4]                         # results tables; not judged where one is missing
      of: {ratio: width, method: MAVEN, against: GT, by: gold_fraction}     # -> cells
      predicate: below                             # what is said of every cell
      margin: 0.9                                  # by what it is decided; every claim declares one
      inside: every                                # or `any`, or `most` of the cells
      show: range                                  # how the cells are written (`cells.show`)
      kind: substance                              # whose fault it is where it does not hold
      cause: the data are private                  # why it does not hold, where it does not
      settings: gamma = 10                         # of our own, that the paper does not print
      note: single runs                            # said in any case
      undecidable: two datasets are public         # why no replicates would decide it
      beside: {e_weak: with gamma = 1}             # a table by which it is judged for comparison
      main: true                                   # of the paper's main claims
      ours: true                                   # our own and not the paper's
      stand_in: Task 1                             # on a stand-in for that, or for what is private

`kind:` is one of `verdicts.KINDS`; that of a claim on a stand-in follows from it.

`of:` begins with a quantity (`quantities.QUANTITIES`: ratio, summary, mean, coverage, column,
difference, paired), its arguments follow; it gives cells, values with their errors. `predicate:`
names what is said of them (`predicates.PREDICATES`: below, above, within, order, trend); the
claim's further keys are its arguments. `says:` is a quantity that is shown instead of the judged
cells, and a `cause:`, `note:` or `main:` that is a quantity is shown with its title, as its own
`show:` says. A claim of several parts has a list `all_of:` in the place of `of:` and
`predicate:`. One whose values could not be others has `no_verdict:`, why that is so, in the place
of a predicate and its margin.

What no quantity gives is a function of the room: `table: {own: module:function}` for a table that a
quantity reads, `of: {own: module:function}` for cells, or `own: module:function` in the place of
both for a judgement. `module` is one of the study's room. The function is called with the tables
and the further keys.

Any string may hold `{{ ... }}` of what the paper prints (the file that config/pages.yaml names
`printed`): alone it gives the number itself. `each:` repeats a claim for every combination of the
values that it lists, or, where it is a list, for every entry; `{{ name }}` is then the value.
"""

import importlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from jinja2 import StrictUndefined, Undefined, UndefinedError
from jinja2.nativetypes import NativeEnvironment

from crowdgold.claims.cells import ClaimError, Tables, show
from crowdgold.claims.predicates import all_of, check_arguments, judged
from crowdgold.claims.quantities import quantity
from crowdgold.claims.verdicts import (
    COUNTED,
    FAILS,
    KINDS,
    NO_CAUSE,
    NO_VERDICT,
    NOT_DECIDED,
    STAND_IN,
    UNDECIDABLE,
    UNKNOWN,
    Claim,
    Judgement,
)

TEXT = {  # keys of a claim beside those of its judgement
    "where", "printed", "tables", "main", "ours", "stand_in", "kind", "cause", "settings", "note",
    "undecidable", "beside",
}  # fmt: skip
LANGUAGE = NativeEnvironment(undefined=StrictUndefined)


def claims_file(room: str) -> Path:
    """The file of a study's claims; its room is the dotted name of its package."""
    (folder,) = importlib.import_module(room).__path__
    return Path(folder, "claims.yaml")


def read_claims(room: str, printed: Mapping[str, Any], section: str = "") -> tuple[Claim, ...]:
    """The claims of a study, of a section where its file has several.

    `printed` is what the paper prints. A `ClaimError` says what an entry lacks, or names in vain.
    """
    entries = yaml.safe_load(claims_file(room).read_text(encoding="utf-8"))
    return claims_of(entries[section] if section else entries, printed, room)


def claims_of(
    entries: list[dict[str, Any]], printed: Mapping[str, Any], room: str
) -> tuple[Claim, ...]:
    """The claims of entries of a `claims.yaml`; `printed` and errors are as of `read_claims`."""
    found = []
    for entry in entries:
        each = entry.get("each", [{}])
        if isinstance(each, Mapping):
            each = [dict(zip(each, one, strict=True)) for one in itertools.product(*each.values())]
        rest = {key: value for key, value in entry.items() if key != "each"}
        for values in each:
            known = {**printed, **_filled(values, printed)}
            found.append(_claim(_filled(rest, known), room))
    return tuple(found)


def _filled(value: Any, known: Mapping[str, Any]) -> Any:
    """The value with `{{ ... }}` of its strings filled in."""
    if isinstance(value, Mapping):
        return {_filled(key, known): _filled(own, known) for key, own in value.items()}
    if isinstance(value, list):
        return [_filled(own, known) for own in value]
    if isinstance(value, str) and "{{" in value:
        try:
            found = LANGUAGE.from_string(value).render(known)
        except UndefinedError as error:
            raise ClaimError(f"{value!r}: {error.message}") from error
        if isinstance(found, Undefined):
            raise ClaimError(f"{value!r}: no such thing among what is printed")
        return found
    return value


def _claim(entry: Mapping[str, Any], room: str) -> Claim:
    missing = [key for key in ("where", "printed", "tables") if key not in entry]
    if missing:
        raise ClaimError(f"claim {entry}: without {', '.join(missing)}")
    place = _place(entry)
    claim, needs = f"{place}, {entry['printed']!r}", tuple(entry["tables"])
    kind = entry.get("kind") or (
        STAND_IN if entry.get("stand_in") else "" if entry.get("cause") else UNKNOWN
    )
    if kind not in ("", *KINDS):
        raise ClaimError(f"{claim}: kind {kind!r}; expected one of {', '.join(KINDS)}")
    kind = "" if entry.get("ours") else kind
    try:
        resolved = _functions_found(entry, room)
        judge = _judge({key: value for key, value in resolved.items() if key not in TEXT})
    except (ClaimError, TypeError) as error:
        raise ClaimError(f"{claim}: {error}") from error

    def judge_and_explain(tables: Tables) -> Judgement:
        needed = {name: tables[name] for name in needs}
        with _named_in_errors(claim, needs):
            judgement = judge(needed)
            if judgement.verdict == NOT_DECIDED and "undecidable" in resolved:
                # What no replicates would decide, with the reason first.
                why = "; ".join(filter(None, [str(resolved["undecidable"]), judgement.reason]))
                size = judgement.replicates.partition(";")[0]
                judgement = replace(judgement, verdict=UNDECIDABLE, reason=why, replicates=size)
            fails = judgement.verdict == FAILS
            cause = _reason(resolved.get("cause") or NO_CAUSE, needed) if fails else ""
            main = resolved.get("main")
            aside = _reason(main, needed) if isinstance(main, Mapping) else ""
            note = _reason(resolved.get("note", ""), needed)
        reasons = [judgement.reason, cause, resolved.get("settings"), note]
        for table, words in resolved.get("beside", {}).items():
            if table in tables:
                with _named_in_errors(claim, [table]):
                    other = judge({table: tables[table]})
                reasons.append(f"{words}: {other.values}: {other.verdict}")
                beside = f"{words} it {COUNTED[other.verdict][0]}"
                # In brackets after what is told of the cause elsewhere.
                first, semicolon, rest = cause.partition(";")
                cause = f"{first} ({beside}){semicolon}{rest}" if cause else ""
                aside = "; ".join(filter(None, [aside, beside if main else ""]))
        return replace(
            judgement, reason="; ".join(filter(None, reasons)), kind=kind if fails else "",
            cause=cause, aside=aside,
        )  # fmt: skip

    return Claim(
        place,
        str(entry["printed"]).strip(),
        needs,
        judge_and_explain,
        tuple(resolved.get("beside", {})),
        main=bool(entry.get("main")),
        ours=bool(entry.get("ours")),
        stand_in=bool(entry.get("stand_in")),
        kind=kind,
    )


def _place(entry: Mapping[str, Any]) -> str:
    """Where a claim stands: Fig. 1, stand-in for Task 1; or ours, on fig. 2."""
    stand_in = entry.get("stand_in")
    data = f"stand-in for {stand_in}" if isinstance(stand_in, str) else "stand-in" * bool(stand_in)
    return ", ".join(filter(None, ["ours" * bool(entry.get("ours")), str(entry["where"]), data]))


@contextmanager
def _named_in_errors(claim: str, names: Iterable[str]) -> Iterator[None]:
    """Name the claim and its tables where these lack a column or a method that it is about."""
    try:
        yield
    except KeyError as error:
        raise ClaimError(f"{claim}: without {error} in {', '.join(names)}") from error
    except ClaimError as error:
        raise ClaimError(f"{claim}: from {', '.join(names)}: {error}") from error


def _functions_found(value: Any, room: str) -> Any:
    """The entry with the functions that each `own` in it names."""
    if isinstance(value, Mapping):
        return {
            key: _own_function(found, room) if key == "own" else _functions_found(found, room)
            for key, found in value.items()
        }
    return [_functions_found(one, room) for one in value] if isinstance(value, list) else value


def _reason(text: Any, tables: Tables) -> str:
    """What is said of a claim beside the verdict: a text, or a quantity whose title is the text."""
    if not isinstance(text, Mapping):
        return str(text)
    arguments = {key: value for key, value in text.items() if key != "show"}
    return show(quantity(tables, arguments), str(text.get("show", "")))


def _judge(entry: Mapping[str, Any], looks: int = 1) -> Callable[[Tables], Judgement]:
    """The judge of an entry, or of one part of several (`looks`, how many parts there are)."""
    rest = dict(entry)
    if "own" in rest:
        own = rest.pop("own")
        return lambda tables: own(tables, **rest)
    if "all_of" in rest:
        parts = [_judge(part, len(rest["all_of"])) for part in rest["all_of"]]
        return lambda tables: all_of([part(tables) for part in parts])
    name, of = str(rest.pop("predicate", "")), dict(rest.pop("of", {}))
    says, how = rest.pop("says", None), rest.pop("show", "")
    if "no_verdict" in rest:
        why = str(rest["no_verdict"])
        return lambda tables: Judgement(show(quantity(tables, of), how), NO_VERDICT, why)
    check_arguments(name, rest)

    def judge(tables: Tables) -> Judgement:
        cells = quantity(tables, of)
        judgement = judged(cells, name, **rest, looks=looks)
        shown = show(quantity(tables, says) if says and len(cells.rows) else cells, how)
        # Where other values are shown than are judged, the reader is told which must be so.
        wanted = f"{of['title']} {judgement.wanted}" if says and "title" in of else judgement.wanted
        values = "; ".join(filter(None, [shown, judgement.values]))
        return replace(judgement, values=values, wanted=wanted)

    return judge


def _own_function(name: str, room: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    try:
        found: Callable[..., Any] = getattr(importlib.import_module(f"{room}.{module}"), function)
    except (ImportError, AttributeError) as error:
        raise ClaimError(f"own: {name}: {error}") from error
    return found


def own_modules(room: str) -> set[str]:
    """The modules that the claims of a room name, which no import statement does."""

    def named(value: Any) -> Iterator[str]:
        if isinstance(value, Mapping):
            if isinstance(value.get("own"), str):
                yield f"{room}.{value['own'].partition(':')[0]}"
            value = list(value.values())
        if isinstance(value, list):
            for one in value:
                yield from named(one)

    return set(named(yaml.safe_load(claims_file(room).read_text(encoding="utf-8"))))
