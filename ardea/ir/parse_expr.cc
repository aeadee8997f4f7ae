#include <algorithm>

#include "ardea/ir/equal.h"
#include "ardea/ir/fold_literals.h"
#include "ardea/ir/parse_shared.h"
#include "ardea/ir/parser.h"
#include "ardea/support/text.h"

namespace ardea {

Operand Parser::node(const Token& at, const std::vector<Operand>& parts, const std::function<Expr()>& make) {
  int depth = 0;
  for (const Operand& part : parts) depth = std::max(depth, part.depth);
  if (depth >= deepest_expression)
    tokens_.fail_at(
        at,
        fmt::format("the expression is deeper than {} operations; name a part of it, as in x: T.int64 = …",
                    deepest_expression));
  return {tokens_.located(at, make), {}, depth + 1};
}

Expr Parser::settled_expression() {
  const Token& at = tokens_.peek();
  const Operand operand = expression();
  return tokens_.located(at, [&] { return laws_.settle(operand); });
}

Expr Parser::condition(std::string_view what) {
  const Token& at = tokens_.peek();
  Expr value = settled_expression();
  if (value.type() != boolean)
    tokens_.fail_at(
        at, fmt::format("{}: the condition is {}, must be a scalar bool", what, to_string(value.type())));
  return value;
}

Operand Parser::combined(const Token& at, BinaryOp op, const Operand& left, const Operand& right) {
  return node(at, {left, right}, [&] {
    std::vector<Expr> sides = laws_.unify({left, right});
    return make_binary(op, std::move(sides[0]), std::move(sides[1]));
  });
}

Operand Parser::binary(int lowest) {
  Operand left = unary();
  bool compared = false;
  for (;;) {
    const Token& at = tokens_.peek();
    if (at.is("**")) tokens_.fail_at(at, "there is no operator **; write T.pow(x, y)");
    const OperatorRow* row = find_operator(at);
    if (row == nullptr || row->level < lowest) return left;
    if (row->level == comparison_level) {
      if (compared) tokens_.fail_at(at, "comparisons do not chain; write a < b and b < c");
      compared = true;
    }
    tokens_.next();
    left = combined(at, row->op, left, binary(row->level + 1));
  }
}

Operand Parser::unary() {
  const Token& at = tokens_.peek();
  const Opened nested(nesting_);
  if (nesting_ > deepest_nesting)
    tokens_.fail_at(at,
                    fmt::format("more than {} brackets and prefix operators are open here", deepest_nesting));
  if (tokens_.take("not")) {
    const Operand operand = binary(comparison_level);
    return node(at, {operand}, [&] { return make_unary(UnaryOp::logical_not, laws_.settle(operand)); });
  }
  if (tokens_.take("-")) return negated(at, unary());
  if (tokens_.take("~")) {
    const Operand operand = unary();
    return node(at, {operand}, [&] { return make_unary(UnaryOp::bit_not, laws_.settle(operand)); });
  }
  return primary();
}

Operand Parser::negated(const Token& at, const Operand& operand) {
  if (operand.typed()) return node(at, {operand}, [&] { return make_unary(UnaryOp::negate, operand.expr); });
  Operand number = operand;
  number.bare->negative = !number.bare->negative;
  return number;
}

Operand Parser::primary() {
  const Token& token = tokens_.peek();
  switch (token.kind) {
    case TokenKind::integer: tokens_.next(); return {{}, BareNumber{token.text, false, false, token.integer}};
    case TokenKind::real: tokens_.next(); return {{}, BareNumber{token.text, true}};
    case TokenKind::string: tokens_.next(); return {make_string(token.text)};
    case TokenKind::name: return named_value();
    default: break;
  }
  if (!tokens_.take("(")) tokens_.unexpected("an expression");
  Operand inside = expression();
  tokens_.expect(")");
  return inside;
}

Operand Parser::named_value() {
  if (tokens_.at("T") && tokens_.at(".", 1)) return call();
  const Token& name = tokens_.next();
  if (name.is("True")) return {make_bool(true)};
  if (name.is("False")) return {make_bool(false)};
  const Definition* definition = names_.find(name.text);
  if (definition == nullptr) unknown_name(name);
  // Its own handle: the scope that holds the definition may grow while indices are read.
  if (const Buffer buffer = definition->buffer; buffer.defined()) return buffer_value(name, buffer);
  if (tokens_.at("["))
    tokens_.fail_at(name, fmt::format("{} is a variable, only buffers have elements", name.text));
  if (tokens_.at("."))
    tokens_.fail_at(name, fmt::format("{} is a variable, only buffers have .data", name.text));
  return {definition->var};
}

void Parser::unknown_name(const Token& name) {
  if (is_keyword(name.text))
    tokens_.fail_at(name, fmt::format("found '{}', expected an expression", name.text));
  tokens_.fail_at(name, fmt::format("there is no variable or buffer {} here{}", name.text,
                                    did_you_mean(name.text, names_.names())));
}

Operand Parser::buffer_value(const Token& name, const Buffer& buffer) {
  if (tokens_.at("[")) {
    std::vector<Operand> parts;
    std::vector<Expr> indices;
    for (const Subscript& s : subscripts()) {
      parts.push_back(s.start);
      indices.push_back(index_of(s));
    }
    return node(name, parts, [&] { return make_load(buffer, indices); });
  }
  if (!tokens_.take("."))
    tokens_.fail_at(
        name, fmt::format("{0} is a buffer; write an element such as {0}[…], or {0}.data for its memory",
                          name.text));
  const Token& member = tokens_.expect_name("'data' or 'vload'");
  if (member.is("data")) return {buffer->data};
  if (!member.is("vload"))
    tokens_.fail_at(member, fmt::format("a buffer has .data, .vload and .vstore, not .{}", member.text));
  tokens_.expect("(");
  std::vector<Operand> parts = index_list();
  const std::vector<Expr> indices = exprs_of(parts);
  Expr predicate;
  if (tokens_.take(",")) {
    tokens_.expect("predicate");
    tokens_.expect("=");
    parts.push_back(expression());
    predicate = tokens_.located(name, [&] { return laws_.settle(parts.back()); });
  }
  tokens_.expect(")");
  return node(name, parts, [&] { return make_load(buffer, indices, predicate); });
}

// ----- subscripts

std::vector<Parser::Subscript> Parser::subscripts() {
  tokens_.expect("[");
  std::vector<Subscript> all;
  if (tokens_.at("(") && tokens_.at(")", 1) &&
      tokens_.at("]", 2)) {  // A[()]: the element of a buffer without dimensions
    for (int i = 0; i < 3; ++i) tokens_.next();
    return all;
  }
  do {
    all.push_back(subscript());
  } while (tokens_.take(",") && !tokens_.at("]"));
  tokens_.expect("]");
  return all;
}

Parser::Subscript Parser::subscript() {
  Subscript s{tokens_.peek(), expression()};
  if (tokens_.take(":")) {
    s.stop = expression();
    if (tokens_.take(":")) s.step = expression();
  }
  return s;
}

Range Parser::range_between(const Operand& start, const Operand& stop, bool is_index) {
  const std::vector<Expr> ends = laws_.unify({start, stop});
  const Expr &min = ends[0], &max = ends[1];
  require(min.type() == max.type() && min.type().is_integer() && min.type().is_scalar(),
          "the ends of the range are {} and {}, must be integers of one type", to_string(min.type()),
          to_string(max.type()));
  const auto* sum = max.as<Binary>();
  Range range{min, {}};
  if (min.is<IntImm>() && max.is<IntImm>()) {
    std::int64_t extent = 0;
    require(!__builtin_sub_overflow(*constant_int(max), *constant_int(min), &extent),
            "the range is longer than 2^63");
    range.extent = make_int(extent, min.type());
  } else if (sum != nullptr && sum->op == BinaryOp::add && structurally_equal(sum->left, min)) {
    range.extent = sum->right;
  } else if (const auto apart = literal_distance(min, max); apart && *apart > 0) {
    range.extent = make_int(*apart, min.type());
  } else {
    range.extent = is_zero(min) ? max : make_binary(BinaryOp::sub, max, min);
  }
  if (!is_index || laws_.exact()) return range;
  const auto widened = [&](const Expr& e) {
    return e.is<IntImm>() && widens(e.type(), int64) ? make_int(*constant_int(e)) : laws_.index({e});
  };
  return {widened(range.min), widened(range.extent)};
}

Expr Parser::index_of(const Subscript& s) {
  return tokens_.located(s.at, [&] {
    if (!s.stop) return laws_.index(s.start);
    const Range range = range_between(s.start, *s.stop, true);
    const std::optional<std::int64_t> extent = constant_int(range.extent);
    require(extent.has_value(), "the slice of a vector needs a constant length, as in A[i:i + 4]");
    std::int64_t step = 1;
    if (s.step) {
      step = constant_int(laws_.settle(*s.step)).value_or(0);
      require(step > 0, "the step of a slice must be a positive constant");
    }
    require(*extent % step == 0, "the slice is {} long, which its step {} does not divide", *extent, step);
    return make_ramp(range.min, make_int(step, range.min.type()), *extent / step);
  });
}

Range Parser::range_of(const Subscript& s) {
  return tokens_.located(s.at, [&] {
    require(!s.step, "a region has no step");
    if (s.stop) return range_between(s.start, *s.stop, true);
    Expr min = laws_.index(s.start);
    require(min.type().is_integer() && min.type().is_scalar(), "the index is {}, must be an integer",
            to_string(min.type()));
    return Range{min, make_int(1, min.type())};
  });
}

std::vector<Operand> Parser::index_list() {
  tokens_.expect("[");
  std::vector<Operand> indices;
  while (!tokens_.at("]")) {
    const Token& at = tokens_.peek();
    const Operand index = expression();
    indices.push_back(node(at, {index}, [&] { return laws_.index(index); }));
    if (!tokens_.take(",")) break;
  }
  tokens_.expect("]");
  return indices;
}

std::vector<Expr> Parser::exprs_of(const std::vector<Operand>& typed) {
  std::vector<Expr> exprs;
  for (const Operand& operand : typed) exprs.push_back(operand.expr);
  return exprs;
}

}  // namespace ardea
