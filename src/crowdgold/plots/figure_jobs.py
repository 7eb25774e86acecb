"""The work of a job that draws figures: one that cannot be drawn does not stop the others."""

import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from crowdgold.experiment.logs import error_in_words
from crowdgold.plots.style import save_figure
from crowdgold.system.declarations import load
from crowdgold.types.columns import counted
from crowdgold.types.errors import InputError


class NotDrawn(InputError):  # noqa: N818 - what is left of a job rather than a mistake
    """Figures that could not be drawn, when the others of their job were."""


def draw_each(figures: Iterable[str], draw_one: Callable[[str], None]) -> None:
    """Draw each figure of a job; raises `NotDrawn` at the end, naming those that failed."""
    failed: dict[str, str] = {}
    drawn: list[str] = []
    for name in figures:
        try:
            draw_one(name)
            drawn.append(name)
        except Exception as error:
            traceback.print_exc()
            failed[name] = error_in_words(error)
    if failed:
        lost = counted(len(failed), "figure")
        lines = [f"{lost} not drawn; of the job's others {len(drawn)} are there"]
        lines += [f"  figure {name}: {why}" for name, why in failed.items()]
        raise NotDrawn("\n".join(lines))


def draw(
    plot: str, table: pd.DataFrame, options: Mapping[str, Any], stem: Path, note: str = ""
) -> None:
    """Draw a figure and write STEM.svg, .pdf, .png and the .csv of what it shows; a `note` of
    warning stands at its foot.
    """
    figure, shown = load("plot", plot)(table, options)
    save_figure(figure, shown, stem, note)
