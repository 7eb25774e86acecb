// The command line that cmdstanpy composes: what is accepted, and how it is printed back.
#pragma once

#include <stan/callbacks/writer.hpp>

#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace crowdgold {

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
inline std::vector<argument> outline() {
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

inline bool to_number(const std::string& text, double& number) {
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

}  // namespace crowdgold
