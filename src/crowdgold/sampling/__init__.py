"""Which items to send to experts next, so that few labels make the asked intervals narrow."""
