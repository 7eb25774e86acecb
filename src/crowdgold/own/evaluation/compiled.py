"""The compiled Stan models of a study's methods."""

import importlib
import tempfile
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor

from crowdgold.extras import missing
from crowdgold.methods import METHODS as ALL_METHODS
from crowdgold.models.stan import StanModels
from crowdgold.own.evaluation.processes import ENDINGS, held
from crowdgold.temporary import process_folder

COMPILERS = 2
"""Models that are compiled at a time; each takes more than a gigabyte of memory."""


def _make(names: Collection[str], stan: StanModels) -> dict[str, str]:
    """Load models, of which several are compiled at a time: name -> why one cannot be had."""
    failed: dict[str, str] = {}
    pool = ThreadPoolExecutor(COMPILERS)
    try:
        stan.found()
        made = {name: pool.submit(stan.executable, name) for name in names}
        for name, executable in made.items():
            try:
                executable.result()
                stan.load(name)
            except (RuntimeError, OSError) as error:
                failed[name] = str(error)
    except (RuntimeError, OSError) as error:
        return dict.fromkeys(names, str(error))
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)  # who interrupts does not wait for it
        raise
    pool.shutdown()
    return failed


def load_models(methods: Collection[str], stan: StanModels) -> dict[str, str]:
    """Load the Stan models of methods; they are compiled, with a line that says so, if need be.

    Returns:
        method -> why its model cannot be had, for lack of a compiler, say.
    """
    sampled = {method: ALL_METHODS[method].models_with({}) for method in methods}
    if lack := missing("cmdstanpy"):
        return {method: f"it needs Stan, through {lack}" for method in methods if sampled[method]}
    with held(ENDINGS):
        before, tempfile.tempdir = tempfile.tempdir, str(process_folder())
        try:
            importlib.import_module("cmdstanpy")  # it makes a folder as it is loaded
        finally:
            tempfile.tempdir = before
    names = dict.fromkeys(name for models in sampled.values() for name in models)
    failed = _make(names, stan) if names else {}
    return {
        method: f"its Stan model cannot be had: {failed[name]}"
        for method, models in sampled.items()
        for name in models
        if name in failed
    }
