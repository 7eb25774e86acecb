// Ten correlated normals with known moments: y ~ N(mu, S). Generated quantities serve the tests
// of generate_quantities: `total` is deterministic, `noise` takes the random generator.
data {
  int<lower=1> K;
  vector[K] mu;
  cov_matrix[K] S;
}
transformed data {
  matrix[K, K] L = cholesky_decompose(S);
}
parameters {
  vector[K] y;
}
model {
  y ~ multi_normal_cholesky(mu, L);
}
generated quantities {
  real total = sum(y);
  real noise = normal_rng(0, 1);
}
