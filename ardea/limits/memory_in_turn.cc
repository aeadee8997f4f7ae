#include "ardea/limits/memory_in_turn.h"

#include <algorithm>
#include <unordered_map>

#include "ardea/arith/allocation_site.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"

namespace ardea::limits {

namespace {

class Finding {
 public:
  void visit(const Stmt& s, const Spans& around) {
    if (const auto* sequence = s.as<Seq>()) {
      Spans inside = around;
      inside.push_back({number_of(s), 0, 0});
      for (const Stmt& part : sequence->statements) {
        visit(part, inside);
        inside.back().first = ++inside.back().last;
      }
      return;
    }
    const auto* allocate = s.as<Allocate>();
    if (allocate != nullptr && scope_rank(allocate->scope) == ScopeRank::block) {
      found_.push_back({*allocate, around});
      add_spans(allocate->body, allocate->data, found_.back().spans);
    }
    for_each_child(
        s, [](const Expr&) {},
        [&](const Stmt& part) {
          if (part.defined()) visit(part, around);
        });
  }

  std::vector<NeededMemory> take() {
    std::vector<Spans> all;
    for (const NeededMemory& one : found_) all.push_back(one.spans);
    for (NeededMemory& one : found_)
      std::erase_if(one.spans, [&](const SequenceSpan& span) {
        return std::none_of(all.begin(), all.end(),
                            [&](const Spans& others) { return are_apart({span}, others); });
      });
    return std::move(found_);
  }

 private:
  std::int64_t number_of(const Stmt& sequence) {
    return numbers_.try_emplace(sequence, static_cast<std::int64_t>(numbers_.size())).first->second;
  }

  /// The parts of the sequences below in which the memory is touched, as far as there is no loop.
  void add_spans(Stmt s, const Var& data, Spans& spans) {
    for (;;) {
      if (const auto* declare = s.as<DeclareBuffer>()) {
        s = Stmt(declare->body);
      } else if (const auto* allocate = s.as<Allocate>()) {
        s = Stmt(allocate->body);
      } else if (const auto* let = s.as<LetStmt>(); let != nullptr && !uses(let->value, data)) {
        s = Stmt(let->body);
      } else if (const auto* loop = s.as<For>();
                 loop != nullptr && loop->kind == ForKind::thread_binding && !loop->thread.empty()) {
        s = Stmt(loop->body);
      } else if (const auto* sequence = s.as<Seq>()) {
        const auto span = span_of(*sequence, data);
        if (!span) return;
        spans.push_back({number_of(s), span->first, span->last});
        if (span->first != span->last) return;
        s = Stmt(sequence->statements[static_cast<std::size_t>(span->first)]);
      } else {
        return;
      }
    }
  }

  static std::optional<SequenceSpan> span_of(const Seq& sequence, const Var& data) {
    std::optional<SequenceSpan> span;
    for (std::size_t i = 0; i < sequence.statements.size(); ++i) {
      if (!arith::touches(sequence.statements[i], data)) continue;
      const auto at = static_cast<std::int64_t>(i);
      span = {0, span ? span->first : at, at};
    }
    return span;
  }

  std::vector<NeededMemory> found_;
  std::unordered_map<Stmt, std::int64_t> numbers_;
};

}  // namespace

bool are_apart(const Spans& a, const Spans& b) {
  return std::any_of(a.begin(), a.end(), [&](const SequenceSpan& one) {
    return std::any_of(b.begin(), b.end(), [&](const SequenceSpan& other) {
      return one.sequence == other.sequence && (one.last < other.first || other.last < one.first);
    });
  });
}

std::vector<NeededMemory> memory_in_turn(const Stmt& s) {
  Finding finding;
  finding.visit(s, {});
  return finding.take();
}

}  // namespace ardea::limits
