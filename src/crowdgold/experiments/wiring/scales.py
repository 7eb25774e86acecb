"""At which scale a figure's experiments were run: what its captions say of one below the papers'.

It follows from the configuration alone, of what is published too, so that no caption has to be
changed when an experiment is published at another scale.
"""

from collections.abc import Mapping
from typing import Any

from crowdgold.data.checks import list_names
from crowdgold.experiments.wiring.published import KEY, SCALES

_, DEFAULT, PAPER = SCALES


def _scales(config: Mapping[str, Any], figure: str) -> dict[str, str]:
    """The scale of each experiment behind a figure; of what is published, without the others."""
    block = config["figures"][figure]
    names = [*block.get("experiments", []), *([block["benchmark"]] if "benchmark" in block else [])]
    if KEY in config:
        known = config[KEY]
        return {name: known[name] for name in names if name in known}
    return dict.fromkeys(names, config.get("scale", DEFAULT))


def _number(config: Mapping[str, Any], names: list[str]) -> str:
    """The replicates of experiments in words; empty where none of them has a number."""
    blocks = [config["experiments"].get(name, {}) for name in names]
    found = sorted({block["replicates"] for block in blocks if "replicates" in block})
    if not found:
        return ""
    least, most = found[0], found[-1]
    counted = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return f"{counted} replicate{'s' if most > 1 else ''}"


def scale_note(config: Mapping[str, Any], figure: str) -> str:
    """A caption's words on the scale, "Default scale: 5 replicates."; empty at the papers'.

    Where some of its experiments alone are below the papers' scale, it names them.
    """
    scales = _scales(config, figure)
    said = []
    for scale in dict.fromkeys(scales.values()):
        if scale == PAPER:
            continue
        own = [name for name, one in scales.items() if one == scale]
        which = f" of {list_names(own)}" if len(own) < len(scales) else ""
        number = _number(config, own)
        said.append(f"{scale.capitalize()} scale{which}{f': {number}' if number else ''}.")
    return " ".join(said)


def scale_notes(config: Mapping[str, Any]) -> dict[str, str]:
    """The same of every figure, by its name, with the space that parts it from what it follows."""
    notes = {name: scale_note(config, name) for name in config["figures"]}
    return {name: f" {note}" if note else "" for name, note in notes.items()}
