"""Write a page of docs/ from its template and results."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from crowdgold.claims.pages import judged_claims, make_page
from crowdgold.experiment.configuration import load
from crowdgold.experiment.logs import job_log
from crowdgold.reading.outputs import write_text
from crowdgold.record.results import concatenate, read_table
from crowdgold.record.seals import without_seal

if TYPE_CHECKING:
    from snakemake.script import snakemake

READERS: dict[str, Callable[[str], Any]] = {
    ".parquet": lambda path: read_table(path, snakemake.config["seed"]),
    ".csv": pd.read_csv,
    ".yaml": load,
    ".txt": lambda path: without_seal(Path(path).read_text(encoding="utf-8")),
}


def read(name: str, paths: str | Sequence[str]) -> Any:
    """An input: a file by its ending; of several, `tables` by name, texts listed, others joined."""
    if isinstance(paths, str):
        return READERS[Path(paths).suffix](paths)
    if name == "tables":
        return {Path(path).stem: READERS[".parquet"](path) for path in paths}
    if name.endswith("verdicts"):
        return [READERS[".txt"](path) for path in paths]
    return concatenate(paths, snakemake.config["seed"])[0]


with job_log(snakemake.log[0]):
    inputs = dict(snakemake.input.items())
    template = Path(inputs.pop("template")).read_text(encoding="utf-8")
    page, options = snakemake.params.page, snakemake.params.options
    # `told`: other pages, whose texts the template quotes from.
    for name in ("claims", "told"):
        inputs.pop(name, None)
    inputs.pop("judged", None)
    files = {name: read(name, paths) for name, paths in inputs.items()}
    quoted = {name: Path("docs", f"{name}.md") for name in page.get("told", [])}
    files["told"] = {name: path.read_text(encoding="utf-8") for name, path in quoted.items()}
    # Empty cells are empty texts.
    files["judged"] = {
        name: pd.read_csv(judged_claims(name), keep_default_na=False)
        for name in quoted
        if Path(judged_claims(name)).is_file()
    }
    text, claims = make_page(template, page, files, options)
    write_text(text, snakemake.output[0])
    if verdicts := dict(snakemake.output.items()).get("claims"):
        write_text(claims.to_csv(index=False), verdicts)
