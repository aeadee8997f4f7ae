#include "ardea/arith/canon.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/pipelined_loops.h"
#include "ardea/arith/regions.h"
#include "ardea/arith/regions_conditions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"

namespace ardea::arith {

namespace {

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

/// Buffers with shapes in normal form.
void simplify_shapes(Function& f, const Analyzer& facts) {
  std::unordered_map<Buffer, Buffer> simple;
  const auto add = [&](const Buffer& buffer) {
    BufferNode now = *buffer;
    bool changed = false;
    for (Expr& extent : now.shape) {
      const Expr before = std::exchange(extent, facts.simplify(extent));
      changed = changed || extent != before;
    }
    if (changed) simple.emplace(buffer, Buffer(std::move(now)));
  };
  for (const ardea::Parameter& parameter : f.parameters)
    if (parameter.buffer.defined()) add(parameter.buffer);
  visit_stmts(f.body, [&](const Stmt& part) {
    if (const auto* block = part.as<Block>())
      for (const Buffer& buffer : block->allocations) add(buffer);
  });
  if (simple.empty()) return;
  for (ardea::Parameter& parameter : f.parameters)
    if (const auto at = simple.find(parameter.buffer); at != simple.end()) parameter.buffer = at->second;
  f.body = substitute_buffers(f.body, simple);
}

/// Σ coefficient · variable + base, all of it numbers.
struct LinearSum {
  std::vector<std::pair<Var, std::int64_t>> terms;
  std::int64_t base = 0;

  Expr expr() const {
    Expr sum = make_int(base);
    for (const auto& [var, coefficient] : terms) sum = sum + make_int(coefficient) * as_index(var);
    return sum;
  }
};

std::optional<LinearSum> linear_sum(const Expr& e) {
  std::vector<LoopRange> variables;
  Substitution zeros;
  for (const Var& var : free_variables(e)) {
    variables.emplace_back(var, Range{make_const(0, var.type()), make_const(1, var.type())});
    zeros[var] = make_const(0, var.type());
  }
  const auto coefficients = linear_coefficients(e, variables, Analyzer());
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
  const ConstantBounds bounds = facts.constant_bounds(rest.expr());
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
  const Expr p = is_equality ? as_index(node->right) - as_index(node->left) : nonnegative_parts(condition)[0];
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
  const auto are_idle = [&](std::int64_t first, std::int64_t count) {
    Analyzer there = inside;
    there.bind(loop.var, {make_const(first, loop.var.type()), make_const(count, loop.var.type())});
    return is_zero(there.simplify(block->predicate));
  };
  // In steps that double as long as they lead through idle iterations only: there may be very many.
  std::int64_t useful = *extent;
  for (std::int64_t step = 1; useful > 0;) {
    step = std::min(step, useful);
    if (are_idle(useful - step, step)) {
      useful -= step;
      step *= 2;
    } else if (step == 1) {
      break;
    } else {
      step = 1;
    }
  }
  return useful == *extent ? loop.extent : make_const(useful, loop.var.type());
}

/// How conditions are written.
enum class Conditions : std::uint8_t {
  of_indices,  ///< over the indices that they guard, by which lowering knows what is left out
  in_few,      ///< in few and small numbers, in one order
};

/// Steps ask for the same more than once, and not always the strictest first.
void drop_implied(std::vector<Expr>& conditions, const Analyzer& facts) {
  for (std::size_t i = 0; conditions.size() > 1 && i < conditions.size();) {
    Analyzer known = facts;
    for (std::size_t other = 0; other < conditions.size(); ++other)
      if (other != i) known.assume(conditions[other]);
    if (known.proves(conditions[i]))
      conditions.erase(conditions.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
}

/// What is left of a predicate: a conjunction of conditions in normal form, without those that follow from
/// facts and the others.
Expr plain_predicate(const Expr& predicate, const Analyzer& facts, Conditions form) {
  Analyzer known = facts;
  std::vector<Expr> conditions;
  for (const Expr& part : conjuncts(predicate)) {
    Expr simple = known.simplify(part);
    if (form == Conditions::in_few) simple = divided(simple, known);
    if (is_true(simple)) continue;
    known.assume(simple);
    conditions.push_back(simple);
  }
  drop_implied(conditions, facts);
  if (form == Conditions::in_few)
    std::sort(conditions.begin(), conditions.end(),
              [](const Expr& a, const Expr& b) { return print(a) < print(b); });
  Expr all;
  for (const Expr& condition : conditions) all = all.defined() ? logical_and(all, condition) : condition;
  return all;
}

/// Blocks with plain predicates, loops that run no longer than there is something to do.
class PlainBlocks {
 public:
  explicit PlainBlocks(Conditions form) : form_(form) {}

  Stmt of(const Stmt& s, const Analyzer& facts) {
    if (const auto* loop = s.as<For>()) {
      Analyzer inside = facts;
      inside.bind(loop->var, {loop->min, loop->extent});
      For out = *loop;
      for (auto& [key, attribute] : out.annotations) simplify_attribute(attribute, facts);
      out.body = of(loop->body, inside);
      out.extent = useful_extent(out, facts);
      has_shortened_ = has_shortened_ || out.extent != loop->extent;
      return out;
    }
    if (const auto* block = s.as<Block>()) {
      Block out = *block;
      out.predicate = plain_predicate(block->predicate, facts, form_);
      for (auto& [key, attribute] : out.annotations) simplify_attribute(attribute, facts);
      out.body = of(block->body, facts_inside(*block, facts));
      return out;
    }
    return map_children(s, Mapper{.stmt = [&](const Stmt& part) { return of(part, facts); }});
  }

  bool has_shortened() const { return has_shortened_; }

 private:
  Conditions form_;
  bool has_shortened_ = false;
};

/// Sequences that stay as they are while a program changes: statements that each is a block of its own
/// neither join a sequence nor vanish.
class KeptSequences {
 public:
  KeptSequences(const Analyzer& facts, Conditions form)
      : facts_(facts), keeps_nests_(form == Conditions::of_indices) {}

  Stmt apart(const Stmt& s) {
    return rewrite(s, Rewriter{.stmt_after = [&](const Stmt& part) -> Stmt {
                     const auto* loop = part.as<For>();
                     const auto* sequence = loop == nullptr ? nullptr : loop->body.as<Seq>();
                     if (sequence == nullptr) return part;
                     For out = *loop;
                     if (is_pipeline(*loop)) {
                       Seq blocks;
                       for (const Stmt& one : sequence->statements)
                         blocks.statements.push_back(as_block(one, counted_));
                       out.body = std::move(blocks);
                       return out;
                     }
                     if (!keeps_nests_ || !is_one(facts_.simplify(loop->extent))) return part;
                     out.body = as_block(loop->body, nested_);
                     return out;
                   }});
  }

  /// A statement of a pipeline that has become several, or none, stays a block.
  Stmt joined(const Stmt& s) const {
    if (counted_.empty() && nested_.empty()) return s;
    return rewrite(s, Rewriter{.stmt_after = [&](const Stmt& part) -> Stmt {
                     const auto* block = part.as<Block>();
                     if (block == nullptr) return part;
                     if (nested_.contains(block->id)) return block->body;
                     if (!counted_.contains(block->id)) return part;
                     return block->body.is<Seq>() || is_no_op(block->body) ? part : block->body;
                   }});
  }

 private:
  static bool is_pipeline(const For& loop) {
    return loop.annotations.contains(pipeline_stage_key) || loop.annotations.contains(pipeline_order_key);
  }

  static Stmt as_block(const Stmt& s, std::unordered_set<BlockId>& own) {
    Block block{.name = "part", .body = s};
    own.insert(block.id);
    return block;
  }

  const Analyzer& facts_;
  const bool keeps_nests_;
  std::unordered_set<BlockId> counted_;  ///< of pipelines, whose stages count them
  /// Of loops of one iteration: memory that is used there only is allocated there, however little of a loop
  /// is left.
  std::unordered_set<BlockId> nested_;
};

}  // namespace

namespace {

Function in_form(const Function& f, Conditions form) {
  Function out = f;
  const Analyzer facts = facts_of(f);
  simplify_shapes(out, facts);
  KeptSequences sequences(facts, form);
  out.body = sequences.apart(out.body);
  // A loop less may show that a condition holds, and a condition that a loop need not run so long.
  for (int round = 0; round < 4; ++round) {
    PlainBlocks plain(form);
    out.body = simplify(without_unit_iterators(out.body, facts), facts, /*drop_unit_loops=*/true);
    out.body = plain.of(out.body, facts);
    if (!plain.has_shortened()) break;
  }
  out.body = sequences.joined(out.body);
  return out;
}

}  // namespace

Function simple_form(const Function& f) { return in_form(f, Conditions::of_indices); }

Function canon(const Function& f) {
  Function out = in_form(f, Conditions::in_few);
  out.body = rewrite(out.body, Rewriter{.stmt_after = [](const Stmt& part) -> Stmt {
                       const auto* block = part.as<Block>();
                       const bool is_root =
                           block != nullptr && block->iterators.empty() && block->name == "root";
                       if (block == nullptr || is_root) return part;
                       Block open = *block;
                       open.reads.reset();
                       open.writes.reset();
                       return open;
                     }});
  return complete_regions(out);
}

Function with_numbers(const Function& f, const std::unordered_map<Var, std::int64_t>& numbers) {
  Substitution values;
  for (const auto& [var, number] : numbers) values[var] = make_int(number, var.type());
  Function out = f;
  std::erase_if(out.parameters, [&](const ardea::Parameter& p) { return values.contains(p.var); });
  out.assumptions.clear();
  for (const Expr& condition : f.assumptions) {
    const Expr now = Analyzer().simplify(substitute(condition, values));
    require(!is_zero(now), "{}: the numbers do not fulfil {}", f.name, print(condition));
    if (!is_true(now)) out.assumptions.push_back(now);
  }
  return substitute(out, values);
}

}  // namespace ardea::arith
