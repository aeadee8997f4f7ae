#include <algorithm>
#include <cmath>
#include <limits>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/parser.h"
#include "ardea/support/narrow_float.h"
#include "ardea/support/text.h"

namespace ardea {

const std::vector<std::pair<std::string, Parser::CallRule>>& Parser::call_rules() {
  static const std::vector<std::pair<std::string, CallRule>> rules = {
      {"min", &Parser::binary_call},
      {"max", &Parser::binary_call},
      {"truncdiv", &Parser::binary_call},
      {"truncmod", &Parser::binary_call},
      {"floordiv", &Parser::binary_call},
      {"floormod", &Parser::binary_call},
      {"Select", &Parser::select_call},
      {"Cast", &Parser::cast_call},
      {"cast", &Parser::cast_to_call},
      {"infinity", &Parser::extreme_call},
      {"nan", &Parser::extreme_call},
      {"min_value", &Parser::extreme_call},
      {"max_value", &Parser::extreme_call},
      {"Ramp", &Parser::ramp_call},
      {"Broadcast", &Parser::broadcast_call},
      {"Shuffle", &Parser::shuffle_call},
      {"Let", &Parser::let_call},
  };
  return rules;
}

namespace {

constexpr std::string_view statement_names[] = {
    "allocate", "alloc_buffer", "decl_buffer", "Buffer",     "match_buffer",   "block",    "init",
    "reads",    "writes",       "where",       "block_attr", "func_attr",      "evaluate", "grid",
    "serial",   "parallel",     "vectorized",  "unroll",     "thread_binding", "axis",     "LetStmt"};

BinaryOp binary_of(const Token& name) {
  if (name.is("min")) return BinaryOp::min;
  if (name.is("max")) return BinaryOp::max;
  if (name.is("truncdiv")) return BinaryOp::trunc_div;
  if (name.is("truncmod")) return BinaryOp::trunc_mod;
  return name.is("floordiv") ? BinaryOp::floor_div : BinaryOp::floor_mod;
}

Expr lowest_or_highest(DataType type, bool highest) {
  require(type.is_scalar() && (type.is_integer() || type.is_float()),
          "T.{}_value: {} is not a scalar number type", highest ? "max" : "min", to_string(type));
  if (type.is_integer()) {
    if (type.is_uint())
      return make_int(highest ? static_cast<std::int64_t>(~std::uint64_t{0} >> (64 - type.bits)) : 0, type);
    const std::int64_t top = std::numeric_limits<std::int64_t>::max() >> (64 - type.bits);
    return make_int(highest ? top : -top - 1, type);
  }
  double top = std::numeric_limits<double>::max();
  if (type == float32) top = std::numeric_limits<float>::max();
  if (type.bits < 32) {
    const NarrowFormat format = narrow_format(type);
    const std::uint32_t infinity = ((1u << format.exponent_bits) - 1) << format.mantissa_bits;
    // Below infinity; e4m3 has none, and its largest number is just below the NaN of all ones.
    top = decode_narrow(format.has_infinity ? infinity - 1 : infinity + (1u << format.mantissa_bits) - 2,
                        format);
  }
  return make_float(highest ? top : -top, type);
}

Expr special_float(DataType type, double value) {
  require(type.is_scalar() && type.is_float(), "{} is not a floating type", to_string(type));
  require(!std::isinf(value) || std::isinf(round_to_type(value, type)), "{} has no infinity",
          to_string(type));
  return make_float(value, type);
}

}  // namespace

bool Parser::has_call_rule(std::string_view name) {
  const auto& rules = call_rules();
  return std::any_of(rules.begin(), rules.end(), [&](const auto& rule) { return rule.first == name; });
}

bool is_text_word(std::string_view name) {
  return Parser::has_call_rule(name) || parse_data_type(name).has_value() ||
         std::find(std::begin(statement_names), std::end(statement_names), name) != std::end(statement_names);
}

Operand Parser::call() {
  tokens_.next();
  tokens_.next();
  const Token& name = tokens_.expect_name("a name after 'T.'");
  const auto& rules = call_rules();
  const auto rule =
      std::find_if(rules.begin(), rules.end(), [&](const auto& r) { return r.first == name.text; });
  const std::optional<DataType> type = parse_data_type(name.text);
  if (std::find(std::begin(statement_names), std::end(statement_names), name.text) !=
      std::end(statement_names))
    tokens_.fail_at(name, fmt::format("T.{} stands in no expression, but on a line of its own", name.text));
  if (rule == rules.end() && !type && find_intrinsic(name.text) == nullptr) {
    std::vector<std::string> known(std::begin(statement_names), std::end(statement_names));
    for (const auto& r : rules) known.push_back(r.first);
    for (const Intrinsic& op : intrinsics()) known.push_back(op.name);
    for (const DataType t : element_types) known.push_back(to_string(t));
    tokens_.fail_at(name, fmt::format("there is no T.{}{}", name.text, did_you_mean(name.text, known)));
  }
  tokens_.expect("(");
  if (rule != rules.end()) return (this->*rule->second)(name);
  return type ? constant_or_cast(name, *type) : intrinsic_call(name);
}

std::vector<Operand> Parser::arguments() {
  std::vector<Operand> all;
  while (!tokens_.at(")")) {
    all.push_back(expression());
    if (!tokens_.take(",")) break;
  }
  tokens_.expect(")");
  return all;
}

std::vector<Operand> Parser::arguments(std::size_t count, const Token& at) {
  std::vector<Operand> all = arguments();
  if (all.size() != count)
    tokens_.fail_at(at, fmt::format("T.{}: takes {} arguments, got {}", at.text, count, all.size()));
  return all;
}

DataType Parser::checked_type(const Token& name) {
  const std::optional<DataType> type = parse_data_type(name.text);
  if (type) return *type;
  std::vector<std::string> known = {"handle"};
  for (const DataType t : element_types) known.push_back(to_string(t));
  tokens_.fail_at(name,
                  fmt::format("there is no type {}{}", in_quotes(name.text), did_you_mean(name.text, known)));
}

DataType Parser::type_name() { return checked_type(tokens_.expect_string("a type such as \"float32\"")); }

DataType Parser::dotted_type(std::string_view what) {
  if (!tokens_.at("T")) tokens_.unexpected(what);
  tokens_.next();
  tokens_.expect(".");
  return checked_type(tokens_.expect_name("a type such as int32"));
}

std::int64_t Parser::integer_argument(std::string_view what) {
  const Token& at = tokens_.peek();
  const Expr value = settled_expression();
  const std::optional<std::int64_t> constant = constant_int(value);
  if (!constant || !value.type().is_integer())
    tokens_.fail_at(at, fmt::format("{} must be an integer constant", what));
  return *constant;
}

Operand Parser::constant_or_cast(const Token& at, DataType type) {
  if (tokens_.at(TokenKind::string)) return float_from_string(at, type);
  if (tokens_.at(")"))
    tokens_.fail_at(
        at, fmt::format("T.{0}() declares a symbolic extent, as in n = T.{0}() at the head of a function",
                        at.text));
  const Operand value = expression();
  tokens_.take(",");
  tokens_.expect(")");
  return node(at, {value}, [&] {
    if (value.bare) return typed_constant(*value.bare, type);
    return make_cast(type, value.expr);
  });
}

Operand Parser::float_from_string(const Token& at, DataType type) {
  const Token& word = tokens_.next();
  tokens_.expect(")");
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  return node(at, {}, [&] {
    if (word.text == "inf") return special_float(type, infinity);
    if (word.text == "-inf") return special_float(type, -infinity);
    if (word.text == "nan") return special_float(type, nan);
    if (word.text == "-nan") return special_float(type, -nan);
    fail("T.{}({}): expected a number, \"inf\", \"-inf\", \"nan\" or \"-nan\"", at.text,
         in_quotes(word.text));
  });
}

Operand Parser::binary_call(const Token& at) {
  const std::vector<Operand> sides = arguments(2, at);
  return combined(at, binary_of(at), sides[0], sides[1]);
}

Operand Parser::select_call(const Token& at) {
  const std::vector<Operand> parts = arguments(3, at);
  return node(at, parts, [&] {
    const std::vector<Expr> sides = laws_.unify({parts[1], parts[2]});
    return make_select(laws_.settle(parts[0]), sides[0], sides[1]);
  });
}

Operand Parser::cast_call(const Token& at) {
  const DataType type = type_name();
  tokens_.expect(",");
  const std::vector<Operand> value = arguments(1, at);
  return node(at, value, [&] { return make_cast(type, laws_.settle(value[0])); });
}

Operand Parser::cast_to_call(const Token& at) {
  const Operand value = expression();
  tokens_.expect(",");
  const DataType type = type_name();
  tokens_.expect(")");
  return node(at, {value}, [&] { return make_cast(type, laws_.settle(value)); });
}

Operand Parser::extreme_call(const Token& at) {
  const DataType type = type_name();
  tokens_.expect(")");
  return node(at, {}, [&] {
    if (at.is("infinity")) return special_float(type, std::numeric_limits<double>::infinity());
    if (at.is("nan")) return special_float(type, std::numeric_limits<double>::quiet_NaN());
    return lowest_or_highest(type, at.is("max_value"));
  });
}

Operand Parser::ramp_call(const Token& at) {
  const Operand base = expression();
  tokens_.expect(",");
  const Operand stride = expression();
  tokens_.expect(",");
  const std::int64_t lanes = lanes_argument();
  return node(at, {base, stride}, [&] {
    const std::vector<Expr> parts = laws_.unify({base, stride});
    return make_ramp(parts[0], parts[1], lanes);
  });
}

Operand Parser::broadcast_call(const Token& at) {
  const Operand value = expression();
  tokens_.expect(",");
  const std::int64_t lanes = lanes_argument();
  return node(at, {value}, [&] { return make_broadcast(laws_.settle(value), lanes); });
}

std::int64_t Parser::lanes_argument() {
  const std::int64_t lanes = integer_argument("the number of lanes");
  tokens_.expect(")");
  return lanes;
}

Operand Parser::shuffle_call(const Token& at) {
  std::vector<Operand> vectors;
  tokens_.expect("[");
  while (!tokens_.at("]")) {
    vectors.push_back(expression());
    if (!tokens_.take(",")) break;
  }
  tokens_.expect("]");
  tokens_.expect(",");
  tokens_.expect("[");
  std::vector<std::int64_t> indices;
  while (!tokens_.at("]")) {
    indices.push_back(integer_argument("an index of T.Shuffle"));
    if (!tokens_.take(",")) break;
  }
  tokens_.expect("]");
  tokens_.expect(")");
  return node(at, vectors, [&] {
    std::vector<Expr> settled;
    for (const Operand& vector : vectors) settled.push_back(laws_.settle(vector));
    return make_shuffle(std::move(settled), indices);
  });
}

// T.Let(body, where={x: value}): the value comes after the body that needs its type, so it is read first.
Operand Parser::let_call(const Token& at) {
  const std::size_t body_at = tokens_.position();
  tokens_.skip_argument();
  tokens_.expect(",");
  for (const char* part : {"where", "=", "{"}) tokens_.expect(part);
  const Token& name = tokens_.expect_name("the name of a variable");
  tokens_.expect(":");
  const Operand value = expression();
  tokens_.expect("}");
  tokens_.expect(")");
  const std::size_t after = tokens_.position();
  const Expr settled = tokens_.located(name, [&] { return laws_.settle(value); });
  const Var var(name.text, settled.type());

  tokens_.move_to(body_at);
  const NameScopes::Opened scope(names_);
  names_.define(name.text, {var});
  const Operand body = expression();
  tokens_.expect(",");
  tokens_.move_to(after);
  return node(at, {value, body}, [&] { return make_let(var, settled, laws_.settle(body)); });
}

// Which arguments of an intrinsic meet each other.
std::vector<Expr> Parser::call_arguments(const Intrinsic& op, const std::vector<Operand>& parts) const {
  if (op.result == ResultRule::same_as_first) {
    const bool typed = std::any_of(parts.begin(), parts.end(), [](const Operand& p) { return p.typed(); });
    const DataType type = op.floats_only && !typed ? float32 : laws_.common_type(parts);
    std::vector<Expr> met;
    for (const Operand& part : parts) met.push_back(laws_.meet(part, type));
    return met;
  }
  if (op.name == "if_then_else" && parts.size() == 3) {
    const std::vector<Expr> sides = laws_.unify({parts[1], parts[2]});
    return {laws_.settle(parts[0]), sides[0], sides[1]};
  }
  std::vector<Expr> settled;
  for (const Operand& part : parts) settled.push_back(laws_.settle(part));
  return settled;
}

Operand Parser::intrinsic_call(const Token& at) {
  const Intrinsic& op = *find_intrinsic(at.text);
  std::optional<DataType> stated;
  if (op.name == "reinterpret" && tokens_.at(TokenKind::string)) {
    stated = type_name();
    tokens_.expect(",");
  }
  std::vector<Operand> parts;
  while (!tokens_.at(")")) {
    if (tokens_.at("dtype") && tokens_.at("=", 1)) {
      tokens_.next();
      tokens_.next();
      stated = type_name();
    } else {
      parts.push_back(expression());
    }
    if (!tokens_.take(",")) break;
  }
  tokens_.expect(")");
  return node(at, parts, [&] {
    std::vector<Expr> settled = call_arguments(op, parts);
    return stated ? make_call(op.name, *stated, std::move(settled)) : make_call(op.name, std::move(settled));
  });
}

}  // namespace ardea
