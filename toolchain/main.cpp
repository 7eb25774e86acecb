/* The front end of the CmdStan home that crowdgold assembles from PyPI.
 *
 * It reads the command line that cmdstanpy composes and calls stan::services of Stan 2.35. It is
 * this project's own writing: not CmdStan, not a fork of it, and never used where a real CmdStan
 * is present. It covers what the project uses (sample, optimize, generate_quantities and the
 * `info` subcommand), keeps CmdStan's CSV layout, messages and exit codes, and rejects any other
 * argument by name. Unlike CmdStan it never leaves a half-written result: every output grows
 * under a temporary name beside its own and is renamed once the whole run is complete.
 */
#include <stan/callbacks/interrupt.hpp>
#include <stan/callbacks/json_writer.hpp>
#include <stan/callbacks/logger.hpp>
#include <stan/callbacks/writer.hpp>
#include <stan/io/empty_var_context.hpp>
#include <stan/io/json/json_data.hpp>
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

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

// Defined by the C++ that stanc makes from a model.
stan::model::model_base& new_model(stan::io::var_context& data, unsigned int seed,
                                   std::ostream* messages);
stan::math::profile_map& get_stan_profile_data();

namespace {

using stan::model::model_base;
using context = std::shared_ptr<stan::io::var_context>;
namespace services = stan::services;

// CmdStan's exit codes: 0, or 1 for every failure.
constexpr int exit_ok = 0;
constexpr int exit_failed = 1;

// ---------------------------------------------------------------- command line

enum class kind { group, choice, boolean, integer, real, text };

constexpr double unbounded = std::numeric_limits<double>::infinity();

// One line of the outline of arguments; its parent is the nearest line above of smaller depth.
struct argument {
  int depth;
  std::string name;
  kind type;
  std::string value = "";
  double low = -unbounded;
  double high = unbounded;
  bool open = false;  // the bounds themselves are not allowed
  std::string initial = "";
  bool given = false;
};

// All that is accepted, in the order and with the depths of CmdStan's printed configuration. A
// group below a choice belongs to the choice's value of the same name.
std::vector<argument> outline() {
  using k = kind;
  std::vector<argument> all = {
      {0, "method", k::choice, "sample"},
      {1, "sample", k::group},
      {2, "num_samples", k::integer, "1000", 0},
      {2, "num_warmup", k::integer, "1000", 0},
      {2, "save_warmup", k::boolean, "false"},
      {2, "thin", k::integer, "1", 1},
      {2, "adapt", k::group},
      {3, "engaged", k::boolean, "true"},
      {3, "gamma", k::real, "0.05", 0, unbounded, true},
      {3, "delta", k::real, "0.8", 0, 1, true},
      {3, "kappa", k::real, "0.75", 0, unbounded, true},
      {3, "t0", k::real, "10", 0, unbounded, true},
      {3, "init_buffer", k::integer, "75", 0},
      {3, "term_buffer", k::integer, "50", 0},
      {3, "window", k::integer, "25", 0},
      {3, "save_metric", k::boolean, "false"},
      {2, "algorithm", k::choice, "hmc"},
      {3, "hmc", k::group},
      {4, "engine", k::choice, "nuts"},
      {5, "nuts", k::group},
      {6, "max_depth", k::integer, "10", 1},
      {4, "metric", k::choice, "diag_e"},
      {5, "diag_e", k::group},
      {5, "dense_e", k::group},
      {4, "metric_file", k::text, ""},
      {4, "stepsize", k::real, "1", 0, unbounded, true},
      {4, "stepsize_jitter", k::real, "0", 0, 1},
      {3, "fixed_param", k::group},
      {2, "num_chains", k::integer, "1", 1},
      {1, "optimize", k::group},
      {2, "algorithm", k::choice, "lbfgs"},
      {3, "bfgs", k::group},
      {4, "init_alpha", k::real, "0.001", 0, unbounded, true},
      {4, "tol_obj", k::real, "1e-12", 0},
      {4, "tol_rel_obj", k::real, "10000", 0},
      {4, "tol_grad", k::real, "1e-08", 0},
      {4, "tol_rel_grad", k::real, "1e+07", 0},
      {4, "tol_param", k::real, "1e-08", 0},
      {3, "lbfgs", k::group},
      {4, "init_alpha", k::real, "0.001", 0, unbounded, true},
      {4, "tol_obj", k::real, "1e-12", 0},
      {4, "tol_rel_obj", k::real, "10000", 0},
      {4, "tol_grad", k::real, "1e-08", 0},
      {4, "tol_rel_grad", k::real, "1e+07", 0},
      {4, "tol_param", k::real, "1e-08", 0},
      {4, "history_size", k::integer, "5", 1},
      {3, "newton", k::group},
      {2, "jacobian", k::boolean, "false"},
      {2, "iter", k::integer, "2000", 1},
      {2, "save_iterations", k::boolean, "false"},
      {1, "generate_quantities", k::group},
      {2, "fitted_params", k::text, ""},
      {0, "id", k::integer, "1", 0},
      {0, "data", k::group},
      {1, "file", k::text, ""},
      {0, "init", k::text, "2"},
      {0, "random", k::group},
      {1, "seed", k::integer, "-1", -1, 4294967295.0},
      {0, "output", k::group},
      {1, "file", k::text, "output.csv"},
      {1, "diagnostic_file", k::text, ""},
      {1, "refresh", k::integer, "100", 0},
      {1, "sig_figs", k::integer, "-1", -1, 18},
      {1, "profile_file", k::text, "profile.csv"},
      {0, "num_threads", k::integer, "1", -1},
  };
  for (auto& a : all) {
    if (a.type == kind::integer && a.high == unbounded)
      a.high = std::numeric_limits<int>::max();
    a.initial = a.value;
  }
  return all;
}

struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool to_number(const std::string& text, double& number) {
  char* end = nullptr;
  number = std::strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size() && !std::isspace(text[0]);
}

class command_line {
 public:
  command_line(int argc, const char* argv[]) : all_(outline()) {
    int here = -1;
    for (int i = 1; i < argc; ++i)
      here = accept(argv[i], here);
    seed_from_the_clock();
  }

  // The value of `name` in the group `group` ("" for the top level).
  const std::string& text(const std::string& group, const std::string& name) const {
    return find(group, name).value;
  }
  bool given(const std::string& group, const std::string& name) const {
    return find(group, name).given;
  }
  double real(const std::string& group, const std::string& name) const {
    return std::strtod(text(group, name).c_str(), nullptr);
  }
  long long integer(const std::string& group, const std::string& name) const {
    return std::strtoll(text(group, name).c_str(), nullptr, 10);
  }
  bool on(const std::string& group, const std::string& name) const {
    return text(group, name) == "true";
  }
  unsigned int seed() const { return static_cast<unsigned int>(integer("random", "seed")); }
  unsigned int id() const { return static_cast<unsigned int>(integer("", "id")); }

  // The configuration as CmdStan prints it: one "name = value" a line, groups indented.
  void print(stan::callbacks::writer& to) const {
    for (size_t i = 0; i < all_.size(); ++i) {
      if (!visible(static_cast<int>(i)))
        continue;
      const argument& a = all_[i];
      std::string line(2 * a.depth, ' ');
      line += a.name;
      if (a.type == kind::group) {
        const bool empty = i + 1 == all_.size() || all_[i + 1].depth <= a.depth;
        if (empty && a.name != "newton")  // which CmdStan prints all the same
          continue;
      } else {
        line += " = " + a.value + (a.value == a.initial ? " (Default)" : "");
      }
      to(line);
    }
  }

 private:
  std::vector<argument> all_;

  const argument& find(const std::string& group, const std::string& name) const {
    for (size_t i = 0; i < all_.size(); ++i)
      if (all_[i].name == name && group_name(parent(i)) == group)
        return all_[i];
    throw std::logic_error("no argument " + group + " " + name);
  }
  int parent(int i) const {
    const int depth = all_[i].depth;
    while (i >= 0 && all_[i].depth >= depth)
      --i;
    return i;
  }
  std::string group_name(int i) const { return i < 0 ? "" : all_[i].name; }

  bool visible(int i) const {
    for (int up = parent(i); up >= 0; i = up, up = parent(i))
      if (all_[up].type == kind::choice && all_[up].value != all_[i].name)
        return false;
    return true;
  }

  // The child of `group` called `name`, or of the choice in `group` whose value is `name`; else -1.
  int child(int group, const std::string& name, bool has_value) const {
    for (int i = 0; i < static_cast<int>(all_.size()); ++i) {
      const int up = parent(i);
      const bool valued = all_[i].type != kind::group;
      if (all_[i].name != name || valued != has_value)
        continue;
      if (up == group || (!valued && up >= 0 && all_[up].type == kind::choice && parent(up) == group))
        return i;
    }
    return -1;
  }

  // Takes one token, sought from the group `here` upwards; returns the group that is open after it.
  int accept(const std::string& token, int here) {
    const size_t equals = token.find('=');
    const bool has_value = equals != std::string::npos;
    const std::string name = token.substr(0, equals);
    int found = child(here, name, has_value);
    while (found < 0 && here >= 0) {
      here = parent(here);
      found = child(here, name, has_value);
    }
    if (found < 0)
      throw usage_error("\"" + token + "\" is either mistyped or misplaced, or not supported by "
                        "this assembled CmdStan home.");
    if (!has_value) {
      const int up = parent(found);
      if (up >= 0 && all_[up].type == kind::choice)
        all_[up].value = name;
      return found;
    }
    assign(all_[found], token.substr(equals + 1), found);
    if (all_[found].type != kind::choice)
      return here;
    for (int i = found + 1;; ++i)
      if (parent(i) == found && all_[i].name == all_[found].value)
        return i;
  }

  void assign(argument& a, const std::string& value, int index) {
    std::ostringstream valid;
    bool ok = true;
    double number = 0;
    a.value = value;
    a.given = true;
    if (a.type == kind::choice) {
      ok = false;
      for (int i = index + 1; i < static_cast<int>(all_.size()) && all_[i].depth > a.depth; ++i)
        if (parent(i) == index) {
          ok |= all_[i].name == value;
          valid << (valid.str().empty() ? "" : ", ") << all_[i].name;
        }
    } else if (a.type == kind::boolean) {
      ok = value == "0" || value == "1" || value == "true" || value == "false";
      valid << "0, 1, false, true";
      a.value = value == "1" || value == "true" ? "true" : "false";
    } else if (a.type != kind::text) {
      ok = to_number(value, number) && std::isfinite(number)
           && (a.open ? number > a.low && number < a.high : number >= a.low && number <= a.high);
      if (a.type == kind::integer)
        ok = ok && value.find_first_not_of("+-0123456789") == std::string::npos;
      const char* relation = a.open ? " < " : " <= ";
      valid << (a.type == kind::integer ? "integers, " : "") << a.low << relation << a.name
            << relation << a.high;
    }
    if (!ok)
      throw usage_error(value + " is not a valid value for \"" + a.name
                        + "\"\n  Valid values: " + valid.str());
  }

  void seed_from_the_clock() {
    for (auto& a : all_)
      if (a.name == "seed" && a.value == "-1") {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        const auto ticks = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
        a.initial = a.value = std::to_string(static_cast<unsigned int>(ticks));
      }
  }
};

// -------------------------------------------------------------------- outputs

std::vector<std::string> unfinished;  // temporary names that a signal must remove

// No signal is handled while one of these lives.
class signals_held {
  sigset_t before_;

 public:
  signals_held() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before_);
  }
  ~signals_held() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
};

extern "C" void on_signal(int number) {
  for (const auto& name : unfinished)
    unlink(name.c_str());
  static const char message[] = "\nInterrupted: no result written.\n";
  signal(SIGPIPE, SIG_IGN);
  if (write(STDERR_FILENO, message, sizeof message - 1) < 0) {
  }
  signal(number, SIG_DFL);
  raise(number);
}

void handle_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigfillset(&action.sa_mask);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU})
    sigaction(number, &action, nullptr);
  signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is then a failed write
}

// A file that appears under its own name only when it is complete.
class output {
 public:
  output(const std::string& path, int digits) : path_(path), part_(path) {
    struct stat info;
    direct_ = stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);  // /dev/null and its like
    if (!direct_) {
      const std::filesystem::path name(path);
      part_ = name.parent_path()
              / ("." + name.filename().string() + "." + std::to_string(getpid()) + ".part");
      const signals_held held;
      unfinished.push_back(part_);
    }
    stream_.open(part_, std::ios::out | std::ios::trunc);
    if (!stream_)
      throw std::runtime_error("Cannot open output file \"" + path_ + "\": " + std::strerror(errno));
    if (digits > 0)
      stream_.precision(digits);
  }
  output(const output&) = delete;
  ~output() {
    if (!direct_ && !part_.empty())
      unlink(part_.c_str());
  }

  std::ostream& stream() { return stream_; }

  void check() const {
    if (!stream_)
      throw std::runtime_error("Error writing \"" + path_
                               + "\": is the disk full, or a file size limit reached?");
  }
  void close() {
    stream_.flush();
    check();
    stream_.close();
    check();
  }
  void rename() {
    if (!direct_ && std::rename(part_.c_str(), path_.c_str()) != 0)
      throw std::runtime_error("Cannot rename to \"" + path_ + "\": " + std::strerror(errno));
    part_.clear();
  }

 private:
  std::string path_, part_;
  bool direct_ = false;
  std::ofstream stream_;
};

// All files of one run; they become visible together or not at all.
class outputs {
  std::vector<std::unique_ptr<output>> all_;

 public:
  std::ostream& open(const std::string& path, int digits) {
    all_.push_back(std::make_unique<output>(path, digits));
    return all_.back()->stream();
  }
  void check() const {
    for (const auto& one : all_)
      one->check();
  }
  void commit() {
    for (const auto& one : all_)
      one->close();
    const signals_held held;
    for (const auto& one : all_)
      one->rename();
    unfinished.clear();
  }
};

// ------------------------------------------------------------------ callbacks

// Stan CSV: comments behind a prefix, names and draws as comma separated lines.
class csv_writer : public stan::callbacks::writer {
 public:
  csv_writer() = default;
  explicit csv_writer(std::ostream& to, const std::string& prefix = "# ")
      : to_(&to), prefix_(prefix) {}

  void operator()(const std::vector<std::string>& names) override {
    started_ = true;
    line(names);
  }
  void operator()(const std::vector<double>& values) override { line(values); }
  void operator()() override { (*this)(std::string()); }
  void operator()(const std::string& message) override {
    if (to_)
      *to_ << prefix_ << message << '\n';
  }
  bool started() const { return started_; }

 private:
  std::ostream* to_ = nullptr;
  std::string prefix_;
  bool started_ = false;

  template <typename T>
  void line(const std::vector<T>& items) {
    if (!to_ || items.empty())
      return;
    for (size_t i = 0; i < items.size(); ++i)
      *to_ << (i ? "," : "") << items[i];
    *to_ << '\n';
  }
};

// Messages to the console, errors to its error stream.
class console : public stan::callbacks::logger {
 public:
  void debug(const std::string& m) override { say(std::cout, m); }
  void debug(const std::stringstream& m) override { say(std::cout, m.str()); }
  void info(const std::string& m) override { say(std::cout, m); }
  void info(const std::stringstream& m) override { say(std::cout, m.str()); }
  void warn(const std::string& m) override { say(std::cout, m); }
  void warn(const std::stringstream& m) override { say(std::cout, m.str()); }
  void error(const std::string& m) override { complain(m); }
  void error(const std::stringstream& m) override { complain(m.str()); }
  void fatal(const std::string& m) override { complain(m); }
  void fatal(const std::stringstream& m) override { complain(m.str()); }

  // What stands before the progress lines of one chain among several.
  void chain(const std::string& prefix) { prefix_ = prefix; }
  // An optimizer that stopped without convergence, its last point written.
  bool unconverged() const { return unconverged_; }

 private:
  std::string prefix_;
  bool unconverged_ = false;

  void say(std::ostream& to, const std::string& m) {
    to << (m.rfind("Iteration:", 0) == 0 ? prefix_ : "") << m << std::endl;
  }
  void complain(const std::string& m) {
    unconverged_ |= m.rfind("Optimization terminated with error", 0) == 0;
    say(std::cerr, m);
  }
};

// Called by Stan once an iteration: a run whose output cannot be written ends at once.
class watch : public stan::callbacks::interrupt {
  const outputs& files_;

 public:
  explicit watch(const outputs& files) : files_(files) {}
  void operator()() override { files_.check(); }
};

struct not_owned {
  void operator()(std::ostream*) const {}
};
using metric_writer = stan::callbacks::json_writer<std::ostream, not_owned>;

// --------------------------------------------------------------------- inputs

std::string with_suffix(const std::string& path, const std::string& suffix) {
  const std::filesystem::path name(path);
  return (name.parent_path() / (name.stem().string() + suffix + name.extension().string())).string();
}

context read_json(const std::string& path) {
  if (path.empty())
    return std::make_shared<stan::io::empty_var_context>();
  std::ifstream in(path);
  if (!in)
    throw std::invalid_argument("Can't open specified file, \"" + path + "\"");
  try {
    return std::make_shared<stan::json::json_data>(in);
  } catch (const std::exception& e) {
    throw std::invalid_argument("Error reading JSON file \"" + path + "\": " + e.what());
  }
}

// One context a chain: from NAME_ID.json where these exist, else from NAME.json for all chains.
std::vector<context> read_for_chains(const std::string& path, int chains, unsigned int id) {
  const auto own = [&](int i) { return with_suffix(path, "_" + std::to_string(id + i)); };
  if (chains == 1 || path.empty() || !std::ifstream(own(0)))
    return std::vector<context>(chains, read_json(path));
  std::vector<context> all;
  for (int i = 0; i < chains; ++i)
    all.push_back(read_json(own(i)));
  return all;
}

context unit_metric(const model_base& model, const std::string& type) {
  const size_t size = model.num_params_r();
  return std::make_shared<stan::io::array_var_context>(
      type == "dense_e" ? services::util::create_unit_e_dense_inv_metric(size)
                        : services::util::create_unit_e_diag_inv_metric(size));
}

// The draws of the model's parameters in a Stan CSV file, one row a draw.
Eigen::MatrixXd read_draws(const std::string& path, const std::vector<std::string>& names) {
  std::ifstream in(path);
  if (!in)
    throw std::invalid_argument("Can't open specified file, \"" + path + "\"");
  std::vector<size_t> columns;
  std::vector<double> values;
  size_t width = 0, rows = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    std::vector<std::string> cells;
    std::stringstream split(line);
    for (std::string cell; std::getline(split, cell, ',');)
      cells.push_back(cell);
    if (width == 0) {
      width = cells.size();
      for (const auto& name : names) {
        const auto at = std::find(cells.begin(), cells.end(), name);
        if (at == cells.end())
          throw std::invalid_argument("Mismatch between model and fitted_params file \"" + path
                                      + "\": no column \"" + name + "\"");
        columns.push_back(at - cells.begin());
      }
      continue;
    }
    ++rows;
    for (size_t column : columns) {
      double value = 0;
      if (cells.size() != width || !to_number(cells[column], value))
        throw std::invalid_argument("Error reading fitted_params file \"" + path + "\": draw "
                                    + std::to_string(rows) + " is malformed");
      values.push_back(value);
    }
  }
  using by_row = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<by_row>(values.data(), rows, columns.size());
}

// ----------------------------------------------------------------------- runs

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

}  // namespace

int main(int argc, const char* argv[]) {
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
