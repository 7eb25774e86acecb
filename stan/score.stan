/* Score model of MAVEN, section 3.2.2, given one draw of the vote model (the Bayesian cut, section 3.3).

   U_i | Y_i, P_i ~ Normal(mu Y_i + delta P_i, 1) ranks the items.
   W_kl ~ Normal(C_kl w_kl, sigma_kl) for l < k, with
   w_kl = sum_{y, y'} q_k(y) q_l(y') E[Phi((mu (y - y') + delta (P - P')) / sqrt(2))],
   P ~ Beta posterior of vote set k and label y, P' of vote set l and label y'. The distribution of P - P' follows
   from the vote draw; its Gauss quadrature, nodes and weights, is data;
   sigma_kl is the standard deviation of W_kl after Hanley and McNeil (1982), k the positive set.

   Priors: mu ~ InvGamma(mu_shape, mu_scale), which keeps mu positive; delta ~ Laplace(0, delta_scale).
   The paper has InvGamma(1, 1) and Laplace(0, 10).
*/
functions {
  // P(U > U') for every pair of vote patterns: a (p, p) matrix
  matrix pattern_rates(real shift, real delta, array[,] vector gap, array[,] vector weight) {
    int p = size(gap);
    matrix[p, p] rate;
    for (r in 1 : p) {
      for (s in 1 : p) {
        rate[r, s] = weight[r, s]' * Phi((shift + delta * gap[r, s]) * inv_sqrt(2));
      }
    }
    return rate;
  }
  // the same for items of one label, where P(U > U') + P(U' > U) = 1
  matrix same_label_rates(real delta, array[,] vector gap, array[,] vector weight) {
    int p = size(gap);
    matrix[p, p] rate = rep_matrix(0.5, p, p);
    for (r in 2 : p) {
      for (s in 1 : r - 1) {
        rate[r, s] = weight[r, s]' * Phi(delta * gap[r, s] * inv_sqrt(2));
        rate[s, r] = 1 - rate[r, s];
      }
    }
    return rate;
  }
  // w_kl of every pair of vote sets: k = 2 .. m, l = 1 .. k - 1
  vector win_rates(real mu, real delta, vector q, array[] int pattern, array[] int first, array[] int second,
                   array[,,] vector gap, array[,,] vector weight) {
    int p = size(gap[1]);
    matrix[p, p] same_0 = same_label_rates(delta, gap[1], weight[1]);
    matrix[p, p] same_1 = same_label_rates(delta, gap[2], weight[2]);
    matrix[p, p] cross = pattern_rates(mu, delta, gap[3], weight[3]);
    vector[size(first)] w;
    for (pair in 1 : size(first)) {
      int k = first[pair];
      int l = second[pair];
      int r = pattern[k];
      int s = pattern[l];
      w[pair] = q[k] * q[l] * same_1[r, s] + (1 - q[k]) * (1 - q[l]) * same_0[r, s]
                + q[k] * (1 - q[l]) * cross[r, s] + (1 - q[k]) * q[l] * (1 - cross[s, r]);
    }
    return w;
  }
  // sigma_kl of every pair (Hanley and McNeil, 1982); the rates are clipped so that it never vanishes
  vector win_deviations(vector rate, vector first, vector second) {
    vector[num_elements(rate)] C = first .* second;
    vector[num_elements(rate)] w = fmin(fmax(rate, 0.5 ./ C), 1 - 0.5 ./ C);
    return sqrt(C .* (w .* (1 - w) + (first - 1) .* (w ./ (2 - w) - square(w))
                      + (second - 1) .* (2 * square(w) ./ (1 + w) - square(w))));
  }
}
data {
  int<lower=2> m; // number of vote sets
  vector<lower=1>[m] N; // items in each vote set
  matrix[m, m] W; // wins: pairs with an item of k scored above one of l; replicated ones may be below 0
  vector<lower=0, upper=1>[m] q; // P(Y = 1 | vote set) at the vote draw; 0 or 1 where gold is known
  int<lower=1> p; // number of vote patterns (votes_positive, votes_total)
  array[m] int<lower=1, upper=p> pattern; // vote pattern of each vote set
  int<lower=2> J; // nodes of the distribution of P - P'
  array[3, p, p] vector<lower=-1, upper=1>[J] gap; // its nodes; labels of P and P': 0 and 0, 1 and 1, 1 and 0
  array[3, p, p] vector<lower=0>[J] weight; // their weights, summing to 1
  int<lower=0, upper=1> pointwise; // 1 where win rates, log_lik and replicated wins are wanted
  real<lower=0> mu_shape; // shape of the inverse gamma prior of mu
  real<lower=0> mu_scale; // its scale
  real<lower=0> delta_scale; // scale of the Laplace prior of delta
}
transformed data {
  int pairs = (m * (m - 1)) %/% 2; // pairs k = 2 .. m, l = 1 .. k - 1
  array[pairs] int first;
  array[pairs] int second;
  vector[pairs] wins;
  {
    int pair = 0;
    for (k in 2 : m) {
      for (l in 1 : k - 1) {
        pair += 1;
        first[pair] = k;
        second[pair] = l;
        wins[pair] = W[k, l];
      }
    }
  }
  vector[pairs] C = N[first] .* N[second];
}
parameters {
  real<lower=0> mu; // how far positives rank above negatives
  real delta; // how far items with a high vote probability rank above others
}
model {
  mu ~ inv_gamma(mu_shape, mu_scale);
  delta ~ double_exponential(0, delta_scale);
  vector[pairs] rate = win_rates(mu, delta, q, pattern, first, second, gap, weight);
  wins ~ normal(C .* rate, win_deviations(rate, N[first], N[second]));
}
generated quantities {
  vector[pointwise * pairs] w; // win rates w_kl, k = 2 .. m, l = 1 .. k - 1
  vector[pointwise * pairs] log_lik; // log-likelihood of each W_kl, in the same order
  array[pointwise * pairs] real W_rep; // replicated win counts
  if (pointwise) {
    w = win_rates(mu, delta, q, pattern, first, second, gap, weight);
    vector[pairs] sigma = win_deviations(w, N[first], N[second]);
    W_rep = normal_rng(C .* w, sigma);
    for (pair in 1 : pairs) {
      log_lik[pair] = normal_lpdf(wins[pair] | C[pair] * w[pair], sigma[pair]);
    }
  }
}
