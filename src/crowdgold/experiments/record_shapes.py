"""What is read of the record of a figure and of a table's metadata, and of which kind it is."""

from crowdgold.data.json_shapes import ANYTHING, COUNT, TEXT, Shape, keys, list_of, named
from crowdgold.data.json_shapes import optional as or_nothing

_HASHES = named(TEXT)
_DATASETS = named(keys({"sha256": TEXT, "sources": _HASHES}))
_TOOLCHAIN = or_nothing(
    keys({"cmdstan_version": TEXT, "way": TEXT, "stan": TEXT, "compiler": TEXT})
)
_MADE_WITH: dict[str, Shape] = {
    "stan_files": _HASHES, "toolchain": _TOOLCHAIN, "datasets": _DATASETS, "machine": _HASHES,
    "packages": _HASHES, "seed": ANYTHING, "python": TEXT, "code_version": TEXT,
}  # fmt: skip
"""Part of a job's provenance -> its shape; in what is condensed, a list of them."""
_CONDENSED = keys(
    {"path": TEXT, "sha256": TEXT, "blocks": COUNT, "code": named(list_of(TEXT))},
    {"configuration": list_of(TEXT), **{key: list_of(one) for key, one in _MADE_WITH.items()}},
)
FIGURE = keys(
    {
        "figure": TEXT,
        "files": _HASHES,
        "tables": list_of(_CONDENSED),
        "drawn": keys({"code_version": TEXT, "code": named(ANYTHING)}),
        "mixed_code": TEXT,
    }
)
"""Of the record beside a figure."""
FOLDED = keys({}, {"made_from": list_of(keys({"path": TEXT})), "parts": named(ANYTHING)})
"""Of a table's metadata, where what its blocks share stands in parts (`made_from.fold`)."""
_JOB: dict[str, Shape] = {**_MADE_WITH, "code": _HASHES, "configuration": TEXT}
_DATA = keys({"path": TEXT, "sha256": TEXT}, _JOB)
BLOCKS = keys(
    {
        "made_from": list_of(
            keys(
                {"path": TEXT, "configuration": TEXT},
                {**_JOB, "sha256": TEXT, "data": or_nothing(_DATA)},
            )
        )
    },
    {"summarised": or_nothing(keys({}, _JOB))},
)
"""Of a table that was joined from blocks, each with its whole provenance."""
BLOCK = keys(
    {"code_version": TEXT, "code": _HASHES},
    {**_JOB, "sources": _HASHES, "dataset": TEXT, "data": or_nothing(_DATA)},
)
"""Of a block, and of a prepared dataset."""
