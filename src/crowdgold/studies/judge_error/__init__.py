"""The post on judges' errors: the corrected rate, its formula and its simulation."""
