/* H-AI with the human latent of each item sampled, not integrated: what stan/human_ai.stan must agree
   with. Only the label is summed out.
*/
data {
  int<lower=1> n; // items
  array[n] int<lower=0> votes_positive; // positive votes on each item
  array[n] int<lower=1> votes_total; // votes on each item
  array[n] int<lower=-1, upper=1> gold; // expert label; -1 where there is none
  vector[n] x; // scores
  real<lower=0, upper=1> epsilon; // |rho| is at most 1 - epsilon
}
parameters {
  real<lower=0, upper=1> phi;
  real mu_H0;
  real<lower=0> gap_H;
  real mu_M0;
  real<lower=0> gap_M;
  real<lower=epsilon - 1, upper=1 - epsilon> rho;
  real<lower=0> sigma_M;
  vector[n] human; // lambda_H
}
transformed parameters {
  vector[2] mu_H = [mu_H0, mu_H0 + gap_H]';
  vector[2] mu_M = [mu_M0, mu_M0 + gap_M]';
}
model {
  vector[n] log_joint_0;
  vector[n] log_joint_1;
  mu_H0 ~ std_normal();
  gap_H ~ std_normal();
  mu_M0 ~ std_normal();
  gap_M ~ std_normal();
  sigma_M ~ std_normal();
  votes_positive ~ binomial(votes_total, Phi(human));
  {
    // lambda_H ~ Normal(mu_H, 1), then the score given it: the other way round than human_ai.stan
    real residual = sigma_M * sqrt(1 - square(rho));
    vector[n] z0 = human - mu_H[1];
    vector[n] z1 = human - mu_H[2];
    vector[n] r0 = (x - mu_M[1] - rho * sigma_M * z0) / residual;
    vector[n] r1 = (x - mu_M[2] - rho * sigma_M * z1) / residual;
    log_joint_0 = log1m(phi) - 0.5 * (square(z0) + square(r0)) - log(residual);
    log_joint_1 = log(phi) - 0.5 * (square(z1) + square(r1)) - log(residual);
  }
  for (i in 1 : n) {
    target += gold[i] == 0 ? log_joint_0[i]
              : gold[i] == 1 ? log_joint_1[i] : log_sum_exp(log_joint_0[i], log_joint_1[i]);
  }
}
