"""The arena: every method in every world, and which to use for the data that a study has."""
