#include "ardea/ir/parse.h"

#include <algorithm>

#include "ardea/ir/parser.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/text.h"

namespace ardea {

// `from tvm.script import tir as T`: the names T and I are always there.
void Parser::skip_imports() {
  while (tokens_.at("from") || tokens_.at("import")) {
    while (!tokens_.at(TokenKind::newline) && !tokens_.at(TokenKind::end)) tokens_.next();
    tokens_.expect_line_end();
  }
}

Module Parser::module() {
  Module m;
  skip_imports();
  const auto add = [&](const Token& at, Function f) {
    if (m.find(f.name) != nullptr)
      tokens_.fail_at(at, fmt::format("the function {} is defined twice", f.name));
    m.functions.push_back(std::move(f));
  };
  if (tokens_.at("@") && tokens_.at("I", 1)) {
    for (const char* part : {"@", "I", ".", "ir_module"}) tokens_.expect(part);
    tokens_.expect_line_end();
    tokens_.expect("class");
    m.name = tokens_.expect_name("the name of the module").text;
    tokens_.expect(":");
    tokens_.expect_line_end();
    tokens_.expect(TokenKind::indent, "an indented line");
    if (tokens_.take("pass")) tokens_.expect_line_end();
    while (!tokens_.at(TokenKind::dedent)) {
      const Token& at = tokens_.peek();
      add(at, function());
    }
    tokens_.next();
    if (!tokens_.at(TokenKind::end)) tokens_.unexpected("the end of the text after the module");
    return m;
  }
  do {
    const Token& at = tokens_.peek();
    if (!tokens_.at("@"))
      tokens_.unexpected(m.functions.empty() ? "@I.ir_module or @T.prim_func" : "@T.prim_func");
    add(at, function());
  } while (!tokens_.at(TokenKind::end));
  return m;
}

// @T.prim_func | @T.prim_func(exact_types=True)
void Parser::decorator() {
  for (const char* part : {"@", "T", ".", "prim_func"}) tokens_.expect(part);
  laws_ = TypingLaws(false);
  if (tokens_.take("(")) {
    for (const char* part : {"exact_types", "="}) tokens_.expect(part);
    if (tokens_.take("True"))
      laws_ = TypingLaws(true);
    else
      tokens_.expect("False");
    tokens_.expect(")");
  }
  tokens_.expect_line_end();
}

Function Parser::function() {
  decorator();
  tokens_.expect("def");
  Function f;
  f.name = tokens_.expect_name("the name of the function").text;
  const NameScopes::Opened scope(names_);
  shape_variables_.clear();
  scalars_.clear();
  has_blocks_ = false;
  statement_depth_ = 0;
  tokens_.expect("(");
  parameters(f);
  if (tokens_.take("->")) tokens_.expect("None");
  tokens_.expect(":");
  tokens_.expect_line_end();
  tokens_.expect(TokenKind::indent, "an indented line");
  while (function_head_line(f)) {}
  check_shape_variables(f);

  BlockFrame root{.block = {.name = "root", .body = {}}, .is_root = true};
  statement_depth_ = 1;
  Stmt body = lines_until_dedent(&root);
  const auto* block = body.as<Block>();
  const bool says_root =
      root.block.allocations.empty() && block != nullptr && block->name == "root" && block->iterators.empty();
  if (!says_root && (has_blocks_ || !root.block.allocations.empty())) {
    root.block.reads.emplace();
    root.block.writes.emplace();
    root.block.body = std::move(body);
    body = std::move(root.block);
  }
  f.body = std::move(body);
  return f;
}

// Scalars first: the shapes may name any of them, wherever it stands in the list.
void Parser::parameters(Function& f) {
  std::vector<std::pair<Token, std::size_t>> buffers;  // the name, and where its annotation begins
  while (!tokens_.at(")")) {
    const Token& name = tokens_.expect_name("the name of a parameter");
    for (const Parameter& p : f.parameters)
      if (p.var.name() == name.text)
        tokens_.fail_at(name, fmt::format("the parameter {} is given twice", name.text));
    tokens_.expect(":");
    if (tokens_.at("T") && tokens_.at("Buffer", 2)) {
      buffers.emplace_back(name, tokens_.position());
      tokens_.skip_argument();
      f.parameters.push_back({Var(name.text, handle_type)});
    } else {
      const Token& at = tokens_.peek();
      const DataType type = dotted_type("a type such as T.Buffer((16,), \"float32\"), T.handle or T.int32");
      if (type.is_none() || type.is_vector())
        tokens_.fail_at(at, fmt::format("the parameter {} is {}, must be a scalar, T.handle or T.Buffer",
                                        name.text, to_string(type)));
      f.parameters.push_back({Var(name.text, type)});
      names_.define(name.text, {f.parameters.back().var});
      scalars_.push_back(f.parameters.back().var);
    }
    if (!tokens_.take(",")) break;
  }
  tokens_.expect(")");
  const std::size_t after = tokens_.position();
  for (const auto& [name, position] : buffers) {
    tokens_.move_to(position);
    for (const char* part : {"T", ".", "Buffer", "("}) tokens_.expect(part);
    const std::string& wanted = name.text;
    const auto parameter = std::find_if(f.parameters.begin(), f.parameters.end(),
                                        [&](const Parameter& p) { return p.var.name() == wanted; });
    parameter->buffer = make_parsed_buffer(name, buffer_fields(name, false));
    check_parameter(name, parameter->buffer);
    if (!tokens_.at(",") && !tokens_.at(")")) tokens_.unexpected("',' or ')'");
  }
  for (const Parameter& p : f.parameters)
    if (p.buffer.defined()) names_.define(p.buffer->name, {{}, p.buffer});
  tokens_.move_to(after);
}

// T.func_attr({…}) | n = T.int64() | A = T.match_buffer(a, (n,))
bool Parser::function_head_line(Function& f) {
  if (tokens_.at("T") && tokens_.at("func_attr", 2)) {
    for (const char* part : {"T", ".", "func_attr", "("}) tokens_.expect(part);
    for (auto& [key, value] : attributes()) f.attributes[key] = value;
    tokens_.expect(")");
    tokens_.expect_line_end();
    return true;
  }
  if (tokens_.at("T") && tokens_.at("assume", 2)) {
    for (const char* part : {"T", ".", "assume", "("}) tokens_.expect(part);
    f.assumptions.push_back(condition("T.assume"));
    tokens_.expect(")");
    tokens_.expect_line_end();
    return true;
  }
  if (!tokens_.at(TokenKind::name) || !tokens_.at("=", 1) || !tokens_.at("T", 2) || !tokens_.at(".", 3))
    return false;
  const Token& maker = tokens_.peek(4);
  if (maker.is("match_buffer")) {
    const Token& name = tokens_.next();
    for (const char* part : {"=", "T", ".", "match_buffer", "("}) tokens_.expect(part);
    match_parameter(f, name);
    return true;
  }
  const bool declares_extent =
      parse_data_type(maker.text).has_value() && tokens_.at("(", 5) && tokens_.at(")", 6);
  if (!declares_extent) return false;
  const Token& name = tokens_.next();
  tokens_.expect("=");
  const DataType type = dotted_type("a type");
  if (!type.is_integer() || !type.is_scalar())
    tokens_.fail_at(
        maker, fmt::format("the symbolic extent {} is {}, must be an integer", name.text, to_string(type)));
  tokens_.expect("(");
  tokens_.expect(")");
  tokens_.expect_line_end();
  shape_variables_.emplace_back(name, Var(name.text, type));
  names_.define(name.text, {shape_variables_.back().second});
  scalars_.push_back(shape_variables_.back().second);
  return true;
}

void Parser::match_parameter(Function& f, const Token& name) {
  const Token& handle = tokens_.expect_name("the name of a T.handle parameter");
  if (tokens_.at("["))
    tokens_.fail_at(
        handle, "a region is matched at the head of a block; here T.match_buffer takes a T.handle parameter");
  tokens_.expect(",");
  const auto parameter = std::find_if(f.parameters.begin(), f.parameters.end(),
                                      [&](const Parameter& p) { return p.var.name() == handle.text; });
  if (parameter == f.parameters.end() || !parameter->var.type().is_handle())
    tokens_.fail_at(handle, fmt::format("T.match_buffer: {} is no T.handle parameter", handle.text));
  if (parameter->buffer.defined())
    tokens_.fail_at(handle, fmt::format("T.match_buffer: {} has a buffer already", handle.text));
  parameter->buffer = make_parsed_buffer(name, buffer_fields(name, false));
  check_parameter(name, parameter->buffer);
  tokens_.expect_line_end();
  names_.define(name.text, {{}, parameter->buffer});
}

// The caller's arrays decide these before any memory is read.
void Parser::check_parameter(const Token& at, const Buffer& buffer) {
  const auto check = [&](const Expr& part) {
    visit_exprs(part, [&](const Expr& e) {
      if (e.is<Load>() || e.is<Call>() || e.is<Let>())
        tokens_.fail_at(at,
                        fmt::format("the shape of the parameter {} must be arithmetic on extents", at.text));
    });
  };
  for (const Expr& extent : buffer->shape) check(extent);
  for (const Expr& stride : buffer->strides) check(stride);
  if (buffer->element_offset.defined()) check(buffer->element_offset);
}

void Parser::check_shape_variables(const Function& f) {
  const std::vector<Var> used = shape_variables(f);
  for (const auto& [name, var] : shape_variables_)
    if (std::find(used.begin(), used.end(), var) == used.end())
      tokens_.fail_at(name, fmt::format("{} is an extent of no parameter", name.text));
}

Module parse(std::string_view text, const std::string& name) { return Parser(text, name).module(); }

Function parse_function(std::string_view text, const std::string& name) {
  Module m = parse(text, name);
  require(m.functions.size() == 1, "{}: found {} functions, expected one", name, m.functions.size());
  return std::move(m.functions[0]);
}

}  // namespace ardea
