"""Words that users give as options; a module of its own, since the command line loads it first."""

SURELY, ESTIMATED, POSSIBLY = RULES = ("surely", "estimate", "possibly")
"""When a condition on an answer is met: at both ends of its interval, its estimate, or one end."""

ESTIMATE = "estimate"
"""In the place of how often experts err: find it from second opinions."""
