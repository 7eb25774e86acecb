"""When a condition on an answer counts; apart, as the command line names it before all else."""

SURELY, ESTIMATE, POSSIBLY = RULES = ("surely", "estimate", "possibly")
"""It holds at both ends of the interval, at the estimate, or at one end."""
