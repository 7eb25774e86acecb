"""A study file: options of `crowdgold`, written once in YAML and not on every command line.

Its keys are the options of the commands that read a study, as their parsers declare them: `files`,
and each option without its dashes. So nothing is declared here. A key of another such command is
passed over. What stands on the command line wins; paths are relative to the file.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from crowdgold.cli.terminal import STUDY_FILE
from crowdgold.reading.door import STANDARD_INPUT
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import unknown

MOST_BYTES = 1_000_000
OF_A_RUN = ("cores", "json", "force", "badge")
"""Options that a study file need not repeat: they change no file that is written."""
BESIDE = (*OF_A_RUN, "report", "out", "fail_if", "fail_on")  # options that change no number


@dataclass(frozen=True)
class StudyFile:
    """A study file that was read."""

    path: Path
    content: bytes
    overruled: tuple[str, ...]  # options on the command line that change the numbers it asks for


def keys_of(command: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """The keys that a command declares, each with its option; the last name of an option counts."""
    found: dict[str, argparse.Action] = {}
    for action in command._actions:
        names = [one.removeprefix("--") for one in action.option_strings if one.startswith("--")]
        if action.dest != "help":
            found |= dict.fromkeys(names or [action.dest], action)
    # The files of a plan are those of its pilot.
    return {"files": _files_action(command)} | found


def _files_action(command: argparse.ArgumentParser) -> argparse.Action:
    (found,) = [a for a in command._actions if a.dest == command.get_default("files_option")]
    return found


def parse(top: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command, those of a study file among them where one is given."""
    (subparsers,) = [a for a in top._actions if isinstance(a, argparse._SubParsersAction)]
    every = {n: one for n, one in subparsers.choices.items() if one.get_default("files_option")}
    command = every.get(arguments[0]) if arguments else None
    if command is None or not any(one.endswith(STUDY_FILE) for one in arguments):
        return top.parse_args(arguments)
    files = _files_action(command).dest

    # What the command line says by itself, without defaults; what is required may be missing.
    required = [action for action in command._actions if action.required]
    for action in required:
        action.required = False
    empty = argparse.Namespace(**{action.dest: None for action in command._actions})
    said = vars(command.parse_args(arguments[1:], empty))
    for action in required:
        action.required = True
    dests = {action.dest for action in command._actions}
    given = {name: value for name, value in said.items() if name in dests and value is not None}

    named: list[Path] = given.pop(files, [])
    studies = [one for one in named if one.suffix in STUDY_FILE]
    if not studies:
        return top.parse_args(arguments)
    path = studies[0]
    if len(named) > 1:
        raise InputError(f"{path}: a study file, which names its files; expected no other")
    if not path.is_file():
        raise InputError(f"{path}: no such file; expected a study file, or the files of a study")
    if path.stat().st_size > MOST_BYTES:
        raise InputError(f"{path}: more than {MOST_BYTES:,} bytes; expected a few options")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    known = {key for one in every.values() for key in keys_of(one)}
    held = dict(_values(path, content, command, known))
    overruled = tuple(
        action.option_strings[-1]
        for action in command._actions
        if action.dest in given and action.dest not in BESIDE
        and given[action.dest] != held.get(action.dest, action.default)
    )  # fmt: skip
    values = {**held, **given, "study_file": StudyFile(path, content, overruled)}
    asked = argparse.Namespace(command=arguments[0], **command._defaults)
    for key, action in keys_of(command).items():
        if action.required and action.dest not in values:
            raise InputError(f"{path}: no key {key!r}; expected it there or on the command line")
        setattr(asked, action.dest, action.default)
    for dest, value in values.items():
        setattr(asked, dest, value)
    return asked


def _values(
    path: Path, content: bytes, command: argparse.ArgumentParser, known: set[str]
) -> Iterator[tuple[str, Any]]:
    """The `dest` of each of a command's options in a study file, and its value."""
    try:
        node = yaml.compose(content.decode("utf-8-sig"), Loader=yaml.BaseLoader)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} cannot be read as UTF-8 ({error}); save it as UTF-8") from error
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        what = getattr(error, "problem", None) or type(error).__name__
        raise InputError(f"{path}{line}: no YAML ({what})") from error
    if not isinstance(node, yaml.MappingNode):
        raise InputError(f"{path}: expected KEY: VALUE on each line, as files: [votes.csv]")
    own, seen = keys_of(command), dict[int, str]()
    for key, value in node.value:
        where = f"{path}, line {key.start_mark.line + 1}"
        name = key.value if isinstance(key, yaml.ScalarNode) else "?"
        if name not in known:
            raise InputError(f"{where}: {unknown('key', name, sorted(known))}")
        if name not in own:
            continue
        if id(own[name]) in seen:
            raise InputError(
                f"{where}: {name!r} is there twice (as {seen[id(own[name])]!r} before)"
            )
        seen[id(own[name])] = name
        found = _converted(own[name], value, f"{where}, {name}", path.parent)
        if found is not None:
            yield own[name].dest, found


def _texts(node: yaml.Node, pairs: bool, where: str) -> list[str]:
    """The texts of a value: one, a list, or KEY=TEXT for each entry of a mapping."""
    if isinstance(node, yaml.ScalarNode):
        return [] if node.style is None and node.value in ("", "null", "~") else [str(node.value)]
    if isinstance(node, yaml.SequenceNode) and not any(
        isinstance(one, yaml.CollectionNode) for one in node.value
    ):
        return [str(one.value) for one in node.value]
    if isinstance(node, yaml.MappingNode) and pairs:
        keys = [key.value for key, _ in node.value]
        if all(isinstance(key, str) for key in keys) and len(set(keys)) == len(keys):
            return [
                f"{key}={text}"
                for key, (_, value) in zip(keys, node.value, strict=True)
                for text in _texts(value, False, where)
            ]
    raise InputError(
        f"{where}: expected a value, or a list of them" + (", or NAME: VALUE" if pairs else "")
    )


def _converted(action: argparse.Action, node: yaml.Node, where: str, folder: Path) -> Any:
    """The value of an option, as its parser would make it; None where nothing is said."""
    texts = _texts(node, "=" in str(action.metavar), where)
    if not texts:
        return None
    many = action.nargs == "+" or isinstance(action, argparse._AppendAction)
    if len(texts) > 1 and not many:
        raise InputError(f"{where}: found {len(texts)} values, expected one")
    if action.nargs == 0:
        said = texts[0].casefold()
        if said not in ("true", "yes", "on", "false", "no", "off"):
            raise InputError(f"{where}: found {texts[0]!r}, expected true or false")
        return True if said in ("true", "yes", "on") else None
    values = [_typed(action, text, where, folder) for text in texts]
    return values if many else values[0]


def _typed(action: argparse.Action, text: str, where: str, folder: Path) -> Any:
    if action.choices is not None and text not in action.choices:
        raise InputError(f"{where}: {unknown('choice', text, map(str, action.choices))}")
    if action.type is None:
        return text
    if action.type is Path:
        if "\0" in text or any("\ud800" <= one <= "\udfff" for one in text):
            raise InputError(f"{where}: found {text!r}, expected a name that a file can have")
        if text == STANDARD_INPUT:
            return Path(text)
        path = folder / text
        return path if path.name not in ("", "..") else path.resolve()
    try:
        return action.type(text)  # type: ignore[operator]
    except argparse.ArgumentTypeError as error:
        raise InputError(f"{where}: {error}") from error
    except ValueError:
        expected = {int: "a whole number", float: "a number"}.get(action.type, "another")  # type: ignore[call-overload]
        raise InputError(f"{where}: found {text[:80]!r}, expected {expected}") from None


def as_study_file(asked: argparse.Namespace, folder: Path) -> str:
    """The study file that repeats a command: every option that was used, paths relative to
    `folder`.
    """
    actions = {id(action): (key, action.dest) for key, action in keys_of(asked.declared).items()}
    values = {key: getattr(asked, dest) for key, dest in actions.values() if dest not in OF_A_RUN}
    used = {
        key: _written(value, folder)
        for key, value in values.items()
        if not (value is None or value is False or value == [])
    }
    text: str = yaml.safe_dump(used, sort_keys=False, allow_unicode=True)
    return text


def _written(value: Any, folder: Path) -> Any:
    if isinstance(value, Path):
        if str(value) == STANDARD_INPUT:
            return str(value)
        return os.path.relpath(os.path.realpath(value), os.path.realpath(folder))
    if isinstance(value, list | tuple):
        if value and all(isinstance(one, tuple) for one in value):
            return dict(value)
        return [_written(one, folder) for one in value]
    return value
