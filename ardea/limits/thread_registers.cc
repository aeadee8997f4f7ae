#include "ardea/limits/thread_registers.h"

#include <algorithm>
#include <unordered_set>

#include "ardea/arith/inside.h"
#include "ardea/arith/pipelined_loops.h"
#include "ardea/ir/ceil_div.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/traverse.h"

namespace ardea::limits {

namespace {

using arith::Analyzer;

/// A statement of a pipelined loop: which iteration it is at work on, and its place among the others.
struct PipelinedStmt {
  Stmt stmt;
  std::int64_t stage = 0, place = 0;
};

/// What a pipelined loop allocates for its statements, and these.
struct PipelineBody {
  std::vector<const Allocate*> memory;
  std::vector<PipelinedStmt> statements;
};

std::optional<PipelineBody> pipeline_body(const For& loop) {
  const auto numbers = [&](const char* key) {
    const auto found = loop.annotations.find(key);
    return found == loop.annotations.end() ? std::nullopt : arith::numbers_of(found->second);
  };
  const auto stages = numbers(arith::pipeline_stage_key), order = numbers(arith::pipeline_order_key);
  if (!stages || !order) return std::nullopt;
  PipelineBody body;
  const Stmt* at = &loop.body;
  for (;;) {
    if (const auto* allocate = at->as<Allocate>()) {
      body.memory.push_back(allocate);
      at = &allocate->body;
    } else if (const auto* declare = at->as<DeclareBuffer>()) {
      at = &declare->body;
    } else {
      break;
    }
  }
  const auto* sequence = at->as<Seq>();
  if (sequence == nullptr || sequence->statements.size() != stages->size() || stages->size() != order->size())
    return std::nullopt;
  for (std::size_t i = 0; i < stages->size(); ++i)
    body.statements.push_back({sequence->statements[i], (*stages)[i], (*order)[i]});
  return body;
}

bool uses_memory(const Stmt& s, const Var& data) {
  const std::vector<Buffer> buffers = buffers_in(s);
  return std::any_of(buffers.begin(), buffers.end(), [&](const Buffer& b) { return b->data == data; });
}

/// Whether the memory holds something while the statement at that place runs.
bool is_live_at(const std::vector<PipelinedStmt>& users, std::int64_t place) {
  const auto by_stage = [](const PipelinedStmt& a, const PipelinedStmt& b) { return a.stage < b.stage; };
  const auto by_place = [](const PipelinedStmt& a, const PipelinedStmt& b) { return a.place < b.place; };
  const auto [first, last] = std::minmax_element(users.begin(), users.end(), by_stage);
  if (first->stage == last->stage) {
    const auto [begin, end] = std::minmax_element(users.begin(), users.end(), by_place);
    return begin->place <= place && place <= end->place;
  }
  // From where one iteration of the loop fills it to where a later one has used it.
  std::int64_t filled = first->place, used = last->place;
  for (const PipelinedStmt& user : users) {
    if (user.stage == first->stage) filled = std::min(filled, user.place);
    if (user.stage == last->stage) used = std::max(used, user.place);
  }
  return place >= filled || place <= used || last->stage > first->stage + 1;
}

class Registers {
 public:
  Registers(const std::vector<Memory>& memory, const target::Target& target, const Analyzer& facts)
      : target_(target), facts_(facts) {
    for (const Memory& one : memory) by_data_[one.data] = &one;
  }

  Expr in(const Stmt& s) const {
    const auto* loop = s.as<For>();
    if (const auto body = loop == nullptr ? std::nullopt : pipeline_body(*loop)) return in_pipeline(*body);
    Expr most = make_int(0);
    for_each_child(s, [](const Expr&) {}, [&](const Stmt& part) { most = larger(most, in(part)); });
    if (loop != nullptr && loop->kind == ForKind::virtual_thread)
      most = facts_.simplify(multiply_index(most, as_index(loop->extent)));
    const auto* allocate = s.as<Allocate>();
    return allocate == nullptr ? most : facts_.simplify(most + registers_of(*allocate));
  }

 private:
  Expr larger(const Expr& a, const Expr& b) const {
    if (facts_.proves(a <= b)) return b;
    return facts_.proves(b <= a) ? a : facts_.simplify(max(a, b));
  }

  /// What a thread has of it: a warp's buffers are spread over its threads.
  Expr registers_of(const Allocate& allocate) const {
    constexpr int register_bytes = 4;
    const auto rank = scope_rank(allocate.scope);
    if (rank != ScopeRank::warp && rank != ScopeRank::thread) return make_int(0);
    const std::int64_t sharers = rank == ScopeRank::warp ? target_.gpu->warp_threads : 1;
    return ceil_div(by_data_.at(allocate.data)->bytes, make_int(register_bytes * sharers));
  }

  Expr in_pipeline(const PipelineBody& body) const {
    Expr most = make_int(0);
    for (const PipelinedStmt& one : body.statements) {
      Expr sum = in(one.stmt);
      for (const Allocate* allocate : body.memory) {
        std::vector<PipelinedStmt> users;
        for (const PipelinedStmt& other : body.statements)
          if (uses_memory(other.stmt, allocate->data)) users.push_back(other);
        if (!users.empty() && is_live_at(users, one.place)) sum = sum + registers_of(*allocate);
      }
      most = larger(most, facts_.simplify(sum));
    }
    return most;
  }

  const target::Target& target_;
  const Analyzer& facts_;
  std::unordered_map<Var, const Memory*> by_data_;
};

}  // namespace

Expr thread_registers(const Function& f, const std::vector<Memory>& memory, const target::Target& target) {
  const Analyzer facts = arith::facts_of(f);
  return Registers(memory, target, facts).in(f.body);
}

}  // namespace ardea::limits
