"""The mathematics: vote sets and win counts, quadrature, densities, the CmdStan driver."""
