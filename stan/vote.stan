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

  // log x (x + 1) .. (x + v - 1) for v = 0 .. votes_total; without the gamma function, which is dear
  vector log_rising_factorials(real x, int votes_total) {
    vector[votes_total + 1] value;
    value[1] = 0;
    value[2 : votes_total + 1] = cumulative_sum(log(x + linspaced_vector(votes_total, 0, votes_total - 1)));
    return value;
  }

  // log BetaBinomial(v | votes_total, alpha, beta) for v = 0 .. votes_total
  vector log_beta_binomial(int votes_total, vector log_choose, real alpha, real beta) {
    return log_choose + log_rising_factorials(alpha, votes_total)
           + reverse(log_rising_factorials(beta, votes_total))
           - log_rising_factorials(alpha + beta, votes_total)[votes_total + 1];
  }

  vector log_vote_mass(array[] int votes_total, array[] int gold, vector log_choose, real phi,
                       real a0, real a1, vector d) {
    int cells = num_elements(log_choose);
    vector[cells] log_mass_0;
    vector[cells] log_mass_1;
    vector[cells] log_mass;
    int start = 0;
    for (g in 1 : size(votes_total)) {
      int c = votes_total[g];
      int first = start + 1;
      int last = start + c + 1;
      if (g > 1 && c == votes_total[g - 1]) {
        // Groups of equal votes_total, next to each other, differ in their gold label only.
        log_mass_0[first : last] = log_mass_0[first - c - 1 : start];
        log_mass_1[first : last] = log_mass_1[first - c - 1 : start];
      } else {
        vector[c + 1] choose_v = log_choose[first : last];
        log_mass_0[first : last] = log_beta_binomial(c, choose_v, a0 * d[1], (1 - a0) * d[1]);
        log_mass_1[first : last] = log_beta_binomial(c, choose_v, a1 * d[2], (1 - a1) * d[2]);
      }
      log_mass[first : last] = log_label_mixture(gold[g], phi, log_mass_0[first : last], log_mass_1[first : last]);
      start = last;
    }
    return log_mass;
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
  vector[cells] log_choose; // log binomial coefficient of each cell
  {
    int start = 0;
    for (g in 1 : groups) {
      items[g] = sum(count[start + 1 : start + votes_total[g] + 1]);
      for (v in 0 : votes_total[g]) {
        log_choose[start + v + 1] = lchoose(votes_total[g], v);
      }
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
  phi ~ beta(phi_prior[1], phi_prior[2]);
  target += dot_product(to_vector(count), log_vote_mass(votes_total, gold, log_choose, phi, a0, a1, d));
}
generated quantities {
  // log-likelihood of one item of the cell
  vector[cells] log_lik = log_vote_mass(votes_total, gold, log_choose, phi, a0, a1, d);
  array[cells] int count_rep; // replicated counts: as many items a group as were observed
  {
    int start = 0;
    for (g in 1 : groups) {
      int end = start + votes_total[g] + 1;
      count_rep[start + 1 : end] = multinomial_rng(softmax(log_lik[start + 1 : end]), items[g]);
      start = end;
    }
  }
}
