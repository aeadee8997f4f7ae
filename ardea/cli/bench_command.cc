#include <fmt/core.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>

#include "ardea/build/build.h"
#include "ardea/cli/commands.h"
#include "ardea/cli/output.h"
#include "ardea/cli/rates.h"
#include "ardea/measure/bench.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::cli {

namespace fs = std::filesystem;

namespace {

fs::path default_peers_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  require(!error, "the folder of the peers cannot be found from this program's own: {}; give it with --peers",
          error.message());
  return program.parent_path().parent_path() / "lib" / "peers";
}

std::vector<measure::Peer> open_peers(const BenchOptions& options) {
  const fs::path folder = options.peers.empty() ? default_peers_folder() : fs::path(options.peers);
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < options.against.size();) {
    const std::size_t end = std::min(options.against.find(',', begin), options.against.size());
    names.push_back(options.against.substr(begin, end - begin));
    begin = end + 1;
  }
  if (names.empty()) names = measure::peer_names(folder);
  require(!names.empty(), "there are no peers in {}; `make bench-peers` builds them", folder.string());
  std::vector<measure::Peer> peers;
  for (const std::string& name : names) peers.emplace_back(folder, name);
  return peers;
}

std::string time_text(double s) {
  if (s >= 1) return fmt::format("{:.3f} s ", s);
  if (s >= 1e-3) return fmt::format("{:.3f} ms", s * 1e3);
  return fmt::format("{:.3f} us", s * 1e6);
}

std::string check_text(const measure::Contender& c) {
  if (!c.check) return "-";
  return c.agrees() ? "agrees" : "WRONG";
}

std::string table(const measure::BenchReport& report, double operations) {
  std::string text = fmt::format("{:<10} {:>12} {:>12} {:>9}  {:<24} {:<7} {}\n", "", "median", "least",
                                 "Gop/s", "its time / ardea's, 95 %", "answers", "");
  for (const measure::Contender& c : report.contenders) {
    const std::string ratio =
        c.name == "ardea" ? ""
                          : fmt::format("{:.3f} [{:.3f}, {:.3f}]", c.ratio.median, c.ratio.low, c.ratio.high);
    text += fmt::format("{:<10} {:>12} {:>12} {:>9.1f}  {:<24} {:<7} {}\n", c.name, time_text(c.median_s),
                        time_text(c.min_s), operations / c.min_s / 1e9, ratio, check_text(c), c.label);
  }
  return text;
}

nlohmann::json contender_json(const measure::Contender& c) {
  nlohmann::json json = {{"name", c.name},
                         {"median_us", c.median_s * 1e6},
                         {"min_us", c.min_s * 1e6},
                         {"ratio", c.ratio.median},
                         {"ratio_low", c.ratio.low},
                         {"ratio_high", c.ratio.high},
                         {"kind", c.kind == ARDEA_PEER_LIBRARY ? "library"
                                  : c.kind == ARDEA_PEER_LOOP  ? "loop"
                                                               : "copy"},
                         {"label", c.label}};
  if (c.check) json["agrees"] = c.agrees();
  return json;
}

}  // namespace

int bench(const BenchOptions& options) {
  require(options.threads >= 1 && options.threads <= 4096, "--threads {}: must be from 1 to 4096",
          options.threads);
  const int fewest = measure::least_values();
  require(options.rounds == 0 || options.rounds >= fewest,
          "--rounds {}: an interval of 95 % needs at least {} rounds", options.rounds, fewest);
  // Before anything asks for the pool: Ardea gets as many threads as the others.
  setenv("ARDEA_NUM_THREADS", std::to_string(options.threads).c_str(), 1);
  target::Target target = target::host();
  target.cores = options.threads;
  const Program program = load_program(options.program, target);
  require(program.workload.has_value(),
          "bench {}: a program from a file has no peers; give an operator and its sizes (`ardea ops`)",
          options.program.program);
  const std::vector<measure::Peer> peers = open_peers(options);
  const runtime::Function compiled = build::compile(program.module.functions[0], target);
  const measure::BenchReport report =
      measure::bench(*program.workload, compiled, peers,
                     {.threads = options.threads,
                      .seed = options.seed,
                      .rotation = {.rounds = options.rounds, .pause_s = options.threads > 1 ? 3e-3 : 0}});
  const measure::Contender& ours = report.contenders[0];
  const std::optional<PeakShare> share = peak_share(*program.workload, ours.min_s, options.threads);
  const auto operations = static_cast<double>(ops::flops(*program.workload));

  if (options.json) {
    nlohmann::json answer = {{"workload", ops::to_string(*program.workload)},
                             {"threads", options.threads},
                             {"rounds", report.rounds},
                             {"calls_per_turn", report.calls},
                             {"caches", "warm"},
                             {"ardea_us", ours.median_s * 1e6},
                             {"ardea_min_us", ours.min_s * 1e6},
                             {"agrees", ours.agrees()}};
    nlohmann::json contenders = nlohmann::json::array(), libraries = nlohmann::json::object(),
                   left_out = nlohmann::json::object();
    for (const measure::Contender& c : report.contenders) contenders.push_back(contender_json(c));
    for (const measure::Peer& peer : peers) {
      libraries[peer.name()] = peer.description();
      if (const measure::Contender* c = report.fastest_of(peer.name())) {
        answer[peer.name() + "_us"] = c->median_s * 1e6;
        answer[peer.name() + "_min_us"] = c->min_s * 1e6;
      }
    }
    for (const measure::LeftOut& l : report.left_out) left_out[l.name] = l.reason;
    if (report.best) {
      const measure::Contender& best = report.contenders[*report.best];
      answer["best"] = best.name;
      answer["ratio_vs_best"] = best.ratio.median;
      answer["ratio_low"] = best.ratio.low;
      answer["ratio_high"] = best.ratio.high;
    }
    if (share) {
      answer["peak_share"] = share->share;
      answer["peak_of"] = share->of;
      answer["peak_per_s"] = share->peak;
    }
    answer["contenders"] = contenders;
    answer["libraries"] = libraries;
    answer["left_out"] = left_out;
    write_out(answer.dump(2) + "\n");
  } else {
    std::string text =
        fmt::format("{}; {} thread{}, warm caches, {} rounds of {} call{} in rotated order\n",
                    ops::to_string(*program.workload), options.threads, options.threads == 1 ? "" : "s",
                    report.rounds, report.calls, report.calls == 1 ? "" : "s");
    text += table(report, operations);
    if (report.best) {
      const measure::Contender& best = report.contenders[*report.best];
      text += fmt::format("best: {}; ardea is {:.3f} times as fast, at least {:.3f} (95 %)\n", best.name,
                          best.ratio.median, best.ratio.low);
    }
    for (const measure::LeftOut& l : report.left_out)
      text += fmt::format("{}: left out, {}\n", l.name, l.reason);
    for (const measure::Peer& peer : peers)
      if (report.fastest_of(peer.name())) text += fmt::format("{}: {}\n", peer.name(), peer.description());
    write_out(text);
  }
  return report.all_agree() ? exit_ok : exit_disagrees;
}

}  // namespace ardea::cli
