// Nothing to sample: CmdStan turns to its fixed_param sampler by itself.
data {
  int<lower=1> n;
}
generated quantities {
  vector[n] z;
  for (i in 1 : n) {
    z[i] = normal_rng(3, 2);
  }
}
