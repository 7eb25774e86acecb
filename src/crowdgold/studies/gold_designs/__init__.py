"""How many gold labels a sample saves whose items are chosen, and whether its intervals hold."""
