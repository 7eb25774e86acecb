/* Score model of MAVEN, section 3.2.2, given one draw of the vote model (the Bayesian cut, section 3.3).

   U_i | Y_i, P_i ~ Normal(mu Y_i + delta P_i, 1) ranks the items.
   W_kl ~ Normal(C_kl w_kl, sigma_kl) for l < k, with
   w_kl = sum_{y, y'} q_k(y) q_l(y') E[Phi((mu (y - y') + delta (P - P')) / sqrt(2))],
   P ~ Beta posterior of vote set k and label y, P' of vote set l and label y', by Gauss-Jacobi
   quadrature whose nodes and weights come from the vote draw and so are data;
   sigma_kl is the standard deviation of W_kl after Hanley and McNeil (1982), k the positive set.

   Priors: mu ~ InvGamma(mu_shape, mu_scale), which keeps mu positive; delta ~ Laplace(0, delta_scale).
   The paper has InvGamma(1, 1) and Laplace(0, 10).
*/
functions {
  // P(U > U') for every pair of vote patterns, labels y and y': a (p, p) matrix
  matrix win_rates(real shift, real delta, array[] vector node, array[] vector weight,
                   array[] vector node_other, array[] vector weight_other) {
    int p = size(node);
    int J = num_elements(node[1]);
    matrix[p, p] rate;
    for (r in 1 : p) {
      for (s in 1 : p) {
        vector[J] inner;
        for (j in 1 : J) {
          inner[j] = weight[r]' * Phi((shift + delta * (node[r] - node_other[s, j])) * inv_sqrt(2));
        }
        rate[r, s] = weight_other[s]' * inner;
      }
    }
    return rate;
  }
  // sigma_kl (Hanley and McNeil, 1982); the rate is clipped so that it never vanishes
  real win_deviation(real rate, real first, real second) {
    real C = first * second;
    real w = fmin(fmax(rate, 0.5 / C), 1 - 0.5 / C);
    return sqrt(C * (w * (1 - w) + (first - 1) * (w / (2 - w) - square(w))
                     + (second - 1) * (2 * square(w) / (1 + w) - square(w))));
  }
}
data {
  int<lower=2> m; // number of vote sets
  vector<lower=1>[m] N; // items in each vote set
  matrix[m, m] W; // wins: pairs with an item of k scored above one of l; replicated ones may be below 0
  vector<lower=0, upper=1>[m] q; // P(Y = 1 | vote set) at the vote draw; 0 or 1 where gold is known
  int<lower=1> p; // number of vote patterns (votes_positive, votes_total)
  array[m] int<lower=1, upper=p> pattern; // vote pattern of each vote set
  int<lower=2> J; // Gauss-Jacobi nodes a vote probability
  array[2, p] vector<lower=0, upper=1>[J] node; // nodes for label 0 and 1 and each vote pattern
  array[2, p] vector<lower=0, upper=1>[J] weight; // their weights, summing to 1
  real<lower=0> mu_shape; // shape of the inverse gamma prior of mu
  real<lower=0> mu_scale; // its scale
  real<lower=0> delta_scale; // scale of the Laplace prior of delta
}
parameters {
  real<lower=0> mu; // how far positives rank above negatives
  real delta; // how far items with a high vote probability rank above others
}
transformed parameters {
  matrix[m, m] w = rep_matrix(0.5, m, m); // win rates w_kl for l < k; 1/2 elsewhere
  {
    matrix[p, p] same_0 = win_rates(0, delta, node[1], weight[1], node[1], weight[1]);
    matrix[p, p] same_1 = win_rates(0, delta, node[2], weight[2], node[2], weight[2]);
    matrix[p, p] cross = win_rates(mu, delta, node[2], weight[2], node[1], weight[1]);
    for (k in 1 : m) {
      for (l in 1 : k - 1) {
        int r = pattern[k];
        int s = pattern[l];
        w[k, l] = q[k] * q[l] * same_1[r, s] + (1 - q[k]) * (1 - q[l]) * same_0[r, s]
                  + q[k] * (1 - q[l]) * cross[r, s] + (1 - q[k]) * q[l] * (1 - cross[s, r]);
      }
    }
  }
}
model {
  mu ~ inv_gamma(mu_shape, mu_scale);
  delta ~ double_exponential(0, delta_scale);
  for (k in 1 : m) {
    for (l in 1 : k - 1) {
      W[k, l] ~ normal(N[k] * N[l] * w[k, l], win_deviation(w[k, l], N[k], N[l]));
    }
  }
}
generated quantities {
  vector[(m * (m - 1)) %/% 2] log_lik; // log-likelihood of each W_kl, k = 2 .. m, l = 1 .. k - 1
  vector[(m * (m - 1)) %/% 2] W_rep; // replicated win counts in the same order
  {
    int pair = 0;
    for (k in 1 : m) {
      for (l in 1 : k - 1) {
        real mean = N[k] * N[l] * w[k, l];
        real deviation = win_deviation(w[k, l], N[k], N[l]);
        pair += 1;
        log_lik[pair] = normal_lpdf(W[k, l] | mean, deviation);
        W_rep[pair] = normal_rng(mean, deviation);
      }
    }
  }
}
