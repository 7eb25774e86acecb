"""crowdgold: measure models and rates when the labels are imperfect."""

__version__ = "0.1.0"
