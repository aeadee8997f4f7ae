#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ardea/cli/commands.h"
#include "ardea/cli/output.h"
#include "ardea/ops/registry.h"
#include "ardea/support/text.h"

namespace ardea::cli {

namespace {

std::vector<std::string> type_names(const std::vector<DataType>& types) {
  std::vector<std::string> names;
  for (const DataType type : types) names.push_back(to_string(type));
  return names;
}

nlohmann::json described(const ops::Operator& op) {
  nlohmann::json sizes = nlohmann::json::array(), inputs = nlohmann::json::array();
  for (const ops::Size& size : op.sizes) {
    nlohmann::json entry = {{"name", size.name}, {"least", size.least}};
    if (size.otherwise) entry["default"] = *size.otherwise;
    sizes.push_back(entry);
  }
  for (const ops::Input& input : op.inputs) inputs.push_back({{"name", input.name}, {"shape", input.shape}});
  return {{"name", op.name},          {"doc", op.doc},
          {"formula", op.formula},    {"sizes", sizes},
          {"inputs", inputs},         {"output", op.output},
          {"layouts", op.layouts},    {"transpose_b", op.can_transpose_b},
          {"flops", op.flop_formula}, {"input_types", type_names(ops::accepted_inputs(op.arithmetic))}};
}

std::string page(const ops::Operator& op) {
  std::string text = fmt::format("{} {}\n  {}\n\n  {}\n\n", op.name, ops::size_names(op), op.formula, op.doc);
  for (const ops::Input& input : op.inputs) text += fmt::format("  {:<10} {}\n", input.name, input.shape);
  text += fmt::format("  {:<10} {}\n", "result", op.output);
  if (!op.layouts.empty()) text += fmt::format("  {:<10} {}\n", "--layout", join(op.layouts, ", "));
  if (op.can_transpose_b) text += fmt::format("  {:<10} B is given as n,k\n", "--tb");
  text += fmt::format("  {:<10} {}\n", "--in", join(type_names(ops::accepted_inputs(op.arithmetic)), ", "));
  return text + fmt::format("  {:<10} {}\n", "FLOPs", op.flop_formula);
}

std::string table() {
  std::size_t names = 0, sizes = 0;
  for (const ops::Operator& op : ops::operators()) {
    names = std::max(names, op.name.size());
    sizes = std::max(sizes, ops::size_names(op).size());
  }
  std::string text;
  for (const ops::Operator& op : ops::operators())
    text += fmt::format("{:<{}}  {:<{}}  {}\n", op.name, names, ops::size_names(op), sizes, op.formula);
  return text;
}

}  // namespace

int ops(const OpsOptions& options) {
  if (!options.name.empty()) {
    const ops::Operator& op = ops::find(options.name);
    write_out(options.json ? described(op).dump(2) + "\n" : page(op));
    return exit_ok;
  }
  if (!options.json) {
    write_out(table());
    return exit_ok;
  }
  nlohmann::json all = nlohmann::json::array();
  for (const ops::Operator& op : ops::operators()) all.push_back(described(op));
  write_out(all.dump(2) + "\n");
  return exit_ok;
}

}  // namespace ardea::cli
