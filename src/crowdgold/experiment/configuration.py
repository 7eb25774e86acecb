"""The configuration: overlaying, and checking it before anything runs.

An error names file and line, the key's path, what was found, and the nearest valid key or value.

Files of the configuration: reading YAML strictly, and where each key stands.

What a YAML reader takes silently is refused here: a key that stands twice in a mapping, of which
the last would win, and an experiment or a figure that two files define.

What no schema can say of a configuration: values that are no numbers, sizes, and axes.

The configuration: read from its files, laid over one another, and checked before anything runs.

- `files`: what Snakemake's reader takes silently, and where each key stands
- `problems`: the check by schema, names and experiments; `limits`: by numbers and options
- `schema_page`: the page that describes every key
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
MOST_KEYS = 100_000
"""Keys and list entries of a file, those of an alias counted where it is used."""
DEEPEST = 50
MERGE = "<<"
NAMED = ("experiments", "figures")
"""Keys whose entries only one file may define."""

Places = dict[str, str]
"""Path of a key, joined by dots -> where it stands: "FILE, line N"."""


class ConfigurationError(InputError):
    """A configuration that cannot be used; the message lists every problem."""


def load(path: str | Path) -> dict[str, Any]:
    """What a YAML file says, which is a mapping.

    Raises:
        ConfigurationError: where it is missing, is not YAML, holds no mapping, or a key twice.
    """
    return read(Path(path))[0]


def read(path: Path) -> tuple[dict[str, Any], Places]:
    """What a YAML file says, and where each of its keys stands; else as `load`."""
    loader = yaml.SafeLoader(_text(path))
    try:
        node = loader.get_single_node()
        if node is None:
            return {}, {}
        if not isinstance(node, yaml.MappingNode):
            raise ConfigurationError(f"{path}: found no mapping, expected keys: values")
        places = _places(node, path)
        content = loader.construct_document(node)
    except ConfigurationError:
        raise
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}, line {mark.line + 1}" if mark else str(path)
        what = getattr(error, "problem", None) or str(error)
        raise ConfigurationError(f"{where}: is not YAML ({what}); correct that line") from error
    except RecursionError as error:
        raise ConfigurationError(f"{path}: {_too_deep()}") from error
    except (ValueError, TypeError, OverflowError) as error:
        raise ConfigurationError(f"{path}: holds a value that is none ({error})") from error
    finally:
        loader.dispose()
    return content, places


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ConfigurationError(f"{path}: more than {MOST_BYTES:,} bytes; expected fewer")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror}; expected a YAML file") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8 ({error}); save it as UTF-8") from error


def _too_deep() -> str:
    return f"more than {DEEPEST} levels of keys, expected fewer"


def _places(top: yaml.MappingNode, path: Path) -> Places:
    """Where each key and list entry of a document stands; refused where a key is there twice."""
    places: Places = {}
    for count, (keys, line) in enumerate(_walk(top, (), path)):
        if count > MOST_KEYS:
            raise ConfigurationError(f"{path}: more than {MOST_KEYS:,} keys, expected fewer")
        places.setdefault(".".join(keys), f"{path}, line {line}")
    return places


def _walk(
    node: yaml.Node, above: tuple[str, ...], path: Path
) -> Iterator[tuple[tuple[str, ...], int]]:
    """Paths of the keys below a node, and their lines; what a mapping says itself comes first."""
    if len(above) > DEEPEST:
        raise ConfigurationError(f"{path}, line {node.start_mark.line + 1}: {_too_deep()}")
    if isinstance(node, yaml.SequenceNode):
        for place, entry in enumerate(node.value):
            yield (*above, str(place)), entry.start_mark.line + 1
            yield from _walk(entry, (*above, str(place)), path)
    if not isinstance(node, yaml.MappingNode):
        return
    seen: dict[str, int] = {}
    merged: list[yaml.Node] = []
    for key, value in node.value:
        name, line = str(key.value), key.start_mark.line + 1
        if name in seen:
            where = ".".join((*above, name))
            raise ConfigurationError(
                f"{path}, line {line}: {where}: stands there twice, first in line {seen[name]}; "
                "expected it once"
            )
        seen[name] = line
        if name == MERGE:
            merged += value.value if isinstance(value, yaml.SequenceNode) else [value]
            continue
        yield (*above, name), line
        yield from _walk(value, (*above, name), path)
    for one in merged:
        yield from _walk(one, above, path)


def places_of(files: Sequence[Path], overlays: Sequence[Path] = ()) -> Places:
    """Where each key of a configuration stands, in the file whose value counts.

    Args:
        files: those of the configuration; each experiment and each figure is in one of them.
        overlays: what is laid over them, the last on top.

    Raises:
        ConfigurationError: where a file cannot be read, or two define an experiment or a figure.
    """
    places: Places = {}
    for path in files:
        content, own = read(path)
        for kind, name in _named(content):
            key = f"{kind}.{name}"
            if key in places:
                raise ConfigurationError(
                    f"{own[key]}: {key} is defined in {places[key]} too; expected one of them, or "
                    "another name"
                )
        places |= own
    for path in overlays:
        places |= read(path)[1]
    return places


def _named(content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for kind in NAMED:
        block = content.get(kind)
        if isinstance(block, Mapping):
            yield from ((kind, str(name)) for name in block)


def place_of(problem: str, places: Mapping[str, str]) -> str:
    """A problem, "KEY: what is wrong", after the file and the line where its key stands."""
    key = problem.partition(": ")[0]
    while key and key not in places:
        key = key.rpartition(".")[0]
    return f"{places[key]}: {problem}" if key else problem


MOST_JOBS = 100_000
"""Jobs of one experiment; the largest of the papers' has under a thousand."""
MOST_COUNTED = 10_000_000
"""Items, draws, replicates and whatever else an integer says; a smaller bound is the schema's."""
SEED = "seed"
"""How the keys end whose integers count nothing."""
OPTIONS_OF = "options of "
"""How the kinds begin that list what a plot reads, in what the library offers."""


def number_problems(value: Any, path: str = "") -> Iterator[str]:
    """Problems of numbers that are NaN, infinite, or more than any run counts to, at any depth."""
    if isinstance(value, float) and not math.isfinite(value):
        yield f"{path}: found {value}, expected a finite number"
    if isinstance(value, int) and value > MOST_COUNTED and not path.endswith(SEED):
        yield f"{path}: found {value}, expected at most {MOST_COUNTED}"
    entries: Any = ()
    if isinstance(value, Mapping):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    for key, one in entries:
        yield from number_problems(one, f"{path}.{key}" if path else str(key))


def size_problems(name: str, block: Mapping[str, Any]) -> Iterator[str]:
    """A problem where an experiment is more jobs than any run ends."""
    replicates = block["replicates"]
    settings = math.prod(len(values) for values in block.get("vary", {}).values())
    blocks = math.ceil(replicates / block.get("block", replicates))
    jobs = settings * blocks * max(1, len(block.get("methods", ())))
    if jobs > MOST_JOBS:
        yield (
            f"experiments.{name}: found {jobs:,} jobs ({settings:,} settings, {blocks:,} blocks of "
            f"replicates, the methods), expected at most {MOST_JOBS:,}; vary less, or give a "
            "larger `block`"
        )


def voter_problems(name: str, block: Mapping[str, Any]) -> Iterator[str]:
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


def options_problems(
    name: str,
    block: Mapping[str, Any],
    experiments: Mapping[str, Mapping[str, Any]],
    known: Mapping[str, Collection[str]],
) -> Iterator[str]:
    """Problems of a figure's options: not its plot's, missing, or an axis that nothing varies."""
    options, plot = block.get("options", {}), block["plot"]
    reads = known.get(f"{OPTIONS_OF}{plot}")
    for key in options:
        if reads is not None and key not in reads:
            meant = did_you_mean(key, reads) or f"{plot} has {', '.join(reads) or 'none'}"
            yield f"figures.{name}.options.{key}: unknown option; {meant}"
    needed = reads.items() if isinstance(reads, Mapping) else ()
    for key in (key for key, is_needed in needed if is_needed):
        if key not in options:
            yield f"figures.{name}.options.{key}: missing; plot {plot} cannot do without"
    drawn = {
        one: experiments[one]
        for one in block.get("experiments", ())
        if one in experiments and "check" not in experiments[one]
    }
    by = options.get("by", [])
    axes = [
        ("x", options.get("x")),
        *(("by", one) for one in ([by] if isinstance(by, str) else by)),
    ]
    for key, axis in axes:
        without = [one for one in drawn if axis not in drawn[one].get("vary", {})]
        # What splits a figure may be there in some of its experiments; its x is in all.
        if axis is not None and without and (key == "x" or len(without) == len(drawn)):
            varied = ", ".join(drawn[without[0]].get("vary", {})) or "nothing"
            yield (
                f"figures.{name}.options.{key}: found {axis!r}, which experiment {without[0]} does "
                f"not vary; it varies {varied}"
            )


AS_ITEMS = "as_items"
"""Key of an experiment: its labels are reduced to the votes of items."""
EXPERTS = "experts"
"""Key of an experiment: its gold labels are those of experts who err."""
SOURCES = ("simulator", "dataset", "check")
"""An experiment has exactly one of these: where its tables come from."""


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


def nearest(name: str, known: Collection[str]) -> str:
    """Say what the user may have meant: the nearest valid name, or all of them."""
    names = sorted(map(str, known))
    there = f"expected one of {', '.join(names)}" if names else "expected nothing here"
    return did_you_mean(name, names) or there


def _join(path: Collection[object]) -> str:
    return ".".join(map(str, path)) or "the top level"


def _validator(schema: Mapping[str, Any]) -> "jsonschema.Draft202012Validator":
    import jsonschema  # only the check of a configuration needs it, no job does

    return jsonschema.Draft202012Validator(schema)


def _describe(error: "jsonschema.ValidationError") -> Iterator[str]:
    path = list(error.absolute_path)
    schema: Any = error.schema
    found: Any = error.instance
    allowed: Any = error.validator_value
    if error.validator == "additionalProperties":
        properties = schema.get("properties", {})
        for key in sorted(set(found) - set(properties), key=str):
            yield f"{_join([*path, key])}: unknown key; {nearest(str(key), properties)}"
    elif error.validator == "required":
        for key in sorted(set(schema["required"]) - set(found)):
            yield f"{_join([*path, key])}: missing; expected it in every such block"
    elif error.validator == "enum":
        yield f"{_join(path)}: found {found!r}; {nearest(str(found), allowed)}"
    else:
        meaning = schema.get("description", error.message)
        limit = f"{error.validator}: {allowed}"
        yield f"{_join(path)}: found {found!r}, expected {limit} ({meaning})"


def _schema_problems(config: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    errors = sorted(
        _validator(schema).iter_errors(config), key=lambda error: str(error.absolute_path)
    )
    return [line for error in errors for line in _describe(error)]


def _source_problems(config: Mapping[str, Any]) -> Iterator[str]:
    """Check that each experiment has one source; which parameters are valid depends on it."""
    experiments = config.get("experiments")
    for name, block in experiments.items() if isinstance(experiments, Mapping) else ():
        sources = [source for source in SOURCES if isinstance(block, Mapping) and source in block]
        if len(sources) != 1:
            found = " and ".join(sources) or "none"
            yield f"experiments.{name}: found {found}, expected one of {', '.join(SOURCES)}"


def _table_of(block: Mapping[str, Any], known: Mapping[str, Collection[str]]) -> str:
    """Say which kind of table an experiment's methods are fitted to."""
    source = block.get("simulator", block.get("dataset"))
    gives = source in known.get(f"give {ANNOTATIONS}", ())
    return ANNOTATIONS if gives and AS_ITEMS not in block else ITEMS


def _reduction_problems(
    name: str, block: Mapping[str, Any], known: Mapping[str, Collection[str]]
) -> Iterator[str]:
    """Check that what is reduced to items are labels, and what experts label items."""
    if AS_ITEMS in block and block.get("simulator") not in known.get(f"give {ANNOTATIONS}", ()):
        others = ", ".join(known.get(f"give {ANNOTATIONS}", ()))
        yield f"experiments.{name}.{AS_ITEMS}: expected a simulator that gives labels: {others}"
    if EXPERTS in block and _table_of(block, known) != ITEMS:
        yield f"experiments.{name}.{EXPERTS}: expected items with gold labels; add {AS_ITEMS}"


def _method_problems(
    name: str, block: Mapping[str, Any], known: Mapping[str, Collection[str]]
) -> Iterator[str]:
    """Check that an experiment's methods take its tables, and have what they need."""
    if block.get("inapplicable") == EXPLAIN:
        return
    path, table = f"experiments.{name}.methods", _table_of(block, known)
    takers = known.get(f"take {table}")
    knows_annotators = AS_ITEMS in block or block.get("parameters", {}).get("annotators")
    for method in block.get("methods", []):
        if method not in known.get("method", ()):
            continue
        if takers is not None and method not in takers:
            others = ", ".join(takers)
            yield f"{path}: {method} takes no {table}, which the source gives; {others} do"
        if "dataset" in block and method in known.get("oracle", ()):
            yield f"{path}: {method} needs what only a simulator knows; leave it out"
        if table == ITEMS and method in known.get("annotators", ()) and not knows_annotators:
            yield f"{path}: {method} needs to know who gave each vote, which the data do not say"


def _experiment_problems(
    name: str, block: Mapping[str, Any], known: Mapping[str, Collection[str]]
) -> Iterator[str]:
    path = f"experiments.{name}"
    source = next(source for source in SOURCES if source in block)
    named = [(source, source, [block[source]]), ("methods", "method", block.get("methods", []))]
    for key, kind, values in named:
        for value in values:
            if kind in known and value not in known[kind]:
                yield f"{path}.{key}: unknown {value!r}; {nearest(value, known[kind])}"
    yield from _reduction_problems(name, block, known)
    yield from _method_problems(name, block, known)
    if source != "check":
        for key in ("methods", "metrics"):
            if not block.get(key):
                yield f"{path}.{key}: missing; expected at least one"
    for method in set(block.get("method_settings", {})) - set(block.get("methods", [])):
        yield f"{path}.method_settings.{method}: {method} is not among this experiment's methods"


def _imputation_problems(name: str, config: Mapping[str, Any]) -> Iterator[str]:
    """Check that no more label sets are asked for than the sampler keeps draws."""
    block = config["experiments"][name]
    whole = {**config, **{key: block[key] for key in ("sampler", "imputations") if key in block}}
    kept = whole["sampler"]["chains"] * whole["sampler"]["draws"]
    if whole["imputations"] > kept and block.get("methods"):
        yield (
            f"experiments.{name}: imputations {whole['imputations']}, but the sampler keeps chains "
            f"x draws = {kept}; expected at most {kept}, or more draws"
        )


def _figure_problems(
    name: str, block: Mapping[str, Any], config: Mapping[str, Any], known: Mapping[str, Any]
) -> Iterator[str]:
    path = f"figures.{name}"
    if ("experiments" in block) == ("benchmark" in block):
        yield f"{path}: expected either experiments or a benchmark"
    if block.get("benchmark") not in (None, *config.get("benchmarks", {})):
        meant = nearest(block["benchmark"], config.get("benchmarks", {}))
        yield f"{path}.benchmark: no benchmark {block['benchmark']!r}; {meant}"
    for experiment in block.get("experiments", []):
        if experiment not in config["experiments"]:
            meant = nearest(experiment, config["experiments"])
            yield f"{path}.experiments: no experiment {experiment!r}; {meant}"
    for experiment in block.get("optional", ()):
        if experiment not in block.get("experiments", []):
            meant = nearest(experiment, block.get("experiments", []))
            yield f"{path}.optional: {experiment!r} is not among its experiments; {meant}"
    if "plot" in known and block["plot"] not in known["plot"]:
        yield f"{path}.plot: unknown {block['plot']!r}; {nearest(block['plot'], known['plot'])}"


def _resolve(described: Any, schema: Mapping[str, Any]) -> Any:
    """Follow a reference into the schema's definitions."""
    while isinstance(described, Mapping) and "$ref" in described:
        described = schema["$defs"][described["$ref"].removeprefix("#/$defs/")]
    return described


def _described_axis(
    axis: str, described: Mapping[str, Any], given: Any, schema: Mapping[str, Any]
) -> tuple[Any, str]:
    """Find the schema of a parameter, or what is wrong; a dotted axis reaches into mappings.

    Args:
        axis: the parameter's name, or names joined by dots.
        described: schema of what can vary.
        given: what is given of that; it must hold the mappings that the axis reaches into.
        schema: the whole schema, for its definitions.
    """
    *parents, _ = names = axis.split(".")
    for depth, name in enumerate(names):
        described = _resolve(described, schema)
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


def settings_of(config: Mapping[str, Any], experiment: str, method: str) -> dict[str, Any]:
    """A method's settings in an experiment: its own, and the experiment's over them."""
    own = config["experiments"][experiment].get("method_settings", {})
    return {**config["methods"].get(method, {}), **own.get(method, {})}


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
        found, problem = _described_axis(axis, described, given, schema)
        if problem:
            yield f"{path}: {problem}"
            continue
        validator = _validator({**found, "$defs": schema["$defs"]})
        for value in values:
            yield from (f"{path}: {error.message}" for error in validator.iter_errors(value))


def check(
    config: Mapping[str, Any],
    schema: Mapping[str, Any],
    known: Mapping[str, Collection[str]] | None = None,
    metric_problem: Callable[[str, str], str] | None = None,
    places: Mapping[str, str] | None = None,
) -> None:
    """Check a merged configuration.

    Args:
        known: what the library offers, as `registries.known_names` gives it.
        metric_problem: (metric, kind of table) -> what is wrong with the metric's name, or nothing.
        places: path of a key -> the file and line that problems name.

    Raises:
        ConfigurationError: listing every problem.
    """
    known = known or {}
    problems = [*_source_problems(config)] or [
        *number_problems(config),
        *_schema_problems(config, schema),
    ]
    if not problems:
        for name, block in config["experiments"].items():
            problems += _axis_problems(name, config, schema)
            problems += _experiment_problems(name, block, known)
            problems += _imputation_problems(name, config)
            problems += size_problems(name, block)
            problems += voter_problems(name, block)
            if metric_problem:
                table = _table_of(block, known)
                wrong = [metric_problem(metric, table) for metric in block.get("metrics", [])]
                problems += [
                    f"experiments.{name}.metrics: {problem}" for problem in wrong if problem
                ]
        for name, block in config["figures"].items():
            problems += _figure_problems(name, block, config, known)
            problems += options_problems(name, block, config["experiments"], known)
    if problems:
        lines = "\n".join(f"  - {place_of(problem, places or {})}" for problem in problems)
        raise ConfigurationError(f"The configuration cannot be used:\n{lines}")
