#include "ardea/interp/executor.h"

#include "ardea/interp/place.h"
#include "ardea/support/error.h"

namespace ardea::interp {

Executor::Executor(Machine& machine, const Function& f)
    : machine_(machine),
      function_(&f),
      concurrent_(integer_attribute(f.attributes, "concurrent_threads", 0) != 0) {}

Executor::Executor(const Executor& launcher, const Grid& grid, ThreadBlock& block, int thread)
    : machine_(launcher.machine_),
      function_(launcher.function_),
      concurrent_(true),
      values_(launcher.values_),
      lets_(launcher.lets_),
      views_(launcher.views_),
      loops_(launcher.loops_),
      grid_(&grid),
      block_(&block),
      thread_(thread) {}

void Executor::define(const Var& var, Lanes value) {
  const std::size_t slot = machine_.variables.number(var);
  if (slot >= values_.size()) values_.resize(slot + 16);
  values_[slot] = std::move(value);
}

void Executor::forget(const Var& var) { values_[machine_.variables.find(var)] = {}; }

const Lanes* Executor::find(const Var& var) const {
  const std::size_t slot = machine_.variables.find(var);
  return slot < values_.size() && !values_[slot].empty() ? &values_[slot] : nullptr;
}

void Executor::declare(const Buffer& buffer, View view) {
  const std::size_t slot = machine_.buffers.number(buffer);
  if (slot >= views_.size()) views_.resize(slot + 8);
  views_[slot] = std::move(view);
}

void Executor::forget(const Buffer& buffer) { views_[machine_.buffers.find(buffer)] = {}; }

void Executor::finish() {
  commit_copies();
  for (const std::vector<AsyncCopy>& group : groups_)
    for (const AsyncCopy& copy : group) {
      statement_ = copy.statement;
      report(fmt::format("the asynchronous copy to {} is never waited for; end with T.async_wait(0)",
                         copy.target->name));
    }
}

void Executor::report(const std::string& fact) const {
  std::string place;
  if (statement_ != nullptr) place += fmt::format(", in `{}`", first_line_of(*statement_));
  for (std::size_t i = 0; i < loops_.size(); ++i)
    place += fmt::format("{}{} = {}", i == 0 ? " at " : ", ", loops_[i].first->name(), loops_[i].second);
  if (block_ != nullptr) place += ", on " + grid_->name(block_->number(), thread_);
  throw Error(fmt::format("{}: {}{}", function_->name, fact, place));
}

}  // namespace ardea::interp
