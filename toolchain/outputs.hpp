// Files that appear complete or not at all, and what Stan's services write to them.
#pragma once

#include <stan/callbacks/interrupt.hpp>
#include <stan/callbacks/json_writer.hpp>
#include <stan/callbacks/logger.hpp>
#include <stan/callbacks/writer.hpp>

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace crowdgold {

inline std::vector<std::string> unfinished;  // temporary names that a signal must remove

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

extern "C" inline void on_signal(int number) {
  for (const auto& name : unfinished)
    unlink(name.c_str());
  static const char message[] = "\nInterrupted: no result written.\n";
  signal(SIGPIPE, SIG_IGN);
  if (write(STDERR_FILENO, message, sizeof message - 1) < 0) {
  }
  signal(number, SIG_DFL);
  raise(number);
}

inline void handle_signals() {
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

}  // namespace crowdgold
