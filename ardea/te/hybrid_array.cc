#include <algorithm>
#include <unordered_map>

#include "ardea/ir/print.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/support/text.h"
#include "ardea/te/hybrid_parser.h"

namespace ardea::te {

namespace {

constexpr std::int64_t longest_extent = 1000;

/// The operations of e written out, without sharing; at most longest_extent + 1.
std::int64_t written_length(const Expr& e, std::unordered_map<Expr, std::int64_t>& known) {
  if (const auto found = known.find(e); found != known.end()) return found->second;
  std::int64_t length = 1;
  for_each_child(e, [&](const Expr& part) {
    length = std::min(length + written_length(part, known), longest_extent + 1);
  });
  return known[e] = length;
}

bool has_load(const Expr& e) {
  bool found = false;
  visit_exprs(e, [&](const Expr& part) { found = found || part.is<Load>(); });
  return found;
}

}  // namespace

Buffer HybridParser::local_buffer(const std::string& name, std::vector<Expr> shape, DataType type,
                                  std::string scope) {
  return Buffer(BufferNode{.name = name,
                           .data = Var(name + "_data", handle_type),
                           .type = type,
                           .shape = std::move(shape),
                           .scope = std::move(scope)});
}

Stmt HybridParser::allocated(const Buffer& buffer, Stmt body) {
  return Allocate{.data = buffer->data,
                  .type = buffer->type,
                  .extents = buffer->shape,
                  .scope = buffer->scope,
                  .body = DeclareBuffer{buffer, std::move(body)}};
}

// (n, m), (n,), [n, m], a.shape, or one extent
std::vector<Expr> HybridParser::shape() {
  const Token& at = tokens_.peek();
  if (at.kind == TokenKind::name && names_.find(at.text) != nullptr) {
    const std::size_t begins = tokens_.position();
    tokens_.next();
    const HybridName meaning = resolved(at);
    if (meaning.is_array() && tokens_.take(".") && tokens_.take("shape") && !tokens_.at("["))
      return meaning.buffer->shape;
    tokens_.move_to(begins);
  }
  const std::string closing = tokens_.at("[") ? "]" : ")";
  const bool listed = tokens_.take("(") || tokens_.take("[");
  std::vector<Expr> extents;
  while (!listed || !tokens_.at(closing)) {
    const Token& begins = tokens_.peek();
    extents.push_back(settled(begins, expression()));
    const DataType type = extents.back().type();
    if (!type.is_integer())
      tokens_.fail_at(begins, fmt::format("an extent is {}, must be an integer", to_string(type)));
    if (!listed || !tokens_.take(",")) break;
  }
  if (listed) tokens_.expect(closing);
  return extents;
}

void HybridParser::check_shape(const Token& at, const std::string& name, const std::vector<Expr>& shape,
                               DataType type) {
  std::int64_t bits = type.is_bool() ? 8 : type.bits;
  for (const Expr& extent : shape) {
    const std::optional<std::int64_t> constant = constant_int(extent);
    if (!constant) continue;
    if (*constant <= 0)
      tokens_.fail_at(at, fmt::format("{}: the extent {} is not positive", name, *constant));
    if (__builtin_mul_overflow(bits, *constant, &bits))
      tokens_.fail_at(at, fmt::format("{}: the array is larger than any memory", name));
  }
}

/// An extent of an output, which stands outside the text: what it says of variables becomes what these hold.
Expr HybridParser::outside_extent(const Token& at, const Expr& extent) const {
  Expr e = extent;
  for (;;) {  // each round replaces variables by expressions of earlier ones
    Substitution inner;
    for (const Var& var : free_variables(e))
      if (const auto value = values_.find(var); value != values_.end()) inner[var] = value->second;
    if (inner.empty()) break;
    e = substitute(e, inner);
  }
  std::unordered_map<Expr, std::int64_t> known;
  if (written_length(e, known) > longest_extent)
    tokens_.fail_at(
        at, fmt::format("the extent has more than {} operations; pass it as an argument", longest_extent));
  if (has_load(e))
    tokens_.fail_at(at, fmt::format("the extent {} depends on the content of an array; extents follow from "
                                    "shapes and arguments",
                                    print(extent)));
  return e;
}

// c = output_tensor((n, m), "float32")
HybridParser::Line HybridParser::output_tensor(const Token& name) {
  if (!at_top_) tokens_.fail_at(name, "output_tensor stands in no loop and no if; move it before them");
  require_fresh(name, "the output");
  for (const char* part : {"=", "output_tensor", "("}) tokens_.expect(part);
  const Token& at = tokens_.peek();
  std::vector<Expr> extents = shape();
  for (Expr& extent : extents) extent = outside_extent(at, extent);
  DataType type = float32;
  if (tokens_.take(",") && !tokens_.at(")")) {
    type = type_name();
    tokens_.take(",");
  }
  tokens_.expect(")");
  tokens_.expect_line_end();
  check_shape(at, name.text, extents, type);
  outputs_.push_back(make_buffer(name.text, std::move(extents), type));
  names_.define(
      name.text,
      {.kind = HybridName::Kind::output, .what = "an output", .line = name.line, .buffer = outputs_.back()});
  return {};
}

// b = allocate((16,), "float32", "local")
HybridParser::Line HybridParser::allocation(const Token& name) {
  require_fresh(name, "the array");
  for (const char* part : {"=", "allocate", "("}) tokens_.expect(part);
  const Token& at = tokens_.peek();
  std::vector<Expr> extents = shape();
  for (const Expr& extent : extents)
    if (has_load(extent))
      tokens_.fail_at(at,
                      fmt::format("the extent {} reads an array or a variable that changes; store it in a "
                                  "variable that is stored once",
                                  print(extent)));
  DataType type = float32;
  std::string scope = "global";
  if (tokens_.take(",") && !tokens_.at(")")) {
    type = type_name();
    if (tokens_.take(",") && !tokens_.at(")")) {
      const Token& word = tokens_.expect_string("a scope such as \"local\" or \"shared\"");
      if (!scope_rank(word.text))
        tokens_.fail_at(word, fmt::format("there is no scope {}; the scopes are {}", in_quotes(word.text),
                                          known_scopes()));
      scope = word.text;
      tokens_.take(",");
    }
  }
  tokens_.expect(")");
  tokens_.expect_line_end();
  check_shape(at, name.text, extents, type);
  enter_statement(name, 2);
  const Buffer buffer = local_buffer(name.text, std::move(extents), type, scope);
  names_.define(
      name.text,
      {.kind = HybridName::Kind::allocation, .what = "an array", .line = name.line, .buffer = buffer});
  return {{}, [buffer](Stmt body) { return allocated(buffer, std::move(body)); }};
}

}  // namespace ardea::te
