#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "ardea/cli/commands.h"
#include "ardea/cli/output.h"
#include "ardea/intrin/instruction.h"
#include "ardea/ir/print.h"
#include "ardea/support/text.h"
#include "ardea/target/target.h"

namespace ardea::cli {

namespace {

using intrin::Instruction;

std::string signature(const Instruction& record) {
  std::vector<std::string> parts;
  for (const Parameter& parameter : record.meaning.parameters)
    parts.push_back(parameter.buffer.defined() ? parameter.buffer->name : parameter.var.name());
  return fmt::format("{}({})", record.name, join(parts, ", "));
}

bool is_there(const Instruction& record, const target::Target& target) {
  return record.required_feature.empty() || target.has(record.required_feature);
}

std::vector<std::string> backends_of(const Instruction& record) {
  std::vector<std::string> names;
  for (const auto& [backend, text] : record.implementations) names.push_back(backend);
  return names;
}

std::string answer_to(const Instruction& record, const target::Target& target) {
  if (target.accelerator) return record.required_feature.empty() || !is_there(record, target) ? "no" : "yes";
  if (record.implementations.empty()) return "as its meaning";
  return is_there(record, target) ? "yes" : "no, as its meaning";
}

nlohmann::json described(const Instruction& record, const target::Target& target) {
  nlohmann::json operands = nlohmann::json::array();
  std::size_t i = 0;
  for (const Parameter& parameter : record.meaning.parameters)
    if (parameter.buffer.defined()) {
      const intrin::Operand& operand = record.operands[i++];
      operands.push_back({{"name", parameter.buffer->name},
                          {"scope", operand.scope},
                          {"alignment_bytes", operand.alignment_bytes},
                          {"tile_bytes", operand.tile_bytes},
                          {"stride_bytes", operand.stride_bytes},
                          {"lane_words", operand.lane_words},
                          {"warp_bytes", operand.warp_bytes}});
    }
  return {{"name", record.name},
          {"feature", record.required_feature},
          {"available", is_there(record, target)},
          {"operands", operands},
          {"backends", backends_of(record)},
          {"implementations", record.implementations},
          {"rounding", record.rounding},
          {"cycles", record.cycles},
          {"warps", record.warps},
          {"on_swizzled_rows", record.on_swizzled_rows},
          {"meaning", print(record.meaning)}};
}

/// "in shared, aligned to 16 bytes, rows on multiples of 16"
std::string needs_of(const intrin::Operand& operand) {
  std::string text =
      fmt::format("{}, aligned to {} bytes", operand.scope.empty() ? "anywhere" : "in " + operand.scope,
                  operand.alignment_bytes);
  if (operand.stride_bytes > 1) text += fmt::format(", rows on multiples of {}", operand.stride_bytes);
  if (operand.tile_bytes > 1) text += fmt::format(", a whole tile of {}", operand.tile_bytes);
  if (operand.lane_words > 0) text += fmt::format(", {} registers of each lane", operand.lane_words);
  if (operand.warp_bytes > 0) text += fmt::format(", {} behind that of the warp before", operand.warp_bytes);
  return text;
}

std::string page(const Instruction& record, const target::Target& target) {
  std::string text = signature(record) + "\n";
  text +=
      fmt::format("  feature    {}\n", record.required_feature.empty() ? "none" : record.required_feature);
  text += fmt::format("  {:<10} {}\n", target.name, answer_to(record, target));
  text += fmt::format("  backends   {}\n",
                      record.implementations.empty() ? "none" : join(backends_of(record), ", "));
  if (!record.rounding.empty()) text += fmt::format("  rounding   {}\n", record.rounding);
  if (record.warps > 1) text += fmt::format("  warps      {} neighbours run it together\n", record.warps);
  if (!record.on_swizzled_rows.empty())
    text += fmt::format("  rows       lie swizzled in the end, for {}\n", record.on_swizzled_rows);
  std::size_t i = 0;
  for (const Parameter& parameter : record.meaning.parameters)
    if (parameter.buffer.defined())
      text += fmt::format("  {:<10} {}\n", parameter.buffer->name, needs_of(record.operands[i++]));
  text += "\nmeaning\n" + print(record.meaning);
  for (const auto& [backend, implementation] : record.implementations)
    text += fmt::format("\n{}\n{}{}", backend, implementation, implementation.ends_with('\n') ? "" : "\n");
  return text;
}

}  // namespace

int instructions(const InstructionsOptions& options) {
  const target::Target target = target::find(options.target);
  if (!options.name.empty()) {
    const Instruction& record = intrin::find_instruction(options.name);
    write_out(options.json ? described(record, target).dump(2) + "\n" : page(record, target));
    return exit_ok;
  }
  std::string text = fmt::format("{:<32} {:<12} on {}\n", "instruction", "feature", target.name);
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& name : intrin::instruction_names()) {
    const Instruction& record = intrin::find_instruction(name);
    text += fmt::format("{:<32} {:<12} {}\n", name,
                        record.required_feature.empty() ? "-" : record.required_feature,
                        answer_to(record, target));
    all.push_back(described(record, target));
  }
  write_out(options.json ? all.dump(2) + "\n" : text);
  return exit_ok;
}

}  // namespace ardea::cli
