"""What the rules ask of the library: inputs, parameters and code of jobs, and how a run begins."""
