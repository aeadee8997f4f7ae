#include "ardea/schedule/canon.h"

#include <algorithm>
#include <numeric>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/regions.h"
#include "ardea/arith/regions_conditions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;

/// Blocks without iterators of one value.
Stmt without_unit_iterators(const Stmt& s, const Analyzer& facts) {
  Rewriter rewriter;
  rewriter.stmt_after = [&](const Stmt& part) -> Stmt {
    const auto* block = part.as<Block>();
    if (block == nullptr) return part;
    Substitution values;
    Block out = *block;
    std::erase_if(out.iterators, [&](const BlockIterator& iterator) {
      const bool is_unit = facts.proves(equals(iterator.domain.extent, make_const(1, iterator.var.type())));
      if (is_unit) values[iterator.var] = make_cast(iterator.var.type(), iterator.domain.min);
      return is_unit;
    });
    return values.empty() ? part : substitute(Stmt(std::move(out)), values);
  };
  return rewrite(s, rewriter);
}

/// Allocated buffers with shapes in normal form.
Stmt with_simple_shapes(const Stmt& s, const Analyzer& facts) {
  std::unordered_map<Buffer, Buffer> simple;
  visit_stmts(s, [&](const Stmt& part) {
    const auto* block = part.as<Block>();
    if (block == nullptr) return;
    for (const Buffer& buffer : block->allocations) {
      BufferNode now = *buffer;
      for (Expr& extent : now.shape) extent = facts.simplify(extent);
      simple.emplace(buffer, Buffer(std::move(now)));
    }
  });
  return substitute_buffers(s, simple);
}

/// The comparison divided by what divides all its terms: i * 4 == 0 as i == 0, i * 4 < 30 as i < 8.
Expr divided(const Expr& condition, const Analyzer& facts) {
  const auto* node = condition.as<Binary>();
  const bool is_equality = node != nullptr && node->op == BinaryOp::eq;
  const bool compares =
      is_equality || (node != nullptr && (node->op == BinaryOp::lt || node->op == BinaryOp::le ||
                                          node->op == BinaryOp::gt || node->op == BinaryOp::ge));
  if (!compares || !node->left.type().is_integer() || !node->left.type().is_scalar()) return condition;
  // 0 <= p, or 0 == p
  const std::vector<Expr> parts = arith::nonnegative_parts(condition);
  if (parts.empty()) return condition;
  std::vector<arith::LoopRange> variables;
  Substitution zeros;
  for (const Var& var : free_variables(parts[0])) {
    variables.emplace_back(var, Range{make_const(0, var.type()), make_const(1, var.type())});
    zeros[var] = make_const(0, var.type());
  }
  const auto coefficients = arith::linear_coefficients(parts[0], variables, Analyzer());
  const auto base = constant_int(Analyzer().simplify(substitute(parts[0], zeros)));
  if (!coefficients || !base) return condition;
  std::int64_t content = 0;
  for (const Expr& coefficient : *coefficients) {
    const auto number = constant_int(coefficient);
    if (!number) return condition;
    content = std::gcd(content, *number);
  }
  if (content == 0 || (is_equality && *base % content != 0)) return condition;
  Expr sum = floor_div(make_int(*base), make_int(content));
  for (std::size_t i = 0; i < variables.size(); ++i)
    sum = sum + make_int(*constant_int((*coefficients)[i]) / content) * arith::as_index(variables[i].first);
  sum = facts.simplify(sum);
  return facts.simplify(is_equality ? equals(sum, make_int(0)) : sum >= make_int(0));
}

/// Predicates as conjunctions of conditions in normal form, without those that hold; regions left open.
Stmt with_plain_blocks(const Stmt& s, const Analyzer& facts) {
  if (const auto* loop = s.as<For>()) {
    Analyzer inside = facts;
    inside.bind(loop->var, {loop->min, loop->extent});
    For out = *loop;
    out.body = with_plain_blocks(loop->body, inside);
    return out;
  }
  if (const auto* block = s.as<Block>()) {
    Block out = *block;
    Analyzer known = facts;
    std::vector<Expr> conditions;
    for (const Expr& part : arith::conjuncts(block->predicate)) {
      const Expr simple = divided(known.simplify(part), known);
      if (is_true(simple)) continue;
      known.assume(simple);
      conditions.push_back(simple);
    }
    std::sort(conditions.begin(), conditions.end(),
              [](const Expr& a, const Expr& b) { return print(a) < print(b); });
    out.predicate = {};
    for (const Expr& condition : conditions)
      out.predicate = out.predicate.defined() ? logical_and(out.predicate, condition) : condition;
    out.body = with_plain_blocks(block->body, arith::facts_inside(*block, facts));
    const bool is_root = block->iterators.empty() && block->name == "root";
    if (!is_root) {
      out.reads.reset();
      out.writes.reset();
    }
    return out;
  }
  return map_children(s, Mapper{.stmt = [&](const Stmt& part) { return with_plain_blocks(part, facts); }});
}

}  // namespace

Function canon(const Function& f) {
  Function out = f;
  const Analyzer facts = arith::facts_of(f);
  out.body = with_simple_shapes(out.body, facts);
  // A loop or an iterator less may show that a condition holds, and the reverse.
  for (int round = 0; round < 4; ++round) {
    const Stmt before = out.body;
    out.body = arith::simplify(without_unit_iterators(out.body, facts), facts, /*drop_unit_loops=*/true);
    out.body = with_plain_blocks(out.body, facts);
    if (structurally_equal(before, out.body)) break;
  }
  return arith::complete_regions(out);
}

Function with_numbers(const Function& f, const std::vector<std::pair<Var, std::int64_t>>& numbers) {
  Substitution values;
  for (const auto& [var, number] : numbers) values[var] = make_int(number, var.type());
  Function out = f;
  std::erase_if(out.parameters, [&](const ardea::Parameter& p) { return values.contains(p.var); });
  out.assumptions.clear();
  for (const Expr& condition : f.assumptions) {
    const Expr now = arith::Analyzer().simplify(substitute(condition, values));
    require(!is_zero(now), "{}: the numbers do not fulfil {}", f.name, print(condition));
    if (!is_true(now)) out.assumptions.push_back(now);
  }
  return substitute(out, values);
}

}  // namespace ardea::schedule
