"""Files of the configuration: reading YAML strictly, and where each key stands.

What a YAML reader takes silently is refused here: a key that stands twice in a mapping, of which
the last would win, and an experiment or a figure that two files define.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from crowdgold.data import InputError

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
