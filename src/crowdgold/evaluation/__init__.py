"""From fits to estimates of metrics, and from many estimates to bias, width and coverage."""
