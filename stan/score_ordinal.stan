/* Rank likelihood of MAVEN's score model, given one draw of the vote model (the Bayesian cut, section 3.3).

   U_i | Y_i, P_i ~ Normal(mu Y_i + delta P_i, sd_{Y_i}) ranks the items (section 3.2.2); sd_0 = 1, and sd_1 = 1
   as in the paper, or a parameter. P_i is integrated out over its Beta posterior of vote set k and label y by
   Gauss-Jacobi quadrature (nodes x, weights om), Y_i with q_k = P(Y = 1 | vote set k), all data given the vote draw:

   F_k(u) = sum_y q_k(y) sum_j om_kyj Phi((u - mu y - delta x_kyj) / sd_y),     f_k its density.

   The ranking is cut into B bins. The cut point t_b is the utility of the highest item of bin b, of vote set r_b, so
   that the joint density of the cut points and of what is in the bins is exact (Hoeffding, 1951):

   L = prod_{b < B} f_{r_b}(t_b) prod_{k, b} [F_k(t_b) - F_k(t_{b-1})]^{n_kb},    t_0 = -infinity, t_B = infinity.

   Priors: mu ~ InvGamma(mu_shape, mu_scale), which keeps mu positive; delta ~ Laplace(0, delta_scale) (the
   paper has InvGamma(1, 1) and Laplace(0, 10)); log sd_1 ~ Normal(0, 0.5), cut off at -1.5 and 1.5. The cut
   points have no prior of their own.
*/
functions {
  // P(U < t) in column 1 and P(U > t) in column 2 for one label and vote pattern at every cut: each from its own tail
  matrix tails(vector cut, real shift, real delta, real sd, vector node, vector weight) {
    int cuts = num_elements(cut);
    matrix[cuts, 2] tail;
    for (b in 1 : cuts) {
      vector[num_elements(node)] z = (cut[b] - shift - delta * node) / sd;
      tail[b, 1] = weight' * Phi(z);
      tail[b, 2] = tail[b, 1] < 0.5 ? 1 - tail[b, 1] : weight' * Phi(-z);
    }
    return tail;
  }
  // P(t_{b-1} < U < t_b) of every bin, from the lesser tail
  vector bin_masses(matrix tail) {
    int cuts = rows(tail);
    vector[cuts + 1] mass;
    mass[1] = tail[1, 1];
    for (b in 2 : cuts) {
      mass[b] = tail[b, 1] < 0.5 ? tail[b, 1] - tail[b - 1, 1] : tail[b - 1, 2] - tail[b, 2];
    }
    mass[cuts + 1] = tail[cuts, 2];
    return mass;
  }
  // the density of U at t for one label and vote pattern
  real density(real t, real shift, real delta, real sd, vector node, vector weight) {
    return weight' * exp(-0.5 * square((t - shift - delta * node) / sd)) * inv_sqrt(2 * pi()) / sd;
  }
}
data {
  int<lower=2> m; // number of vote sets
  int<lower=2> B; // number of bins of the ranking
  array[B, m] int<lower=0> count; // items by bin, lowest scores first, and vote set; without those at the cuts
  array[B - 1] int<lower=1, upper=m> highest; // vote set of the highest item of each bin but the last
  vector<lower=0, upper=1>[m] q; // P(Y = 1 | vote set) at the vote draw; 0 or 1 where gold is known
  int<lower=1> p; // number of vote patterns (votes_positive, votes_total)
  array[m] int<lower=1, upper=p> pattern; // vote pattern of each vote set
  int<lower=2> J; // Gauss-Jacobi nodes a vote probability
  array[2, p] vector<lower=0, upper=1>[J] node; // nodes for label 0 and 1 and each vote pattern
  array[2, p] vector<lower=0, upper=1>[J] weight; // their weights, summing to 1
  int<lower=0, upper=1> free_sd; // whether positives have a standard deviation of their own
  real<lower=0> mu_shape; // shape of the inverse gamma prior of mu
  real<lower=0> mu_scale; // its scale
  real<lower=0> delta_scale; // scale of the Laplace prior of delta
}
transformed data {
  real least = 1e-290; // smallest probability that is told from 0
}
parameters {
  real<lower=0> mu; // how far positives rank above negatives
  real delta; // how far items with a high vote probability rank above others
  ordered[B - 1] cut; // utility of the highest item of each bin but the last
  array[free_sd] real<lower=-1.5, upper=1.5> log_sd; // log standard deviation of the utilities of positives
}
transformed parameters {
  vector[B] log_lik_bin = rep_vector(0, B); // log-likelihood of the items of each bin, its highest included
  {
    real sd = free_sd ? exp(log_sd[1]) : 1;
    array[2, p] vector[B] mass;
    for (v in 1 : p) {
      mass[1, v] = bin_masses(tails(cut, 0, delta, 1, node[1, v], weight[1, v]));
      mass[2, v] = bin_masses(tails(cut, mu, delta, sd, node[2, v], weight[2, v]));
    }
    for (b in 1 : B) {
      for (k in 1 : m) {
        if (count[b, k] > 0) {
          real held = q[k] * mass[2, pattern[k]][b] + (1 - q[k]) * mass[1, pattern[k]][b];
          log_lik_bin[b] += count[b, k] * log(fmax(held, least));
        }
      }
      if (b < B) {
        int k = highest[b];
        int v = pattern[k];
        real here = q[k] * density(cut[b], mu, delta, sd, node[2, v], weight[2, v])
                    + (1 - q[k]) * density(cut[b], 0, delta, 1, node[1, v], weight[1, v]);
        log_lik_bin[b] += log(fmax(here, least));
      }
    }
  }
}
model {
  mu ~ inv_gamma(mu_shape, mu_scale);
  delta ~ double_exponential(0, delta_scale);
  log_sd ~ normal(0, 0.5);
  target += sum(log_lik_bin);
}
generated quantities {
  vector[B] log_lik = log_lik_bin; // log-likelihood of the items of each bin
  array[m, B] int count_rep; // replicated counts by vote set and bin, at the same cut points
  {
    real sd = free_sd ? exp(log_sd[1]) : 1;
    for (k in 1 : m) {
      int v = pattern[k];
      vector[B] mass = q[k] * bin_masses(tails(cut, mu, delta, sd, node[2, v], weight[2, v]))
                       + (1 - q[k]) * bin_masses(tails(cut, 0, delta, 1, node[1, v], weight[1, v]));
      count_rep[k] = multinomial_rng(mass / sum(mass), sum(count[ : , k]));
    }
  }
}
