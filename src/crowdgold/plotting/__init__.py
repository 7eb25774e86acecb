"""Figures from tidy tables; nothing is computed here that is not in the table beside the figure."""
