#include "ardea/ir/print_expr.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "ardea/ir/equal.h"
#include "ardea/ir/fold_literals.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/parse_types.h"
#include "ardea/support/narrow_float.h"
#include "ardea/support/overloaded.h"
#include "ardea/support/text.h"

namespace ardea {

namespace {

struct Spelling {
  const char* text;
  int level;  ///< 0: written as a call T.text(a, b)
};

Spelling spelling(BinaryOp op) {
  switch (op) {
    case BinaryOp::logical_or: return {"or", 1};
    case BinaryOp::logical_and: return {"and", 2};
    case BinaryOp::eq: return {"==", 4};
    case BinaryOp::ne: return {"!=", 4};
    case BinaryOp::lt: return {"<", 4};
    case BinaryOp::le: return {"<=", 4};
    case BinaryOp::gt: return {">", 4};
    case BinaryOp::ge: return {">=", 4};
    case BinaryOp::bit_or: return {"|", 5};
    case BinaryOp::bit_xor: return {"^", 6};
    case BinaryOp::bit_and: return {"&", 7};
    case BinaryOp::shift_left: return {"<<", 8};
    case BinaryOp::shift_right: return {">>", 8};
    case BinaryOp::add: return {"+", 9};
    case BinaryOp::sub: return {"-", 9};
    case BinaryOp::mul: return {"*", 10};
    case BinaryOp::div: return {"/", 10};
    case BinaryOp::floor_div: return {"//", 10};
    case BinaryOp::floor_mod: return {"%", 10};
    case BinaryOp::trunc_div: return {"truncdiv", 0};
    case BinaryOp::trunc_mod: return {"truncmod", 0};
    case BinaryOp::min: return {"min", 0};
    case BinaryOp::max: return {"max", 0};
  }
  return {"?", 0};
}

constexpr int not_level = 3, unary_level = 11;

std::string bracketed(const std::string& text, bool needed) { return needed ? "(" + text + ")" : text; }

/// The shortest text that reads back as the same number of that type.
std::string shortest(double value, DataType type) {
  if (std::isnan(value)) return std::signbit(value) ? "\"-nan\"" : "\"nan\"";
  if (std::isinf(value)) return value < 0 ? "\"-inf\"" : "\"inf\"";
  char digits[64];
  char* end = digits;
  if (type.bits == 64) end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  if (type.bits == 32) end = std::to_chars(digits, digits + sizeof digits, static_cast<float>(value)).ptr;
  if (type.bits < 32) {  // no library knows these formats: the fewest digits that round to the value
    int count = std::trunc(value) == value && std::fabs(value) < 1e6 ? 6 : 1;
    for (double read_back = 0; count <= 17; ++count) {
      end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, count).ptr;
      std::from_chars(digits, end, read_back);
      if (round_to_type(read_back, type) == value) break;
    }
  }
  std::string text(digits, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

bool is_number(const Expr& e) { return e.is<IntImm>() && !e.type().is_bool(); }

std::string digits_of(const Expr& e) {
  const std::int64_t value = e.as<IntImm>()->value;
  return e.type().is_uint() ? std::to_string(static_cast<std::uint64_t>(value)) : std::to_string(value);
}

/// min + extent as a constant, where both are and the sum fits their type.
std::optional<Expr> constant_end(const Range& range) {
  std::int64_t end = 0;
  if (!is_number(range.min) || !is_number(range.extent) || range.min.type() != range.extent.type())
    return std::nullopt;
  if (range.min.type().is_uint() && range.min.type().bits == 64) return std::nullopt;
  if (__builtin_add_overflow(range.min.as<IntImm>()->value, range.extent.as<IntImm>()->value, &end))
    return std::nullopt;
  const DataType type = range.min.type();
  const int bits = type.is_uint() ? type.bits : type.bits - 1;
  if (bits < 63 &&
      (end >= (std::int64_t{1} << bits) || end < (type.is_uint() ? 0 : -(std::int64_t{1} << bits))))
    return std::nullopt;
  return Expr(type, IntImm{end});
}

}  // namespace

std::string ExprPrinter::function(const std::string& name, const std::vector<std::string>& arguments) {
  return "T." + name + "(" + join(arguments, ", ") + ")";
}

std::string ExprPrinter::full(const Expr& e, int level) {
  if (!e.defined()) return "<nothing>";
  const DataType type = e.type();
  return std::visit(
      overloaded{
          [&](const IntImm& node) {
            if (type.is_bool()) return function("bool", {node.value != 0 ? "True" : "False"});
            return type == int64 ? digits_of(e) : function(to_string(type), {digits_of(e)});
          },
          [&](const FloatImm& node) { return function(to_string(type), {shortest(node.value, type)}); },
          [&](const StringImm& node) { return in_quotes(node.value); },
          [&](const VarNode&) { return names_.of(e); },
          [&](const Cast& node) { return function("Cast", {in_quotes(to_string(type)), full(node.value)}); },
          [&](const Unary& node) { return unary(node, level); },
          [&](const Binary& node) { return binary(node, level); },
          [&](const Select& node) {
            const auto sides = meeting({node.when_true, node.when_false}, {0, 0});
            return function("Select", {full(node.condition), sides[0], sides[1]});
          },
          [&](const Let& node) { return let(node); },
          [&](const Load& node) { return load(node); },
          [&](const Call& node) { return call(node, type); },
          [&](const Ramp& node) {
            const auto parts = meeting({node.base, node.stride}, {0, 0});
            return function("Ramp", {parts[0], parts[1], std::to_string(type.lanes)});
          },
          [&](const Broadcast& node) {
            return function("Broadcast", {full(node.value), std::to_string(type.lanes)});
          },
          [&](const Shuffle& node) {
            std::vector<std::string> lanes;
            for (const std::int64_t i : node.indices) lanes.push_back(std::to_string(i));
            return function("Shuffle", {list(node.vectors), "[" + join(lanes, ", ") + "]"});
          },
      },
      e.variant());
}

// Law 1 needs one operand whose text has the type of all; law 2 needs it too, of type int64.
std::vector<std::string> ExprPrinter::meeting(const std::vector<Expr>& operands,
                                              const std::vector<int>& levels) {
  const auto shortens = [&](const Expr& e) { return is_number(e) || (!exact_ && is_widening_cast(e)); };
  const bool anchored = !std::all_of(operands.begin(), operands.end(), shortens);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Expr& e = operands[i];
    if (!anchored || !shortens(e))
      texts.push_back(full(e, levels[i]));
    else
      texts.push_back(is_number(e) ? digits_of(e) : full(e.as<Cast>()->value, levels[i]));
  }
  return texts;
}

std::string ExprPrinter::expected(const Expr& e) {
  if (is_number(e)) return digits_of(e);
  return index(e);
}

std::string ExprPrinter::declared(const Expr& e) {
  if (is_number(e)) return digits_of(e);
  const auto* cast = e.as<Cast>();
  const bool implied = !exact_ && cast != nullptr && e.type().is_integer() &&
                       cast->value.type().is_integer() && !cast->value.is<IntImm>();
  return full(implied ? cast->value : e);
}

std::string ExprPrinter::index(const Expr& e) {
  return full(!exact_ && is_widening_cast(e) ? e.as<Cast>()->value : e);
}

std::string ExprPrinter::unary(const Unary& node, int level) {
  switch (node.op) {
    case UnaryOp::logical_not: return bracketed("not " + full(node.operand, not_level), level > not_level);
    case UnaryOp::bit_not:
    case UnaryOp::negate: break;
  }
  // -5 would read as one number, and ~5 as an int64.
  const std::string operand = is_number(node.operand)
                                  ? function(to_string(node.operand.type()), {digits_of(node.operand)})
                                  : full(node.operand, unary_level);
  return bracketed((node.op == UnaryOp::negate ? "-" : "~") + operand, level > unary_level);
}

std::string ExprPrinter::binary(const Binary& node, int level) {
  const Spelling op = spelling(node.op);
  if (op.level == 0) return function(op.text, meeting({node.left, node.right}, {0, 0}));
  const int left_level = is_comparison(node.op) ? op.level + 1 : op.level;
  const auto sides = meeting({node.left, node.right}, {left_level, op.level + 1});
  return bracketed(sides[0] + " " + op.text + " " + sides[1], level > op.level);
}

std::string ExprPrinter::let(const Let& node) {
  const std::string value = full(node.value);
  names_.open();
  const std::string name = names_.define(node.var);
  const std::string body = full(node.body);
  names_.close();
  return function("Let", {body, "where={" + name + ": " + value + "}"});
}

std::string ExprPrinter::load(const Load& node) {
  if (!node.predicate.defined()) return element(node.buffer, node.indices);
  std::vector<std::string> indices;
  for (const Expr& i : node.indices) indices.push_back(index(i));
  return names_.of(node.buffer) + ".vload([" + join(indices, ", ") + "], predicate=" + full(node.predicate) +
         ")";
}

std::string ExprPrinter::call(const Call& node, DataType type) {
  std::vector<std::string> arguments;
  if (node.op->name == "if_then_else" && node.arguments.size() == 3) {
    const auto sides = meeting({node.arguments[1], node.arguments[2]}, {0, 0});
    return function(node.op->name, {full(node.arguments[0]), sides[0], sides[1]});
  }
  if (node.op->name == "reinterpret") arguments.push_back(in_quotes(to_string(type)));
  for (const Expr& argument : node.arguments) arguments.push_back(full(argument));
  if (node.op->result == ResultRule::stated && node.op->name != "reinterpret")
    arguments.push_back("dtype=" + in_quotes(to_string(type)));
  return function(node.op->name, arguments);
}

// ----- elements and regions

std::string ExprPrinter::subscript(const Expr& e) {
  const auto* ramp = e.as<Ramp>();
  if (ramp == nullptr) return index(e);
  const DataType type = ramp->base.type();
  const std::int64_t stride = constant_int(ramp->stride).value_or(0);
  const std::int64_t most = (std::int64_t{1} << std::min(type.bits - 1, 62)) - 1;
  if (stride <= 0 || stride > most / e.type().lanes || (!exact_ && type.bits < 64)) return full(e);
  const Range lanes{ramp->base, Expr(type, IntImm{stride * e.type().lanes})};
  if (is_number(ramp->base) && !constant_end(lanes)) return full(e);
  const auto [first, end] = ends(lanes);
  return first + ":" + end + (stride == 1 ? "" : ":" + std::to_string(stride));
}

std::string ExprPrinter::element(const Buffer& buffer, const std::vector<Expr>& indices) {
  std::vector<std::string> texts;
  for (const Expr& i : indices) texts.push_back(subscript(i));
  return names_.of(buffer) + "[" + (texts.empty() ? "()" : join(texts, ", ")) + "]";
}

std::pair<std::string, std::string> ExprPrinter::ends(const Range& range) {
  const std::string first = full(range.min);
  if (const std::optional<Expr> end = constant_end(range)) return {first, full(*end)};
  // What the parser makes of `first:end`: an end `first + n` has the extent n, so has `x + 1 + n` after x + 1
  // where it is one literal, an end after 0 is the extent itself, any other has the extent end - first. An
  // extent that would be read otherwise is written as first + extent.
  const auto starts_with_min = [&](const Expr& e) {
    const auto* sum = e.as<Binary>();
    return sum != nullptr && sum->op == BinaryOp::add && structurally_equal(sum->left, range.min);
  };
  const auto* difference = range.extent.as<Binary>();
  if (const auto extent = constant_int(range.extent);
      extent && *extent > 0 && range.extent.type() == range.min.type() && !is_number(range.min)) {
    const std::optional<Expr> end = shifted_by_literal(range.min, *extent);
    if (end && literal_distance(range.min, *end) == extent) return {first, full(*end)};
  } else if (is_zero(range.min)) {
    if (!starts_with_min(range.extent)) return {first, full(range.extent)};
  } else if (difference != nullptr && difference->op == BinaryOp::sub &&
             structurally_equal(difference->right, range.min) && !starts_with_min(difference->left) &&
             literal_distance(range.min, difference->left).value_or(0) <= 0 &&
             !(is_number(range.min) && is_number(difference->left))) {
    return {first, full(difference->left)};
  }
  return {first, full(Expr(range.min.type(), Binary{BinaryOp::add, range.min, range.extent}))};
}

std::string ExprPrinter::region(const BufferRegion& region) {
  std::vector<std::string> texts;
  for (const Range& range : region.region) {
    if (is_one(range.extent) && range.extent.type() == range.min.type()) {
      texts.push_back(index(range.min));
    } else {
      const auto [first, end] = ends(range);
      texts.push_back(fmt::format("{}:{}", first, end));
    }
  }
  return names_.of(region.buffer) + "[" + (texts.empty() ? "()" : join(texts, ", ")) + "]";
}

// ----- buffers and annotations

std::string ExprPrinter::list(const std::vector<Expr>& items) {
  std::vector<std::string> texts;
  for (const Expr& item : items) texts.push_back(full(item));
  return "[" + join(texts, ", ") + "]";
}

std::string ExprPrinter::buffer_fields(const BufferNode& buffer, bool always_typed, bool with_data) {
  std::vector<std::string> extents;
  for (const Expr& extent : buffer.shape) extents.push_back(full(extent));
  std::vector<std::string> fields = {"(" + join(extents, ", ") + (extents.size() == 1 ? ",)" : ")")};
  if (always_typed || buffer.type != float32) fields.push_back(in_quotes(to_string(buffer.type)));
  if (with_data) fields.push_back("data=" + names_.of(buffer.data));
  if (!buffer.strides.empty()) fields.push_back("strides=" + list(buffer.strides));
  if (buffer.element_offset.defined()) fields.push_back("elem_offset=" + full(buffer.element_offset));
  if (buffer.scope != "global") fields.push_back("scope=" + in_quotes(buffer.scope));
  if (buffer.alignment_bytes != 0) fields.push_back("align=" + std::to_string(buffer.alignment_bytes));
  return join(fields, ", ");
}

namespace {

std::string print_attribute(const Attribute& attribute, ExprPrinter& printer) {
  if (const Expr* value = std::get_if<Expr>(&attribute.value)) return printer.full(*value);
  std::vector<std::string> items;
  for (const Attribute& item : std::get<std::vector<Attribute>>(attribute.value))
    items.push_back(print_attribute(item, printer));
  return "[" + join(items, ", ") + "]";
}

}  // namespace

std::string print_attributes(const Attributes& attributes, PrintNames& names) {
  ExprPrinter printer(names, false);
  std::vector<std::string> entries;
  for (const auto& [key, value] : attributes)
    entries.push_back(in_quotes(key) + ": " + print_attribute(value, printer));
  return "{" + join(entries, ", ") + "}";
}

}  // namespace ardea
