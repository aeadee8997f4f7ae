#include "tests/stages/campaign/check_stages.h"

#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/stages/lower.h"
#include "ardea/support/error.h"
#include "ardea/te/print.h"
#include "tests/schedule/campaign/check_schedule.h"

namespace ardea::stages {

namespace {

constexpr int attempts = 16;

/// The index of the directive that a refusal names.
std::size_t named_directive(const Schedule& s, const std::string& sentence) {
  for (std::size_t i = 0; i < s.record().directives.size(); ++i)
    if (sentence.starts_with(s.record().directive(i) + ": ")) return i;
  fail("a refusal that names no directive: {}", sentence);
}

/// Whether the directive has a say: of several places of a stage the last one counts.
bool counts_at_all(const Record& record, std::size_t index) {
  const Directive& directive = record.directives[index];
  const std::string name = name_of(directive);
  const bool places = directive.phase == Phase::place || name == "compute_inline" || name == "auto_inline";
  return !places || record.stage(directive.stage).place == index;
}

void check(const Lowered& lowered, std::uint64_t seed, bool compiled) {
  schedule::Schedule again(lowered.unscheduled);
  again.replay(schedule::parse_steps(schedule::print(lowered.trace), "trace"));
  require(structurally_equal(again.program(), lowered.function), "the trace gives another program:\n{}",
          print(again.program()));
  schedule::check(lowered.unscheduled, again, seed, compiled);
}

}  // namespace

std::string stages_failure(std::uint64_t seed, const schedule::CampaignOptions& options, StepCounts& counts) {
  Random random(seed);
  const RandomGraph graph = random_graph(random);
  std::vector<te::Argument> arguments(graph.inputs.begin(), graph.inputs.end());
  for (const te::Tensor& output : graph.outputs) arguments.emplace_back(output);
  std::set<int> without;
  std::string text = te::print(graph.outputs);
  try {
    while (true) {
      const Schedule s = create_schedule(graph.outputs);
      StepCounts refused_calls;
      const std::vector<int> origins =
          give_random_directives(s, graph, seed, attempts, without, refused_calls);
      text = te::print(graph.outputs) + print(s);
      Lowered lowered;
      try {
        lowered = lower(s, arguments);
      } catch (const schedule::Refused& refused) {
        const std::size_t index = named_directive(s, refused.what());
        ++counts[name_of(s.record().directives[index])].refused;
        without.insert(origins[index]);
        continue;
      }
      text += schedule::print(lowered.trace) + ardea::print(lowered.function);
      check(lowered, seed, schedule::is_compiled(lowered.function, seed, options.compiled));
      for (const auto& [name, count] : refused_calls) counts[name].refused += count.refused;
      for (std::size_t i = 0; i < s.record().directives.size(); ++i)
        if (counts_at_all(s.record(), i)) ++counts[name_of(s.record().directives[i])].applied;
      return "";
    }
  } catch (const std::exception& e) {
    return fmt::format("seed {}: {}\n{}", seed, e.what(), text);
  }
}

}  // namespace ardea::stages
