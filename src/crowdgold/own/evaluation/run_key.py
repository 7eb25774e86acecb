"""What the numbers of a run depend on, as one key: two runs of one key find the same."""

import hashlib
import json
import platform
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np

from crowdgold import __version__
from crowdgold.assets import asset_folder, package_folder
from crowdgold.data.own import Study
from crowdgold.models.stan import StanModels
from crowdgold.own.evaluation.questions import Settings
from crowdgold.own.evaluation.stored import plain_of

PACKAGES = ("numpy", "scipy", "numba", "pandas", "cmdstanpy")


def versions(stan: StanModels) -> dict[str, str]:
    """The versions that numbers depend on, by name."""
    cmdstan = stan.toolchain.cmdstan_version if stan.toolchain else ""
    found = {"crowdgold": __version__, "python": platform.python_version(), "cmdstan": cmdstan}
    return found | {name: version(name) for name in PACKAGES}


@cache
def source_digest() -> str:
    """The sha256 of the package's modules and of the Stan models: a version can be edited."""
    digest = hashlib.sha256()
    for folder, ending in ((package_folder(), "py"), (asset_folder("stan"), "stan")):
        for path in sorted(folder.rglob(f"*.{ending}")):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{path.relative_to(folder)} {content}\n".encode())
    return digest.hexdigest()


def _content(array: np.ndarray) -> bytes:
    shape = f"{array.dtype} {array.shape} ".encode()
    if array.dtype.hasobject:
        return shape + json.dumps(array.tolist(), default=repr).encode()
    return shape + array.tobytes()


def key_of(study: Study, settings: Settings, stan: StanModels) -> str:
    """The key of a run, 64 digits: of its input as read, its settings and the code that runs."""
    arrays: list[np.ndarray] = []
    asked: list[Any] = [study, settings, versions(stan), source_digest()]
    digest = hashlib.sha256(json.dumps(plain_of(asked, arrays), default=repr).encode())
    for array in arrays:
        digest.update(hashlib.sha256(_content(array)).digest())
    return digest.hexdigest()
