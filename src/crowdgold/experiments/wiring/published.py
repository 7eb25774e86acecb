"""What is published: tables of finished runs in docs/results, of which pages and figures are made.

`make publish` copies them there, as their jobs wrote them (large ones with fewer digits), and keeps
in `config/published.yaml` how each experiment was run and at which scale. With that file as the
scale (`make docs`) nothing is run: a figure or page of which a table is not published stays as it
is.
"""

import shutil
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from crowdgold.data.outputs import unfinished, write_text
from crowdgold.experiments import plan
from crowdgold.experiments.configuration import load
from crowdgold.experiments.provenance.verification import COMPARED
from crowdgold.experiments.results import (
    DIGITS,
    ROUNDED,
    read_metadata,
    read_table,
    rounded,
    write_csv,
    write_table,
)
from crowdgold.experiments.wiring.drawn import Drawn
from crowdgold.experiments.wiring.jobs import Jobs

KEY, FOLDER = "published", Path("docs/results")
RECORD = Path("config/published.yaml")
SCALES = "smoke", "default", "paper"
"""The scales, from the smallest."""
RESTORED = Path("results/restored")
"""Where `make restore` writes the blocks of published tables."""
TAKEN = FOLDER / "benchmarks/hours.csv"
"""What published experiments took, where the run that made them is known."""
VERIFIED = FOLDER / "benchmarks/verified.csv"
"""Blocks of published experiments that `make verify` made again."""
HOURS, PAGES = "core_hours", "pages"
"""A column of it, and what stands for the target of experiments that pages alone tell of."""
LARGE = 5_000_000
"""Bytes of a table above which its numbers are published with few digits."""
RUN, ALL_SCALES = "<results>/", "results/"
"""How a path of a run begins, and one of what all scales share."""
HEAD = "# How what is in docs/results was run; `make publish` writes it.\n\n"


def kept(path: str) -> str:
    """Where a file of a run is published; any other path as it is."""
    for start in (RUN, ALL_SCALES):
        if path.startswith(start):
            return str(FOLDER / path.removeprefix(start))
    return path


class Published(Drawn):
    """Figures that are drawn from published tables: those of which all are there."""

    def __init__(self, jobs: Jobs, say: Callable[[str], object]) -> None:
        super().__init__(jobs, say, lambda dataset: "")

    def place(self, path: str) -> str:
        """Where a file of a run is read."""
        return kept(path)

    def _experiments(self, figure: str) -> list[str]:
        """A figure's experiments, without the optional ones that are not published."""
        block = self.block(figure)
        folder = FOLDER / block.get("table", "summaries")
        return [
            name
            for name in block.get("experiments", [])
            if name not in block.get("optional", ()) or (folder / f"{name}.parquet").is_file()
        ]

    def _lacks(self, figure: str) -> list[str]:
        """The tables of a figure that are not published."""
        return [path for path in self.tables_of(figure)(None) if not Path(path).is_file()]

    def available_tables(self, experiments: Iterable[str]) -> list[str]:
        """The tables of experiments, without those of a dataset that are not published."""
        places = {name: kept(f"{RUN}{plan.table(name)}") for name in experiments}
        return [
            path
            for name, path in places.items()
            if Path(path).is_file() or not plan.dataset(self.config["experiments"][name])
        ]

    def gallery(self) -> list[str]:
        """The figures of the gallery, of all targets."""
        blocks = self.config["figures"].values()
        targets = dict.fromkeys(block.get("target", "figures") for block in blocks)
        return [one for target in targets if target != "none" for one in self.figures(target)]


def _is_smaller(scale: str, published: str | None) -> bool:
    """Whether a scale is smaller than that of what is published, if something is."""
    return published in SCALES[SCALES.index(scale) + 1 :] if scale in SCALES else False


def _keep(source: Path, to: Path) -> bool:
    """Publish a file as it is; a large table with numbers of few digits, which its metadata say.

    Returns:
        whether it is not what was published before.
    """
    if source.suffix != ".parquet" or source.stat().st_size <= LARGE:
        if to.is_file() and to.read_bytes() == source.read_bytes():
            return False
        with unfinished(to) as own:
            shutil.copyfile(source, own)
        return True
    table, metadata = rounded(read_table(source)), {**read_metadata(source), ROUNDED: DIGITS}
    if to.is_file() and read_metadata(to) == metadata and read_table(to).equals(table):
        return False
    write_table(table, to, metadata)
    return True


def _keep_hours(
    names: Collection[str],
    anew: Collection[str],
    config: Mapping[str, Any],
    scale: str,
    hours: Mapping[str, float],
) -> None:
    """Put what experiments took into the table of hours.

    One of unknown hours keeps what is known of it while its tables are not `anew`.
    """
    blocks = config["experiments"]
    rows = [
        (
            blocks[name]["paper"],
            plan.drawn_by(config, name)[0] or PAGES,
            name,
            scale,
            round(hours[name], 4),
        )
        for name in sorted(names)
        if name in hours
    ]
    now = pd.DataFrame(rows, columns=["paper", "target", "experiment", "scale", HOURS])
    before = pd.read_csv(TAKEN) if TAKEN.is_file() else now[:0]
    others = before[~before.experiment.isin({*now.experiment, *anew})]
    TAKEN.parent.mkdir(parents=True, exist_ok=True)
    write_csv(pd.concat([others, now]).sort_values("experiment"), TAKEN)


def _keep_verified(
    scales: Mapping[str, str], tables: Iterable[Path], now: Path, since: Path
) -> None:
    """Put what `make verify` compared into the table of it.

    Args:
        scales: experiment -> the scale at which it is published.
        tables: what was compared.
        now: the table of what was compared last; it may not be there.
        since: a file; of a table that was written later than it nothing is known.
    """
    if not now.is_file():
        return
    when = since.stat().st_mtime
    later = {path.stem for path in tables if path.is_file() and path.stat().st_mtime > when}
    compared = pd.read_csv(now)
    compared = compared[compared.experiment.isin({*scales} - later)]
    rows = [pd.read_csv(VERIFIED)] if VERIFIED.is_file() else []
    whole = pd.concat([*rows, compared.assign(scale=compared.experiment.map(scales))])
    whole = whole.drop_duplicates(["scale", "block", "seed"], keep="last")
    write_csv(whole.sort_values(["scale", "block", "seed"]), VERIFIED)


def _forget_verified(anew: Collection[str]) -> None:
    """Take from that table what was compared of experiments whose tables are others now."""
    if VERIFIED.is_file():
        write_csv(pd.read_csv(VERIFIED).query("experiment not in @anew"), VERIFIED)


def publish(
    files: Iterable[str],
    config: Mapping[str, Any],
    scale: str,
    record: Path,
    hours: Mapping[str, float],
) -> tuple[list[str], list[str], list[str]]:
    """The files that are published now, those that the run has not made, and those left.

    A run of a smaller scale leaves what is published of a larger one.

    Args:
        files: as the rules name them, `<results>/tables/NAME.parquet`.
        config: of the run.
        scale: its name.
        record: `config/published.yaml`.
        hours: what experiments took, where the run knows.
    """
    results = config["pathvars"]["results"]
    sources = {path: Path(path.replace(RUN, f"{results}/")) for path in dict.fromkeys(files)}
    before = load(record) if record.is_file() else {}
    found = {path: source for path, source in sources.items() if source.is_file()}
    left = [path for path in found if _is_smaller(scale, before.get(KEY, {}).get(found[path].stem))]
    found = {path: source for path, source in found.items() if path not in left}
    anew = set()
    for path, source in found.items():
        to = Path(kept(path))
        to.parent.mkdir(parents=True, exist_ok=True)
        if _keep(source, to):
            anew.add(source.stem)
    stems = {source.stem for source in found.values()}
    names, timed = stems & set(config["experiments"]), stems & set(config.get("benchmarks", {}))
    scales = {**before.get(KEY, {}), **dict.fromkeys(names | timed, scale)}
    blocks = {
        key: {**before.get(key, {}), **{one: config[key][one] for one in sorted(own)}}
        for key, own in (("benchmarks", timed), ("experiments", names))
    }
    text = {
        KEY: dict(sorted(scales.items())),
        # Who draws what is published cannot run it again: a figure of mixed code says so.
        "mixed_code": "allow",
        "pathvars": {"results": "results/published"},
        **{key: dict(sorted(own.items())) for key, own in blocks.items() if own},
    }
    write_text(HEAD + yaml.safe_dump(text, sort_keys=False, allow_unicode=True), record)
    _keep_hours(names, anew, config, scale, hours)
    _forget_verified(anew)
    now = Path(results) / COMPARED
    _keep_verified(dict.fromkeys(names, scale), found.values(), now, since=now)
    restored, kept_now = RESTORED / COMPARED, (FOLDER / plan.table(one) for one in scales)
    _keep_verified(scales, kept_now, restored, since=RESTORED / "config.yaml")
    lacking = [path for path in sources if path not in found and path not in left]
    return list(found), lacking, left
