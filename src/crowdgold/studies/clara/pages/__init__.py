"""Pages of the documentation whose numbers come from results."""
