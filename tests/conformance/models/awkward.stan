// A model for faults: `reject_below` makes initial values impossible, the mode of
// `rate` is known in closed form, the likelihood is profiled.
data {
  int<lower=0> n;
  array[n] int<lower=0> counts;
  real reject_below;
}
parameters {
  real<lower=0> rate;
}
model {
  if (rate < reject_below) {
    reject("rate is below ", reject_below);
  }
  rate ~ gamma(2, 1);
  profile("likelihood") {
    counts ~ poisson(rate);
  }
}
