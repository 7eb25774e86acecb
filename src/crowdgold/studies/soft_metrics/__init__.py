"""Metrics of judgement distributions (human label variation, sections 3 and 6)."""
