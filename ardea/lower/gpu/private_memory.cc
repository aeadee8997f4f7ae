#include "ardea/lower/gpu/private_memory.h"

#include <algorithm>
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
  Exchange(const std::vector<For>& threads, const Analyzer& facts) : facts_(facts) {
    for (const For& loop : threads) {
      tags_.push_back(loop.thread);
      ranges_.emplace_back(loop.var, Range{loop.min, loop.extent});
    }
  }

  /// Whether what `writer` leaves in the memory is there for the threads of `user` that may look for it.
  bool keeps(const ThreadPart& writer, const ThreadPart& user, const ThreadMemory& memory) const {
    std::vector<std::size_t> axes;  // along which each has threads of its own
    for (std::size_t a = 0; a < tags_.size(); ++a) {
      if (memory.bound.contains(tags_[a])) continue;
      const bool by_writer = writer.bound.contains(tags_[a]), by_user = user.bound.contains(tags_[a]);
      if (by_writer && by_user)
        axes.push_back(a);
      else if (by_writer || (!writer.by_all && (by_user || user.by_all)))
        return false;
    }
    if (axes.empty()) return true;
    const auto all = conflicts_between(in_all_iterations(writer), in_all_iterations(user), ranges_, facts_);
    return std::none_of(all.begin(), all.end(), [&](const arith::Conflict& conflict) {
      return conflict.first.buffer->data == memory.data && meet_across_threads(conflict, axes);
    });
  }

 private:
  const Analyzer& facts_;
  std::vector<std::string> tags_;
  std::vector<arith::LoopRange> ranges_;
};

}  // namespace

void require_private(const std::vector<ThreadMemory>& memory, const std::vector<ThreadPart>& parts,
                     const std::vector<For>& threads, const arith::Analyzer& facts, const std::string& name) {
  const Exchange exchange(threads, facts);
  for (const ThreadMemory& one : memory)
    for (const ThreadPart& writer : parts) {
      if (!stores_to(writer.statement, one.data)) continue;
      for (const ThreadPart& user : parts)
        require(
            !arith::touches(user.statement, one.data) || exchange.keeps(writer, user, one),
            "lower {}: it is not proved that each thread reads of {}, in scope \"local\", only what it wrote "
            "itself; use scope \"shared\" where threads exchange values",
            name, one.data.name());
    }
}

}  // namespace ardea::lower
