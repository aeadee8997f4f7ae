#include "ardea/space/engine.h"

#include <algorithm>

#include "ardea/space/evaluate.h"

namespace ardea::space {
namespace {

/// Values of one variable that are kept one by one: before the first propagation, which makes sets of
/// divisors of ranges, and after it.
constexpr std::size_t longest_list_at_first = 1 << 16;
constexpr std::size_t longest_list = 1 << 12;

std::vector<Domain> domains_of(const System& system) {
  std::vector<Domain> domains;
  for (const Variable& variable : system.variables()) domains.push_back(variable.domain);
  return domains;
}

bool all_fixed(const Store& store, const std::vector<Var>& variables) {
  return std::all_of(variables.begin(), variables.end(), [&](Var v) { return store.fixed(v.index); });
}

}  // namespace

Engine::Scratch::Scratch(const Engine& engine)
    : store(engine.layout()), queued(engine.system().constraints().size(), 0) {}

Engine::Engine(const System& system, const std::vector<bool>* enabled)
    : system_(&system), layout_(domains_of(system), longest_list_at_first) {
  if (enabled) enabled_ = *enabled;
  watchers_.resize(system.variables().size());
  for (std::size_t c = 0; c < system.constraints().size(); ++c) {
    variables_.push_back(space::variables_of(system.constraints()[c]));
    if (!is_enabled(static_cast<int>(c))) continue;
    for (const Var v : variables_.back())
      watchers_[static_cast<std::size_t>(v.index)].push_back(static_cast<int>(c));
  }
  // A range that became a short list can lose values inside: once more, where that happened.
  for (std::size_t longest = longest_list_at_first, listed = 0; satisfiable_; longest = longest_list) {
    layout_ = Layout(narrowed(), longest_list);
    std::size_t now = 0;
    for (int v = 0; v < layout_.size(); ++v) now += layout_.is_listed(v) ? 1 : 0;
    if (now == listed && longest == longest_list) break;
    listed = now;
  }
  Scratch scratch(*this);
  satisfiable_ = satisfiable_ && scratch.store.reset();
  root_ = scratch.store.state();
}

std::vector<Domain> Engine::narrowed() {
  Scratch scratch(*this);
  Store& store = scratch.store;
  satisfiable_ = store.reset();
  for (int c = 0; satisfiable_ && c < static_cast<int>(variables_.size()); ++c) {
    if (!is_enabled(c)) continue;
    scratch.queue.push_back(c);
    scratch.queued[static_cast<std::size_t>(c)] = 1;
  }
  satisfiable_ = satisfiable_ && fixpoint(scratch, {});
  std::vector<Domain> domains;
  for (int v = 0; v < layout_.size(); ++v) {
    if (!satisfiable_) {
      domains.emplace_back();  // of no use, and never asked
    } else if (layout_.is_listed(v)) {
      std::vector<std::int64_t> values;
      store.for_each(v, [&](std::int64_t value) { values.push_back(value); });
      domains.push_back(Domain::of(values));
    } else {
      domains.push_back(layout_.domain(v).intersect(Domain::range(store.low(v), store.high(v))));
    }
  }
  return domains;
}

bool Engine::propagate(Scratch& scratch, std::span<const Constraint> extra) const {
  for (const int c : scratch.queue) scratch.queued[static_cast<std::size_t>(c)] = 0;
  scratch.queue.clear();
  return fixpoint(scratch, extra);
}

bool Engine::begin(Scratch& scratch, std::span<const Constraint> extra) const {
  if (!satisfiable_) return false;
  scratch.store.state() = root_;
  scratch.store.changed().clear();
  return extra.empty() || propagate(scratch, extra);
}

bool Engine::fixpoint(Scratch& scratch, std::span<const Constraint> extra) const {
  Store& store = scratch.store;
  std::vector<int>& queue = scratch.queue;
  const auto wake = [&] {
    for (const int v : store.changed()) {
      for (const int c : watchers_[static_cast<std::size_t>(v)]) {
        char& queued = scratch.queued[static_cast<std::size_t>(c)];
        if (queued != 0) continue;
        queued = 1;
        queue.push_back(c);
      }
    }
    const bool any = !store.changed().empty();
    store.changed().clear();
    return any;
  };
  const auto give_up = [&] {
    for (const int c : queue) scratch.queued[static_cast<std::size_t>(c)] = 0;
    queue.clear();
    store.changed().clear();
    return false;
  };
  // Enough for every fixpoint over lists; two bounds that push each other over a range of 2^60 values meet
  // it.
  const std::uint64_t limit = 2000 + 50 * variables_.size();
  std::uint64_t runs = 0;
  wake();
  bool extra_pending = !extra.empty();
  while (runs < limit) {
    for (std::size_t at = 0; at < queue.size() && runs < limit; ++at) {
      const int c = queue[at];
      scratch.queued[static_cast<std::size_t>(c)] = 0;
      ++runs;
      if (!narrow(store, system_->constraints()[static_cast<std::size_t>(c)])) {
        scratch.work += runs;
        return give_up();
      }
      extra_pending = wake() || extra_pending;
    }
    if (runs >= limit) break;
    queue.clear();
    if (!extra_pending || extra.empty()) break;
    extra_pending = false;
    for (const Constraint& constraint : extra) {
      ++runs;
      if (!narrow(store, constraint)) {
        scratch.work += runs;
        return give_up();
      }
    }
    if (wake()) extra_pending = true;
    if (queue.empty() && !extra_pending) break;
  }
  scratch.work += runs;
  if (runs < limit) return true;
  // Cut off: what is fixed must still have been decided.
  give_up();
  for (std::size_t c = 0; c < variables_.size(); ++c) {
    if (is_enabled(static_cast<int>(c)) && all_fixed(store, variables_[c]) &&
        !holds(system_->constraints()[c], store.state().low))
      return false;
  }
  for (const Constraint& constraint : extra)
    if (all_fixed(store, space::variables_of(constraint)) && !holds(constraint, store.state().low))
      return false;
  return true;
}

bool Engine::entailed(const Store& store, int constraint) const {
  if (!is_enabled(constraint) || all_fixed(store, variables_of(constraint))) return true;
  const Constraint& c = system_->constraints()[static_cast<std::size_t>(constraint)];
  for (const Condition& guard : c.when)
    if (status(store, guard) == Truth3::no) return true;
  if (const auto* linear = std::get_if<Linear>(&c.body))
    return status(store, Condition(*linear)) == Truth3::yes;
  if (const auto* member = std::get_if<Member>(&c.body))
    return status(store, Condition(*member)) == Truth3::yes;
  if (const auto* divides = std::get_if<Divides>(&c.body))
    return status(store, Condition(*divides)) == Truth3::yes;
  return false;
}

}  // namespace ardea::space
