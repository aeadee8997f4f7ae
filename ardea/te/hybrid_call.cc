#include <algorithm>
#include <cmath>
#include <limits>

#include "ardea/support/text.h"
#include "ardea/te/hybrid_fold.h"
#include "ardea/te/hybrid_parser.h"

namespace ardea::te {

namespace {

constexpr std::string_view loop_names[] = {"range",     "serial",      "unroll", "parallel",
                                           "vectorize", "const_range", "bind"};
constexpr std::string_view array_names[] = {"output_tensor", "allocate"};

template <std::size_t n>
bool is_one_of(const std::string_view (&names)[n], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// The intrinsics that the text calls by name: those that compute a value from values.
const Intrinsic* callable(std::string_view name) {
  const Intrinsic* op = find_intrinsic(name);
  if (op == nullptr || op->effect != Effect::pure || op->arity < 0) return nullptr;
  return op->result == ResultRule::same_as_first || op->result == ResultRule::same_as_last ||
                 op->result == ResultRule::boolean
             ? op
             : nullptr;
}

std::optional<DataType> scalar_type(std::string_view name) {
  const std::optional<DataType> type = parse_data_type(name);
  return type && type->is_scalar() && !type->is_handle() && !type->is_none() ? type : std::nullopt;
}

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const DataType type : element_types) names.push_back(to_string(type));
  return names;
}

}  // namespace

const std::vector<std::pair<std::string, HybridParser::CallRule>>& HybridParser::call_rules() {
  static const std::vector<std::pair<std::string, CallRule>> rules = {
      {"min", &HybridParser::extreme_call},       {"max", &HybridParser::extreme_call},
      {"truncdiv", &HybridParser::division_call}, {"truncmod", &HybridParser::division_call},
      {"power", &HybridParser::power_call},       {"pow", &HybridParser::power_call},
      {"cast", &HybridParser::cast_call},         {"len", &HybridParser::len_call},
      {"infinity", &HybridParser::limit_call},    {"min_value", &HybridParser::limit_call},
      {"max_value", &HybridParser::limit_call},
  };
  return rules;
}

Operand HybridParser::call() {
  const Token& name = tokens_.next();
  const auto& rules = call_rules();
  const auto rule =
      std::find_if(rules.begin(), rules.end(), [&](const auto& r) { return r.first == name.text; });
  const std::optional<DataType> type = scalar_type(name.text);
  const Intrinsic* op = callable(name.text);
  if (rule == rules.end() && !type && op == nullptr) unknown_function(name);
  tokens_.expect("(");
  if (rule != rules.end()) return (this->*rule->second)(name);
  return type ? as_type(name, *type, arguments(name, 1, 1)[0]) : intrinsic_call(name, *op);
}

void HybridParser::unknown_function(const Token& name) {
  if (name.text == function_name_)
    tokens_.fail_at(name, fmt::format("{} calls itself; a stage cannot recurse, write a loop", name.text));
  if (is_one_of(loop_names, name.text))
    tokens_.fail_at(name, fmt::format("{0} stands in no expression; write for i in {0}(…)", name.text));
  if (is_one_of(array_names, name.text))
    tokens_.fail_at(name, fmt::format("{0} stands in no expression; write x = {0}(…)", name.text));
  if (names_.find(name.text) != nullptr)
    tokens_.fail_at(name, fmt::format("{} is {}, not a function", name.text, names_.find(name.text)->what));
  std::vector<std::string> known = type_names();
  for (const auto& [rule, parse] : call_rules()) known.push_back(rule);
  for (const Intrinsic& op : intrinsics())
    if (callable(op.name) != nullptr) known.push_back(op.name);
  tokens_.fail_at(name, fmt::format("there is no function {}{}; a hybrid function calls no other one",
                                    name.text, did_you_mean(name.text, known)));
}

std::vector<Operand> HybridParser::arguments(const Token& at, std::size_t least, std::size_t most) {
  std::vector<Operand> all;
  while (!tokens_.at(")")) {
    all.push_back(expression());
    if (!tokens_.take(",")) break;
  }
  tokens_.expect(")");
  if (all.size() < least || all.size() > most)
    tokens_.fail_at(
        at, fmt::format("{} takes {}{} argument{}, got {}", at.text, least == most ? "" : "at least ", least,
                        least == 1 ? "" : "s", all.size()));
  return all;
}

DataType HybridParser::type_name() {
  const Token& at = tokens_.peek();
  if (at.kind == TokenKind::name && names_.find(at.text) != nullptr) {
    tokens_.next();
    const HybridName meaning = resolved(at);
    tokens_.expect(".");
    tokens_.expect("dtype");
    if (meaning.buffer.defined()) return meaning.buffer->type;
    return settled(at, meaning.value).type();
  }
  if (!tokens_.at(TokenKind::string) && (!tokens_.at(TokenKind::name) || is_keyword(at.text)))
    tokens_.unexpected("a type such as \"float32\" or a.dtype");
  tokens_.next();
  if (const auto type = scalar_type(at.text)) return *type;
  tokens_.fail_at(at, fmt::format("there is no scalar type {}{}", in_quotes(at.text),
                                  did_you_mean(at.text, type_names())));
}

// ----- rules

Operand HybridParser::extreme_call(const Token& at) {
  const std::vector<Operand> parts = arguments(at, 2, std::numeric_limits<std::size_t>::max());
  Operand result = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i)
    result = combined(at, at.is("min") ? BinaryOp::min : BinaryOp::max, result, parts[i]);
  return result;
}

Operand HybridParser::division_call(const Token& at) {
  const std::vector<Operand> sides = arguments(at, 2, 2);
  return node(at, sides, [&] {
    const std::vector<Expr> typed = unified(sides);
    return make_binary(at.is("truncdiv") ? BinaryOp::trunc_div : BinaryOp::trunc_mod, typed[0], typed[1]);
  });
}

Operand HybridParser::power_call(const Token& at) {
  const std::vector<Operand> sides = arguments(at, 2, 2);
  return raised(at, sides[0], sides[1]);
}

// cast("float32", x)
Operand HybridParser::cast_call(const Token& at) {
  const DataType type = type_name();
  tokens_.expect(",");
  return as_type(at, type, arguments(at, 1, 1)[0]);
}

Operand HybridParser::as_type(const Token& at, DataType type, const Operand& value) {
  return node(at, {value}, [&] {
    if (!value.bare) return make_cast(type, value.expr);
    // A constant that does not fit is cast as a value would be: towards zero, wrapping.
    if (value.bare->real && !type.is_float()) return make_cast(type, typed_constant(*value.bare, float64));
    if (type.is_bool()) return make_cast(type, laws_.settle(value));
    return typed_constant(*value.bare, type);
  });
}

// len(a.shape), len(tensors)
Operand HybridParser::len_call(const Token& at) {
  const Token& name = tokens_.expect_name("a.shape, or a list");
  HybridName meaning = visible(name);
  std::size_t length = 0;
  if (meaning.kind == HybridName::Kind::list && tokens_.at(")")) {
    length = meaning.list.size();
  } else {
    meaning = resolved(name);
    if (!meaning.is_array())
      tokens_.fail_at(name, fmt::format("{}: {} is {}; only a.shape and lists have a length", at.text,
                                        name.text, meaning.what));
    tokens_.expect(".");
    tokens_.expect("shape");
    length = meaning.buffer->shape.size();
  }
  tokens_.expect(")");
  return {{}, integer_number(static_cast<std::int64_t>(length))};
}

// infinity("float32"), min_value("int32"), max_value("int32")
Operand HybridParser::limit_call(const Token& at) {
  const DataType type = type_name();
  tokens_.expect(")");
  return node(at, {}, [&] {
    if (at.is("infinity")) {
      require(type.is_float() && type != float8_e4m3, "{} has no infinity", to_string(type));
      return make_float(std::numeric_limits<double>::infinity(), type);
    }
    require(type.is_integer(), "{} is for integers; a float's bound is infinity({})", at.text,
            in_quotes(to_string(type)));
    const bool highest = at.is("max_value");
    if (type.is_uint())
      return make_int(highest ? static_cast<std::int64_t>(~std::uint64_t{0} >> (64 - type.bits)) : 0, type);
    const std::int64_t top = std::numeric_limits<std::int64_t>::max() >> (64 - type.bits);
    return make_int(highest ? top : -top - 1, type);
  });
}

Operand HybridParser::intrinsic_call(const Token& at, const Intrinsic& op) {
  const auto arity = static_cast<std::size_t>(op.arity);
  const std::vector<Operand> parts = arguments(at, arity, arity);
  if (op.name == "if_then_else") return chosen(at, parts[0], parts[1], parts[2]);
  return node(at, parts, [&] {
    const bool firm = std::any_of(parts.begin(), parts.end(),
                                  [&](const Operand& p) { return p.typed() && !choices_.contains(p.expr); });
    const DataType type = op.floats_only && !firm ? float32 : common_type(parts);
    std::vector<Expr> typed;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      typed.push_back(met(parts[i], type));
      const DataType found = typed[i].type();
      require(!op.floats_only || found.is_float(),
              "{}: argument {} is {}, must be a float; cast it, as in "
              "float32(…)",
              at.text, i + 1, to_string(found));
      require(found == typed[0].type(), "{}: argument {} is {} but argument 1 is {}; cast one of them",
              at.text, i + 1, to_string(found), to_string(typed[0].type()));
    }
    try {
      return make_call(op.name, std::move(typed));
    } catch (const Error& error) {  // programs call it T.name, this text does not
      const std::string sentence = error.what();
      throw Error(sentence.starts_with("T.") ? sentence.substr(2) : sentence);
    }
  });
}

}  // namespace ardea::te
