"""Colours of figures: seen on white, and told apart by the colour-blind where they share a figure.

Contrast is that of WCAG 2.1. Distances are of CIE L*a*b*, as seen and as in deuteranopia and
protanopia (Machado, Oliveira and Fernandes 2009, severity 1); the least of the three counts.
"""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from matplotlib.colors import to_rgb

from crowdgold.methods.method import Style
from crowdgold.methods.registry import METHODS
from crowdgold.plots.style import COLOURS, OTHER_STYLES, UNKNOWN, style_of

ROOT = Path(__file__).parents[2]
LEAST_CONTRAST = 3.0
LEAST_DISTANCE = 15.0
SEEN = (
    np.eye(3),
    np.array(
        [[0.367322, 0.860646, -0.227968],
         [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]),
    np.array(
        [[0.152286, 1.052583, -0.204868],
         [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]),
)  # fmt: skip
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
STYLES = {name: style_of(name) for name in (*METHODS, *OTHER_STYLES)}


def linear(colour):
    value = np.array(to_rgb(colour))
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def contrast(colour):
    return 1.05 / (float((TO_XYZ @ linear(colour))[1]) + 0.05)


def lab(rgb):
    share = TO_XYZ @ np.clip(rgb, 0, 1) / [0.95047, 1.0, 1.08883]
    x, y, z = np.where(share > 0.008856, np.cbrt(share), 7.787 * share + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(first, second):
    """How different two colours look to whom they look most alike."""
    return min(np.linalg.norm(lab(m @ linear(first)) - lab(m @ linear(second))) for m in SEEN)


def figures():
    """Each configured figure whose plot draws methods by their style, with these methods."""
    blocks, found = {}, {}
    for path in sorted((ROOT / "config/experiments").glob("*.yaml")):
        file = yaml.safe_load(path.read_text(encoding="utf-8"))
        blocks |= file.get("experiments") or {}
        found |= file.get("figures") or {}
    for name, figure in found.items():
        shown = figure.get("options", {}).get("methods") or {
            method
            for experiment in figure.get("experiments", [])
            for method in blocks[experiment].get("methods", [])
        }
        if figure["plot"] == "clara_policy":
            shown = {"CLARA", "Snorkel", *OTHER_STYLES}
        if figure["plot"] != "arena":  # methods are rows there
            yield name, sorted(shown)


def confusable(first, second):
    """Whether two styles look alike in colour, or have the same marker."""
    return first.marker == second.marker or distance(first.colour, second.colour) < LEAST_DISTANCE


def test_known_contrasts_and_distances():
    assert [contrast(one) for one in ("#FFFFFF", "#000000")] == pytest.approx([1, 21])
    assert distance("#000000", "#FFFFFF") == pytest.approx(100, abs=0.1)
    # Alike to who sees no red or no green: not to others.
    red, olive = "#D55E00", "#AA8800"
    seen = np.linalg.norm(lab(linear(red)) - lab(linear(olive)))
    assert distance(red, olive) < LEAST_DISTANCE < seen


def test_every_colour_is_seen_on_white():
    """Those of styles, and those that plots name: greys are bands, the arena's fill cells."""
    colours = {(name, style.colour) for name, style in STYLES.items()}
    colours |= {("lines", colour) for colour in (*COLOURS, UNKNOWN.colour)}
    source = ROOT / "src/crowdgold"
    files = [*source.glob("plots/*.py"), *source.glob("papers/*/plots.py")]
    files.remove(source / "papers/arena/plots.py")
    assert len(files) > 10
    for path in files:
        own = re.findall(r'"(#[0-9A-Fa-f]{6})"', path.read_text(encoding="utf-8"))
        colours |= {(str(path), colour) for colour in own if np.ptp(to_rgb(colour)) > 0.05}
    assert {one for one in colours if contrast(one[1]) < LEAST_CONTRAST} == set()


def test_every_method_has_a_style_that_no_other_has():
    looks = [(style.colour.upper(), style.marker) for style in STYLES.values()]
    assert {look for look in looks if looks.count(look) > 1} == set()
    # Of a variant, which shares its method's colour and marker, the line is another.
    assert style_of("MAVEN (one)").line != style_of("MAVEN").line


def test_methods_of_a_figure_and_the_first_colours_of_other_lines_are_told_apart():
    alike = [
        (name, *pair)
        for name, methods in figures()
        for pair in itertools.combinations(methods, 2)
        if confusable(style_of(pair[0]), style_of(pair[1]))
    ]
    first = itertools.combinations(COLOURS[:7], 2)
    alike += [pair for pair in first if distance(*pair) < LEAST_DISTANCE]
    assert not alike
    blue = Style("#0072B2", "o")
    assert confusable(blue, Style("#0072B2", "s"))
    assert confusable(blue, Style("#D55E00", "o"))
    assert confusable(Style("#D55E00", "o"), Style("#AA8800", "s"))
    assert not confusable(blue, Style("#D55E00", "s"))
