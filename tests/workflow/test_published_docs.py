"""Pages and gallery are of one run: what `make docs` makes of docs/results is what is kept."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from .conftest import ROOT, Checkout, run

NUMBER = re.compile(r"-?\d+\.\d+")
BY_COMMANDS = "docs/how-to/*.md", "docs/tutorials/*.md"
"""Pages that show what commands print. They are made of no result, and take long."""
LIMIT = 1800
"""Seconds for all, of which it takes some 200 alone on two cores."""


def same_picture(one: str, other: str) -> bool:
    """Whether two SVG files draw the same, but for a twentieth of a point by rounding."""
    if NUMBER.split(one) != NUMBER.split(other):
        return False
    places = [np.array(NUMBER.findall(text), float) for text in (one, other)]
    return bool(np.allclose(*places, rtol=0, atol=0.05))


def made(folder: Path) -> None:
    """Copy the checkout and `make docs`, which has to make every page of a result anew."""
    for name in run("git", "ls-files", "-co", "--exclude-standard", cwd=ROOT).splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    for template in folder.glob("docs/templates/*.md.jinja"):
        (folder / "docs" / template.stem).unlink()
    for pattern in BY_COMMANDS:
        for page in folder.glob(pattern):
            page.touch()
    checkout = Checkout(folder)
    done = subprocess.run(
        checkout.command("--config", "scale=published", "--", "docs"),
        cwd=folder, env=checkout.environment, capture_output=True, text=True, timeout=LIMIT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    ran = set(re.findall(r"^(?:local)?rule (\w+):", done.stdout + done.stderr, re.MULTILINE))
    assert ran, done.stderr[-3000:]
    assert not ran & {"dataset", "simulate", "estimate", "compute", "embed"}


def files(folder: Path, pattern: str) -> dict[str, str]:
    """Name -> text of the files of a pattern."""
    return {path.name: path.read_text(encoding="utf-8") for path in folder.glob(pattern)}


def test_pages_and_gallery_are_what_the_published_results_give(tmp_path):
    """One test of both: each worker of the suite would make them for itself."""
    made(tmp_path)
    for pattern, same in (("docs/*.md", str.__eq__), ("docs/gallery/*.svg", same_picture)):
        kept, now = files(ROOT, pattern), files(tmp_path, pattern)
        assert kept.keys() == now.keys()
        assert [name for name, text in kept.items() if not same(text, now[name])] == []


@pytest.mark.parametrize("wrong", ['<path d="M 1.25 7.2"/>', '<line d="M 1.25 7.0"/>'])
def test_a_point_that_moved_and_another_shape_are_no_same_picture(wrong):
    """The control: a fifth of a point is seen, and less than a twentieth is rounding."""
    kept = '<path d="M 1.25 7.0"/>'
    assert same_picture(kept, '<path d="M 1.26 7.01"/>')
    assert not same_picture(kept, wrong)
