"""The recommended answer: its intervals against the truth, in many worlds."""
