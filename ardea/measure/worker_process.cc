#include "ardea/measure/worker_process.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <nlohmann/json.hpp>

#include "ardea/runtime/time_evaluator.h"
#include "ardea/support/error.h"

namespace ardea::measure {

namespace {

constexpr int most_failed_starts = 3;

}  // namespace

void WorkerProcess::warm_up() {
  if (process_) return;
  process_ = std::make_unique<ChildProcess>(start_.command, start_.limits, start_.processors);
  ++starts_;
  is_ready_ = false;
  deadline_ = runtime::steady_seconds() + start_.start_limit_s;
  process_->send(start_.hello);
}

void WorkerProcess::ask(const std::string& request, std::int64_t id, double limit_s) {
  ensure(!is_busy(), "a worker that is busy was asked again");
  if (process_) {
    // It may have been killed while nobody looked.
    const std::array<ChildProcess*, 1> only = {process_.get()};
    ChildProcess::wait(only, 0);
    if (process_->ended()) process_.reset();
  }
  warm_up();
  asked_ = {request, id, limit_s};
  process_->send(request);
  if (is_ready_) deadline_ = runtime::steady_seconds() + limit_s;
}

void WorkerProcess::abandon() {
  if (!is_busy()) return;
  asked_.reset();
  process_.reset();
}

double WorkerProcess::seconds_left() const {
  return is_busy() ? std::max(0.0, deadline_ - runtime::steady_seconds()) : 1e9;
}

std::string WorkerProcess::last_word() const {
  std::string words = process_->last_words();
  while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.pop_back();
  const std::size_t line = words.rfind('\n');
  if (line != std::string::npos) words.erase(0, line + 1);
  return words.empty() ? "" : fmt::format(": {}", words);
}

WorkerReply WorkerProcess::broken(WorkerReply::Kind kind, std::string sentence) {
  asked_.reset();
  process_.reset();
  return {.kind = kind, .sentence = std::move(sentence)};
}

void WorkerProcess::try_again(const std::string& sentence) {
  process_.reset();
  ++failed_starts_;
  require(failed_starts_ < most_failed_starts, "{}: it {} before it was ready, {} times in a row",
          start_.command.text(), sentence, failed_starts_);
  const Asked asked = *asked_;
  asked_.reset();
  ask(asked.request, asked.id, asked.limit_s);
}

std::optional<WorkerReply> WorkerProcess::ended() {
  const ProcessResult how = *process_->ended();
  require(how.end != ProcessResult::End::not_started, "{}: it {}", start_.command.text(), how.description());
  const std::string sentence = how.description() + last_word();
  if (!is_ready_) {
    try_again(sentence);
    return std::nullopt;
  }
  if (process_->was_out_of_memory())
    return broken(WorkerReply::Kind::out_of_memory,
                  fmt::format("took more than {} MiB of memory", start_.limits.memory_bytes >> 20U));
  WorkerReply reply = broken(WorkerReply::Kind::died, sentence);
  reply.is_from_outside =
      how.end == ProcessResult::End::signalled && (how.code == SIGKILL || how.code == SIGTERM);
  return reply;
}

std::optional<WorkerReply> WorkerProcess::overdue() {
  if (is_ready_)
    return broken(WorkerReply::Kind::timed_out, fmt::format("did not end within {:g} s", asked_->limit_s));
  try_again(fmt::format("did nothing for {:g} s", start_.start_limit_s));
  return std::nullopt;
}

std::optional<WorkerReply> WorkerProcess::take(const std::string& line) {
  const nlohmann::json message = nlohmann::json::parse(line, nullptr, false);
  if (!is_ready_) {
    if (message.is_object() && message.contains("error") && message["error"].is_string())
      fail("{}", message["error"].get<std::string>());
    if (!message.is_object() || !message.contains("ready")) {
      try_again("wrote rubbish");
      return std::nullopt;
    }
    is_ready_ = true;
    failed_starts_ = 0;
    if (asked_) deadline_ = runtime::steady_seconds() + asked_->limit_s;
    return std::nullopt;
  }
  const bool is_answer =
      message.is_object() && message.contains("id") && message["id"] == nlohmann::json(asked_->id);
  if (!is_answer) return broken(WorkerReply::Kind::rubbish, "wrote what is no answer");
  asked_.reset();
  return WorkerReply{.answer = line};
}

std::optional<WorkerReply> WorkerProcess::reply() {
  while (is_busy()) {
    if (const auto line = process_->take_line()) {
      if (auto taken = take(*line)) return taken;
      continue;
    }
    if (process_->ended()) {
      if (auto how = ended()) return how;
      continue;
    }
    if (process_->writes_no_lines()) return broken(WorkerReply::Kind::rubbish, "wrote without an end");
    if (runtime::steady_seconds() >= deadline_) {
      if (auto late = overdue()) return late;
      continue;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace ardea::measure
