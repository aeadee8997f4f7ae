#include <algorithm>

#include "ardea/ir/parse_shared.h"
#include "ardea/ir/parser.h"
#include "ardea/ir/print.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/text.h"

namespace ardea {

std::vector<Expr> Parser::integer_list(std::string_view what) {
  std::vector<Expr> items;
  const std::string closing = tokens_.at("[") ? "]" : ")";
  if (!tokens_.take("[") && !tokens_.take("("))
    tokens_.unexpected(fmt::format("{} in brackets, such as (16, 16)", what));
  while (!tokens_.at(closing)) {
    const Token& at = tokens_.peek();
    items.push_back(settled_expression());
    if (const DataType type = items.back().type(); !type.is_integer() || !type.is_scalar())
      tokens_.fail_at(at, fmt::format("{} must be integers, this one is {}", what, to_string(type)));
    if (!tokens_.take(",")) break;
  }
  tokens_.expect(closing);
  return items;
}

std::string Parser::scope_name() {
  const Token& scope = tokens_.expect_string("a scope such as \"global\"");
  if (!scope_rank(scope.text))
    tokens_.fail_at(
        scope, fmt::format("there is no scope {}; the scopes are {}", in_quotes(scope.text), known_scopes()));
  return scope.text;
}

void Parser::check_size(const Token& at, const std::string& name, const std::vector<Expr>& shape,
                        DataType type) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  if (type.is_handle() || type.is_none())
    tokens_.fail_at(at,
                    fmt::format("buffer {}: the elements are {}, must be numbers", name, to_string(type)));
  std::int64_t bits = std::max<std::int64_t>(type.bits, type.is_bool() ? 8 : 4) * type.lanes;
  std::vector<std::string> extents;
  bool overflows = false;
  for (const Expr& extent : shape) {
    extents.push_back(print(extent));
    const std::optional<std::int64_t> constant = constant_int(extent);
    if (!constant) continue;
    if (*constant <= 0)
      tokens_.fail_at(at, fmt::format("buffer {}: the extent {} is not positive", name, extents.back()));
    overflows = overflows || __builtin_mul_overflow(bits, *constant, &bits) || bits / 8 > most;
  }
  if (overflows)
    tokens_.fail_at(at, fmt::format("buffer {}: ({}) elements of {} are more than 2^62 bytes", name,
                                    join(extents, ", "), to_string(type)));
}

Parser::BufferFields Parser::buffer_fields(const Token& name, bool takes_data) {
  BufferFields fields;
  const Token& at = tokens_.peek();
  fields.shape = integer_list("extents");
  bool first = true;
  while (tokens_.take(",") && !tokens_.at(")")) {
    if (first && tokens_.at(TokenKind::string))
      fields.type = type_name();
    else
      buffer_keyword(fields, takes_data);
    first = false;
  }
  tokens_.expect(")");
  check_size(at, name.text, fields.shape, fields.type);
  if (!fields.strides.empty() && fields.strides.size() != fields.shape.size())
    tokens_.fail_at(at, fmt::format("buffer {}: {} strides for {} dimensions", name.text,
                                    fields.strides.size(), fields.shape.size()));
  return fields;
}

void Parser::buffer_keyword(BufferFields& fields, bool takes_data) {
  std::vector<std::string> known = {"dtype", "strides", "elem_offset", "scope", "align"};
  if (takes_data) known.emplace_back("data");
  const Token keyword =
      tokens_.expect_name("a type such as \"float32\", or one of " + join(known, "=, ") + "=");
  if (std::find(known.begin(), known.end(), keyword.text) == known.end())
    tokens_.fail_at(
        keyword, fmt::format("there is no {}= here; the keywords are {}=", keyword.text, join(known, "=, ")));
  tokens_.expect("=");
  const Token& at = tokens_.peek();
  if (keyword.is("dtype")) {
    fields.type = type_name();
  } else if (keyword.is("data")) {
    const Expr data = settled_expression();
    if (!data.is<VarNode>() || !data.type().is_handle())
      tokens_.fail_at(at, "data= must be the memory of an allocation, or of a buffer as in A.data");
    fields.data = Var(data);
  } else if (keyword.is("strides")) {
    fields.strides = integer_list("strides");
  } else if (keyword.is("elem_offset")) {
    fields.element_offset = settled_expression();
    if (const DataType type = fields.element_offset.type(); !type.is_integer() || !type.is_scalar())
      tokens_.fail_at(at, fmt::format("elem_offset= must be an integer, not {}", to_string(type)));
  } else if (keyword.is("scope")) {
    fields.scope = scope_name();
  } else {
    fields.alignment_bytes = integer_argument("align=");
    const std::int64_t bytes = fields.alignment_bytes;
    if (bytes <= 0 || (bytes & (bytes - 1)) != 0)
      tokens_.fail_at(at, fmt::format("align={} is not a power of two", bytes));
  }
}

Buffer Parser::make_parsed_buffer(const Token& name, BufferFields fields) {
  return Buffer(BufferNode{.name = name.text,
                           .data = fields.data.defined() ? fields.data : Var(name.text, handle_type),
                           .type = fields.type,
                           .shape = std::move(fields.shape),
                           .strides = std::move(fields.strides),
                           .element_offset = std::move(fields.element_offset),
                           .scope = std::move(fields.scope),
                           .alignment_bytes = fields.alignment_bytes});
}

BufferRegion Parser::region() {
  const Token& name = tokens_.expect_name("a region such as A[i, 0:4]");
  const Definition* found = names_.find(name.text);
  if (found == nullptr) unknown_name(name);
  if (!found->buffer.defined())
    tokens_.fail_at(name, fmt::format("{} is a variable, only buffers have regions", name.text));
  BufferRegion region{found->buffer, {}};
  for (const Subscript& s : subscripts()) region.region.push_back(range_of(s));
  if (region.region.size() != region.buffer->shape.size())
    tokens_.fail_at(name, fmt::format("{}[…]: {} indices for {} dimensions", name.text, region.region.size(),
                                      region.buffer->shape.size()));
  return region;
}

std::vector<BufferRegion> Parser::regions() {
  std::vector<BufferRegion> all;
  const bool listed = tokens_.take("[");
  const std::string closing = listed ? "]" : ")";
  while (!tokens_.at(closing)) {
    all.push_back(region());
    if (!tokens_.take(",")) break;
  }
  tokens_.expect(closing);
  if (listed) tokens_.expect(")");
  return all;
}

// ----- annotations

Attributes Parser::attributes() {
  return read_attributes(tokens_, [&] { return attribute(); });
}

/// Such an integer is known all through the function: an annotation may go with its node wherever that goes.
bool Parser::is_of_sizes(const Expr& value) const {
  if (!value.type().is_integer() || !value.type().is_scalar()) return false;
  bool known = true;
  visit_exprs(value, [&](const Expr& e) {
    const auto is_it = [&](const Var& var) { return e == var; };
    known = known && !e.is<Load>() && !e.is<Call>() && !e.is<Let>();
    if (e.is<VarNode>()) known = known && std::any_of(scalars_.begin(), scalars_.end(), is_it);
  });
  return known;
}

Attribute Parser::attribute() {
  const Token& at = tokens_.peek();
  if (nesting_ > 64) tokens_.fail_at(at, "lists nest more than 64 deep");
  if (tokens_.take("[")) {
    std::vector<Attribute> items;
    ++nesting_;
    while (!tokens_.at("]")) {
      items.push_back(attribute());
      if (!tokens_.take(",")) break;
    }
    --nesting_;
    tokens_.expect("]");
    return {std::move(items)};
  }
  Expr value = settled_expression();
  const bool is_constant = value.is<IntImm>() || value.is<FloatImm>() || value.is<StringImm>();
  if (!is_constant && !is_of_sizes(value))
    tokens_.fail_at(at,
                    "the value of an annotation must be a number, a bool, a string, an integer of the "
                    "program's sizes and scalars, or a list of these");
  return {std::move(value)};
}

}  // namespace ardea
