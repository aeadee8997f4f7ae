#include "ardea/schedule/canon.h"

#include <algorithm>
#include <cstdlib>
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

Attribute with_simple_numbers(const Attribute& attribute, const Analyzer& facts) {
  if (const auto* value = std::get_if<Expr>(&attribute.value))
    return {value->defined() && value->type().is_integer() && !value->is<IntImm>() ? facts.simplify(*value)
                                                                                   : *value};
  std::vector<Attribute> items;
  for (const Attribute& item : std::get<std::vector<Attribute>>(attribute.value))
    items.push_back(with_simple_numbers(item, facts));
  return {std::move(items)};
}

/// The numbers in annotations of blocks in normal form, as the strides that storage_align asks for.
Stmt with_simple_annotations(const Stmt& s, const Analyzer& facts) {
  return rewrite(s, Rewriter{.stmt_after = [&](const Stmt& part) -> Stmt {
                   const auto* block = part.as<Block>();
                   if (block == nullptr || block->annotations.empty()) return part;
                   Block now = *block;
                   for (auto& [key, value] : now.annotations) value = with_simple_numbers(value, facts);
                   return Stmt(std::move(now));
                 }});
}

/// Σ coefficient · variable + base, all of it numbers.
struct LinearSum {
  std::vector<std::pair<Var, std::int64_t>> terms;
  std::int64_t base = 0;

  Expr expr() const {
    Expr sum = make_int(base);
    for (const auto& [var, coefficient] : terms) sum = sum + make_int(coefficient) * arith::as_index(var);
    return sum;
  }
};

std::optional<LinearSum> linear_sum(const Expr& e) {
  std::vector<arith::LoopRange> variables;
  Substitution zeros;
  for (const Var& var : free_variables(e)) {
    variables.emplace_back(var, Range{make_const(0, var.type()), make_const(1, var.type())});
    zeros[var] = make_const(0, var.type());
  }
  const auto coefficients = arith::linear_coefficients(e, variables, Analyzer());
  const auto base = constant_int(Analyzer().simplify(substitute(e, zeros)));
  if (!coefficients || !base) return std::nullopt;
  LinearSum sum{{}, *base};
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto number = constant_int((*coefficients)[i]);
    if (!number) return std::nullopt;
    if (*number != 0) sum.terms.emplace_back(variables[i].first, *number);
  }
  return sum;
}

/// floor(sum / unit), where the terms that `unit` does not divide, and the base, never reach the next
/// multiple of it: with sum = unit · X + R and floor(R / unit) = q for the least and the greatest R, it is X
/// + q.
std::optional<LinearSum> quotient(const LinearSum& sum, std::int64_t unit, const Analyzer& facts) {
  LinearSum whole, rest{{}, sum.base};
  for (const auto& [var, coefficient] : sum.terms) {
    if (coefficient % unit == 0)
      whole.terms.emplace_back(var, coefficient / unit);
    else
      rest.terms.emplace_back(var, coefficient);
  }
  if (whole.terms.empty()) return std::nullopt;
  const arith::ConstantBounds bounds = facts.constant_bounds(rest.expr());
  if (!bounds.low || !bounds.high) return std::nullopt;
  const auto divided = [&](std::int64_t number) {
    return *constant_int(Analyzer().simplify(floor_div(make_int(number), make_int(unit))));
  };
  whole.base = divided(*bounds.low);
  return whole.base == divided(*bounds.high) ? std::optional(whole) : std::nullopt;
}

/// sum >= 0 divided by the largest number for which that leaves digits out: p >= 0 is floor(p / m) >= 0. With
/// i in [0, 4), o * 4 + i < 32 is o < 8, and o * 4 + i < 30 stays.
LinearSum without_digits(LinearSum sum, const Analyzer& facts) {
  std::vector<std::int64_t> units;
  for (const auto& [var, coefficient] : sum.terms) units.push_back(std::abs(coefficient));
  std::sort(units.rbegin(), units.rend());
  for (const std::int64_t unit : units)
    if (unit > 1)
      if (auto less = quotient(sum, unit, facts)) return without_digits(*std::move(less), facts);
  return sum;
}

/// The comparison in few and small numbers: i * 4 == 0 as i == 0, i * 4 < 30 as i < 8.
Expr divided(const Expr& condition, const Analyzer& facts) {
  const auto* node = condition.as<Binary>();
  if (node == nullptr || !is_comparison(node->op) || !node->left.type().is_integer() ||
      !node->left.type().is_scalar())
    return condition;
  const bool is_equality = node->op == BinaryOp::eq || node->op == BinaryOp::ne;
  // 0 <= p, or 0 == p
  const Expr p = is_equality ? arith::as_index(node->right) - arith::as_index(node->left)
                             : arith::nonnegative_parts(condition)[0];
  auto sum = linear_sum(p);
  if (!sum || sum->terms.empty()) return condition;
  std::int64_t content = 0;
  for (const auto& [var, coefficient] : sum->terms) content = std::gcd(content, coefficient);
  if (is_equality) {
    if (sum->base % content != 0) return condition;
    sum->base /= content;
    for (auto& [var, coefficient] : sum->terms) coefficient /= content;
    return facts.simplify(make_binary(node->op, sum->expr(), make_int(0)));
  }
  if (const auto less = quotient(*sum, content, facts)) sum = less;
  return facts.simplify(without_digits(*sum, facts).expr() >= make_int(0));
}

/// Numbers among annotations in normal form.
void simplify_attribute(Attribute& attribute, const Analyzer& facts) {
  if (auto* list = std::get_if<std::vector<Attribute>>(&attribute.value)) {
    for (Attribute& item : *list) simplify_attribute(item, facts);
    return;
  }
  Expr& value = std::get<Expr>(attribute.value);
  if (value.type().is_integer()) value = facts.simplify(value);
}

/// How often the loop runs before what is inside, one block under loops, never has anything to do again: a
/// tile that is longer than the whole may be cut, or guarded.
Expr useful_extent(const For& loop, Analyzer inside) {
  const auto extent = constant_int(loop.extent);
  if (loop.kind != ForKind::serial || !extent || !is_zero(loop.min)) return loop.extent;
  Stmt body = loop.body;
  while (const auto* inner = body.as<For>()) {
    inside.bind(inner->var, {inner->min, inner->extent});
    body = inner->body;
  }
  const auto* block = body.as<Block>();
  if (block == nullptr || !block->predicate.defined()) return loop.extent;
  const auto is_idle = [&](std::int64_t iteration) {
    const Expr number = make_const(iteration, loop.var.type());
    return is_zero(inside.simplify(substitute(block->predicate, {{loop.var, number}})));
  };
  std::int64_t useful = *extent;
  while (useful > 0 && is_idle(useful - 1)) --useful;
  return make_const(useful, loop.var.type());
}

/// Predicates as conjunctions of conditions in normal form, without those that hold; regions left open.
Stmt with_plain_blocks(const Stmt& s, const Analyzer& facts) {
  if (const auto* loop = s.as<For>()) {
    Analyzer inside = facts;
    inside.bind(loop->var, {loop->min, loop->extent});
    For out = *loop;
    for (auto& [key, attribute] : out.annotations) simplify_attribute(attribute, facts);
    out.body = with_plain_blocks(loop->body, inside);
    out.extent = useful_extent(out, facts);
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
  out.body = with_simple_annotations(with_simple_shapes(out.body, facts), facts);
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
