"""Coverage of intervals where the model is true, and the samplers' own calibration."""
