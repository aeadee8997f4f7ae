#include "ardea/schedule/trace.h"

#include <nlohmann/json.hpp>

#include "ardea/ir/print.h"
#include "ardea/support/overloaded.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

std::string named(const Reference& reference, const ReferenceNames& names, const std::string& otherwise) {
  const auto at = names.find(key_of(reference));
  return at == names.end() ? otherwise : at->second;
}

std::string reference_text(const Reference& reference, const ReferenceNames& names) {
  return std::visit(overloaded{
                        [&](const BlockRef& block) { return named(block, names, "block"); },
                        [&](const LoopRef& loop) {
                          const char* const no_loop = loop.place == LoopRef::Place::root      ? "root"
                                                      : loop.place == LoopRef::Place::inlined ? "inlined"
                                                                                              : "no loop";
                          return named(loop, names, loop.var.defined() ? loop.var.name() : no_loop);
                        },
                        [&](const NumberRef& number) {
                          const auto value = constant_int(number.value);
                          return named(number, names,
                                       value ? std::to_string(*value) : ardea::print(number.value));
                        },
                    },
                    reference);
}

/// The shortest text that reads back as the same number, and as no integer.
std::string float_text(double value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string text_of(const Argument& argument, const ReferenceNames& names) {
  return std::visit(overloaded{
                        [](std::monostate) { return std::string("None"); },
                        [](bool value) { return std::string(value ? "True" : "False"); },
                        [](std::int64_t value) { return std::to_string(value); },
                        [](double value) { return float_text(value); },
                        [](const std::string& value) { return in_quotes(value); },
                        [&](const std::vector<Argument>& items) {
                          std::vector<std::string> parts;
                          for (const Argument& item : items) parts.push_back(text_of(item, names));
                          return "[" + join(parts, ", ") + "]";
                        },
                        [&](const auto& reference) { return reference_text(reference, names); },
                    },
                    argument.value);
}

nlohmann::json json_of(const Argument& argument, const ReferenceNames& names) {
  return std::visit(
      overloaded{
          [](std::monostate) -> nlohmann::json { return nullptr; },
          [](bool value) -> nlohmann::json { return value; },
          [](std::int64_t value) -> nlohmann::json { return value; },
          [](double value) -> nlohmann::json { return value; },
          // A string is {"string": …}: bare strings are names of references.
          [](const std::string& value) -> nlohmann::json { return {{"string", value}}; },
          [&](const std::vector<Argument>& items) -> nlohmann::json {
            nlohmann::json list = nlohmann::json::array();
            for (const Argument& item : items) list.push_back(json_of(item, names));
            return list;
          },
          [&](const auto& reference) -> nlohmann::json { return reference_text(reference, names); },
      },
      argument.value);
}

/// An optional argument at its default prints only where the seeds print it.
bool is_silent(const Parameter& parameter, const Argument& argument) {
  return !parameter.required && (parameter.name == "tail" || parameter.name == "called") &&
         text_of(argument, {}) == text_of(parameter.otherwise, {});
}

}  // namespace

ReferenceNames names_of(const Trace& trace) {
  ReferenceNames names;
  for (const Instruction& instruction : trace.instructions)
    for (const Reference& result : instruction.results) {
      const char letter = "blv"[result.index()];
      names.try_emplace(key_of(result), letter + std::to_string(names.size()));
    }
  return names;
}

std::string print_call(const Instruction& instruction, const ReferenceNames& names) {
  std::vector<std::string> parts;
  const std::vector<Parameter>& parameters = instruction.primitive->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Argument& argument = instruction.arguments[i];
    if (is_silent(parameters[i], argument)) continue;
    if (parameters[i].spread) {
      for (const Argument& item : std::get<std::vector<Argument>>(argument.value))
        parts.push_back(text_of(item, names));
      continue;
    }
    parts.push_back(parameters[i].name + "=" + text_of(argument, names));
  }
  return instruction.primitive->name + "(" + join(parts, ", ") + ")";
}

std::string print(const Trace& trace) {
  const ReferenceNames names = names_of(trace);
  std::string text = "# from tvm import tir\ndef apply_trace(sch: tir.Schedule) -> None:\n";
  for (const Instruction& instruction : trace.instructions) {
    std::vector<std::string> results;
    for (const Reference& result : instruction.results) results.push_back(names.at(key_of(result)));
    text += "  " + join(results, ", ") + (results.empty() ? "" : " = ") + "sch." +
            print_call(instruction, names) + "\n";
  }
  if (trace.instructions.empty()) text += "  pass\n";
  return text;
}

nlohmann::json to_json(const Trace& trace) {
  const ReferenceNames names = names_of(trace);
  nlohmann::json list = nlohmann::json::array();
  for (const Instruction& instruction : trace.instructions) {
    nlohmann::json arguments = nlohmann::json::object(), results = nlohmann::json::array();
    for (std::size_t i = 0; i < instruction.arguments.size(); ++i)
      arguments[instruction.primitive->parameters[i].name] = json_of(instruction.arguments[i], names);
    for (const Reference& result : instruction.results) results.push_back(names.at(key_of(result)));
    list.push_back(
        {{"primitive", instruction.primitive->name}, {"arguments", arguments}, {"results", results}});
  }
  return list;
}

}  // namespace ardea::schedule
