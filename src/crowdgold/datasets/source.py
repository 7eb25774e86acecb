"""What is pinned of a dataset: its files, their checksums, its licence and what to cite.

A file is right by its pinned sha256. Where none is known it is trusted once: how it begins is
checked, and the sha256 is written beside the cache, which it must have from then on. A file can be
made of others that a source publishes; a conversion gives text whose checksum is pinned, so that
the table is the same wherever it is made.
"""

import ast
import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crowdgold.reading.outputs import write_text
from crowdgold.system.archives import zip_members
from crowdgold.system.assets import cache_folder
from crowdgold.types.errors import InputError

Converter = Callable[[Sequence[Path], Mapping[str, Path]], str]
"""(the source's files, files of the dataset that are there already, by name) -> a file's text."""

PRODUCT_FIELDS = ["id", "name", "description", "price"]
CONVERSATION = "_conversation.txt"


def read_lines(path: Path) -> list[str]:
    """The lines of a text; unlike `str.splitlines` it keeps the rarer separators in texts."""
    with path.open(encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file]


def _table(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def products_from_lists(parts: Sequence[Path], files: Mapping[str, Path]) -> str:
    r"""The product records, one Python list a line, as CSV; the first line holds the field names.

    Characters beyond ASCII are written `\xNN`: Latin-1.
    """
    (path,) = parts
    rows = []
    for number, line in enumerate(read_lines(path), start=1):
        try:
            row = ast.literal_eval(line)
        except (SyntaxError, ValueError) as error:
            raise InputError(f"{path.name}, line {number}: not a list of values") from error
        if not isinstance(row, list) or len(row) != len(PRODUCT_FIELDS):
            raise InputError(f"{path.name}, line {number}: expected the fields {PRODUCT_FIELDS}")
        rows.append(row)
    if not rows or rows[0] != PRODUCT_FIELDS:
        raise InputError(f"{path.name}, line 1: expected the fields {PRODUCT_FIELDS}")
    return _table(rows)


def predictions_from_json_lines(parts: Sequence[Path], files: Mapping[str, Path]) -> str:
    """The model predictions, one JSON object a line, as one CSV of the ChaosNLI items in `files`.

    `parts` are named TASK_SPLIT_MODEL_SEED.json; rows come out in the order of these names, then of
    the lines. Their `probs` are in the order entailment, contradiction, neutral.
    """
    uids = {
        subset: {json.loads(line)["uid"] for line in read_lines(files[name])}
        for subset, name in (("snli", "chaosNLI_snli.jsonl"), ("mnli_m", "chaosNLI_mnli_m.jsonl"))
    }
    rows: list[list[object]] = [["set", "uid", "model", "seed", "p_e", "p_n", "p_c"]]
    for path in sorted(parts, key=lambda part: part.name):
        task, _, model, seed = path.stem.split("_")
        subset = {"SNLI": "snli", "MNLI": "mnli_m"}[task]
        for number, line in enumerate(read_lines(path), start=1):
            try:
                record = json.loads(line)
                uid, shares = record["uid"], dict(zip("ecn", record["probs"], strict=True))
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(f"{path.name}, line {number}: not a prediction") from error
            if uid in uids[subset]:
                rows.append([subset, uid, model, seed, *(f"{shares[k]:.10g}" for k in "enc")])
    return _table(rows)


def perspective_from_conversations(parts: Sequence[Path], files: Mapping[str, Path]) -> str:
    """CSV of rev_id and toxicity: the Perspective score of each annotated message of WAC.

    `parts` are folders conversations-part*, or archives of them (.zip). A file
    REVISION_conversation.txt has a JSON object a line, one a message, with `rev_id` and `toxicity`;
    the message with the file's own revision is the annotated one.
    """
    found = {}
    for name, text in _conversations(parts):
        revision = name.removesuffix(CONVERSATION)
        try:
            messages = [json.loads(line) for line in text.splitlines() if line.strip()]
            target = [one for one in messages if str(one["rev_id"]) == revision]
            scores = [float(one["toxicity"]) for one in target if one.get("toxicity") is not None]
            number = int(revision)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{name}: expected a JSON object a line with rev_id and toxicity ({error})"
            ) from error
        if scores:
            found[number] = scores[0]
    if not found:
        raise InputError(f"no file *{CONVERSATION} with a score in {[part.name for part in parts]}")
    rows = "".join(f"{revision},{found[revision]!r}\n" for revision in sorted(found))
    return f"rev_id,toxicity\n{rows}"


def _conversations(parts: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """The name and the text of each conversation file in folders and archives."""
    for part in parts:
        if part.is_dir():
            for path in sorted(part.rglob(f"*{CONVERSATION}")):
                yield path.name, path.read_text(encoding="utf-8")
        elif part.suffix == ".zip":
            # Many gigabytes, of which one conversation is read at a time.
            for member, content in zip_members(part, 20_000_000_000):
                if member.endswith(CONVERSATION):
                    yield member.rsplit("/", 1)[-1], content.decode("utf-8")


@dataclass(frozen=True)
class File:
    """A file of a dataset: its name, its sha256, and how to get it.

    `urls` is the file's own address, or, with `convert`, those of the files it is made from. With
    `parts` it is the address of a page, and the file can be made only from what stands in the local
    folder under names of that pattern. Where no sha256 is known, the file `starts_with` a text.
    """

    name: str
    sha256: str | None
    urls: tuple[str, ...]
    convert: Converter | None = None
    parts: str = ""
    starts_with: str = ""


@dataclass(frozen=True)
class Source:
    """The files of a dataset, and what a user must know about them.

    One `on_request` is large, or has no known checksum: it is downloaded only when asked for by
    name, not because a figure could show it. `folder` is the name of its folder in a local folder,
    the dataset's name where not given.
    """

    files: tuple[File, ...]
    licence: str
    citation: str
    cautions: str
    on_request: bool = False
    folder: str = ""


def cached(name: str, file: File) -> Path:
    """The place of a dataset's file in the user's cache."""
    return cache_folder() / name / file.name


def record_of(name: str, file: File) -> Path:
    """The place where the sha256 of a file that has no pinned one is recorded."""
    path = cached(name, file)
    return path.with_name(f"{path.name}.sha256")


def fault(name: str, file: File, content: bytes) -> str:
    """What is wrong with the content of a dataset's file; empty where nothing is."""
    found = hashlib.sha256(content).hexdigest()
    if file.sha256 is not None:
        return "" if found == file.sha256 else f"its sha256 is not the pinned {file.sha256}"
    if not content.startswith(file.starts_with.encode()):
        return f"it begins with {content[:40]!r}, expected {file.starts_with!r}"
    path = record_of(name, file)
    expected = path.read_text(encoding="ascii").strip() if path.is_file() else found
    if found == expected:
        return ""
    return f"its sha256 is not {expected}, recorded in {path} at its first use"


def record(name: str, file: File, content: bytes) -> str:
    """Record the sha256 of a file that has no pinned one, and say what is known of it."""
    if file.sha256 is not None:
        return "sha256 as pinned"
    path = record_of(name, file)
    if path.is_file():
        return f"sha256 as recorded in {path}"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(f"{hashlib.sha256(content).hexdigest()}\n", path)
    return f"no sha256 of it is known; that of this copy is recorded in {path}"
