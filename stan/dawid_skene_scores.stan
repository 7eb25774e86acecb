/* DS+S: Dawid-Skene with scores as a mixture of two normal distributions, as in MAVEN, appendix C.2.

   Y_i       ~ Bernoulli(phi)
   V_i | Y_i ~ Binomial(c_i, a_y)
   X_i | Y_i ~ Normal(mu_y, sigma)

   Votes and score are independent given the label, which is summed out where no expert gave it:
   log L = sum_i log sum_y T_i^(y) phi^y (1 - phi)^(1 - y) Binomial(V_i | c_i, a_y) Normal(X_i | mu_y, sigma).

   Priors: phi uniform; (a_0, a_1) uniform on the triangle 0 <= a_0 <= a_1 <= 1, which keeps labels
   from switching; mu_y ~ Normal(0, 1) without an order; sigma ~ HalfNormal(1).

   The sum runs over weighted points. With a point of weight 1 for each item it is the sum above; few
   points can stand for many items of one vote set, a (votes_positive, votes_total, gold).
*/
functions {
  // log-likelihood of one item at each point
  vector log_item_mass(array[] int votes_positive, array[] int votes_total, array[] int gold,
                       vector x, array[] int vote_set, real phi, real a0, real a1, vector mu,
                       real sigma) {
    int m = size(gold);
    vector[m] log_votes_0; // log P(Y = 0, V) of each vote set
    vector[m] log_votes_1; // log P(Y = 1, V)
    for (k in 1 : m) {
      log_votes_0[k] = log1m(phi) + binomial_lpmf(votes_positive[k] | votes_total[k], a0);
      log_votes_1[k] = log(phi) + binomial_lpmf(votes_positive[k] | votes_total[k], a1);
    }
    vector[num_elements(x)] log_joint_0 = log_votes_0[vote_set] - 0.5 * square((x - mu[1]) / sigma);
    vector[num_elements(x)] log_joint_1 = log_votes_1[vote_set] - 0.5 * square((x - mu[2]) / sigma);
    vector[num_elements(x)] log_mass;
    for (i in 1 : num_elements(x)) {
      int label = gold[vote_set[i]];
      log_mass[i] = label == 0 ? log_joint_0[i]
                    : label == 1 ? log_joint_1[i] : log_sum_exp(log_joint_0[i], log_joint_1[i]);
    }
    return log_mass - log(sigma) - 0.5 * log(2 * pi());
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
}
parameters {
  real<lower=0, upper=1> phi; // base rate P(Y = 1)
  real<lower=0, upper=1> a1; // P(positive vote | Y = 1), the voters' TPR
  real<lower=0, upper=a1> a0; // P(positive vote | Y = 0), 1 - the voters' TNR
  vector[2] mu; // mean score for Y = 0 and Y = 1
  real<lower=0> sigma; // standard deviation of scores given the label
}
model {
  mu ~ std_normal();
  sigma ~ std_normal();
  target += dot_product(weight, log_item_mass(votes_positive, votes_total, gold, x, vote_set, phi,
                                              a0, a1, mu, sigma));
}
generated quantities {
  vector[pointwise * points] log_lik; // log-likelihood of one item at each point
  if (pointwise) {
    log_lik = log_item_mass(votes_positive, votes_total, gold, x, vote_set, phi, a0, a1, mu, sigma);
  }
}
