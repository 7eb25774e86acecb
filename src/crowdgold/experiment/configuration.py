"""The configuration: read from its files, laid over one another, and checked before anything runs.

What a YAML reader takes silently is refused: a key that stands twice in a mapping, of which the
last would win, and an experiment or a figure that two files define. A problem names file and line,
the key's path, what was found, and the nearest valid key or value.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from crowdgold.experiment.settings import EXPLAIN, METHOD_SETTINGS, varies_a_method
from crowdgold.simulate.design import read_votes_total
from crowdgold.types.errors import InputError
from crowdgold.types.items import ANNOTATIONS, ITEMS
from crowdgold.types.parameters import Parameters, did_you_mean

if TYPE_CHECKING:
    import jsonschema

MOST_BYTES = 5_000_000
MOST_KEYS = 100_000  # Keys and list entries of a file, those of an alias counted where it is used
DEEPEST = 50
TOO_DEEP = f"more than {DEEPEST} levels of keys, expected fewer"
MOST_JOBS = 100_000  # Jobs of one experiment; the largest of the papers' has under a thousand
MOST_COUNTED = 10_000_000
"""Items, draws, replicates and whatever else an integer says; a smaller bound is the schema's."""
OPTIONS_OF = "options of "
"""How the kinds begin that list what a plot reads, in what the library offers."""
AS_ITEMS = "as_items"  # Key of an experiment: its labels are reduced to the votes of items
EXPERTS = "experts"  # Key of an experiment: its gold labels are those of experts who err
SOURCES = ("simulator", "dataset", "computation")
"""An experiment has exactly one of these: where its tables come from."""

Places = dict[str, str]  # Path of a key, joined by dots -> where it stands: "FILE, line N"
Known = Mapping[str, Collection[str]]  # What the library offers, by kind (`registries.known_names`)


class ConfigurationError(InputError):
    """A configuration that cannot be used; the message lists every problem."""


def load(path: str | Path) -> dict[str, Any]:
    """What a YAML file says; ConfigurationError where it is no mapping, or has a key twice."""
    return read(Path(path))[0]


def read(path: Path) -> tuple[dict[str, Any], Places]:
    """What a YAML file says, and where each of its keys stands; else as `load`."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ConfigurationError(f"{path}: more than {MOST_BYTES:,} bytes; expected fewer")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror}; expected a YAML file") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8 ({error}); save it as UTF-8") from error
    loader = yaml.SafeLoader(text)
    places: Places = {}
    try:
        node = loader.get_single_node()
        if node is None:
            return {}, {}
        if not isinstance(node, yaml.MappingNode):
            raise ConfigurationError(f"{path}: found no mapping, expected keys: values")
        for count, (keys, line) in enumerate(_walk(node, (), path)):
            if count > MOST_KEYS:
                raise ConfigurationError(f"{path}: more than {MOST_KEYS:,} keys, expected fewer")
            places.setdefault(".".join(keys), f"{path}, line {line}")
        return loader.construct_document(node), places
    except ConfigurationError:
        raise
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}, line {mark.line + 1}" if mark else str(path)
        what = getattr(error, "problem", None) or str(error)
        raise ConfigurationError(f"{where}: is not YAML ({what}); correct that line") from error
    except RecursionError as error:
        raise ConfigurationError(f"{path}: {TOO_DEEP}") from error
    except (ValueError, TypeError, OverflowError) as error:
        raise ConfigurationError(f"{path}: holds a value that is none ({error})") from error
    finally:
        loader.dispose()


def _walk(
    node: yaml.Node, above: tuple[str, ...], path: Path
) -> Iterator[tuple[tuple[str, ...], int]]:
    """Paths of the keys below a node, and their lines; what a mapping says itself comes first."""
    if len(above) > DEEPEST:
        raise ConfigurationError(f"{path}, line {node.start_mark.line + 1}: {TOO_DEEP}")
    if isinstance(node, yaml.SequenceNode):
        for place, entry in enumerate(node.value):
            yield (*above, str(place)), entry.start_mark.line + 1
            yield from _walk(entry, (*above, str(place)), path)
    if not isinstance(node, yaml.MappingNode):
        return
    first: dict[str, int] = {}
    merged: list[yaml.Node] = []
    for key, value in node.value:
        name, line = str(key.value), key.start_mark.line + 1
        if name in first:
            where = ".".join((*above, name))
            raise ConfigurationError(
                f"{path}, line {line}: {where}: stands there twice, first in line {first[name]}; "
                "expected it once"
            )
        first[name] = line
        if name == "<<":
            merged += value.value if isinstance(value, yaml.SequenceNode) else [value]
            continue
        yield (*above, name), line
        yield from _walk(value, (*above, name), path)
    for one in merged:
        yield from _walk(one, above, path)


def places_of(files: Sequence[Path], overlays: Sequence[Path] = ()) -> Places:
    """Where each key of a configuration stands, in the file whose value counts.

    Each experiment and each figure is in one of the files, else ConfigurationError; overlays are
    laid over them, the last on top.
    """
    places: Places = {}
    for path in files:
        content, own = read(path)
        for kind in ("experiments", "figures"):
            block = content.get(kind)
            for key in [f"{kind}.{name}" for name in block] if isinstance(block, Mapping) else []:
                if key in places:
                    raise ConfigurationError(
                        f"{own[key]}: {key} is defined in {places[key]} too; expected one of them, "
                        "or another name"
                    )
        places |= own
    for path in overlays:
        places |= read(path)[1]
    return places


def place_of(problem: str, places: Places) -> str:
    """A problem, "KEY: what is wrong", after the file and the line where its key stands."""
    key = problem.partition(": ")[0]
    while key and key not in places:
        key = key.rpartition(".")[0]
    return f"{places[key]}: {problem}" if key else problem


def overlay(base: Mapping[str, Any], *others: Mapping[str, Any]) -> dict[str, Any]:
    """Lay configurations over one another: mappings merge key by key, the later value wins."""
    merged = dict(base)
    for other in others:
        for key, value in other.items():
            below = merged.get(key)
            both = isinstance(below, Mapping) and isinstance(value, Mapping)
            merged[key] = overlay(below, value) if both else value  # type: ignore[arg-type]
    return merged


def at_scale(root: Path, scale: str) -> dict[str, Any]:
    """The configuration of a checkout at a scale other than the default."""
    parts = sorted((root / "config/experiments").glob("*.yaml"))
    files = [*parts, root / "config/config.yaml", root / f"config/{scale}.yaml"]
    return overlay({}, *map(load, files))


def settings_of(config: Mapping[str, Any], experiment: str, method: str) -> dict[str, Any]:
    """A method's settings in an experiment: its own, and the experiment's over them."""
    own = config["experiments"][experiment].get("method_settings", {})
    return {**config["methods"].get(method, {}), **own.get(method, {})}


def nearest(name: str, known: Collection[str]) -> str:
    """What the user may have meant, in words: the nearest valid name, or all of them."""
    names = sorted(map(str, known))
    there = f"expected one of {', '.join(names)}" if names else "expected nothing here"
    return did_you_mean(name, names) or there


def number_problems(value: Any, path: str = "") -> Iterator[str]:
    """Problems of numbers that are NaN, infinite, or more than any run counts to, at any depth."""
    if isinstance(value, float) and not math.isfinite(value):
        yield f"{path}: found {value}, expected a finite number"
    # A seed counts nothing.
    if isinstance(value, int) and value > MOST_COUNTED and not path.endswith("seed"):
        yield f"{path}: found {value}, expected at most {MOST_COUNTED}"
    listed = enumerate(value) if isinstance(value, list) else ()
    for key, one in value.items() if isinstance(value, Mapping) else listed:
        yield from number_problems(one, f"{path}.{key}" if path else str(key))


def _validator(schema: Mapping[str, Any]) -> "jsonschema.Draft202012Validator":
    import jsonschema  # only the check of a configuration needs it, no job does

    return jsonschema.Draft202012Validator(schema)


def _schema_problems(config: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    errors = _validator(schema).iter_errors(config)
    for error in sorted(errors, key=lambda error: str(error.absolute_path)):
        path = list(map(str, error.absolute_path))
        here = ".".join(path) or "the top level"
        described: Any = error.schema
        found: Any = error.instance
        allowed: Any = error.validator_value
        if error.validator == "additionalProperties":
            properties = described.get("properties", {})
            for key in sorted(set(found) - set(properties), key=str):
                where = ".".join([*path, str(key)])
                yield f"{where}: unknown key; {nearest(str(key), properties)}"
        elif error.validator == "required":
            for key in sorted(set(described["required"]) - set(found)):
                yield f"{'.'.join([*path, key])}: missing; expected it in every such block"
        elif error.validator == "enum":
            yield f"{here}: found {found!r}; {nearest(str(found), allowed)}"
        else:
            meaning = described.get("description", error.message)
            limit = f"{error.validator}: {allowed}"
            yield f"{here}: found {found!r}, expected {limit} ({meaning})"


def _described_axis(
    axis: str, described: Mapping[str, Any], given: Any, schema: Mapping[str, Any]
) -> tuple[Any, str]:
    """The schema of a parameter, in that of what can vary, or what is wrong.

    A dotted axis reaches into mappings, which `given` must hold.
    """
    *parents, _ = names = axis.split(".")
    for depth, name in enumerate(names):
        while isinstance(described, Mapping) and "$ref" in described:
            described = schema["$defs"][described["$ref"].removeprefix("#/$defs/")]
        known = described.get("properties", {}) if isinstance(described, Mapping) else {}
        more = described.get("additionalProperties") if isinstance(described, Mapping) else None
        described = known.get(name, more)
        if not isinstance(described, Mapping):
            return None, f"unknown key; {nearest(name, known)}"
        if depth < len(parents):
            if not isinstance(given, Mapping) or name not in given:
                there = given if isinstance(given, Mapping) else ()
                where = "methods" if varies_a_method(axis) else "parameters"
                return None, f"no {name!r} in the {where}; {nearest(name, there)}"
            given = given[name]
    return described, ""


def _axis_problems(
    name: str, config: Mapping[str, Any], schema: Mapping[str, Any]
) -> Iterator[str]:
    """Check that what varies is a parameter of the source, or a method's setting, in its range."""
    block = config["experiments"][name]
    source = next(source for source in SOURCES if source in block)
    described = schema.get("$defs", {}).get(f"{source}_{block.get(source)}")
    if described is None:
        return
    methods = {METHOD_SETTINGS: {"$ref": "#/$defs/methods"}}
    described = {**described, "properties": {**described.get("properties", {}), **methods}}
    settings = {one: settings_of(config, name, one) for one in block.get("methods", [])}
    given = {**block.get("parameters", {}), METHOD_SETTINGS: settings}
    for axis, values in block.get("vary", {}).items():
        path = f"experiments.{name}.vary.{axis}"
        of_axis, problem = _described_axis(axis, described, given, schema)
        if problem:
            yield f"{path}: {problem}"
            continue
        validator = _validator({**of_axis, "$defs": schema["$defs"]})
        for value in values:
            yield from (f"{path}: {error.message}" for error in validator.iter_errors(value))


def _table_of(block: Mapping[str, Any], known: Known) -> str:
    source = block.get("simulator", block.get("dataset"))
    gives = source in known.get(f"give {ANNOTATIONS}", ())
    return ANNOTATIONS if gives and AS_ITEMS not in block else ITEMS


def _experiment_problems(name: str, config: Mapping[str, Any], known: Known) -> Iterator[str]:
    path, block = f"experiments.{name}", config["experiments"][name]
    source = next(source for source in SOURCES if source in block)
    methods, table = block.get("methods", []), _table_of(block, known)
    for key, kind, values in ((source, source, [block[source]]), ("methods", "method", methods)):
        for value in values:
            if kind in known and value not in known[kind]:
                yield f"{path}.{key}: unknown {value!r}; {nearest(value, known[kind])}"
    # What is reduced to items are labels, and what experts label items.
    giving = known.get(f"give {ANNOTATIONS}", ())
    if AS_ITEMS in block and block.get("simulator") not in giving:
        yield f"{path}.{AS_ITEMS}: expected a simulator that gives labels: {', '.join(giving)}"
    if EXPERTS in block and table != ITEMS:
        yield f"{path}.{EXPERTS}: expected items with gold labels; add {AS_ITEMS}"
    # Methods take its tables, and have what they need.
    takers = known.get(f"take {table}")
    knows_annotators = AS_ITEMS in block or block.get("parameters", {}).get("annotators")
    explains = block.get("inapplicable") == EXPLAIN
    for method in [] if explains else [one for one in methods if one in known.get("method", ())]:
        if takers is not None and method not in takers:
            yield (
                f"{path}.methods: {method} takes no {table}, which the source gives; "
                f"{', '.join(takers)} do"
            )
        if "dataset" in block and method in known.get("oracle", ()):
            yield f"{path}.methods: {method} needs what only a simulator knows; leave it out"
        if table == ITEMS and method in known.get("annotators", ()) and not knows_annotators:
            yield (
                f"{path}.methods: {method} needs to know who gave each vote, which the data do "
                "not say"
            )
    for key in ("methods", "metrics") if source != "computation" else ():
        if not block.get(key):
            yield f"{path}.{key}: missing; expected at least one"
    for method in set(block.get("method_settings", {})) - set(methods):
        yield f"{path}.method_settings.{method}: {method} is not among this experiment's methods"
    whole = {**config, **{key: block[key] for key in ("sampler", "imputations") if key in block}}
    kept = whole["sampler"]["chains"] * whole["sampler"]["draws"]
    if whole["imputations"] > kept and methods:
        yield (
            f"{path}: imputations {whole['imputations']}, but the sampler keeps chains "
            f"x draws = {kept}; expected at most {kept}, or more draws"
        )
    replicates = block["replicates"]
    settings = math.prod(len(values) for values in block.get("vary", {}).values())
    blocks = math.ceil(replicates / block.get("block", replicates))
    jobs = settings * blocks * max(1, len(methods))
    if jobs > MOST_JOBS:
        yield (
            f"{path}: found {jobs:,} jobs ({settings:,} settings, {blocks:,} blocks of "
            f"replicates, the methods), expected at most {MOST_JOBS:,}; vary less, or give a "
            "larger `block`"
        )


def _voter_problems(name: str, block: Mapping[str, Any]) -> Iterator[str]:
    """Problems of a simulator whose voters are fewer than the votes of an item."""
    parameters, vary = block.get("parameters", {}), block.get("vary", {})

    def each(key: str) -> list[Any]:
        return list(vary.get(key, [parameters[key]] if key in parameters else []))

    def place(key: str) -> str:
        return f"experiments.{name}.{'vary' if key in vary else 'parameters'}.{key}"

    most: dict[str, int] = {}
    try:
        for given in each("votes_total"):
            numbers, _ = read_votes_total(Parameters("the simulator", {"votes_total": given}))
            most["votes_total"] = max(most.get("votes_total", 0), int(numbers.max()))
    except InputError as error:
        yield f"{place('votes_total')}: {error}"
    if each("n_labels"):
        most["n_labels"] = max(each("n_labels"))
    for voters, votes in (("n_voters", "votes_total"), ("n_reviewers", "n_labels")):
        fewest = min(each(voters), default=None)
        if fewest is not None and votes in most and fewest < most[votes]:
            yield (
                f"{place(voters)}: found {fewest}, expected at least the {most[votes]} of "
                f"`{votes}`, the most votes of an item"
            )


def _figure_problems(name: str, config: Mapping[str, Any], known: Known) -> Iterator[str]:
    path, block, experiments = f"figures.{name}", config["figures"][name], config["experiments"]
    benchmarks, own = config.get("benchmarks", {}), block.get("experiments", [])
    if ("experiments" in block) == ("benchmark" in block):
        yield f"{path}: expected either experiments or a benchmark"
    if block.get("benchmark") not in (None, *benchmarks):
        meant = nearest(block["benchmark"], benchmarks)
        yield f"{path}.benchmark: no benchmark {block['benchmark']!r}; {meant}"
    for one in own:
        if one not in experiments:
            yield f"{path}.experiments: no experiment {one!r}; {nearest(one, experiments)}"
    for one in block.get("optional", ()):
        if one not in own:
            yield f"{path}.optional: {one!r} is not among its experiments; {nearest(one, own)}"
    options, plot = block.get("options", {}), block["plot"]
    if "plot" in known and plot not in known["plot"]:
        yield f"{path}.plot: unknown {plot!r}; {nearest(plot, known['plot'])}"
    reads = known.get(f"{OPTIONS_OF}{plot}")
    for key in options:
        if reads is not None and key not in reads:
            meant = did_you_mean(key, reads) or f"{plot} has {', '.join(reads) or 'none'}"
            yield f"{path}.options.{key}: unknown option; {meant}"
    for key, needed in reads.items() if isinstance(reads, Mapping) else ():
        if needed and key not in options:
            yield f"{path}.options.{key}: missing; plot {plot} cannot do without"
    drawn = {
        one: experiments[one].get("vary", {})
        for one in own
        if one in experiments and "computation" not in experiments[one]
    }
    by = options.get("by", [])
    split = [("by", one) for one in ([by] if isinstance(by, str) else by)]
    for key, axis in [("x", options.get("x")), *split]:
        without = [one for one, varied in drawn.items() if axis not in varied]
        # What splits a figure may be there in some of its experiments; its x is in all.
        if axis is not None and without and (key == "x" or len(without) == len(drawn)):
            yield (
                f"{path}.options.{key}: found {axis!r}, which experiment {without[0]} does "
                f"not vary; it varies {', '.join(drawn[without[0]]) or 'nothing'}"
            )


def check(
    config: Mapping[str, Any],
    schema: Mapping[str, Any],
    known: Known | None = None,
    metric_problem: Callable[[str, str], str] | None = None,
    places: Places | None = None,
) -> None:
    """Check a merged configuration; ConfigurationError lists every problem.

    `metric_problem` is (metric, kind of table) -> what is wrong with the metric's name, or nothing.
    """
    known, problems = known or {}, []
    experiments = config.get("experiments")
    # Each has one source; which parameters are valid depends on it.
    for name, block in experiments.items() if isinstance(experiments, Mapping) else ():
        sources = [source for source in SOURCES if isinstance(block, Mapping) and source in block]
        if len(sources) != 1:
            found = " and ".join(sources) or "none"
            expected = ", ".join(SOURCES)
            problems.append(f"experiments.{name}: found {found}, expected one of {expected}")
    problems = problems or [*number_problems(config), *_schema_problems(config, schema)]
    if not problems:
        for name, block in config["experiments"].items():
            problems += _axis_problems(name, config, schema)
            problems += _experiment_problems(name, config, known)
            problems += _voter_problems(name, block)
            if metric_problem:
                table = _table_of(block, known)
                wrong = [metric_problem(metric, table) for metric in block.get("metrics", [])]
                problems += [f"experiments.{name}.metrics: {one}" for one in wrong if one]
        for name in config["figures"]:
            problems += _figure_problems(name, config, known)
    if problems:
        lines = "\n".join(f"  - {place_of(problem, places or {})}" for problem in problems)
        raise ConfigurationError(f"The configuration cannot be used:\n{lines}")
