// What a run reads: data, initial values and metrics as JSON, draws as Stan CSV.
#pragma once

#include "command_line.hpp"

#include <stan/io/array_var_context.hpp>
#include <stan/io/empty_var_context.hpp>
#include <stan/io/json/json_data.hpp>
#include <stan/model/model_base.hpp>
#include <stan/services/util/create_unit_e_dense_inv_metric.hpp>
#include <stan/services/util/create_unit_e_diag_inv_metric.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace crowdgold {

using context = std::shared_ptr<stan::io::var_context>;

inline std::string with_suffix(const std::string& path, const std::string& suffix) {
  const std::filesystem::path name(path);
  return (name.parent_path() / (name.stem().string() + suffix + name.extension().string())).string();
}

inline context read_json(const std::string& path) {
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
inline std::vector<context> read_for_chains(const std::string& path, int chains, unsigned int id) {
  const auto own = [&](int i) { return with_suffix(path, "_" + std::to_string(id + i)); };
  if (chains == 1 || path.empty() || !std::ifstream(own(0)))
    return std::vector<context>(chains, read_json(path));
  std::vector<context> all;
  for (int i = 0; i < chains; ++i)
    all.push_back(read_json(own(i)));
  return all;
}

inline context unit_metric(const stan::model::model_base& model, const std::string& type) {
  const size_t size = model.num_params_r();
  return std::make_shared<stan::io::array_var_context>(
      type == "dense_e" ? stan::services::util::create_unit_e_dense_inv_metric(size)
                        : stan::services::util::create_unit_e_diag_inv_metric(size));
}

// The draws of the model's parameters in a Stan CSV file, one row a draw.
inline Eigen::MatrixXd read_draws(const std::string& path, const std::vector<std::string>& names) {
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

}  // namespace crowdgold
