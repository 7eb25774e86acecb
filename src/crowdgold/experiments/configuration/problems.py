"""The configuration: overlaying, and checking it before anything runs.

An error names file and line, the key's path, what was found, and the nearest valid key or value.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crowdgold.data import ANNOTATIONS, ITEMS
from crowdgold.data.parameters import did_you_mean
from crowdgold.experiments.configuration.files import ConfigurationError, load, place_of
from crowdgold.experiments.configuration.limits import (
    number_problems,
    options_problems,
    size_problems,
    voter_problems,
)
from crowdgold.experiments.settings import METHOD_SETTINGS, varies_a_method
from crowdgold.experiments.tasks import EXPLAIN

if TYPE_CHECKING:
    import jsonschema

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
