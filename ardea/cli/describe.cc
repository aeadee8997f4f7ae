#include "ardea/cli/describe.h"

#include <nlohmann/json.hpp>

#include "ardea/compile/roles.h"
#include "ardea/ir/print.h"

namespace ardea::cli {

std::vector<std::string> role_names(const Function& f) {
  std::vector<std::string> names;
  for (const compile::Role role : compile::argument_roles(f)) names.push_back(to_string(role));
  return names;
}

nlohmann::json parameters_json(const Function& f) {
  nlohmann::json parameters = nlohmann::json::array();
  const std::vector<std::string> roles = role_names(f);
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    const Parameter& p = f.parameters[i];
    if (!p.buffer.defined()) {
      parameters.push_back({{"name", p.var.name()}, {"type", to_string(p.var.type())}, {"role", roles[i]}});
      continue;
    }
    nlohmann::json shape = nlohmann::json::array();
    for (const Expr& extent : p.buffer->shape) {
      if (const auto size = constant_int(extent))
        shape.push_back(*size);
      else
        shape.push_back(print(extent));
    }
    parameters.push_back({{"name", p.buffer->name},
                          {"type", to_string(p.buffer->type)},
                          {"shape", shape},
                          {"role", roles[i]}});
  }
  return parameters;
}

}  // namespace ardea::cli
