"""STABLEVAL's paper: agents' scores, their intervals, and the stability of their ranking."""
