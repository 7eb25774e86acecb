/* H-AI: the human-AI complementarity model of Steyvers et al. (2022) for binary votes, as in MAVEN,
   appendix C.3.

   Y_i ~ Bernoulli(phi)
   (lambda_H,i, lambda_M,i) | Y_i = y ~ Normal((mu_H,y, mu_M,y), ((1, rho sigma_M), (rho sigma_M, sigma_M^2)))
   X_i = lambda_M,i
   V_i ~ Binomial(c_i, Phi(lambda_H,i))

   Given score and label, lambda_H,i ~ Normal(m, s) with m = mu_H,y + rho (X_i - mu_M,y) / sigma_M and
   s = sqrt(1 - rho^2). It is integrated out: G(m, s) = P(V | c, m, s) comes from a table for each vote
   pattern, which is data. The label is summed out where no expert gave it:
   log L = sum_i log sum_y T_i^(y) phi^y (1 - phi)^(1 - y) Normal(X_i | mu_M,y, sigma_M) G_i(m_iy, s).

   Priors: phi uniform; mu_H,0 and mu_M,0 ~ Normal(0, 1); mu_H,1 - mu_H,0 and mu_M,1 - mu_M,0 ~
   HalfNormal(1), which keeps labels from switching; rho uniform on (epsilon - 1, 1 - epsilon);
   sigma_M ~ HalfNormal(1).

   The sum runs over weighted points. With a point of weight 1 for each item it is the sum above; few
   points can stand for many items of one vote set, a (votes_positive, votes_total, gold).

   The table: log G is a polynomial in u = (m - origin) / scale on each of L cells of m, and the
   coefficient of each power of u is a Chebyshev series in t, which is log(1 + kappa s^2) brought to
   [-1, 1].
*/
functions {
  // (Q) Chebyshev polynomials of degree 0 to Q - 1 at t
  vector chebyshev(real t, int Q) {
    vector[Q] value = ones_vector(Q);
    if (Q > 1) {
      value[2] = t;
    }
    for (q in 3 : Q) {
      value[q] = 2 * t * value[q - 1] - value[q - 2];
    }
    return value;
  }
  // the cell that m lies in, from 1 to L
  int find_cell(real m, vector edge) {
    int low = 1;
    int high = num_elements(edge) + 1;
    while (low < high) {
      int middle = (low + high) %/% 2;
      if (m > edge[middle]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  // log G(m, s) for each mean m and its vote pattern, of p; series are the polynomials of Q terms at
  // this s. Only the cells that some m lies in are evaluated: the rest would be most of the work.
  vector log_vote_mass(vector m, array[] int pattern, int p, matrix coefficient, vector series,
                       int D, vector edge, vector origin, vector scale) {
    int size = num_elements(m);
    array[size] int cell;
    for (e in 1 : size) {
      cell[e] = find_cell(m[e], edge);
    }
    int before = (min(cell) - 1) * p;
    vector[(max(cell) * p - before) * D] at_s = coefficient[before * D + 1 : max(cell) * p * D]
                                                * series;
    array[size] int row; // of the coefficient of the highest power of u
    for (e in 1 : size) {
      row[e] = ((cell[e] - 1) * p + pattern[e] - before) * D;
    }
    vector[size] u = (m - origin[cell]) ./ scale[cell];
    vector[size] value = at_s[row];
    for (d in 1 : D - 1) {
      for (e in 1 : size) {
        row[e] -= 1;
      }
      value = fma(value, u, at_s[row]);
    }
    return value;
  }
  // log-likelihood of one item at each point. The points are: U without an expert's label, then
  // those with one. term_point, term_label (1 or 2) and term_pattern list the labels that each
  // may have: label 0 of the U points, label 1 of the U points, the given label of the others.
  vector log_item_mass(vector x, int U, array[] int term_point, array[] int term_label,
                       array[] int term_pattern, real phi, vector mu_H, vector mu_M, real rho,
                       real sigma_M, int p, matrix coefficient, vector series, int D, vector edge,
                       vector origin, vector scale) {
    int terms = size(term_point);
    vector[2] log_prior = [log1m(phi), log(phi)]';
    vector[terms] z = (x[term_point] - mu_M[term_label]) / sigma_M;
    vector[terms] m = mu_H[term_label] + rho * z;
    vector[terms] log_joint = log_prior[term_label] - 0.5 * square(z)
                              + log_vote_mass(m, term_pattern, p, coefficient, series, D, edge,
                                              origin, scale)
                              - log(sigma_M) - 0.5 * log(2 * pi());
    return append_row(log_sum_exp(log_joint[1 : U], log_joint[U + 1 : 2 * U]),
                      tail(log_joint, terms - 2 * U));
  }
}
data {
  int<lower=1> m; // number of vote sets
  array[m] int<lower=0> votes_positive; // positive votes V on an item of each vote set
  array[m] int<lower=1> votes_total; // votes c on an item of each vote set
  array[m] int<lower=-1, upper=1> gold; // expert label of each vote set; -1 where there is none
  int<lower=1> points; // number of points
  vector[points] x; // score at each point, any real number
  vector<lower=0>[points] weight; // items that each point stands for; 1 where it is one item
  array[points] int<lower=1, upper=m> vote_set; // vote set of each point
  int<lower=0, upper=1> pointwise; // 1 where log_lik is wanted
  real<lower=0, upper=1> epsilon; // |rho| is at most 1 - epsilon
  int<lower=1> p; // number of vote patterns (votes_positive, votes_total)
  array[m] int<lower=1, upper=p> pattern; // vote pattern of each vote set
  int<lower=2> L; // number of cells of m in the table
  vector[L - 1] edge; // edges between the cells, ascending; the outer two cells have no end
  vector[L] origin; // where u = 0 in each cell
  vector<lower=0>[L] scale; // how far from there u = 1 is
  int<lower=2> D; // coefficients of each polynomial in u, degree D - 1
  int<lower=2> Q; // coefficients of each Chebyshev series
  real<lower=0> kappa; // of log(1 + kappa s^2)
  array[2] real<lower=0> range; // its range, brought to t = -1 and t = 1
  matrix[L * p * D, Q] coefficient; // the series: a row for each cell, pattern and power of u
}
transformed data {
  int U = 0; // points without an expert's label
  for (i in 1 : points) {
    U += gold[vote_set[i]] < 0;
  }
  array[points] int order = sort_indices_asc(gold[vote_set]); // those points first
  array[points + U] int term_point; // the terms of the sum over labels: point,
  array[points + U] int term_label; // label + 1,
  array[points + U] int term_pattern; // vote pattern
  for (e in 1 : points + U) {
    int i = order[e > U ? e - U : e];
    term_point[e] = i;
    term_label[e] = e <= U ? 1 : e <= 2 * U ? 2 : gold[vote_set[i]] + 1;
    term_pattern[e] = pattern[vote_set[i]];
  }
  vector[points] ordered_weight = weight[order];
}
parameters {
  real<lower=0, upper=1> phi; // base rate P(Y = 1)
  real mu_H0; // mean of lambda_H for Y = 0
  real<lower=0> gap_H; // mu_H,1 - mu_H,0
  real mu_M0; // mean score for Y = 0
  real<lower=0> gap_M; // mu_M,1 - mu_M,0
  real<lower=epsilon - 1, upper=1 - epsilon> rho; // correlation of lambda_H and score given Y
  real<lower=0> sigma_M; // standard deviation of scores given Y
}
transformed parameters {
  vector[2] mu_H = [mu_H0, mu_H0 + gap_H]'; // means of lambda_H for Y = 0 and Y = 1
  vector[2] mu_M = [mu_M0, mu_M0 + gap_M]'; // mean scores for Y = 0 and Y = 1
}
model {
  real t = (2 * log1p(kappa * (1 - square(rho))) - range[1] - range[2]) / (range[2] - range[1]);
  mu_H0 ~ std_normal();
  gap_H ~ std_normal();
  mu_M0 ~ std_normal();
  gap_M ~ std_normal();
  sigma_M ~ std_normal();
  target += dot_product(ordered_weight,
                        log_item_mass(x, U, term_point, term_label, term_pattern, phi, mu_H, mu_M,
                                      rho, sigma_M, p, coefficient, chebyshev(t, Q), D, edge,
                                      origin, scale));
}
generated quantities {
  vector[pointwise * points] log_lik; // log-likelihood of one item at each point
  if (pointwise) {
    real t = (2 * log1p(kappa * (1 - square(rho))) - range[1] - range[2]) / (range[2] - range[1]);
    log_lik[order] = log_item_mass(x, U, term_point, term_label, term_pattern, phi, mu_H, mu_M,
                                   rho, sigma_M, p, coefficient, chebyshev(t, Q), D, edge, origin,
                                   scale);
  }
}
