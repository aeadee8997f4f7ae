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
  Stmt whole = substitute(part.statement, part.lets);
  for (const Stmt& around : std::views::reverse(part.around)) {
    if (const auto* loop = around.as<For>()) {
      For out = *loop;
      out.min = substitute(loop->min, part.lets);
      out.extent = substitute(loop->extent, part.lets);
      out.body = whole;
      whole = out;
    } else {
      whole = If{substitute(around.as<If>()->condition, part.lets), whole};
    }
  }
  return fresh_copy(whole);
}

/// Parts that the same threads do.
struct AlikeParts {
  const ThreadPart* first = nullptr;
  std::vector<Stmt> statements;  ///< in all their iterations
  std::optional<arith::AccessesInLoops> accesses;
};

class Exchange {
 public:
  Exchange(const std::vector<ThreadMemory>& memory, const std::vector<ThreadPart>& parts,
           const std::vector<For>& threads, const Analyzer& facts)
      : memory_(memory), facts_(facts) {
    for (const For& loop : threads) {
      tags_.push_back(loop.thread);
      ranges_.emplace_back(loop.var, Range{loop.min, loop.extent});
    }
    for (const ThreadPart& part : parts) {
      const auto is_like_it = [&](const AlikeParts& others) {
        return others.first->bound == part.bound && others.first->by_all == part.by_all;
      };
      if (std::none_of(parts_.begin(), parts_.end(), is_like_it)) parts_.push_back(AlikeParts{&part, {}, {}});
      std::find_if(parts_.begin(), parts_.end(), is_like_it)->statements.push_back(in_all_iterations(part));
    }
  }

  /// Memory of which a thread may look for something that another one has left there.
  const ThreadMemory* lost() {
    for (AlikeParts& writer : parts_)
      for (AlikeParts& user : parts_)
        if (const ThreadMemory* found = lost_between(writer, user)) return found;
    return nullptr;
  }

 private:
  const ThreadMemory* lost_between(AlikeParts& writer, AlikeParts& user) {
    std::optional<std::vector<arith::Conflict>> all;
    for (const ThreadMemory& memory : memory_) {
      const auto stores = [&](const Stmt& s) { return stores_to(s, memory.data); };
      const auto touches = [&](const Stmt& s) { return arith::touches(s, memory.data); };
      if (std::none_of(writer.statements.begin(), writer.statements.end(), stores) ||
          std::none_of(user.statements.begin(), user.statements.end(), touches))
        continue;
      const auto axes = axes_of_own_threads(*writer.first, *user.first, memory);
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

  const arith::AccessesInLoops& accesses(AlikeParts& parts) const {
    if (!parts.accesses)
      parts.accesses.emplace(arith::AccessesInLoops::distinct(
          make_seq(parts.statements), ranges_, facts_, [&](const Buffer& buffer) {
            return std::any_of(memory_.begin(), memory_.end(),
                               [&](const ThreadMemory& memory) { return memory.data == buffer->data; });
          }));
    return *parts.accesses;
  }

  const std::vector<ThreadMemory>& memory_;
  const Analyzer& facts_;
  std::vector<std::string> tags_;
  std::vector<arith::LoopRange> ranges_;
  std::vector<AlikeParts> parts_;
};

}  // namespace

void require_private(const std::vector<ThreadMemory>& memory, const std::vector<ThreadPart>& parts,
                     const std::vector<For>& threads, const arith::Analyzer& facts, const std::string& name) {
  const ThreadMemory* const lost = Exchange(memory, parts, threads, facts).lost();
  require(lost == nullptr,
          "lower {}: it is not proved that each thread reads of {}, in scope \"local\", only what it wrote "
          "itself; use scope \"shared\" where threads exchange values",
          name, lost == nullptr ? "" : lost->data.name());
}

}  // namespace ardea::lower
