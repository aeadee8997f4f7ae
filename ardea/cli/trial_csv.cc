#include "ardea/cli/trial_csv.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::cli {

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string line_of(const db::Trial& trial, const std::optional<measure::Work>& work) {
  std::vector<std::string> knobs;
  for (const auto& [name, value] : trial.knobs) knobs.push_back(fmt::format("{}={}", name, value));
  const double rate = work && trial.time ? work->operations / trial.time->median_s / 1e9 : 0;
  const std::string times = trial.time ? fmt::format("{},{},{}", trial.time->median_s * 1e3,
                                                     trial.time->low_s * 1e3, trial.time->high_s * 1e3)
                                       : ",,";
  return fmt::format("{},{:.6g},{},{},{:.3f},{},{},{}\n", trial.number, rate, to_string(trial.outcome), times,
                     trial.elapsed_s, trial.method, quoted(trial.sketch), quoted(join(knobs, " ")));
}

}  // namespace

TrialCsv::TrialCsv(std::filesystem::path path, std::string option)
    : path_(std::move(path)), option_(std::move(option)) {
  if (path_.empty()) return;
  out_.open(path_, std::ios::trunc);
  write("trial,gop_per_s,outcome,time_ms,low_ms,high_ms,elapsed_s,method,sketch,knobs\n");
}

void TrialCsv::add(const db::Trial& trial, const std::optional<measure::Work>& work) {
  if (!path_.empty()) write(line_of(trial, work));
}

void TrialCsv::write(const std::string& text) {
  out_ << text << std::flush;
  const int failure = errno;  // of the call beneath, which the stream does not keep
  require(out_.good(), "{} {}: it cannot be written: {}; name another file", option_, path_.string(),
          std::strerror(failure));
}

}  // namespace ardea::cli
