"""What users say in the place of how often experts err; apart, as commands load it first.

When a condition on an answer counts; apart, as the command line names it before all else.
"""

SURELY, ESTIMATED, POSSIBLY = RULES = ("surely", "estimate", "possibly")
"""It holds at both ends of the interval, at the estimate, or at one end."""


ESTIMATE = "estimate"
"""Find the errors in second opinions."""
