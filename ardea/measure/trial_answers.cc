#include "ardea/measure/trial_answers.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "ardea/measure/task_message.h"

namespace ardea::measure {

using nlohmann::json;

TrialReport failure(TrialOutcome outcome, std::string sentence) {
  TrialReport report;
  report.outcome = outcome;
  report.message = std::move(sentence);
  return report;
}

TrialReport no_answer() {
  return failure(TrialOutcome::crashed, "the process that was running it wrote what is no answer");
}

std::optional<TrialReport> failure_of(const WorkerReply& reply, bool building) {
  using Kind = WorkerReply::Kind;
  const char* const subject = building ? "building it" : "running it";
  const TrialOutcome usual = building ? TrialOutcome::compile_failed : TrialOutcome::crashed;
  const auto sentence = [&] { return fmt::format("{} {}", subject, reply.sentence); };
  switch (reply.kind) {
    case Kind::answered: {
      const json answer = json::parse(reply.answer);
      if (!answer.contains("failed")) return std::nullopt;
      const bool is_named =
          answer["failed"].is_string() && answer.contains("message") && answer["message"].is_string();
      if (!is_named) break;
      return failure(trial_outcome_of(answer["failed"].get<std::string>()).value_or(usual),
                     answer["message"]);
    }
    case Kind::timed_out: return failure(TrialOutcome::timed_out, sentence());
    case Kind::out_of_memory:
      return failure(building ? TrialOutcome::compile_failed : TrialOutcome::launch_failed, sentence());
    case Kind::died:
    case Kind::rubbish: break;
  }
  return failure(usual, "the process that was " + sentence());
}

namespace {

std::optional<double> clock_from(const json& answer) {
  return answer.contains("clock_mhz") ? std::optional(answer["clock_mhz"].get<double>()) : std::nullopt;
}

}  // namespace

std::optional<Ran> ran_from(const std::string& text) {
  try {
    const json answer = json::parse(text);
    Ran ran{.time = time_from_json(answer.at("time")), .raced = answer.at("raced")};
    if (answer.contains("canary")) ran.canary = CanaryReading{answer["canary"].at(0), answer["canary"].at(1)};
    if (answer.contains("ratio")) ran.ratio = time_from_json(answer["ratio"]);
    if (answer.contains("rival_time")) ran.rival_time = time_from_json(answer["rival_time"]);
    ran.clock_mhz = clock_from(answer);
    return ran;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

std::vector<Fought> fought_from(const std::string& text) {
  try {
    std::vector<Fought> all;
    const json answer = json::parse(text);
    for (const json& entry : answer.at("duel")) {
      const CallTime ratio = time_from_json(entry.at("ratio"));
      all.push_back({time_from_json(entry.at("time")),
                     {ratio.median_s, ratio.low_s, ratio.high_s},
                     clock_from(answer)});
    }
    return all;
  } catch (const json::exception&) {
    return {};
  }
}

}  // namespace ardea::measure
