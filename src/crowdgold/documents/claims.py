"""Claims of a paper as data: `claims.yaml` in its study's room, read into claims that are judged.

A new claim is an entry of that list:

    - where: Fig. 4                                # of the paper
      printed: MAVEN's intervals are narrower      # its words; {{ ... }} is a number it prints
      tables: [maven_fig4]                         # results tables; not judged where one is missing
      of: {ratio: width, method: MAVEN, against: GT, by: gold_fraction}     # -> cells
      predicate: ratio_below                       # what is said of every cell
      margin: 0.9                                  # arguments of the predicate, if any
      show: range                                  # how the cells are told: each, range, mean, ends
      otherwise: the data are private              # the reason, where the claim does not come out
      note: single runs                            # said in any case

`of:` begins with a quantity (`quantities.QUANTITIES`: ratio, summary, mean, column, difference,
paired), its arguments follow; it gives cells, values with their errors. `predicate:` names what is
said of them (`predicates.PREDICATES`: below, above, equals_printed, trend, ...); the claim's
further keys are its arguments. A claim of several parts has a list `all_of:` of such pairs in their
place.

What no quantity gives is a function of the room: `of: {own: module:function}` for cells of the
tables, or `own: module:function` in the place of both for a judgement. `module` is one of the
study's room. The function is called with the tables and the further keys.

Any string may hold `{{ ... }}` of what the paper prints (config/printed/ROOM.yaml): alone it gives
the number itself. `each:` repeats a claim for every combination of the values that it lists, or,
where it is a list, for every entry; `{{ name }}` is then the value.
"""

import importlib
import itertools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from jinja2 import StrictUndefined, Undefined, UndefinedError
from jinja2.nativetypes import NativeEnvironment

from crowdgold.documents.cells import ClaimError, show
from crowdgold.documents.predicates import PREDICATES, all_of
from crowdgold.documents.quantities import Tables, quantity
from crowdgold.documents.verdicts import HOLDS, NOT_CLEAR, NOT_CONTRADICTED, Claim, Judgement

FILE = "claims.yaml"
TEXT = {"where", "printed", "tables", "otherwise", "note", "show"}
"""Keys of a claim that are no arguments of a predicate or a function."""
LANGUAGE = NativeEnvironment(undefined=StrictUndefined)


def read_claims(room: str, printed: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims of a study.

    Args:
        room: the dotted name of its package, `crowdgold.studies.maven`.
        printed: what the paper prints.

    Raises:
        ClaimError: an entry lacks something, or names what there is not.
    """
    (folder,) = importlib.import_module(room).__path__
    entries = yaml.safe_load(Path(folder, FILE).read_text(encoding="utf-8"))
    return claims_of(entries, printed, room)


def claims_of(
    entries: list[dict[str, Any]], printed: Mapping[str, Any], room: str
) -> tuple[Claim, ...]:
    """Claims of the entries of a `claims.yaml`; arguments and errors as for `read_claims`."""
    return tuple(
        _claim(_filled(entry, {**printed, **values}), room)
        for whole in entries
        for entry, values in _repeated(whole)
    )


def _repeated(entry: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """An entry for each combination of what its `each` lists, with the values."""
    rest = {key: value for key, value in entry.items() if key != "each"}
    each = entry.get("each", [{}])
    if isinstance(each, Mapping):
        each = [dict(zip(each, one, strict=True)) for one in itertools.product(*each.values())]
    for values in each:
        yield rest, values


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
    rest = {key: value for key, value in entry.items() if key not in TEXT}
    try:
        judge = _judge(rest, room, str(entry.get("show", "")))
    except (ClaimError, TypeError) as error:
        raise ClaimError(f"{entry['where']}, {entry['printed']!r}: {error}") from error
    otherwise, note = str(entry.get("otherwise", "")), str(entry.get("note", ""))
    needs = tuple(entry["tables"])

    def judged(tables: Tables) -> Judgement:
        found = judge({name: tables[name] for name in needs})
        came_out = found.verdict in (HOLDS, NOT_CONTRADICTED)
        reasons = filter(None, [found.reason, "" if came_out else otherwise, note])
        return Judgement(found.ours, found.verdict, "; ".join(reasons))

    return Claim(str(entry["where"]), str(entry["printed"]), needs, judged)


def _judge(entry: dict[str, Any], room: str, how: str) -> Callable[[Tables], Judgement]:
    """The judge of what is left of an entry: its function, its parts, or cells and predicate."""
    if "own" in entry:
        own = own_function(entry.pop("own"), room)
        return lambda tables: own(tables, **entry)
    if "all_of" in entry:
        parts = [
            _judge({key: part[key] for key in part if key != "show"}, room, part.get("show", how))
            for part in entry["all_of"]
        ]
        return lambda tables: all_of([part(tables) for part in parts])
    name, of = str(entry.pop("predicate", "")), dict(entry.pop("of", {}))
    if name not in PREDICATES:
        raise ClaimError(f"predicate {name!r}: expected one of {', '.join(PREDICATES)}")
    if "own" in of:
        of["own"] = own_function(of["own"], room)

    def judge(tables: Tables) -> Judgement:
        cells = quantity(tables, of)
        if cells.rows.empty:
            return Judgement(f"{cells.title}: none in the table", NOT_CLEAR)
        found = PREDICATES[name](cells, **entry)
        ours = "; ".join(filter(None, [show(cells, how), found.ours]))
        return Judgement(ours, found.verdict, found.reason)

    return judge


def own_function(name: str, room: str) -> Callable[..., Any]:
    """The function of a room that `module:function` names.

    Raises:
        ClaimError: where there is none.
    """
    module, _, function = name.partition(":")
    try:
        found: Callable[..., Any] = getattr(importlib.import_module(f"{room}.{module}"), function)
    except (ImportError, AttributeError) as error:
        raise ClaimError(f"own: {name}: {error}") from error
    return found


def own_modules(room: str, path: Path) -> set[str]:
    """The modules that the claims of a room name, which no import statement does.

    Args:
        room: the dotted name of its package.
        path: its `claims.yaml`.
    """

    def named(value: Any) -> Iterator[str]:
        if isinstance(value, Mapping):
            if isinstance(value.get("own"), str):
                yield f"{room}.{value['own'].partition(':')[0]}"
            value = list(value.values())
        if isinstance(value, list):
            for one in value:
                yield from named(one)

    return set(named(yaml.safe_load(path.read_text(encoding="utf-8"))))
