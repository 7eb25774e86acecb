"""CLARA's paper: reviewers, audits, and policies of labelling."""
