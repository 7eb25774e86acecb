data {
  int<lower=1> J;
  vector[J] y;
  vector<lower=0>[J] sigma;
}
