"""Stan models for the statistical tests: one folder of executables, as the workflow makes it."""

import pytest

from crowdgold.models.stan import StanModels


@pytest.fixture(scope="session")
def stan(toolchain, compiled, tmp_path_factory):
    """The project's models, compiled once for all test sessions."""
    folder = tmp_path_factory.mktemp("models")
    for name in ("vote", "dawid_skene", "score", "score_ordinal", "dawid_skene_scores", "human_ai"):
        (folder / name).symlink_to(compiled(name))
    return StanModels(folder, toolchain)
