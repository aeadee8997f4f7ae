#include "ardea/measure/bench.h"

#include <algorithm>

#include "ardea/measure/inputs.h"
#include "ardea/runtime/thread_pool.h"
#include "ardea/support/error.h"

namespace ardea::measure {

namespace {

using Arguments = std::vector<interp::Argument>;

/// The arguments that a call writes.
std::vector<std::size_t> written_by(const Function& f) {
  std::vector<std::size_t> written;
  const std::vector<Role> roles = argument_roles(f);
  for (std::size_t i = 0; i < roles.size(); ++i)
    if (f.parameters[i].buffer.defined() && roles[i] != Role::input) written.push_back(i);
  return written;
}

/// The same inputs, and memory of its own for what is written, which holds the same.
Arguments with_own_outputs(const Problem& problem) {
  Arguments own = problem.arguments;
  for (const std::size_t i : written_by(problem.meaning))
    own[i] = std::get<runtime::Array>(problem.arguments[i]).copy();
  return own;
}

struct Prepared {
  Contender contender;
  Arguments arguments;
  std::function<void()> call;
};

/// A call of generated code on these arguments, packed once.
std::function<void()> call_of(const runtime::Function& compiled, const Arguments& arguments) {
  std::vector<runtime::Value> values;
  for (const interp::Argument& argument : arguments)
    std::visit([&](const auto& value) { values.emplace_back(value); }, argument);
  return [call = std::make_shared<runtime::PreparedCall>(compiled, values)] { call->run(); };
}

Arguments arguments_for(const Compiled& compiled, const Arguments& arguments) {
  return compiled.weights ? with_packed(*compiled.weights, arguments) : arguments;
}

Prepared own_call(const std::string& name, const Compiled& compiled, const Problem& problem) {
  Prepared made{{.name = name, .label = compiled.weights ? prepacked_label : ""},
                arguments_for(compiled, with_own_outputs(problem)),
                {}};
  made.call = call_of(compiled.main, made.arguments);
  return made;
}

Prepared call_of(const Peer& peer, const PeerCall& call, const Problem& problem) {
  Prepared made{
      {.name = peer.name(), .label = call.label(), .kind = peer.kind()}, with_own_outputs(problem), {}};
  std::vector<void*> pointers;
  for (const interp::Argument& argument : made.arguments)
    pointers.push_back(std::get<runtime::Array>(argument).data());
  made.call = [call, pointers] { call.run(pointers.data()); };
  return made;
}

}  // namespace

std::optional<std::size_t> best_of(const std::vector<Contender>& contenders) {
  const auto is_library = [](const Contender& c) { return !c.rival && c.kind == ARDEA_PEER_LIBRARY; };
  const bool libraries = std::any_of(contenders.begin() + 1, contenders.end(), is_library);
  std::optional<std::size_t> best;
  for (std::size_t i = 1; i < contenders.size(); ++i)
    if (contenders[i].agrees() && !contenders[i].rival && (!libraries || is_library(contenders[i])) &&
        (!best || contenders[i].ratio.median < contenders[*best].ratio.median))
      best = i;
  return best;
}

bool BenchReport::all_agree() const {
  return std::all_of(contenders.begin(), contenders.end(), [](const Contender& c) { return c.agrees(); });
}

const Contender* BenchReport::fastest_of(const std::string& name) const {
  const Contender* fastest = nullptr;
  for (const Contender& c : contenders)
    if (c.name == name && (fastest == nullptr || c.ratio.median < fastest->ratio.median)) fastest = &c;
  return fastest;
}

namespace {

/// Everybody's turns, times and answers.
BenchReport measured(const Problem& problem, std::vector<Prepared> prepared, const BenchOptions& options) {
  const Expectation expectation(problem.meaning, problem.arguments);
  std::vector<Turn> turns;
  for (Prepared& p : prepared)
    turns.emplace_back([call = p.call](std::int64_t calls) {
      for (std::int64_t i = 0; i < calls; ++i) call();
    });
  const Rotation rotation = rotate(turns, options.rotation);
  BenchReport report;
  report.rounds = rotation.rounds;
  report.calls = rotation.calls;
  runtime::ThreadPool& pool = runtime::ThreadPool::shared();
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    // Once more on fresh outputs: what the timed calls left may hide an element that only the first writes.
    for (const std::size_t output : written_by(problem.meaning))
      std::get<runtime::Array>(prepared[i].arguments[output])
          .copy_from(std::get<runtime::Array>(problem.arguments[output]));
    pool.take_most_used();
    prepared[i].call();
    Contender& contender = prepared[i].contender;
    contender.threads = pool.take_most_used();
    if (contender.kind != ARDEA_PEER_YARDSTICK) contender.check = expectation.compare(prepared[i].arguments);
    contender.median_s = median(rotation.seconds[i]);
    contender.min_s = *std::min_element(rotation.seconds[i].begin(), rotation.seconds[i].end());
    contender.ratio = median_interval(ratios(rotation.seconds[i], rotation.seconds[0]));
    report.contenders.push_back(std::move(contender));
  }
  report.best = best_of(report.contenders);
  return report;
}

/// Ardea's own programs and the outsiders.
std::vector<Prepared> own_calls(const Problem& problem, const Compiled& compiled,
                                const std::vector<Rival>& rivals, const std::vector<Outsider>& outsiders) {
  std::vector<Prepared> prepared = {own_call("ardea", compiled, problem)};
  for (const Rival& rival : rivals)
    prepared.emplace_back(own_call(rival.name, rival.compiled, problem)).contender.rival = true;
  for (const Outsider& outsider : outsiders) {
    Prepared made{{.name = outsider.name, .label = outsider.label}, with_own_outputs(problem), {}};
    made.call = outsider.call.on(made.arguments);
    prepared.push_back(std::move(made));
  }
  return prepared;
}

}  // namespace

Problem problem_of(const ops::Workload& workload, std::uint64_t seed) {
  Function plain = ops::create_function(workload);
  Arguments arguments = make_arguments(plain, {.seed = seed});
  return {std::move(plain), std::move(arguments)};
}

BenchReport bench(const Problem& problem, const Compiled& compiled, const BenchOptions& options,
                  const std::vector<Rival>& rivals, const std::vector<Outsider>& outsiders) {
  return measured(problem, own_calls(problem, compiled, rivals, outsiders), options);
}

BenchReport bench(const ops::Workload& workload, const Compiled& compiled, const std::vector<Peer>& peers,
                  const BenchOptions& options, const std::vector<Rival>& rivals,
                  const std::vector<Outsider>& outsiders) {
  const Problem problem = problem_of(workload, options.seed);
  std::vector<Prepared> prepared = own_calls(problem, compiled, rivals, outsiders);
  std::vector<LeftOut> left_out;
  for (const Peer& peer : peers) {
    const Peer::Offer offer = peer.prepare(workload, options.threads);
    if (offer.calls.empty()) left_out.push_back({peer.name(), offer.refusal});
    for (const PeerCall& call : offer.calls)
      if (compiled.weights || call.label().find(prepacked_label) == std::string::npos)
        prepared.push_back(call_of(peer, call, problem));
  }
  BenchReport report = measured(problem, std::move(prepared), options);
  report.left_out = std::move(left_out);
  return report;
}

bool CopiesReport::all_agree() const {
  return std::all_of(checks.begin(), checks.end(), [](const CheckReport& c) { return c.agrees(); });
}

CopiesReport bench_copies(const ops::Workload& workload, const Compiled& threaded, const Compiled& single,
                          const BenchOptions& options) {
  const auto [plain, arguments] = problem_of(workload, options.seed);
  const Expectation expectation(plain, arguments);
  std::vector<Arguments> own = {arguments_for(threaded, copy_arguments(arguments))};
  const std::function<void()> together = call_of(threaded.main, own[0]);
  std::vector<std::function<void()>> alone;
  for (int copy = 0; copy < options.threads; ++copy)
    alone.push_back(call_of(single.main, own.emplace_back(arguments_for(single, copy_arguments(arguments)))));

  runtime::ThreadPool& pool = runtime::ThreadPool::shared();
  require(pool.thread_count() == options.threads,
          "bench_copies: {} copies need a pool of as many threads, this one has {}; set ARDEA_NUM_THREADS",
          options.threads, pool.thread_count());
  // Each copy makes all its calls without waiting for the others.
  const Turn copies = [&](std::int64_t calls) {
    pool.parallel_for(options.threads, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t copy = begin; copy < end; ++copy)
        for (std::int64_t i = 0; i < calls; ++i) alone[static_cast<std::size_t>(copy)]();
    });
  };
  const Turn threads = [&](std::int64_t calls) {
    for (std::int64_t i = 0; i < calls; ++i) together();
  };
  const Rotation rotation = rotate({threads, copies}, options.rotation);
  CopiesReport report{.rounds = rotation.rounds,
                      .calls = rotation.calls,
                      .threads_s = median(rotation.seconds[0]),
                      .copies_s = median(rotation.seconds[1]),
                      .ratio = {},
                      .checks = {}};
  std::vector<double> rates = ratios(rotation.seconds[1], rotation.seconds[0]);
  for (double& rate : rates) rate /= options.threads;
  report.ratio = median_interval(rates);
  for (const Arguments& after : own) report.checks.push_back(expectation.compare(after));
  return report;
}

}  // namespace ardea::measure
