#include "ardea/limits/steps.h"

#include <algorithm>
#include <bit>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/pipelined_loops.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/traverse.h"
#include "ardea/limits/lane_counts.h"

namespace ardea::limits {

namespace {

using arith::Analyzer;

Expr larger(const Expr& a, const Expr& b, const Analyzer& facts) {
  if (facts.proves(a <= b)) return b;
  return facts.proves(b <= a) ? a : facts.simplify(max(a, b));
}

/// How often the body of a vectorized loop is written. Registers have no index: there every vector is.
Expr vectors_in(const For& loop, const target::Target& target, bool each) {
  const int bits = lane_bits(loop.body, target);
  const bool all = each || uses_registers(loop.body);
  if (const auto extent = constant_int(loop.extent)) {
    if (*extent < 1) return make_int(1);
    std::int64_t copies = 0;
    const Rest rest = rest_of(loop.body, bits, target);
    for (const LanePiece& piece : lane_pieces(*extent, bits, width_of(loop, target), rest, target))
      copies += piece.rounds > most_vector_copies && !all ? 1 : piece.rounds;
    return make_int(copies);
  }
  // The rest of a register is at most one vector of each power of two.
  const auto lanes = static_cast<unsigned>(register_lanes(bits, target));
  const Expr whole = floor_div(as_index(loop.extent), make_int(lanes)),
             rest = make_int(std::bit_width(lanes) - 1);
  return min(as_index(loop.extent), (all ? whole : min(whole, make_int(most_vector_copies))) + rest);
}

std::int64_t copies_in_pipeline(const For& loop) {
  const auto stages = loop.annotations.find(arith::pipeline_stage_key);
  if (stages == loop.annotations.end()) return 1;
  const std::vector<std::int64_t> numbers = *arith::numbers_of(stages->second);
  const auto [first, last] = std::minmax_element(numbers.begin(), numbers.end());
  return numbers.empty() ? 1 : *last - *first + 1;
}

/// Of steps, of steps with each vector of a loop by itself, or of all statements, loops and conditions among
/// them.
enum class Counted { steps, vectors, statements };

class Count {
 public:
  Count(const target::Target& target, const Analyzer& facts, Counted counted = Counted::steps)
      : target_(target),
        facts_(facts),
        around_(counted == Counted::statements ? 1 : 0),
        each_vector_(counted == Counted::vectors) {}

  Expr of(const Stmt& s) {
    if (is_step(s)) return make_int(1);
    if (const auto* loop = s.as<For>()) return facts_.simplify(add_index(of_loop(*loop), make_int(around_)));
    Expr steps = make_int(around_);
    for_each_child(s, [](const Expr&) {}, [&](const Stmt& part) { steps = add_index(steps, of(part)); });
    return facts_.simplify(steps);
  }

  /// The largest of an unrolled loop so far.
  const Expr& unrolled() const { return unrolled_; }

 private:
  Expr of_loop(const For& loop) {
    const std::int64_t around = automatic_;
    automatic_ = integer_attribute(loop.annotations, auto_unroll_key, automatic_);
    const Expr body = of(loop.body), extent = as_index(loop.extent);
    Expr steps = multiply_index(make_int(copies_in_pipeline(loop)), body);
    if (loop.kind == ForKind::unrolled) {
      steps = multiply_index(extent, larger(body, make_int(1), facts_));
      unrolled_ = larger(unrolled_, facts_.simplify(steps), facts_);
    } else if (loop.kind == ForKind::vectorized) {
      steps = multiply_index(vectors_in(loop, target_, each_vector_), body);
    } else if (loop.kind == ForKind::serial && automatic_ > 0) {
      const Expr most = min(multiply_index(extent, body), make_int(automatic_));
      steps = larger(steps, facts_.simplify(most), facts_);
    }
    automatic_ = around;
    return facts_.simplify(steps);
  }

  const target::Target& target_;
  const Analyzer& facts_;
  const std::int64_t around_;  ///< what a statement counts that is no step
  const bool each_vector_;
  std::int64_t automatic_ = 0;  ///< nests of up to so many steps are unrolled without a mark
  Expr unrolled_ = make_int(0);
};

/// Tests that operands of instructions lie in memory are proved in nearly all programs, and go.
Stmt without_tests(const Stmt& s) {
  return rewrite(s, Rewriter{.stmt_after = [](const Stmt& x) -> Stmt {
                   const auto* branch = x.as<If>();
                   const auto* evaluate = branch != nullptr ? branch->then_case.as<Evaluate>() : nullptr;
                   const auto* call = evaluate != nullptr ? evaluate->value.as<Call>() : nullptr;
                   return call != nullptr && call->op->name == "fail" ? Evaluate{make_int(0)} : x;
                 }});
}

/// Whether lowering may cut a loop of s, where a condition inside is decided.
bool has_guards(const Stmt& s) {
  bool found = false;
  visit_stmts(s, [&](const Stmt& part) { found = found || part.is<If>(); });
  visit_exprs(s, [&](const Expr& e) {
    const auto* binary = e.as<Binary>();
    const auto* call = e.as<Call>();
    found = found || e.is<Select>() || (call != nullptr && call->op->name == "if_then_else") ||
            (binary != nullptr && (binary->op == BinaryOp::min || binary->op == BinaryOp::max));
  });
  return found;
}

Expr unrolled_in(const Stmt& s, const Analyzer& facts) {
  Expr most = make_int(1);
  for_each_child(
      s, [](const Expr&) {}, [&](const Stmt& part) { most = larger(most, unrolled_in(part, facts), facts); });
  const auto* loop = s.as<For>();
  if (loop == nullptr || loop->kind != ForKind::unrolled) return most;
  return facts.simplify(multiply_index(as_index(loop->extent), most));
}

/// Outermost loops are cut one by one. What grows is counted in statements: a cut copies steps that stand in
/// few loops more often than it does those around them.
Expr with_tails(const Stmt& s, const target::Target& target, const Analyzer& facts) {
  if (s.is<For>() || is_step(s)) {
    if (!has_guards(s)) return Count(target, facts).of(s);
    return multiply_index(make_int(most_growth), Count(target, facts, Counted::statements).of(s));
  }
  Expr steps = make_int(0);
  for_each_child(
      s, [](const Expr&) {},
      [&](const Stmt& part) { steps = add_index(steps, with_tails(part, target, facts)); });
  return facts.simplify(steps);
}

}  // namespace

bool is_step(const Stmt& s) { return s.is<Store>() || s.is<Assert>() || (s.is<Evaluate>() && !is_no_op(s)); }

Expr unrolled_iterations(const Function& f) { return unrolled_in(f.body, arith::facts_of(f)); }

Expr written_steps(const Stmt& s, const target::Target& target, const Analyzer& facts) {
  return Count(target, facts).of(s);
}

Expr written_vectors(const Stmt& s, const target::Target& target, const Analyzer& facts) {
  return Count(target, facts, Counted::vectors).of(s);
}

Expr unrolled_steps(const Function& f, const target::Target& target) {
  const Analyzer facts = arith::facts_of(f);
  Count count(target, facts);
  count.of(without_tests(f.body));
  return count.unrolled();
}

Expr code_steps(const Function& f, const target::Target& target) {
  return with_tails(without_tests(f.body), target, arith::facts_of(f));
}

}  // namespace ardea::limits
