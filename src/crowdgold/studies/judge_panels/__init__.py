"""Panels of judges who err together: what methods make of them, with gold labels and without."""
