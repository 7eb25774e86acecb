"""Packages that not every install has, and the extra of crowdgold that each comes with."""

import importlib.util

PARQUET = "pyarrow"
EXTRA_OF = {
    "cmdstanpy": "stan", "xarray": "stan", "matplotlib": "report", PARQUET: "parquet",
    "jsonschema": "workflow", "pooch": "workflow", "sklearn": "workflow", "snakemake": "workflow",
    "crowdkit": "peers", "numpyro": "peers", "snorkel": "snorkel", "peft": "hlv", "torch": "hlv",
    "transformers": "hlv",
}  # fmt: skip
"""Module -> the extra in pyproject.toml that brings it; what stands in none is always there."""


def lack_of(module: str) -> str:
    """What to install for a module, there or not; empty where no extra brings it."""
    package = module.partition(".")[0]
    if package not in EXTRA_OF:
        return ""
    return f"{package}, which is not installed: pip install 'crowdgold[{EXTRA_OF[package]}]'"


def missing(module: str) -> str:
    """What to install for a module that is not there; empty where it is, or no extra brings it."""
    return "" if importlib.util.find_spec(module) else lack_of(module)


def need(module: str, purpose: str) -> None:
    """Raise a `ModuleNotFoundError` where a module is not there, with the extra that brings it."""
    if lack := missing(module):
        raise ModuleNotFoundError(f"{purpose} needs {lack}", name=module)
