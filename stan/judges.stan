/* Named judges with a common item effect: a probit random effect on Dawid and Skene's model.

   Y_i               ~ Bernoulli(phi)
   U_i               ~ Normal(0, 1)                               one for all judges of an item
   V_ij | Y_i, U_i   ~ Bernoulli(Phi(a_jy + lambda_y U_i)), y = Y_i

   Given the label, judges err together where lambda_y is above 0; with lambda_y = 0 this is Dawid
   and Skene with two rates a judge. The rates over all items are

   P(V_ij = 1 | Y_i = y) = Phi(b_jy),   a_jy = b_jy sqrt(1 + lambda_y^2)

   and the latent errors of two judges correlate by r_y = lambda_y^2 / (1 + lambda_y^2). U_i is
   integrated out over evenly spaced nodes, and items that share votes and gold label are counted
   together; a judge who gave no vote is left out of the product:

   log L = sum_k N_k log sum_{y agrees with T_k} P(y) sum_h w_h prod_j Phi(+-(a_jy + lambda_y u_h))

   Priors: phi ~ Beta(phi_prior); b_j1 ~ Normal(1, 1) and b_j0 ~ Normal(-1, 1), so that judges are
   right more often than not on average, and swapped labels are improbable: each judge may be an
   adversary, all together hardly; r_y uniform on [0, 0.9].
*/
functions {
  // log P(V_p | Y = y) of each pattern of votes, U integrated out
  vector log_vote_mass(matrix positive, matrix negative, vector b, real r, vector node,
                       vector log_weight) {
    int patterns = rows(positive);
    int judges = cols(positive);
    int nodes = num_elements(node);
    real lambda = sqrt(r / (1 - r));
    vector[judges] a = b / sqrt(1 - r);
    matrix[judges, nodes] log_positive;
    matrix[judges, nodes] log_negative;
    vector[patterns] log_mass;
    for (h in 1 : nodes) {
      for (j in 1 : judges) {
        log_positive[j, h] = std_normal_lcdf(a[j] + lambda * node[h] |);
        log_negative[j, h] = std_normal_lcdf(-a[j] - lambda * node[h] |);
      }
    }
    {
      matrix[patterns, nodes] each = positive * log_positive + negative * log_negative;
      for (p in 1 : patterns) {
        log_mass[p] = log_sum_exp(each[p]' + log_weight);
      }
    }
    return log_mass;
  }

  // log P(V_k, gold label) of each row, from those of the patterns
  vector log_row_mass(array[] int gold, array[] int pattern, real phi, vector log_mass_0,
                      vector log_mass_1) {
    int rows = size(gold);
    vector[rows] log_mass;
    for (k in 1 : rows) {
      int p = pattern[k];
      if (gold[k] == 0) {
        log_mass[k] = log1m(phi) + log_mass_0[p];
      } else if (gold[k] == 1) {
        log_mass[k] = log(phi) + log_mass_1[p];
      } else {
        log_mass[k] = log_mix(phi, log_mass_1[p], log_mass_0[p]);
      }
    }
    return log_mass;
  }
}
data {
  int<lower=1> patterns; // number of distinct votes of all judges
  int<lower=1> judges; // number of judges
  array[patterns, judges] int<lower=-1, upper=1> vote; // each judge's vote; -1 where there is none
  int<lower=1> rows; // number of distinct (votes, gold)
  array[rows] int<lower=1, upper=patterns> pattern; // votes of the row
  array[rows] int<lower=-1, upper=1> gold; // expert label of the row; -1 where there is none
  array[rows] int<lower=1> count; // items in each row
  int<lower=1> nodes; // number of nodes of the common effect
  vector[nodes] node; // u_h
  vector[nodes] log_weight; // log w_h; the weights add to 1
  vector<lower=0>[2] phi_prior; // shapes of the beta prior of phi: of positives, of negatives
}
transformed data {
  matrix[patterns, judges] positive; // 1 where the judge's vote is positive
  matrix[patterns, judges] negative; // 1 where it is negative
  for (p in 1 : patterns) {
    for (j in 1 : judges) {
      positive[p, j] = vote[p, j] == 1;
      negative[p, j] = vote[p, j] == 0;
    }
  }
}
parameters {
  real<lower=0, upper=1> phi; // base rate P(Y = 1)
  vector[judges] b0; // Phi^-1 P(V = 1 | Y = 0) of each judge, over all items
  vector[judges] b1; // Phi^-1 P(V = 1 | Y = 1)
  vector<lower=0, upper=0.9>[2] r; // latent correlation of two judges' errors, given Y = 0 and Y = 1
}
model {
  vector[patterns] log_mass_0 = log_vote_mass(positive, negative, b0, r[1], node, log_weight);
  vector[patterns] log_mass_1 = log_vote_mass(positive, negative, b1, r[2], node, log_weight);
  phi ~ beta(phi_prior[1], phi_prior[2]);
  b0 ~ normal(-1, 1);
  b1 ~ normal(1, 1);
  target += dot_product(to_vector(count), log_row_mass(gold, pattern, phi, log_mass_0, log_mass_1));
}
generated quantities {
  // log-likelihood of one item of the row
  vector[rows] log_lik = log_row_mass(gold, pattern, phi,
                                      log_vote_mass(positive, negative, b0, r[1], node, log_weight),
                                      log_vote_mass(positive, negative, b1, r[2], node, log_weight));
}
