/* Vote model of MAVEN, section 3.2.1 (the item-difficulty beta-binomial of Carpenter, 2008).

   Y_i       ~ Bernoulli(phi)
   P_i | Y_i ~ Beta(a_y d_y, (1 - a_y) d_y)
   V_i | P_i ~ Binomial(c_i, P_i)

   P_i is integrated out, and items that share votes and gold label are counted together:
   log L = sum_k N_k log sum_t T_k^(t) phi^t (1 - phi)^(1 - t) BetaBinomial(V_k | c_k, a_t d_t, (1 - a_t) d_t).

   Priors: phi ~ Beta(phi_prior), uniform where both shapes are 1; (a_0, a_1) uniform on the triangle
   0 <= a_0 <= a_1 <= 1, which keeps labels from switching; the vote correlation lambda_y = 1 / (1 + d_y)
   uniform on [0.01, 0.99].

   Cells are grouped: a group is one (votes_total, gold), its cells are V = 0 .. votes_total. A cell
   may hold no item; it is there for the replicated counts.
*/
functions {
#include vote_mass.stanfunctions

  vector log_vote_mass(int votes_total, int gold, real phi, real a0, real a1, vector d) {
    vector[votes_total + 1] log_mass_0;
    vector[votes_total + 1] log_mass_1;
    for (v in 0 : votes_total) {
      log_mass_0[v + 1] = beta_binomial_lpmf(v | votes_total, a0 * d[1], (1 - a0) * d[1]);
      log_mass_1[v + 1] = beta_binomial_lpmf(v | votes_total, a1 * d[2], (1 - a1) * d[2]);
    }
    return log_label_mixture(gold, phi, log_mass_0, log_mass_1);
  }
}
data {
  int<lower=1> groups; // number of (votes_total, gold) groups
  array[groups] int<lower=1> votes_total; // votes on each item of the group
  array[groups] int<lower=-1, upper=1> gold; // expert label of the group; -1 where there is none
  int<lower=1> cells; // number of cells, sum over groups of votes_total + 1
  array[cells] int<lower=0> count; // items in each cell, group by group, V = 0 .. votes_total
  vector<lower=0>[2] phi_prior; // shapes of the beta prior of phi: of positives, of negatives
}
transformed data {
  array[groups] int items; // items in each group
  {
    int start = 0;
    for (g in 1 : groups) {
      items[g] = sum(count[start + 1 : start + votes_total[g] + 1]);
      start += votes_total[g] + 1;
    }
  }
}
parameters {
  real<lower=0, upper=1> phi; // base rate P(Y = 1)
  real<lower=0, upper=1> a1; // P(positive vote | Y = 1), the voters' TPR
  real<lower=0, upper=a1> a0; // P(positive vote | Y = 0), 1 - the voters' TNR
  vector<lower=0.01, upper=0.99>[2] lambda; // correlation of two votes on an item, given Y = 0 and Y = 1
}
transformed parameters {
  vector<lower=0>[2] d = 1 ./ lambda - 1; // beta scales d_0, d_1
}
model {
  int start = 0;
  phi ~ beta(phi_prior[1], phi_prior[2]);
  for (g in 1 : groups) {
    vector[votes_total[g] + 1] log_mass = log_vote_mass(votes_total[g], gold[g], phi, a0, a1, d);
    for (v in 0 : votes_total[g]) {
      if (count[start + v + 1] > 0) {
        target += count[start + v + 1] * log_mass[v + 1];
      }
    }
    start += votes_total[g] + 1;
  }
}
generated quantities {
  vector[cells] log_lik; // log-likelihood of one item of the cell
  array[cells] int count_rep; // replicated counts: as many items a group as were observed
  {
    int start = 0;
    for (g in 1 : groups) {
      int end = start + votes_total[g] + 1;
      log_lik[start + 1 : end] = log_vote_mass(votes_total[g], gold[g], phi, a0, a1, d);
      count_rep[start + 1 : end] = multinomial_rng(softmax(log_lik[start + 1 : end]), items[g]);
      start = end;
    }
  }
}
