"""CLARA: its Gibbs sampler, its prior, and the model of single labels made from its draws."""
