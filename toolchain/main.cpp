/* The front end of the CmdStan home that crowdgold assembles from PyPI.
 *
 * It reads the command line that cmdstanpy composes and calls stan::services of Stan 2.35. It is
 * this project's own writing: not CmdStan, not a fork of it, and never used where a real CmdStan
 * is present. It covers what the project uses (sample, optimize, generate_quantities and the
 * `info` subcommand), keeps CmdStan's CSV layout, messages and exit codes, and rejects any other
 * argument by name. Unlike CmdStan it never leaves a half-written result: every output grows
 * under a temporary name beside its own and is renamed once the whole run is complete.
 */
#include "command_line.hpp"
#include "inputs.hpp"
#include "outputs.hpp"

#include <stan/math/prim/core/init_threadpool_tbb.hpp>
#include <stan/math/rev/core/profiling.hpp>
#include <stan/model/model_base.hpp>
#include <stan/services/error_codes.hpp>
#include <stan/services/optimize/bfgs.hpp>
#include <stan/services/optimize/lbfgs.hpp>
#include <stan/services/optimize/newton.hpp>
#include <stan/services/sample/fixed_param.hpp>
#include <stan/services/sample/hmc_nuts_dense_e.hpp>
#include <stan/services/sample/hmc_nuts_dense_e_adapt.hpp>
#include <stan/services/sample/hmc_nuts_diag_e.hpp>
#include <stan/services/sample/hmc_nuts_diag_e_adapt.hpp>
#include <stan/services/sample/standalone_gqs.hpp>
#include <stan/version.hpp>

#include <cmath>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

// Defined by the C++ that stanc makes from a model.
stan::model::model_base& new_model(stan::io::var_context& data, unsigned int seed,
                                   std::ostream* messages);
stan::math::profile_map& get_stan_profile_data();

namespace crowdgold {

using stan::model::model_base;
namespace services = stan::services;

// CmdStan's exit codes: 0, or 1 for every failure.
constexpr int exit_ok = 0;
constexpr int exit_failed = 1;

// What every method needs: the model, the settings, the files and the callbacks.
struct run {
  const command_line& args;
  model_base& model;
  outputs files;
  console log;
  watch interrupt{files};
  int digits = static_cast<int>(args.integer("output", "sig_figs"));

  void describe(stan::callbacks::writer& to) const {
    char now[32];
    const std::time_t seconds = std::time(nullptr);
    std::strftime(now, sizeof now, "%Y-%m-%d %H:%M:%S UTC", std::gmtime(&seconds));
    to("stan_version_major = " + stan::MAJOR_VERSION);
    to("stan_version_minor = " + stan::MINOR_VERSION);
    to("stan_version_patch = " + stan::PATCH_VERSION);
    to("model = " + model.model_name());
    to(std::string("start_datetime = ") + now);
    args.print(to);
    for (const auto& line : model.model_compile_info())
      to(line);
  }

  csv_writer open_csv(const std::string& path) {
    csv_writer writer(files.open(path, digits));
    describe(writer);
    return writer;
  }

  // The initial radius, and the contexts that override it.
  double inits(std::vector<context>& contexts, int chains) const {
    double radius = 2;
    const std::string& init = args.text("", "init");
    const bool is_number = to_number(init, radius);
    if (is_number && !(radius >= 0 && std::isfinite(radius)))
      throw usage_error(init + " is not a valid value for \"init\"\n  Valid values: a radius >= 0 "
                        "or the name of a JSON file");
    contexts = read_for_chains(is_number ? "" : init, chains, args.id());
    return is_number ? radius : 2;
  }

  // Only where a name is given: CmdStan's unasked "profile.csv" would be shared by all chains.
  void write_profile() {
    const std::string& path = args.text("output", "profile_file");
    if (get_stan_profile_data().empty() || path.empty() || !args.given("output", "profile_file"))
      return;
    std::ostream& to = files.open(path, digits);
    to << "name,thread_id,total_time,forward_time,reverse_time,chain_stack,no_chain_stack,"
          "autodiff_calls,no_autodiff_calls\n";
    for (const auto& [key, p] : get_stan_profile_data())
      to << key.first << ',' << key.second << ',' << p.get_fwd_time() + p.get_rev_time() << ','
         << p.get_fwd_time() << ',' << p.get_rev_time() << ',' << p.get_chain_stack_used() << ','
         << p.get_nochain_stack_used() << ',' << p.get_num_AD_fwd_passes() << ','
         << p.get_num_no_AD_fwd_passes() << '\n';
  }
};

// The settings of one chain and what it reads and writes.
struct chain {
  unsigned int id;
  context init, metric;
  csv_writer csv, diagnostics;
  std::unique_ptr<stan::callbacks::structured_writer> tuned
      = std::make_unique<stan::callbacks::structured_writer>();
};

int sample_chain(run& r, chain& c, double radius, bool fixed) {
  const command_line& a = r.args;
  const int warmup = a.integer("sample", "num_warmup"), draws = a.integer("sample", "num_samples");
  const int thin = a.integer("sample", "thin"), refresh = a.integer("output", "refresh");
  const bool save_warmup = a.on("sample", "save_warmup");
  const bool dense = a.text("hmc", "metric") == "dense_e";
  const double stepsize = a.real("hmc", "stepsize"), jitter = a.real("hmc", "stepsize_jitter");
  const int depth = a.integer("nuts", "max_depth");
  const unsigned int seed = a.seed();
  stan::callbacks::writer no_inits;
  if (fixed)
    return services::sample::fixed_param(r.model, *c.init, seed, c.id, radius, draws, thin, refresh,
                                         r.interrupt, r.log, no_inits, c.csv, c.diagnostics);
  if (!a.on("adapt", "engaged")) {
    const auto go = [&](auto service) {
      return service(r.model, *c.init, *c.metric, seed, c.id, radius, warmup, draws, thin,
                     save_warmup, refresh, stepsize, jitter, depth, r.interrupt, r.log, no_inits,
                     c.csv, c.diagnostics);
    };
    return dense ? go([](auto&&... x) { return services::sample::hmc_nuts_dense_e(x...); })
                 : go([](auto&&... x) { return services::sample::hmc_nuts_diag_e(x...); });
  }
  const auto go = [&](auto service) {
    return service(r.model, *c.init, *c.metric, seed, c.id, radius, warmup, draws, thin,
                   save_warmup, refresh, stepsize, jitter, depth, a.real("adapt", "delta"),
                   a.real("adapt", "gamma"), a.real("adapt", "kappa"), a.real("adapt", "t0"),
                   a.integer("adapt", "init_buffer"), a.integer("adapt", "term_buffer"),
                   a.integer("adapt", "window"), r.interrupt, r.log, no_inits, c.csv, c.diagnostics,
                   *c.tuned);
  };
  return dense ? go([](auto&&... x) { return services::sample::hmc_nuts_dense_e_adapt(x...); })
               : go([](auto&&... x) { return services::sample::hmc_nuts_diag_e_adapt(x...); });
}

// Opens the files of every chain before the first one runs, so that a fault shows at once.
std::vector<chain> open_chains(run& r, std::vector<context> init, bool fixed) {
  const command_line& a = r.args;
  const int count = static_cast<int>(init.size());
  const std::string& metric_file = a.text("hmc", "metric_file");
  const bool tune = a.on("adapt", "save_metric") && a.on("adapt", "engaged") && !fixed;
  std::vector<context> metric = read_for_chains(metric_file, count, a.id());
  std::vector<chain> chains(count);
  for (int i = 0; i < count; ++i) {
    chain& c = chains[i];
    c.id = a.id() + i;
    c.init = init[i];
    c.metric = metric_file.empty() ? unit_metric(r.model, a.text("hmc", "metric")) : metric[i];
    const auto named = [&](const std::string& path) {
      return count == 1 ? path : with_suffix(path, "_" + std::to_string(c.id));
    };
    const std::string path = named(a.text("output", "file"));
    c.csv = r.open_csv(path);
    if (!a.text("output", "diagnostic_file").empty())
      c.diagnostics = r.open_csv(named(a.text("output", "diagnostic_file")));
    if (tune)
      c.tuned = std::make_unique<metric_writer>(std::unique_ptr<std::ostream, not_owned>(
          &r.files.open(std::filesystem::path(path).replace_extension().string() + "_metric.json",
                        r.digits)));
  }
  return chains;
}

int sample(run& r) {
  const command_line& a = r.args;
  const bool no_parameters = r.model.num_params_r() == 0;
  const bool fixed = no_parameters || a.text("sample", "algorithm") == "fixed_param";
  if (!fixed && a.on("adapt", "engaged") && a.integer("sample", "num_warmup") == 0)
    throw std::invalid_argument("The number of warmup samples (num_warmup) must be greater than "
                                "zero if adaptation is enabled.");
  if (no_parameters)
    r.log.info("Model contains no parameters, running fixed_param sampler, "
               "no updates to Markov chain");
  std::vector<context> init;
  const double radius = r.inits(init, a.integer("sample", "num_chains"));
  std::vector<chain> chains = open_chains(r, init, fixed);
  for (chain& c : chains) {
    r.log.chain(chains.size() == 1 ? "" : "Chain [" + std::to_string(c.id) + "] ");
    const int code = sample_chain(r, c, radius, fixed);
    if (code != services::error_codes::OK)
      return code;
    if (!c.csv.started())  // Stan reports a step size that cannot be initialized, but returns "OK"
      return services::error_codes::SOFTWARE;
  }
  return services::error_codes::OK;
}

template <bool jacobian>
int optimize_with(run& r, const stan::io::var_context& init, double radius, csv_writer& csv) {
  const command_line& a = r.args;
  const std::string& algorithm = a.text("optimize", "algorithm");
  const int iterations = a.integer("optimize", "iter"), refresh = a.integer("output", "refresh");
  const bool save = a.on("optimize", "save_iterations");
  const unsigned int seed = a.seed(), id = a.id();
  stan::callbacks::writer no_inits;
  if (algorithm == "newton")
    return services::optimize::newton<model_base, jacobian>(
        r.model, init, seed, id, radius, iterations, save, r.interrupt, r.log, no_inits, csv);
  const auto of = [&](const char* name) { return a.real(algorithm, name); };
  if (algorithm == "bfgs")
    return services::optimize::bfgs<model_base, jacobian>(
        r.model, init, seed, id, radius, of("init_alpha"), of("tol_obj"), of("tol_rel_obj"),
        of("tol_grad"), of("tol_rel_grad"), of("tol_param"), iterations, save, refresh, r.interrupt,
        r.log, no_inits, csv);
  return services::optimize::lbfgs<model_base, jacobian>(
      r.model, init, seed, id, radius, a.integer("lbfgs", "history_size"), of("init_alpha"),
      of("tol_obj"), of("tol_rel_obj"), of("tol_grad"), of("tol_rel_grad"), of("tol_param"),
      iterations, save, refresh, r.interrupt, r.log, no_inits, csv);
}

int optimize(run& r) {
  std::vector<context> init;
  const double radius = r.inits(init, 1);
  csv_writer csv = r.open_csv(r.args.text("output", "file"));
  return r.args.on("optimize", "jacobian") ? optimize_with<true>(r, *init[0], radius, csv)
                                           : optimize_with<false>(r, *init[0], radius, csv);
}

int generate_quantities(run& r) {
  const std::string& path = r.args.text("generate_quantities", "fitted_params");
  if (path.empty())
    throw std::invalid_argument("Argument fitted_params file - found empty string, expecting the "
                                "name of a Stan CSV file.");
  std::vector<std::string> names;
  r.model.constrained_param_names(names, false, false);
  const Eigen::MatrixXd draws = read_draws(path, names);
  csv_writer csv = r.open_csv(r.args.text("output", "file"));
  return services::standalone_generate(r.model, draws, r.args.seed(), r.interrupt, r.log, csv);
}

int run_method(const command_line& args) {
  handle_signals();
  stan::math::init_threadpool_tbb();
  context data = read_json(args.text("data", "file"));
  const std::unique_ptr<model_base> model(&new_model(*data, args.seed(), &std::cout));
  run r{args, *model};
  csv_writer to_console(std::cout, "");
  r.describe(to_console);
  std::cout << std::endl;
  const std::string& method = args.text("", "method");
  const int code = method == "sample"     ? sample(r)
                   : method == "optimize" ? optimize(r)
                                          : generate_quantities(r);
  // An optimizer without convergence has a complete file all the same, as in CmdStan.
  if (code == services::error_codes::OK || r.log.unconverged()) {
    r.write_profile();
    r.files.commit();
  }
  return code == services::error_codes::OK ? exit_ok : exit_failed;
}

void print_info() {
  std::cout << "stan_version_major = " << stan::MAJOR_VERSION << '\n'
            << "stan_version_minor = " << stan::MINOR_VERSION << '\n'
            << "stan_version_patch = " << stan::PATCH_VERSION << '\n'
            << "STAN_THREADS=false\nSTAN_MPI=false\nSTAN_OPENCL=false\n"
            << "STAN_NO_RANGE_CHECKS=false\nSTAN_CPP_OPTIMS=false\n"
            << "front_end = crowdgold" << std::endl;
}

}  // namespace crowdgold

int main(int argc, const char* argv[]) {
  using namespace crowdgold;
  try {
    if (argc == 2 && std::string(argv[1]) == "info") {
      print_info();
      return exit_ok;
    }
    return run_method(command_line(argc, argv));
  } catch (const usage_error& e) {
    std::cerr << "Error: " << e.what() << "\nFailed to parse command arguments, cannot run."
              << std::endl;
  } catch (const std::exception& e) {
    std::cerr << "Error: " << e.what() << std::endl;
  }
  return exit_failed;
}
