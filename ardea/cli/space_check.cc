#include "ardea/cli/space_check.h"

#include <fmt/core.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "ardea/cli/backends.h"
#include "ardea/ir/equal.h"
#include "ardea/lower/limits_of.h"
#include "ardea/lower/pipeline.h"
#include "ardea/measure/inputs.h"
#include "ardea/runtime/thread_pool.h"
#include "ardea/schedule/canon.h"
#include "ardea/support/error.h"

namespace ardea::cli {

namespace {

/// Whether arrays can be made for a call with these sizes: a window needs an image that it fits in.
bool can_be_called(const Function& program, const std::map<std::string, std::int64_t>& sizes) {
  try {
    measure::make_arguments(program, {.sizes = sizes});
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// What the sizes are that only a call knows: for each of the calls, a number of each.
std::vector<std::map<std::string, std::int64_t>> sizes_to_try(const Function& program) {
  std::vector<std::string> names;
  for (const auto& [size, value] : measure::extents_of(program, measure::make_arguments(program, {})))
    names.push_back(size.name());
  if (names.empty()) return {{}};
  // Sizes of one call differ, so that one taken for another shows.
  constexpr std::array<std::int64_t, 5> first = {1, 2, 7, 31, 131};
  std::vector<std::map<std::string, std::int64_t>> all;
  for (const std::int64_t number : first) {
    std::map<std::string, std::int64_t>& sizes = all.emplace_back();
    for (const std::string& name : names) sizes[name] = number + 2 * static_cast<std::int64_t>(sizes.size());
    if (!can_be_called(program, sizes)) all.pop_back();
  }
  return all;
}

/// The places of each choice, in the order of the first of them.
std::vector<std::vector<std::size_t>> equal_choices(const std::vector<rules::Choice>& choices) {
  std::vector<std::vector<std::size_t>> all;
  std::map<std::pair<std::size_t, space::Point>, std::size_t> known;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto [at, is_new] = known.try_emplace({choices[i].sketch, choices[i].point}, all.size());
    if (is_new) all.emplace_back();
    all[at->second].push_back(i);
  }
  return all;
}

}  // namespace

PointCheck::PointCheck(const rules::ProgramSpace& space, std::uint64_t seed)
    : space_(space), runs_here_(space.target.name == target::host().name) {
  for (const auto& sizes : sizes_to_try(space.program)) {
    std::string words;
    for (const auto& [name, value] : sizes) words += fmt::format(" with {} = {}", name, value);
    std::vector<interp::Argument> given =
        measure::make_arguments(space.program, {.seed = seed, .sizes = sizes});
    measure::Expectation expected(space.program, given);
    calls_.push_back({std::move(words), std::move(given), std::move(expected)});
  }
}

std::string PointCheck::fault_of(const rules::Choice& choice) const {
  const rules::Sketch& sketch = space_.sketches[choice.sketch].sketch;
  try {
    const Function program = space_.materialise(choice).program();
    std::vector<std::pair<Var, std::int64_t>> numbers;
    limits::Numbers values;
    for (std::size_t i = 0; i < sketch.knobs.size(); ++i) {
      const std::int64_t value = choice.point[static_cast<std::size_t>(sketch.system.knobs()[i].index)];
      numbers.emplace_back(sketch.knobs[i].var, value);
      values[sketch.knobs[i].var] = value;
    }
    const std::string apart = first_difference(
        schedule::canon(schedule::with_numbers(sketch.symbolic, numbers)), schedule::canon(program));
    if (!apart.empty()) return "the symbolic program is another one: " + apart;
    const std::vector<limits::Bound>& predicted = sketch.taken;
    const auto taken = limits::bounds_of(lower::limits_of(program, space_.target), space_.target);
    for (std::size_t i = 0; i < taken.size() && i < predicted.size(); ++i) {
      // How many statements there are is an estimate for a guess at compile time, and limits nothing.
      if (!taken[i].taken.defined() || !predicted[i].taken.defined() || taken[i].name == "statements")
        continue;
      const auto was = limits::value_at(predicted[i].taken, values),
                 is = limits::value_at(taken[i].taken, {});
      if (was && is && *was < *is)
        return fmt::format("it takes {} {}, {} were predicted", *is, taken[i].name, *was);
    }
    return wrong_answer(program);
  } catch (const Error& error) {
    return error.what();
  }
}

std::vector<std::optional<std::string>> PointCheck::faults_of(const std::vector<rules::Choice>& choices,
                                                              const Watch& watch) const {
  // Samples of a small sketch come again and again.
  const std::vector<std::vector<std::size_t>> alike = equal_choices(choices);
  std::vector<std::optional<std::string>> faults(choices.size());
  std::atomic<std::size_t> next = 0;
  std::mutex telling;
  std::size_t checked = 0, invalid = 0;
  // One takes long, another is soon done: each thread takes the next that nobody has. They are not the pool's
  // own, in which parallel loops of the programs would run as serial ones.
  const auto work = [&] {
    for (std::size_t i = next++; i < alike.size(); i = next++) {
      const std::string fault = fault_of(choices[alike[i][0]]);
      const std::lock_guard lock(telling);
      for (const std::size_t same : alike[i]) faults[same] = fault;
      checked += alike[i].size();
      invalid += fault.empty() ? 0 : alike[i].size();
      if (!watch(checked, invalid)) next = alike.size();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < runtime::ThreadPool::shared().thread_count(); ++i) others.emplace_back(work);
    work();
  }
  return faults;
}

std::string PointCheck::wrong_answer(const Function& program) const {
  // What threads do shows where they are threads, in an order of nobody's choice.
  const Function checked = space_.target.gpu ? lower::lower(program, space_.target) : program;
  const Runnable compiled = on_backend(checked, runs_here_ ? "llvm" : "interp");
  for (const Call& call : calls_) {
    const std::vector<interp::Argument> after = measure::copy_arguments(call.given);
    compiled.run(after);
    for (const measure::Comparison& c : call.expected.compare(after).arguments)
      if (c.mismatches > 0)
        return fmt::format("{} is wrong in {} of {} elements{}", c.argument, c.mismatches, c.elements,
                           call.sizes);
  }
  return "";
}

}  // namespace ardea::cli
