"""MAVEN's paper: what its figures and tables show, and what it claims."""
