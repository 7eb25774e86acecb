"""The assembled home and its models: these tests are about its front end, even where a real
CmdStan is found and preferred."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cmdstanpy
import numpy as np
import pytest

from crowdgold.system.toolchain import Toolchain, ToolchainError, assemble, check_machine


@pytest.fixture(scope="session")
def schools() -> dict[str, Any]:
    """Data of eight_schools.stan."""
    return {
        "J": 8,
        "y": [28, 8, -3, 7, -1, 1, 18, 12],
        "sigma": [15, 10, 16, 11, 9, 11, 10, 18],
    }


@pytest.fixture(scope="session")
def normal() -> dict[str, Any]:
    """Data of correlated_normal.stan: ten scales from 0.5 to 3, correlations up to 0.8."""
    scale = np.linspace(0.5, 3, 10)
    distance = np.abs(np.subtract.outer(np.arange(10), np.arange(10)))
    covariance = np.outer(scale, scale) * 0.8**distance
    return {"K": 10, "mu": np.linspace(-2, 2, 10).tolist(), "S": covariance.tolist()}


@pytest.fixture(scope="session")
def assembled(toolchain: Toolchain) -> Toolchain:
    """A home assembled from PyPI."""
    if toolchain.way == "assembled":
        return toolchain
    try:
        check_machine()
    except ToolchainError as error:
        pytest.skip(f"no home can be assembled here: {error}")
    return Toolchain.of(assemble(), "assembled")


@pytest.fixture(scope="session")
def front_end(
    assembled: Toolchain, compile_with: Callable[[Toolchain, str], Path]
) -> Callable[[str], Path]:
    """`front_end("vote")` is the model compiled with the assembled home."""
    return lambda name: compile_with(assembled, name)


@pytest.fixture(scope="session")
def model(front_end: Callable[[str], Path]) -> Callable[[str], cmdstanpy.CmdStanModel]:
    """The same as a model of cmdstanpy."""
    return lambda name: cmdstanpy.CmdStanModel(exe_file=front_end(name))


@pytest.fixture
def write_json(tmp_path: Path) -> Callable[[str, Any], Path]:
    """Write data for an executable that is called without cmdstanpy."""

    def write_json(name: str, content: Any) -> Path:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write_json


@pytest.fixture
def run_directly(
    front_end: Callable[[str], Path],
    write_json: Callable[[str, Any], Path],
    schools: dict[str, Any],
    tmp_path: Path,
) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Call an executable as a shell would; its output is out.csv in the test's folder.

    `data` is the data's name or content (True: the eight schools), `options` go to
    subprocess.run.
    """

    def run_directly(
        name: str, *arguments: str, data: Any = None, executable: Path | None = None, **options: Any
    ) -> "subprocess.CompletedProcess[str]":
        command = [str(executable or front_end(name)), "random", "seed=17"]
        if data is not None:
            content = schools if data is True else data
            path = content if isinstance(content, Path) else write_json("data.json", content)
            command += ["data", f"file={path}"]
        if not any(argument.startswith("file=") for argument in arguments):
            command += ["output", f"file={tmp_path / 'out.csv'}"]
        settings = {"capture_output": True, "text": True, "timeout": 60, "cwd": tmp_path} | options
        return subprocess.run([*command, *arguments], check=False, **settings)

    return run_directly
