"""The studies: a room a paper with its checks, plots and pages, and two of our own."""
