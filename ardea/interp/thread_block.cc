#include "ardea/interp/thread_block.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "ardea/interp/place.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::interp {

namespace {

std::int64_t product(const Grid& grid, bool (*wanted)(const std::string&)) {
  std::int64_t all = 1;
  for (const auto& [tag, extent] : grid.extents)
    if (wanted(tag) && __builtin_mul_overflow(all, extent, &all))
      return std::numeric_limits<std::int64_t>::max();
  return all;
}

}  // namespace

std::int64_t Grid::blocks() const { return product(*this, is_block_tag); }
std::int64_t Grid::threads() const { return product(*this, is_thread_tag); }

std::int64_t Grid::index(const std::string& tag, std::int64_t block, std::int64_t thread) const {
  const bool of_block = is_block_tag(tag);
  std::int64_t rest = of_block ? block : thread;
  for (const auto& [other, extent] : extents) {  // sorted: x, y, z
    if (is_block_tag(other) != of_block) continue;
    if (other == tag) return rest % extent;
    rest /= extent;
  }
  throw InternalError("Grid::index: no loop of the launch is bound to " + tag);
}

std::string Grid::name(std::int64_t block, std::int64_t thread) const {
  std::vector<std::string> parts;
  for (const auto& [tag, extent] : extents)
    parts.push_back(fmt::format("{} = {}", tag, index(tag, block, thread)));
  return "thread (" + join(parts, ", ") + ")";
}

ThreadBlock::ThreadBlock(const Grid& grid, std::int64_t block, Random random)
    : grid_(grid),
      block_(block),
      random_(random),
      count_(static_cast<int>(grid.threads())),
      states_(static_cast<std::size_t>(count_)),
      ready_(static_cast<std::size_t>(count_)),
      warp_barriers_(static_cast<std::size_t>((count_ + threads_in_warp - 1) / threads_in_warp)) {
  std::iota(ready_.begin(), ready_.end(), 0);
}

void ThreadBlock::run(const std::function<void(int)>& body) {
  Turns turns(count_, body);
  turns_ = &turns;
  int finished = 0;
  while (finished < count_) {
    if (ready_.empty() && !release_some()) report_deadlock();
    std::swap(
        ready_[static_cast<std::size_t>(random_.integer(0, static_cast<std::int64_t>(ready_.size()) - 1))],
        ready_.back());
    const int thread = ready_.back();
    ready_.pop_back();
    turns.resume(thread);
    if (!turns.finished(thread)) continue;
    states_[static_cast<std::size_t>(thread)].finished = true;
    ++finished;
  }
}

void ThreadBlock::barrier(int thread, Group group, const Stmt* statement) {
  states_[static_cast<std::size_t>(thread)] = {statement, group};
  turns_->pause(thread);
}

void ThreadBlock::meet(int thread, const Stmt* statement) {
  states_[static_cast<std::size_t>(thread)] = {statement, Group::warp, false};
  turns_->pause(thread);
}

Lane ThreadBlock::shuffle_down(int thread, Lane given, std::int64_t offset, std::int64_t width,
                               const Stmt* statement) {
  given_.resize(static_cast<std::size_t>(count_));
  given_[static_cast<std::size_t>(thread)] = given;
  meet(thread, statement);
  const bool is_there =
      thread % threads_in_warp % width + offset < width && thread + offset < end_thread(thread, Group::warp);
  const Lane taken = given_[static_cast<std::size_t>(is_there ? thread + offset : thread)];
  meet(thread, statement);  // before one of them gives the next
  return taken;
}

int ThreadBlock::first_thread(int thread, Group group) const {
  return group == Group::block ? 0 : thread / threads_in_warp * threads_in_warp;
}

int ThreadBlock::end_thread(int thread, Group group) const {
  return group == Group::block ? count_ : std::min(count_, first_thread(thread, group) + threads_in_warp);
}

bool ThreadBlock::all_wait_together(int first, int end, Group group) const {
  const Waiting& one = states_[static_cast<std::size_t>(first)];
  return std::all_of(states_.begin() + first, states_.begin() + end, [&](const Waiting& state) {
    return state.statement != nullptr && state.group == group && state.statement == one.statement;
  });
}

void ThreadBlock::release(int first, int end) {
  for (int t = first; t < end; ++t) {
    states_[static_cast<std::size_t>(t)].statement = nullptr;
    ready_.push_back(t);
  }
}

bool ThreadBlock::release_some() {
  if (all_wait_together(0, count_, Group::block)) {
    ++block_barriers_;
    release(0, count_);
    return true;
  }
  for (int first = 0; first < count_; first += threads_in_warp) {
    const int end = end_thread(first, Group::warp);
    if (!all_wait_together(first, end, Group::warp)) continue;
    if (states_[static_cast<std::size_t>(first)].orders_memory)
      ++warp_barriers_[static_cast<std::size_t>(first / threads_in_warp)];
    release(first, end);
  }
  return !ready_.empty();
}

void ThreadBlock::report_deadlock() const {
  const auto state = [&](int t) -> const Waiting& { return states_[static_cast<std::size_t>(t)]; };
  int waiting = 0;
  while (state(waiting).statement == nullptr) ++waiting;
  const Group group = state(waiting).group;
  int missing = first_thread(waiting, group);
  while (state(missing).statement == state(waiting).statement) ++missing;
  const std::string instead = state(missing).finished
                                  ? "has finished"
                                  : fmt::format("waits in `{}`", first_line_of(*state(missing).statement));
  fail(
      "the barrier `{}` is reached by {} but not by {}, which {}; every thread of the {} must reach the same "
      "barrier",
      first_line_of(*state(waiting).statement), grid_.name(block_, waiting), grid_.name(block_, missing),
      instead, group == Group::block ? "block" : "warp");
}

ThreadBlock::Key ThreadBlock::key_of(const Var& data, std::uint64_t nth, int thread, Group group) const {
  return {data, nth, first_thread(thread, group)};
}

std::shared_ptr<Allocation> ThreadBlock::enter(const Var& data, std::uint64_t nth, int thread, Group group,
                                               const std::function<std::shared_ptr<Allocation>()>& make) {
  SharedMemory& shared = shared_[key_of(data, nth, thread, group)];
  if (!shared.memory) shared.memory = make();
  return shared.memory;
}

void ThreadBlock::leave(const Var& data, std::uint64_t nth, int thread, Group group) {
  const auto found = shared_.find(key_of(data, nth, thread, group));
  const int members = end_thread(thread, group) - first_thread(thread, group);
  if (++found->second.left == members) shared_.erase(found);
}

}  // namespace ardea::interp
