"""The methods, a file each; `registry` finds them, and fits them by the papers' short names."""

from crowdgold.methods.method import Method
from crowdgold.methods.registry import METHODS, fit, method_named

__all__ = ["METHODS", "Method", "fit", "method_named"]
