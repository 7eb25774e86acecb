"""The record beside a figure, FIGURE.json: what drew it, and what each of its tables was made from.

Equal tables and code give equal bytes: it holds no time and no name of the host. It has the
checksums of the figure's files, and its own.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crowdgold.experiments.provenance.made_from import condensed, file_hash
from crowdgold.experiments.provenance.record import code_version
from crowdgold.experiments.provenance.seals import UNSEALED, write_sealed_text
from crowdgold.experiments.results import FILES

ENDINGS = ("svg", "pdf", "png", "csv")
"""Files of a figure that its record is about."""


def write_figure_record(
    stem: Path,
    library: Mapping[str, str],
    made_from: Mapping[str, Mapping[str, Any]],
    mixed_code: str = "",
) -> None:
    """Write STEM.json.

    Args:
        stem: the figure's path without ending; its files are there.
        library: file -> hash of its content, of the code that drew it.
        made_from: path of each of its tables -> the table's metadata.
        mixed_code: the note where its numbers are of different code.
    """
    record = {
        "figure": stem.name,
        FILES: {
            f"{stem.name}.{ending}": file_hash(stem.with_name(f"{stem.name}.{ending}"))
            for ending in ENDINGS
        },
        "mixed_code": mixed_code,
        "drawn": {"code_version": code_version(Path.cwd()), "code": library},
        "tables": [
            {"path": path, "sha256": file_hash(Path(path)), **condensed(metadata)}
            for path, metadata in made_from.items()
        ],
        "checksum": UNSEALED.decode(),
    }
    write_sealed_text(json.dumps(record, indent=1) + "\n", stem.with_name(f"{stem.name}.json"))
