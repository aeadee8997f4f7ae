#include "ardea/cli/bench_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ardea::cli {

namespace {

using measure::Contender;

std::string check_text(const Contender& c) {
  if (!c.check) return "-";
  return c.agrees() ? "agree" : "WRONG";
}

const char* kind_name(ArdeaPeerKind kind) {
  switch (kind) {
    case ARDEA_PEER_LIBRARY: return "library";
    case ARDEA_PEER_LOOP: return "loop";
    case ARDEA_PEER_YARDSTICK: return "yardstick";
  }
  return "unknown";
}

std::string table(const Benched& b) {
  std::size_t widest = 9;
  for (const Contender& c : b.report.contenders) widest = std::max(widest, c.name.size());
  const auto row = [&](const std::string& name, const auto&... cells) {
    return fmt::format("{:<{}} {:>11} {:>11} {:>8}  {:<23} {:<7} {}\n", name, widest, cells...);
  };
  std::string text = row("", "median", "least", "Gop/s", "time / ardea's [95 %]", "answers", "");
  for (const Contender& c : b.report.contenders) {
    const bool ours = &c == &b.report.contenders[0];
    text += row(c.name, time_text(c.median_s), time_text(c.min_s),
                b.work ? fmt::format("{:.1f}", b.work->operations / c.min_s / 1e9) : "-",
                ours ? "" : fmt::format("{:.3f} [{:.3f}, {:.3f}]", c.ratio.median, c.ratio.low, c.ratio.high),
                check_text(c), ours ? b.schedule : c.label);
  }
  return text;
}

nlohmann::json contender_json(const Contender& c) {
  nlohmann::json json = {{"name", c.name},
                         {"label", c.label},
                         {"median_us", c.median_s * 1e6},
                         {"min_us", c.min_s * 1e6},
                         {"ratio", c.ratio.median},
                         {"ratio_low", c.ratio.low},
                         {"ratio_high", c.ratio.high}};
  if (c.name != "ardea") json["kind"] = c.rival ? "rival" : kind_name(c.kind);
  if (c.check) json["agrees"] = c.agrees();
  return json;
}

}  // namespace

std::string bench_text(const Benched& b) {
  std::string text =
      b.gpu.empty() ? fmt::format("{}; {} thread{}, warm caches, {} rounds of {} call{} in rotated order\n",
                                  b.title, b.threads, b.threads == 1 ? "" : "s", b.report.rounds,
                                  b.report.calls, b.report.calls == 1 ? "" : "s")
                    : fmt::format(
                          "{} on {}; cold second cache, {} rounds of a graph of {} calls in rotated order, "
                          "empty launches "
                          "taken off\n",
                          b.title, b.gpu, b.report.rounds, b.report.calls);
  if (b.report.clock_mhz.size() == 2)
    text += fmt::format("the GPU's clock: {:.0f} MHz before, {:.0f} MHz after\n", b.report.clock_mhz[0],
                        b.report.clock_mhz[1]);
  text += table(b);
  const int ran_on = b.report.contenders[0].threads;
  if (b.report.best) {
    const Contender& best = b.report.contenders[*b.report.best];
    text += fmt::format("best: {}; ardea is {:.3f} times as fast, at least {:.3f} (95 %)\n", best.name,
                        best.ratio.median, best.ratio.low);
  }
  if (b.share)
    text += fmt::format(
        "at its least time ardea reaches {:.1f} % of the {:.4g} G a second of {}, on {}\n",
        100 * b.share->share, b.share->peak / 1e9,
        b.share->of == "copy" ? "a copy of the same bytes" : b.share->of,
        ran_on == 1 ? "the one thread that it ran on" : fmt::format("the {} threads that it ran on", ran_on));
  for (const measure::LeftOut& l : b.report.left_out)
    text += fmt::format("{}: left out, {}\n", l.name, l.reason);
  for (const std::string& library : b.libraries) text += library + "\n";
  return text;
}

std::string bench_line(const Benched& b) {
  const Contender& ours = b.report.contenders[0];
  std::string text = fmt::format("{:<52} {:>11}", b.title.substr(0, 52), time_text(ours.median_s));
  if (b.report.best) {
    const Contender& best = b.report.contenders[*b.report.best];
    text += fmt::format("  {:<9} {:>11}  {:.3f} [{:.3f}, {:.3f}]", best.name, time_text(best.median_s),
                        best.ratio.median, best.ratio.low, best.ratio.high);
  }
  if (b.share) text += fmt::format("  {:5.1f} %", 100 * b.share->share);
  return text + (b.report.all_agree() ? "\n" : "  WRONG ANSWERS\n");
}

nlohmann::json bench_json(const Benched& b) {
  const Contender& ours = b.report.contenders[0];
  nlohmann::json answer = {{"workload", b.title},
                           {"schedule", b.schedule},
                           {"prepacked", ours.label == measure::prepacked_label},
                           {"threads", b.threads},
                           {"rounds", b.report.rounds},
                           {"calls_per_turn", b.report.calls},
                           {"caches", b.gpu.empty() ? "warm" : "cold"},
                           {"ardea_us", ours.median_s * 1e6},
                           {"ardea_min_us", ours.min_s * 1e6},
                           {"agrees", ours.agrees()}};
  if (!b.gpu.empty()) answer["target"] = b.gpu;
  if (!b.report.clock_mhz.empty()) answer["clock_mhz"] = b.report.clock_mhz;
  if (b.workload) {
    answer["op"] = b.workload->op;
    answer["sizes"] = b.workload->sizes;
  }
  if (b.work) {
    answer["operations"] = b.work->operations;
    answer["bytes"] = b.work->bytes;
  }
  nlohmann::json contenders = nlohmann::json::array(), left_out = nlohmann::json::object();
  for (const Contender& c : b.report.contenders) {
    contenders.push_back(contender_json(c));
    if (c.rival) continue;
    const Contender& fastest = *b.report.fastest_of(c.name);
    answer[c.name + "_us"] = fastest.median_s * 1e6;
    answer[c.name + "_min_us"] = fastest.min_s * 1e6;
  }
  for (const measure::LeftOut& l : b.report.left_out) left_out[l.name] = l.reason;
  if (b.report.best) {
    const Contender& best = b.report.contenders[*b.report.best];
    answer["best"] = best.name;
    answer["ratio_vs_best"] = best.ratio.median;
    answer["ratio_low"] = best.ratio.low;
    answer["ratio_high"] = best.ratio.high;
  }
  if (b.share) {
    answer["peak_share"] = b.share->share;
    answer["peak_of"] = b.share->of;
    answer["peak_per_s"] = b.share->peak;
    answer["peak_threads"] = ours.threads;
  }
  answer["contenders"] = contenders;
  answer["left_out"] = left_out;
  answer["libraries"] = b.libraries;
  return answer;
}

}  // namespace ardea::cli
