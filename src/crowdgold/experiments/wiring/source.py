"""Where the workflow's own files are, wherever it is run from, and a module's configuration."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from crowdgold import __version__
from crowdgold.assets import asset_folder
from crowdgold.data import InputError

VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)


def source_folder(rules: str, package: Callable[[], str]) -> Path:
    """The folder of Stan programs, scripts and configuration: that which the rules stand in.

    Rules that Snakemake reads from a repository on the network stand in no folder. The library has
    the same files; it has to be of the same version.

    Args:
        rules: the folder of the rules, as Snakemake names it.
        package: reads the package's first file, beside these rules.

    Raises:
        InputError: where the library is of another version than the rules.
    """
    if Path(rules).is_dir():
        return Path(rules).resolve().parents[1]
    (version,) = VERSION.findall(package())
    if version != __version__:
        raise InputError(
            f"{rules} is crowdgold {version}, and the library is {__version__}; install the same: "
            f"pip install 'crowdgold[workflow]=={version}'"
        )
    return asset_folder("config").parent


def choices(given: Mapping[str, Any], default: Mapping[str, Any]) -> dict[str, Any]:
    """What a configuration says otherwise than the default: of a copy of it, what was edited."""
    found = {}
    for key, value in given.items():
        if isinstance(value, Mapping) and isinstance(default.get(key), Mapping):
            value = choices(value, default[key])
            if not value and given[key]:
                continue
        elif key in default and default[key] == value:
            continue
        found[key] = value
    return found
