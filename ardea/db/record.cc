#include "ardea/db/record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ardea/db/checked_json.h"
#include "ardea/support/error.h"

namespace ardea::db {

namespace {

using nlohmann::json;

/// Printable whatever it is.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text) out += c < 0x20 || c > 0x7e ? '?' : c;
  return out;
}

json parsed(std::string_view text) {
  json value = json::parse(text, nullptr, false);
  require(value.is_object(), "this is no JSON object: {}", shown(text.substr(0, 60)));
  return value;
}

template <class T>
T get(const json& object, const char* key) {
  const auto found = object.find(key);
  require(found != object.end(), "\"{}\" is missing", key);
  try {
    return found->get<T>();
  } catch (const json::exception&) {
    fail("\"{}\" is {}, which is of another type than it should be", key, found->dump());
  }
}

json to_json(const Task& task) {
  return {{"workload", task.workload}, {"program", task.program}, {"target_name", task.target_name},
          {"target", task.target},     {"threads", task.threads}, {"compiler", task.compiler},
          {"protocol", task.protocol}};
}

json to_json(const Trial& trial) {
  json out = {{"number", trial.number},   {"run", trial.run},
              {"method", trial.method},   {"seed", trial.seed},
              {"sketch", trial.sketch},   {"knobs", trial.knobs},
              {"trace", trial.trace},     {"outcome", to_string(trial.outcome)},
              {"message", trial.message}, {"taken_at", trial.taken_at}};
  if (trial.time) out["time_s"] = {trial.time->median_s, trial.time->low_s, trial.time->high_s};
  if (trial.batch != 0) out["batch"] = trial.batch;
  if (trial.elapsed_s != 0) out["elapsed_s"] = trial.elapsed_s;
  if (trial.predicted) out["predicted"] = *trial.predicted;
  if (trial.clock_mhz) out["clock_mhz"] = *trial.clock_mhz;
  return out;
}

json to_json(const Note& note) {
  return {{"run", note.run}, {"name", note.name}, {"text", note.text}, {"taken_at", note.taken_at}};
}

Task task_from(const json& in) {
  return {.workload = get<std::string>(in, "workload"),
          .program = get<std::string>(in, "program"),
          .target_name = get<std::string>(in, "target_name"),
          .target = get<std::string>(in, "target"),
          .threads = get<std::int64_t>(in, "threads"),
          .compiler = get<std::string>(in, "compiler"),
          .protocol = get<std::string>(in, "protocol")};
}

Trial trial_from(const json& in) {
  const auto name = get<std::string>(in, "outcome");
  const auto outcome = trial_outcome_of(name);
  require(outcome.has_value(), "\"outcome\" is \"{}\", which is none of {}", name,
          fmt::join(trial_outcome_names(), ", "));
  std::optional<CallTime> time;
  if (in.contains("time_s")) {
    const auto parts = get<std::vector<double>>(in, "time_s");
    require(parts.size() == 3, "\"time_s\" has {} numbers; they are the median and both ends of its interval",
            parts.size());
    time = CallTime{parts[0], parts[1], parts[2]};
  }
  require(time.has_value() == (*outcome == TrialOutcome::timed),
          "the outcome is \"{}\", and there is {} time", name, time ? "a" : "no");
  return {.number = get<std::int64_t>(in, "number"),
          .run = get<std::string>(in, "run"),
          .batch = in.contains("batch") ? get<std::int64_t>(in, "batch") : 0,
          .method = get<std::string>(in, "method"),
          .seed = get<std::uint64_t>(in, "seed"),
          .sketch = get<std::string>(in, "sketch"),
          .knobs = get<std::map<std::string, std::int64_t>>(in, "knobs"),
          .trace = get<std::string>(in, "trace"),
          .outcome = *outcome,
          .time = time,
          .message = get<std::string>(in, "message"),
          .taken_at = get<std::int64_t>(in, "taken_at"),
          .elapsed_s = in.contains("elapsed_s") ? get<double>(in, "elapsed_s") : 0,
          .predicted = in.contains("predicted") ? std::optional(get<double>(in, "predicted")) : std::nullopt,
          .clock_mhz = in.contains("clock_mhz") ? std::optional(get<double>(in, "clock_mhz")) : std::nullopt};
}

Note note_from(const json& in) {
  return {.run = get<std::string>(in, "run"),
          .name = get<std::string>(in, "name"),
          .text = get<std::string>(in, "text"),
          .taken_at = get<std::int64_t>(in, "taken_at")};
}

std::string summed(const Task& task, const char* kind, json what) {
  return with_checksum({{"version", line_version}, {"task", to_json(task)}, {kind, std::move(what)}});
}

}  // namespace

std::uint64_t checksum(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string canonical_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string checksum_text(const std::string& text) { return fmt::format("{:016x}", checksum(text)); }

std::string with_checksum(json object) {
  object["checksum"] = checksum_text(canonical_text(object));
  return canonical_text(object);
}

std::string to_text(const Task& task) { return canonical_text(to_json(task)); }
std::string to_text(const Trial& trial) { return canonical_text(to_json(trial)); }
std::string to_text(const Note& note) { return canonical_text(to_json(note)); }
Task task_of(std::string_view text) { return task_from(parsed(text)); }
Trial trial_of(std::string_view text) { return trial_from(parsed(text)); }
Note note_of(std::string_view text) { return note_from(parsed(text)); }

std::string to_line(const Task& task, const Trial& trial) { return summed(task, "trial", to_json(trial)); }
std::string to_line(const Task& task, const Note& note) { return summed(task, "note", to_json(note)); }

Line line_of(std::string_view text) {
  json line = parsed(text);
  const auto version = get<std::int64_t>(line, "version");
  const auto given = get<std::string>(line, "checksum");
  line.erase("checksum");
  const std::string own = checksum_text(canonical_text(line));
  require(given == own, "its checksum is {}, what it holds gives {}", given, own);
  if (version != line_version) return {};
  Line read{task_from(get<json>(line, "task"))};
  if (line.contains("note"))
    read.note = note_from(get<json>(line, "note"));
  else
    read.trial = trial_from(get<json>(line, "trial"));
  return read;
}

}  // namespace ardea::db
