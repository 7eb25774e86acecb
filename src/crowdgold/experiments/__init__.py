"""Experiments: what to run, with which seeds, and the tables that come out. Knows no Snakemake."""
