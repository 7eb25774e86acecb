"""Stan models for the statistical tests: one folder of executables, as the workflow makes it."""

import os

import pytest

from crowdgold.models.stan import StanModels


@pytest.fixture(scope="session")
def stan(toolchain, compiled, tmp_path_factory):
    """The project's models, compiled once for all test sessions."""
    folder = tmp_path_factory.mktemp("models")
    names = [
        "vote", "dawid_skene", "score", "score_ordinal", "dawid_skene_scores", "human_ai", "judges",
    ]  # fmt: skip
    # One worker begins at the end, so that two do not wait for each other's compiler.
    if os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579":
        names.reverse()
    for name in names:
        (folder / name).symlink_to(compiled(name))
    return StanModels(folder, toolchain)
