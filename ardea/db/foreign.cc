#include "ardea/db/foreign.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "ardea/db/checked_json.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::db {

namespace {

using nlohmann::json;

constexpr std::string_view remark = "# ardea: ";
constexpr const char* own_key = "ardea";
/// Of envelopes: no version of ours, so that who does not know them hands them on.
constexpr std::int64_t envelope_version = 0;

constexpr std::array<std::string_view, 3> names = {"own", "autotvm", "ansor"};

/// What both call the reason of a failure.
int error_number(TrialOutcome outcome) {
  switch (outcome) {
    case TrialOutcome::timed: return 0;
    case TrialOutcome::compile_failed: return 2;
    case TrialOutcome::launch_failed:
    case TrialOutcome::crashed: return 4;
    case TrialOutcome::wrong_answer: return 5;
    case TrialOutcome::timed_out: return 7;
    case TrialOutcome::device_lost: return 8;
  }
  return 8;
}

/// As their targets are written: "llvm -mtriple=… -mcpu=…".
std::string target_words(const Task& task) {
  const json record = json::parse(task.target, nullptr, false);
  std::string words = "llvm";
  const auto add = [&](const char* key, const char* flag) {
    if (!record.is_object() || !record.contains(key) || !record[key].is_string()) return;
    if (const auto word = record[key].get<std::string>(); !word.empty())
      words += fmt::format(" -{}={}", flag, word);
  };
  add("triple", "mtriple");
  add("cpu", "mcpu");
  return words;
}

std::int64_t target_number(const json& record, const char* key) {
  return record.is_object() && record.contains(key) && record[key].is_number_integer()
             ? record[key].get<std::int64_t>()
             : 0;
}

std::string operator_name(const Task& task) { return task.workload.substr(0, task.workload.find(' ')); }

json result_of(const Trial& trial, double failed) {
  return {json::array({trial.time ? trial.time->median_s : failed}), error_number(trial.outcome), 0.0,
          trial.taken_at};
}

json autotvm(const Task& task, const Trial& trial, const std::string& own) {
  json entities = json::array();
  for (const auto& [name, value] : trial.knobs) entities.push_back({name, "ot", value});
  return {{"input",
           {target_words(task),
            "ardea." + operator_name(task),
            {task.workload, checksum_text(task.program), task.threads},
            json::object()}},
          {"config", {{"index", trial.number}, {"code_hash", nullptr}, {"entity", entities}}},
          {"result", result_of(trial, 1e9)},
          {"version", 0.2},
          {"tvm_version", "ardea"},
          {own_key, own}};
}

/// Their steps are of another language: the list is empty, and the key is one that no program of theirs has.
json ansor(const Task& task, const Trial& trial, const std::string& own) {
  const json record = json::parse(task.target, nullptr, false);
  std::int64_t line_bytes = 64;
  if (record.is_object() && record.contains("caches") && record["caches"].is_array() &&
      !record["caches"].empty())
    line_bytes = target_number(record["caches"][0], "line_bytes");
  const json key = {own_key, checksum_text(own), task.workload};
  const json hardware = {task.threads, target_number(record, "vector_bits") / 8, line_bytes, 0, 0, 0, 0, 0};
  return {{"i",
           {{canonical_text(key), target_words(task), hardware, "", 0, json::array()},
            {json::array(), json::array()}}},
          {"r", result_of(trial, 1e10)},
          {"v", "v0.6"}};
}

/// Which of their shapes an object has.
std::optional<Shape> their_shape(const json& object) {
  if (object.contains("input") && object.contains("config") && object.contains("result"))
    return Shape::autotvm;
  if (!object.contains("i") || !object.contains("r") || !object["i"].is_array() || object["i"].empty())
    return std::nullopt;
  return object["i"][0].is_array() ? Shape::ansor
                                   : Shape::autotvm;  // AutoTVM's first version had short keys, too
}

std::string envelope(Shape shape, std::string_view text) {
  return with_checksum({{"version", envelope_version},
                        {"shape", names[static_cast<std::size_t>(shape)]},
                        {"record", std::string(text)}});
}

/// The checksum of the line of ours that a record of Ansor's shape repeats; empty where it is another's.
std::string repeats(const json& object) {
  const json& task = object["i"][0];
  if (task.empty() || !task[0].is_string()) return "";
  const json key = json::parse(task[0].get<std::string>(), nullptr, false);
  const bool is_ours = key.is_array() && key.size() == 3 && key[0] == own_key && key[1].is_string();
  return is_ours ? key[1].get<std::string>() : "";
}

}  // namespace

Shape shape_of(std::string_view name) {
  const auto* const at = std::find(names.begin(), names.end(), name);
  if (at == names.end())
    fail("--as {}: there is no such shape of records, only {}{}", name, fmt::join(names, ", "),
         did_you_mean(name, {names.begin(), names.end()}));
  return static_cast<Shape>(at - names.begin());
}

std::string in_shape(Shape shape, const Task& task, const Trial& trial) {
  const std::string own = to_line(task, trial);
  switch (shape) {
    case Shape::own: return own + "\n";
    case Shape::autotvm: return canonical_text(autotvm(task, trial, own)) + "\n";
    case Shape::ansor: return as_comment(own) + canonical_text(ansor(task, trial, own)) + "\n";
  }
  return "";
}

std::string as_comment(std::string_view line) { return fmt::format("{}{}\n", remark, line); }

ReadLine ShapeReader::read(std::string_view text) {
  using enum ReadLine::Kind;
  if (text.starts_with(remark)) {
    last_comment_ = text.substr(remark.size());
    return {ours, last_comment_};
  }
  if (text.empty() || text.front() == '#') return {nothing, ""};
  const json object = json::parse(text, nullptr, false);
  const auto shape = object.is_object() ? their_shape(object) : std::nullopt;
  if (!shape) return {ours, std::string(text)};
  if (const auto own = object.find(own_key); own != object.end() && own->is_string())
    return {ours, own->get<std::string>()};
  if (*shape == Shape::ansor && !last_comment_.empty() && repeats(object) == checksum_text(last_comment_))
    return {repeated, ""};
  return {theirs, envelope(*shape, text)};
}

std::optional<std::string> out_of_envelope(Shape shape, std::string_view line) {
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object() || object.value("version", json()) != envelope_version ||
      object.value("shape", json()) != names[static_cast<std::size_t>(shape)] ||
      !object.value("record", json()).is_string())
    return std::nullopt;
  return object["record"].get<std::string>();
}

}  // namespace ardea::db
