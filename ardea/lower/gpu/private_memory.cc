#include "ardea/lower/gpu/private_memory.h"

#include <algorithm>
#include <optional>
#include <ranges>

#include "ardea/arith/allocation_site.h"
#include "ardea/ir/print.h"
#include "ardea/lower/gpu/thread_conflicts.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

bool stores_to(const Stmt& s, const Var& data) {
  bool found = false;
  visit_stmts(s, [&](const Stmt& part) {
    const auto* store = part.as<Store>();
    found = found || (store != nullptr && store->buffer->data == data);
  });
  return found;
}

/// In all iterations of the loops around it, since content lives as long as the launch.
Stmt in_all_iterations(const ThreadPart& part) {
  Stmt whole = part.statement;
  for (const Stmt& around : std::views::reverse(part.around)) {
    if (const auto* loop = around.as<For>()) {
      For out = *loop;
      out.body = whole;
      whole = out;
    } else {
      whole = If{around.as<If>()->condition, whole};
    }
  }
  return fresh_copy(substitute(whole, part.lets));
}

class Exchange {
 public:
  Exchange(const std::vector<ThreadMemory>& memory, const std::vector<ThreadPart>& parts,
           const std::vector<For>& threads, const Analyzer& facts)
      : memory_(memory), parts_(parts), facts_(facts), accesses_(parts.size()) {
    for (const For& loop : threads) {
      tags_.push_back(loop.thread);
      ranges_.emplace_back(loop.var, Range{loop.min, loop.extent});
    }
  }

  /// Memory of which the one part may look for something that the other one has left to other threads.
  const ThreadMemory* lost_between(std::size_t writer, std::size_t user) {
    std::optional<std::vector<arith::Conflict>> all;
    for (const ThreadMemory& memory : memory_) {
      if (!stores_to(parts_[writer].statement, memory.data) ||
          !arith::touches(parts_[user].statement, memory.data))
        continue;
      const auto axes = axes_of_own_threads(parts_[writer], parts_[user], memory);
      if (!axes) return &memory;
      if (axes->empty()) continue;
      if (!all) all = conflicts_between(accesses(writer), accesses(user), ranges_, facts_);
      const bool meet = std::any_of(all->begin(), all->end(), [&](const arith::Conflict& conflict) {
        return conflict.first.buffer->data == memory.data && meet_across_threads(conflict, *axes);
      });
      if (meet) return &memory;
    }
    return nullptr;
  }

 private:
  /// The axes along which each part has threads of its own; nothing where only one of them has.
  std::optional<std::vector<std::size_t>> axes_of_own_threads(const ThreadPart& writer,
                                                              const ThreadPart& user,
                                                              const ThreadMemory& memory) const {
    std::vector<std::size_t> axes;
    for (std::size_t a = 0; a < tags_.size(); ++a) {
      if (memory.bound.contains(tags_[a])) continue;
      const bool by_writer = writer.bound.contains(tags_[a]), by_user = user.bound.contains(tags_[a]);
      if (by_writer && by_user)
        axes.push_back(a);
      else if (by_writer || (!writer.by_all && (by_user || user.by_all)))
        return std::nullopt;
    }
    return axes;
  }

  const arith::AccessesInLoops& accesses(std::size_t part) {
    if (!accesses_[part])
      accesses_[part].emplace(in_all_iterations(parts_[part]), ranges_, facts_, [&](const Buffer& buffer) {
        return std::any_of(memory_.begin(), memory_.end(),
                           [&](const ThreadMemory& memory) { return memory.data == buffer->data; });
      });
    return *accesses_[part];
  }

  const std::vector<ThreadMemory>& memory_;
  const std::vector<ThreadPart>& parts_;
  const Analyzer& facts_;
  std::vector<std::string> tags_;
  std::vector<arith::LoopRange> ranges_;
  std::vector<std::optional<arith::AccessesInLoops>> accesses_;  ///< of the parts that were asked about
};

}  // namespace

void require_private(const std::vector<ThreadMemory>& memory, const std::vector<ThreadPart>& parts,
                     const std::vector<For>& threads, const arith::Analyzer& facts, const std::string& name) {
  Exchange exchange(memory, parts, threads, facts);
  for (std::size_t writer = 0; writer < parts.size(); ++writer)
    for (std::size_t user = 0; user < parts.size(); ++user) {
      const ThreadMemory* lost = exchange.lost_between(writer, user);
      require(
          lost == nullptr,
          "lower {}: it is not proved that each thread reads of {}, in scope \"local\", only what it wrote "
          "itself; use scope \"shared\" where threads exchange values",
          name, lost == nullptr ? "" : lost->data.name());
    }
}

}  // namespace ardea::lower
