"""crowdgold: measure models and rates when the labels are imperfect.

In a notebook: `import crowdgold as cg`, then `cg.read`, `cg.check`, `cg.evaluate`, `cg.plan` and
`cg.fit` (`crowdgold.notebook`), which are loaded when they are first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crowdgold.notebook import check, evaluate, fit, plan, read

__all__ = ["check", "evaluate", "fit", "plan", "read"]
__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    """A function of `crowdgold.notebook`."""
    if name not in __all__:
        raise AttributeError(f"module 'crowdgold' has no attribute {name!r}")
    # By its name: what imports the package does not depend on all that a notebook uses.
    return getattr(importlib.import_module("crowdgold.notebook"), name)
