#include <algorithm>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/parse_shared.h"
#include "ardea/support/text.h"
#include "ardea/te/hybrid_fold.h"
#include "ardea/te/hybrid_parser.h"

namespace ardea::te {

namespace {

std::optional<bool> constant_bool(const Operand& operand) {
  if (!operand.typed() || operand.expr.type() != boolean) return std::nullopt;
  const auto value = constant_int(operand.expr);
  return value ? std::optional(*value != 0) : std::nullopt;
}

/// `and` and `or` where the left side decides, or leaves it to the right one.
std::optional<Operand> fold_logical(BinaryOp op, const Operand& left, const Operand& right) {
  if (op != BinaryOp::logical_and && op != BinaryOp::logical_or) return std::nullopt;
  const std::optional<bool> known = constant_bool(left);
  if (!known || !right.typed() || right.expr.type() != boolean) return std::nullopt;
  return *known == (op == BinaryOp::logical_and) ? right : left;
}

}  // namespace

Operand HybridParser::node(const Token& at, const std::vector<Operand>& parts,
                           const std::function<Expr()>& make) {
  int depth = 0;
  for (const Operand& part : parts) depth = std::max(depth, part.depth);
  if (depth >= deepest_expression)
    tokens_.fail_at(at, fmt::format("the expression is deeper than {} operations; store a part of it in a "
                                    "variable",
                                    deepest_expression));
  return {tokens_.located(at, make), {}, depth + 1};
}

Expr HybridParser::met(const Operand& operand, DataType type) const {
  const auto choice = operand.typed() ? choices_.find(operand.expr) : choices_.end();
  if (choice == choices_.end() || operand.expr.type() == type) return laws_.meet(operand, type);
  const Expr when_true = met(choice->second.when_true, type),
             when_false = met(choice->second.when_false, type);
  if (when_true.type() != type || when_false.type() != type) return operand.expr;
  return make_call("if_then_else", {choice->second.condition, when_true, when_false});
}

DataType HybridParser::common_type(const std::vector<Operand>& operands) const {
  std::vector<Operand> firm;
  for (const Operand& operand : operands)
    if (operand.typed() && !choices_.contains(operand.expr)) firm.push_back(operand);
  return laws_.common_type(firm.empty() ? operands : firm);
}

std::vector<Expr> HybridParser::unified(const std::vector<Operand>& operands) const {
  const DataType type = common_type(operands);
  std::vector<Expr> all;
  for (const Operand& operand : operands) all.push_back(met(operand, type));
  return all;
}

Expr HybridParser::settled(const Token& at, const Operand& operand) const {
  return tokens_.located(at, [&] { return laws_.settle(operand); });
}

Expr HybridParser::condition(std::string_view what) {
  const Token& at = tokens_.peek();
  Expr value = settled(at, expression());
  if (value.type() != boolean)
    tokens_.fail_at(at, fmt::format("{}: the condition is {}, must be a bool; compare it, as in x != 0", what,
                                    to_string(value.type())));
  return value;
}

std::int64_t HybridParser::constant(const Token& at, std::string_view what) {
  const Operand value = expression();
  std::optional<std::int64_t> number;
  if (value.bare)
    number = integer_of(*value.bare);
  else if (value.expr.type().is_integer())
    number = constant_int(arith::Analyzer().simplify(value.expr));
  if (!number)
    tokens_.fail_at(at, fmt::format("{} must be a constant integer: a number, a variable of const_range, or "
                                    "an argument that is a number",
                                    what));
  return *number;
}

// x if c else y
Operand HybridParser::expression() {
  Operand value = binary(1);
  const Token& at = tokens_.peek();
  if (!tokens_.take("if")) return value;
  const Operand test = binary(1);
  tokens_.expect("else");
  const Opened nested(nesting_);
  return chosen(at, test, value, expression());
}

Operand HybridParser::chosen(const Token& at, const Operand& condition, const Operand& when_true,
                             const Operand& when_false) {
  if (const auto known = constant_bool(condition)) return *known ? when_true : when_false;
  const auto waits = [&](const Operand& side) { return side.bare || choices_.contains(side.expr); };
  Expr test;
  Operand choice = node(at, {condition, when_true, when_false}, [&] {
    test = laws_.settle(condition);
    const std::vector<Expr> sides = unified({when_true, when_false});
    require(test.type() == boolean, "if: the condition is {}, must be a bool; compare it, as in x != 0",
            to_string(test.type()));
    require(sides[0].type() == sides[1].type(), "if … else: the sides are {} and {}; cast one of them",
            to_string(sides[0].type()), to_string(sides[1].type()));
    return make_call("if_then_else", {test, sides[0], sides[1]});
  });
  if (waits(when_true) && waits(when_false)) choices_[choice.expr] = {test, when_true, when_false};
  return choice;
}

Operand HybridParser::combined(const Token& at, BinaryOp op, const Operand& left, const Operand& right) {
  if (left.bare && right.bare)
    if (const auto folded = tokens_.located(at, [&] { return fold(op, *left.bare, *right.bare); }))
      return *folded;
  if (const auto folded = fold_logical(op, left, right)) return *folded;
  return node(at, {left, right}, [&] {
    std::vector<Expr> sides = unified({left, right});
    const DataType a = sides[0].type(), b = sides[1].type();
    if (a != b && (a.is_float() || b.is_float()))
      fail("{}: the sides are {} and {}; cast one of them, as in {}(…)", at.text, to_string(a), to_string(b),
           to_string(a.is_float() ? a : b));
    return make_binary(op, std::move(sides[0]), std::move(sides[1]));
  });
}

Operand HybridParser::binary(int lowest) {
  Operand left = unary();
  std::optional<Operand> compared;  // the right side of a comparison just read: a < b < c
  for (;;) {
    const Token& at = tokens_.peek();
    const OperatorRow* row = find_operator(at);
    if (row == nullptr || row->level < lowest) return left;
    tokens_.next();
    const Operand right = binary(row->level + 1);
    if (row->level != comparison_level) {
      left = combined(at, row->op, left, right);
      compared.reset();
      continue;
    }
    const Operand link = combined(at, row->op, compared ? *compared : left, right);
    left = compared ? combined(at, BinaryOp::logical_and, left, link) : link;
    compared = right;
  }
}

Operand HybridParser::unary() {
  const Token& at = tokens_.peek();
  const Opened nested(nesting_);
  if (nesting_ > deepest_nesting)
    tokens_.fail_at(at,
                    fmt::format("more than {} brackets and prefix operators are open here", deepest_nesting));
  if (tokens_.take("not")) {
    const Operand operand = binary(comparison_level);
    if (const auto known = constant_bool(operand)) return {make_bool(!*known)};
    return node(at, {operand}, [&] { return make_unary(UnaryOp::logical_not, laws_.settle(operand)); });
  }
  if (tokens_.take("-")) {
    Operand operand = unary();
    if (operand.typed())
      return node(at, {operand}, [&] { return make_unary(UnaryOp::negate, operand.expr); });
    operand.bare->negative = !operand.bare->negative;
    return operand;
  }
  if (tokens_.take("+")) return unary();
  if (tokens_.take("~")) {
    const Operand operand = unary();
    return node(at, {operand}, [&] { return make_unary(UnaryOp::bit_not, laws_.settle(operand)); });
  }
  return power();
}

// -x ** 2 is -(x ** 2), and x ** -y and x ** y ** z are x ** (…)
Operand HybridParser::power() {
  Operand base = primary();
  const Token& at = tokens_.peek();
  if (!tokens_.take("**")) return base;
  return raised(at, base, unary());
}

Operand HybridParser::raised(const Token& at, const Operand& base, const Operand& exponent) {
  if (base.bare && exponent.bare)
    return tokens_.located(at, [&] { return fold_power(*base.bare, *exponent.bare); });
  if (!base.typed() || !base.expr.type().is_integer())
    return node(at, {base, exponent}, [&] {
      const std::vector<Expr> sides = unified({base, exponent});
      require(sides[0].type().is_float() && sides[0].type() == sides[1].type(),
              "{}: the sides are {} and {}, must be floats of one type, or an integer and a constant; cast "
              "them, as in float32(…)",
              at.text, to_string(sides[0].type()), to_string(sides[1].type()));
      return make_call("pow", sides);
    });
  const auto times = exponent.bare ? integer_of(*exponent.bare) : std::nullopt;
  if (!times || *times < 1 || *times > 64)
    tokens_.fail_at(at, fmt::format("{}: an integer is raised to constants from 1 to 64 only; cast it to a "
                                    "float, as in float32(…)",
                                    at.text));
  return node(at, {{base.expr, {}, base.depth + static_cast<int>(*times)}}, [&] {
    const Var factor("x", base.expr.type());
    Expr product = factor;
    for (std::int64_t i = 1; i < *times; ++i) product = product * factor;
    return make_let(factor, base.expr, product);
  });
}

Operand HybridParser::primary() {
  const Token& token = tokens_.peek();
  switch (token.kind) {
    case TokenKind::integer: tokens_.next(); return {{}, BareNumber{token.text, false, false, token.integer}};
    case TokenKind::real: tokens_.next(); return {{}, BareNumber{token.text, true}};
    case TokenKind::name: return named_value();
    default: break;
  }
  if (!tokens_.take("(")) tokens_.unexpected("an expression");
  Operand inside = expression();
  if (tokens_.at(","))
    tokens_.fail_at(tokens_.peek(),
                    "found ',', expected ')': there are no tuples of values; write one "
                    "statement for each");
  tokens_.expect(")");
  return inside;
}

// ----- names

const HybridName& HybridParser::visible(const Token& name) {
  if (const HybridName* found = names_.find(name.text)) return *found;
  if (is_keyword(name.text))
    tokens_.fail_at(name, fmt::format("found '{}', expected an expression", name.text));
  if (const auto line = names_.line_of_gone(name.text))
    tokens_.fail_at(name,
                    fmt::format("{0} was first stored in line {1}, inside a loop or an if that has ended; "
                                "store it before that begins, too",
                                name.text, *line));
  tokens_.fail_at(name,
                  fmt::format("there is no {} here{}", name.text, did_you_mean(name.text, names_.names())));
}

HybridName HybridParser::resolved(const Token& name) {
  HybridName meaning = visible(name);
  while (meaning.kind == HybridName::Kind::list) {
    if (!tokens_.at("["))
      tokens_.fail_at(name,
                      fmt::format("{} is a list; write {}[0], with a constant index", name.text, name.text));
    tokens_.next();
    const Token& at = tokens_.peek();
    const std::int64_t index = constant(at, fmt::format("the index of the list {}", name.text));
    tokens_.expect("]");
    const auto size = static_cast<std::int64_t>(meaning.list.size());
    if (index < 0 || index >= size)
      tokens_.fail_at(
          at, fmt::format("{}[{}]: the list has {} element{}", name.text, index, size, size == 1 ? "" : "s"));
    const HybridArgument element = meaning.list[static_cast<std::size_t>(index)];
    meaning = meaning_of(element);
  }
  return meaning;
}

Operand HybridParser::named_value() {
  if (tokens_.at("(", 1) && !is_keyword(tokens_.peek().text)) return call();
  const Token& name = tokens_.next();
  if (name.is("True") || name.is("False")) return {make_bool(name.is("True"))};
  const HybridName meaning = resolved(name);
  if (meaning.is_array()) return array_value(name, meaning);
  if (tokens_.at("["))
    tokens_.fail_at(name, fmt::format("{} is {}, only arrays have elements", name.text, meaning.what));
  if (tokens_.at("."))
    tokens_.fail_at(name, fmt::format("{} is {}, only arrays have attributes here", name.text, meaning.what));
  if (meaning.kind == HybridName::Kind::variable) return element(name, meaning.buffer, {{make_int(0)}});
  return meaning.value;
}

Operand HybridParser::array_value(const Token& name, const HybridName& array) {
  if (tokens_.at("[")) return element(name, array.buffer, subscripts(name));
  if (!tokens_.take("."))
    tokens_.fail_at(name, fmt::format("{0} is {1}; write an element such as {0}[…]", name.text, array.what));
  const Token& member = tokens_.expect_name("'shape' or 'dtype'");
  if (member.is("dtype"))
    tokens_.fail_at(member, fmt::format("{0}.dtype is a type and stands where a type does, as in "
                                        "cast({0}.dtype, x)",
                                        name.text));
  if (!member.is("shape"))
    tokens_.fail_at(member,
                    fmt::format("{} has the attributes shape and dtype, not {}", name.text, member.text));
  return extent(name, array);
}

// a.shape[0]
Operand HybridParser::extent(const Token& name, const HybridName& array) {
  if (!tokens_.at("["))
    tokens_.fail_at(name,
                    fmt::format("{0}.shape is a list; write one extent, as in {0}.shape[0]", name.text));
  tokens_.next();
  const Token& at = tokens_.peek();
  const std::int64_t dimension = constant(at, fmt::format("the index of {}.shape", name.text));
  tokens_.expect("]");
  const std::vector<Expr>& extents = array.buffer->shape;
  if (dimension < 0 || dimension >= static_cast<std::int64_t>(extents.size()))
    tokens_.fail_at(at, fmt::format("{}.shape[{}]: {} has {} dimension{}", name.text, dimension, name.text,
                                    extents.size(), extents.size() == 1 ? "" : "s"));
  return as_operand(extents[static_cast<std::size_t>(dimension)]);
}

// ----- elements

// [i, j], [i][j], or [()] for an array without dimensions
std::vector<Operand> HybridParser::subscripts(const Token& name) {
  std::vector<Operand> all;
  while (tokens_.take("[")) {
    if (tokens_.at("(") && tokens_.at(")", 1) && tokens_.at("]", 2)) {
      for (int i = 0; i < 3; ++i) tokens_.next();
      continue;
    }
    do {
      const Token& at = tokens_.peek();
      all.push_back(expression());
      if (tokens_.at(":"))
        tokens_.fail_at(tokens_.peek(), fmt::format("{}[…]: there are no slices; write a loop over the "
                                                    "elements",
                                                    name.text));
      if (all.back().bare && all.back().bare->negative && all.back().bare->magnitude != 0)
        tokens_.fail_at(at, fmt::format("{0}[…]: the index {1} is negative; count from the front, as in "
                                        "{0}.shape[0] - 1",
                                        name.text, integer_of(*all.back().bare).value_or(0)));
    } while (tokens_.take(",") && !tokens_.at("]"));
    tokens_.expect("]");
  }
  return all;
}

std::vector<Expr> HybridParser::indices_of(const Buffer& buffer, const std::vector<Operand>& indices) const {
  require(indices.size() == buffer->shape.size(), "{}[…]: {} ind{} for {} dimension{}", buffer->name,
          indices.size(), indices.size() == 1 ? "ex" : "ices", buffer->shape.size(),
          buffer->shape.size() == 1 ? "" : "s");
  std::vector<Expr> typed;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    typed.push_back(laws_.index(indices[i]));
    require(typed[i].type().is_integer(),
            "{}[…]: index {} is {}, must be an integer; cast it, as in int64(…)", buffer->name, i + 1,
            to_string(typed[i].type()));
  }
  return typed;
}

Operand HybridParser::element(const Token& at, const Buffer& buffer, const std::vector<Operand>& indices) {
  return node(at, indices, [&] { return make_load(buffer, indices_of(buffer, indices)); });
}

}  // namespace ardea::te
