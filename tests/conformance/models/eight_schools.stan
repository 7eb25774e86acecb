// Eight schools, non-centred (Rubin 1981; Gelman et al., Bayesian Data Analysis, section 5.5).
#include eight_schools_data.stan
parameters {
  real mu;
  real<lower=0> tau;
  vector[J] eta;
}
transformed parameters {
  vector[J] theta = mu + tau * eta;
}
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  eta ~ std_normal();
  y ~ normal(theta, sigma);
}
