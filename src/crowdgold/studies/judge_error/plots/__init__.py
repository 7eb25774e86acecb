"""Plots: tables in, figures out."""
