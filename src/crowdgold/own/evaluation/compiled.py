"""The compiled Stan models of a study's methods."""

import importlib
import tempfile
from collections.abc import Collection

from crowdgold.methods import METHODS as ALL_METHODS
from crowdgold.models.stan import StanModels
from crowdgold.own.evaluation.processes import ENDINGS, held
from crowdgold.temporary import process_folder


def load_models(methods: Collection[str], stan: StanModels) -> dict[str, str]:
    """Load the Stan models of methods; they are compiled, with a line that says so, if need be.

    Returns:
        method -> why its model cannot be had, for lack of a compiler, say.
    """
    failed = {}
    with held(ENDINGS):
        before, tempfile.tempdir = tempfile.tempdir, str(process_folder())
        try:
            importlib.import_module("cmdstanpy")  # it makes a folder as it is loaded
        finally:
            tempfile.tempdir = before
    for method in methods:
        try:
            for name in ALL_METHODS[method].models_with({}):
                stan.load(name)
        except (RuntimeError, OSError) as error:
            failed[method] = f"its Stan model cannot be had: {error}"
    return failed
