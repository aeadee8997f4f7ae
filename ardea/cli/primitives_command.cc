#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "ardea/cli/commands.h"
#include "ardea/cli/output.h"
#include "ardea/schedule/primitive.h"
#include "ardea/support/text.h"

namespace ardea::cli {

namespace {

using schedule::Primitive;

std::string signature(const Primitive& primitive) {
  std::vector<std::string> parts;
  for (const schedule::Parameter& parameter : primitive.parameters)
    parts.push_back((parameter.spread ? "*" : "") + parameter.name + (parameter.required ? "" : "=…"));
  return fmt::format("{}({})", primitive.name, join(parts, ", "));
}

std::string indented(const std::string& text) {
  std::string out = "  ";
  for (const char c : text) out += c == '\n' ? "\n  " : std::string(1, c);
  return out;
}

std::string page(const Primitive& primitive) {
  std::string text = signature(primitive) + "\n  " + primitive.summary + "\n";
  if (!primitive.contract.empty()) text += "\n" + indented(primitive.contract) + "\n";
  text += "\n";
  for (const schedule::Parameter& parameter : primitive.parameters)
    text += fmt::format("  {:<22} {}{}\n", parameter.name, parameter.expected,
                        parameter.required ? "" : " (optional)");
  if (!primitive.refusals.empty()) text += "\n  refused as " + join(primitive.refusals, ", ") + "\n";
  return text;
}

nlohmann::json described(const Primitive& primitive) {
  nlohmann::json parameters = nlohmann::json::array();
  for (const schedule::Parameter& parameter : primitive.parameters)
    parameters.push_back(
        {{"name", parameter.name}, {"expected", parameter.expected}, {"required", parameter.required}});
  return {{"name", primitive.name},
          {"summary", primitive.summary},
          {"contract", primitive.contract},
          {"refusals", primitive.refusals},
          {"parameters", parameters}};
}

}  // namespace

int primitives(const PrimitivesOptions& options) {
  if (!options.name.empty()) {
    const Primitive& primitive = schedule::find_primitive(options.name);
    write_out(options.json ? described(primitive).dump(2) + "\n" : page(primitive));
    return exit_ok;
  }
  std::string text;
  nlohmann::json all = nlohmann::json::array();
  for (const Primitive& primitive : schedule::primitives()) {
    text += fmt::format("{:<18} {}\n", primitive.name, primitive.summary);
    all.push_back(described(primitive));
  }
  write_out(options.json ? all.dump(2) + "\n" : text);
  return exit_ok;
}

}  // namespace ardea::cli
