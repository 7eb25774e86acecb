"""What users say in the place of how often experts err; apart, as commands load it first."""

ESTIMATE = "estimate"
"""Find the errors in second opinions."""
