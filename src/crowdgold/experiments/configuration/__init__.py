"""The configuration: read from its files, laid over one another, and checked before anything runs.

- `files`: what Snakemake's reader takes silently, and where each key stands
- `problems`: the check by schema, names and experiments; `limits`: by numbers and options
- `schema_page`: the page that describes every key
"""

from crowdgold.experiments.configuration.files import ConfigurationError, load
from crowdgold.experiments.configuration.problems import (
    at_scale,
    check,
    nearest,
    overlay,
    settings_of,
)

__all__ = ["ConfigurationError", "at_scale", "check", "load", "nearest", "overlay", "settings_of"]
