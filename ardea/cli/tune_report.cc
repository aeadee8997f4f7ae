#include "ardea/cli/tune_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ardea/support/text.h"
#include "ardea/tune/best.h"

namespace ardea::cli {

namespace {

using nlohmann::json;

/// "GFLOP/s" of floats, "Gop/s" of integers.
std::string unit_of(const TuneReport& report) { return report.counts_integers ? "Gop/s" : "GFLOP/s"; }

/// As people count them.
std::size_t letters_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

/// Numbers below their heads; a column in which nobody has anything is left out.
std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows[0].size());
  std::vector<bool> is_used(rows[0].size());
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      widths[c] = std::max(widths[c], letters_of(rows[r][c]));
      is_used[c] = is_used[c] || (r > 0 && !rows[r][c].empty());
    }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (!is_used[c]) continue;
      const std::string space(widths[c] - letters_of(row[c]), ' ');
      line += c == 0 ? row[c] + space : "  " + space + row[c];
    }
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  return text;
}

/// "[0.160, 0.162] ms", in the unit of the median.
std::string interval_text(const CallTime& time) {
  const auto [unit, in_unit] = time.median_s >= 1      ? std::pair("s", 1.0)
                               : time.median_s >= 1e-3 ? std::pair("ms", 1e3)
                                                       : std::pair("us", 1e6);
  return fmt::format("[{:.3f}, {:.3f}] {}", time.low_s * in_unit, time.high_s * in_unit, unit);
}

std::vector<std::string> row_of(const TuneReport& report, const std::string& name, const tune::Ranked& ranked,
                                const std::optional<PeakShare>& share) {
  const CallTime& time = *ranked.trial.time;
  const tune::Tuned& tuned = report.tuned;
  const auto beside = [&]() -> std::string {
    if (!tuned.standard || ranked.ratio.median <= 0) return "";
    return fmt::format("{:.3f} [{:.3f}, {:.3f}]", 1 / ranked.ratio.median, 1 / ranked.ratio.high,
                       1 / ranked.ratio.low);
  };
  return {name,
          time_text(time.median_s),
          interval_text(time),
          report.work && report.work->operations > 0
              ? fmt::format("{:.4g}", report.work->operations / time.median_s / 1e9)
              : "",
          share ? fmt::format("{:.1f} %", 100 * share->share) : "",
          beside()};
}

std::string with_db(const TuneReport& report, const std::string& command) {
  std::error_code ignored;
  return report.database == db::default_path().string() ? command : command + " --db " + report.database;
}

json ranked_json(const tune::Ranked& ranked, const TuneReport& report,
                 const std::optional<PeakShare>& share) {
  const CallTime& time = *ranked.trial.time;
  json out = {{"time_s", time.median_s},     {"low_s", time.low_s},
              {"high_s", time.high_s},       {"sketch", ranked.trial.sketch},
              {"knobs", ranked.trial.knobs}, {"trace", json::parse(ranked.trial.trace)}};
  if (report.work) out["operations_per_s"] = report.work->operations / time.median_s;
  if (share) out["share_of_peak"] = {{"share", share->share}, {"of", share->of}, {"peak", share->peak}};
  return out;
}

}  // namespace

std::string failures_text(const std::map<TrialOutcome, std::int64_t>& failures) {
  std::vector<std::string> parts;
  for (const auto& [outcome, count] : failures)
    parts.push_back(fmt::format("{} {}", count, to_string(outcome)));
  return parts.empty() ? "none failed" : join(parts, ", ");
}

std::string tune_text(const TuneReport& report) {
  const tune::Tuned& tuned = report.tuned;
  std::string text = fmt::format(
      "{}{} on {}, {}: {} trials{} in {:.1f} s ({:.1f} s of them searching), {}; by {}, seed {}{}\n",
      report.title, report.prepacked ? ", weights packed ahead," : "", report.target,
      tune::threads_text(report.threads, report.on_gpu), tuned.trials,
      tuned.earlier > 0 ? fmt::format(" after {} earlier ones", tuned.earlier) : "", tuned.seconds,
      tuned.search_s, failures_text(tuned.failures), tuned.method, report.seed,
      report.why_method.empty() ? "" : " (" + report.why_method + ")");
  text += fmt::format("the space: {} sketch{}, {:.3g} points{}\n", report.sketches,
                      report.sketches == 1 ? "" : "es", report.points,
                      report.rank_correlation
                          ? fmt::format("; the model's rank correlation on what it had not seen: {:.2f}",
                                        *report.rank_correlation)
                          : "");
  if (report.learned.records > 0)
    text += fmt::format("learned from {} records of {} other shape{}\n", report.learned.records,
                        report.learned.shapes, report.learned.shapes == 1 ? "" : "s");
  if (report.is_simulated)
    text +=
        "times are simulated: cycles by a model of the machine, answers by the interpreter; nothing was "
        "measured\n";
  if (!tuned.winner) {
    text += "no program was timed; the messages of the trials are in the database\n";
    return text;
  }
  std::vector<std::vector<std::string>> rows = {
      {"", "a call", "95 %", unit_of(report), "of peak", "× default"}};
  if (tuned.standard) rows.push_back(row_of(report, "default", *tuned.standard, report.default_share));
  rows.push_back(row_of(report, "tuned", *tuned.winner, report.tuned_share));
  text += table(rows);
  if (tuned.standard && tuned.standard->trial.trace == tuned.winner->trial.trace)
    text += "no program was faster than the default one\n";
  for (const LibraryTime& library : report.libraries.libraries)
    text += fmt::format("{:.3f} [{:.3f}, {:.3f}] × {} ({}), in turns with it\n", library.ratio.median,
                        library.ratio.low, library.ratio.high, library.name, time_text(library.seconds));
  if (report.is_replay) return text + fmt::format("replayed from run {} of {}\n", tuned.run, report.database);
  if (!report.database.empty()) {
    text += fmt::format("recorded in {}, run {}\n", report.database, tuned.run);
    if (!report.is_simulated)
      text += fmt::format("next: {}\n",
                          with_db(report, fmt::format("ardea run {} --best --check", report.command)));
  }
  return text;
}

json tune_json(const TuneReport& report) {
  const tune::Tuned& tuned = report.tuned;
  json failures = json::object();
  for (const auto& [outcome, count] : tuned.failures) failures[std::string(to_string(outcome))] = count;
  json out = {{"workload", report.title},     {"target", report.target},
              {"threads", report.threads},    {"prepacked", report.prepacked},
              {"method", tuned.method},       {"method_why", report.why_method},
              {"seed", report.seed},          {"run", tuned.run},
              {"database", report.database},  {"trials", tuned.trials},
              {"earlier", tuned.earlier},     {"timed", tuned.timed},
              {"failures", failures},         {"seconds", tuned.seconds},
              {"search_s", tuned.search_s},   {"stopped", tuned.was_stopped},
              {"replayed", report.is_replay}, {"simulated", report.is_simulated},
              {"sketches", report.sketches},  {"points", report.points}};
  if (report.learned.records > 0)
    out["learned_from"] = {{"records", report.learned.records}, {"shapes", report.learned.shapes}};
  if (report.rank_correlation) out["rank_correlation"] = *report.rank_correlation;
  if (tuned.standard) out["default"] = ranked_json(*tuned.standard, report, report.default_share);
  if (tuned.winner) out["tuned"] = ranked_json(*tuned.winner, report, report.tuned_share);
  if (tuned.speedup)
    out["speedup"] = {
        {"median", tuned.speedup->median}, {"low", tuned.speedup->low}, {"high", tuned.speedup->high}};
  for (const LibraryTime& library : report.libraries.libraries)
    out["libraries"].push_back({{"name", library.name},
                                {"time_s", library.seconds},
                                {"ratio", library.ratio.median},
                                {"ratio_low", library.ratio.low},
                                {"ratio_high", library.ratio.high}});
  return out;
}

}  // namespace ardea::cli
