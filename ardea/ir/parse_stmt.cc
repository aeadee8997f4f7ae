#include <algorithm>

#include "ardea/ir/parser.h"
#include "ardea/support/text.h"

namespace ardea {

namespace {

// Every pass recurses over statements: what the parser lets in must fit their stack.
constexpr int deepest_statement = 1000;

}  // namespace

void Parser::enter_statement(const Token& at) {
  if (++statement_depth_ > deepest_statement)
    tokens_.fail_at(at,
                    fmt::format("statements nest deeper than {} here; loops, blocks and definitions count",
                                deepest_statement));
}

Stmt Parser::suite(BlockFrame* block) {
  tokens_.expect(":");
  tokens_.expect_line_end();
  tokens_.expect(TokenKind::indent, "an indented line");
  const NameScopes::Opened scope(names_);
  return lines_until_dedent(block);
}

// A definition (let, allocate, buffer) holds for the rest of its suite, which becomes its body.
Stmt Parser::lines_until_dedent(BlockFrame* block) {
  std::vector<Line> lines;
  const int depth_outside = statement_depth_;
  while (!tokens_.at(TokenKind::dedent) && !tokens_.at(TokenKind::end)) {
    if (block != nullptr && block_head_line(*block)) continue;
    if (block != nullptr) block->head_is_open = false;
    lines.push_back(line());
  }
  tokens_.expect(TokenKind::dedent, "a statement");
  statement_depth_ = depth_outside;
  return nest_lines(std::move(lines));
}

Parser::Line Parser::line() {
  if (tokens_.at("for")) return {for_statement()};
  if (tokens_.at("if")) return {if_statement()};
  if (tokens_.at("with")) return {with_statement()};
  if (tokens_.at("assert")) return {assert_statement()};
  if (tokens_.take("pass")) {
    tokens_.expect_line_end();
    return {make_no_op()};
  }
  if (tokens_.at("T") && tokens_.at(".", 1)) {
    const Token& word = tokens_.peek(2);
    for (const std::string_view head : {"reads", "writes", "where", "block_attr", "func_attr"})
      if (word.is(head))
        tokens_.fail_at(word, fmt::format("T.{} stands at the head of a {}, before its first statement", head,
                                          head == "func_attr" ? "function" : "block"));
    return expression_line();
  }
  if (tokens_.at(TokenKind::indent))
    tokens_.fail_at(tokens_.peek(), "this line is indented deeper than the one before");
  return named_line();
}

Parser::Line Parser::named_line() {
  const Token& name = tokens_.expect_name("a statement");
  if (tokens_.at("=")) return assignment(name);
  if (tokens_.at(":")) return declaration(name);
  if (tokens_.at("[")) return element_store(name);
  if (tokens_.at(".")) return vector_store(name);
  tokens_.unexpected("'=', ':' or an element such as A[i] on the left of '='");
}

// x = …: an allocation, a view, or a variable whose type follows from its value.
Parser::Line Parser::assignment(const Token& name) {
  tokens_.next();
  Line result;
  const Token& maker = tokens_.peek(2);
  const bool dotted = tokens_.at("T") && tokens_.at(".", 1);
  if (dotted && (maker.is("axis") || maker.is("alloc_buffer") || maker.is("match_buffer")))
    tokens_.fail_at(
        maker, fmt::format("T.{} stands at the head of a block, before its first statement", maker.text));
  if (dotted && maker.is("allocate")) {
    result.around = allocation(name);
  } else if (dotted && (maker.is("Buffer") || maker.is("decl_buffer"))) {
    result.around = buffer_view(name);
  } else {
    Expr value = settled_expression();
    const DataType type = value.type();
    result.around = let(name, type, std::move(value));
  }
  tokens_.expect_line_end();
  return result;
}

// x: T.int32 = value
Parser::Line Parser::declaration(const Token& name) {
  tokens_.next();
  const DataType type = dotted_type("a type such as T.int32");
  if (tokens_.take("(")) tokens_.expect(")");  // T.int32() is the same annotation
  tokens_.expect("=");
  const Token& at = tokens_.peek();
  const Operand value = expression();
  Line result;
  result.around = let(name, type, tokens_.located(at, [&] { return laws_.declare(value, type); }));
  tokens_.expect_line_end();
  return result;
}

std::function<Stmt(Stmt)> Parser::let(const Token& name, DataType type, Expr value) {
  if (value.type() != type)
    tokens_.fail_at(name, fmt::format("{} is declared {}, its value is {}; cast the value", name.text,
                                      to_string(type), to_string(value.type())));
  if (type.is_none())
    tokens_.fail_at(name,
                    fmt::format("{}: the call gives no value; write it on a line of its own", name.text));
  enter_statement(name);
  const Var var(name.text, type);
  names_.define(name.text, {var});
  return [var, value = std::move(value)](Stmt body) -> Stmt { return LetStmt{var, value, std::move(body)}; };
}

// T.allocate([16], "float32", "global")
std::function<Stmt(Stmt)> Parser::allocation(const Token& name) {
  for (const char* part : {"T", ".", "allocate", "("}) tokens_.expect(part);
  const Token& at = tokens_.peek();
  Allocate node{
      .data = Var(name.text, handle_type), .type = float32, .extents = integer_list("extents"), .body = {}};
  tokens_.expect(",");
  node.type = type_name();
  if (tokens_.take(",") && !tokens_.at("annotations")) {
    node.scope = scope_name();
    tokens_.take(",");
  }
  if (tokens_.take("annotations")) {
    tokens_.expect("=");
    node.annotations = attributes();
  }
  tokens_.expect(")");
  check_size(at, name.text, node.extents, node.type);
  enter_statement(name);
  names_.define(name.text, {node.data});
  return [node = std::move(node)](Stmt body) -> Stmt {
    Allocate whole = node;
    whole.body = std::move(body);
    return whole;
  };
}

// T.Buffer((16,), data=C) | T.decl_buffer((16,), data=C) | T.decl_buffer((16,)), which allocates too
std::function<Stmt(Stmt)> Parser::buffer_view(const Token& name) {
  tokens_.next();
  tokens_.next();
  const Token& maker = tokens_.next();
  tokens_.expect("(");
  BufferFields fields = buffer_fields(name, true);
  const bool allocates = !fields.data.defined();
  if (allocates && maker.is("Buffer"))
    tokens_.fail_at(
        maker,
        fmt::format("buffer {}: T.Buffer here is a view and needs data=, such as data=A.data", name.text));
  const Buffer buffer = make_parsed_buffer(name, std::move(fields));
  enter_statement(name);
  if (allocates) enter_statement(name);
  names_.define(name.text, {{}, buffer});
  return [buffer, allocates](Stmt body) -> Stmt {
    Stmt view = DeclareBuffer{buffer, std::move(body)};
    if (!allocates) return view;
    return Allocate{.data = buffer->data,
                    .type = buffer->type,
                    .extents = buffer->shape,
                    .scope = buffer->scope,
                    .body = std::move(view)};
  };
}

// A[i, j] = value
Parser::Line Parser::element_store(const Token& name) {
  const Definition* found = names_.find(name.text);
  if (found == nullptr) unknown_name(name);
  if (!found->buffer.defined())
    tokens_.fail_at(name, fmt::format("{} is a variable, only buffers have elements", name.text));
  const Buffer buffer = found->buffer;
  std::vector<Expr> indices;
  for (const Subscript& s : subscripts()) indices.push_back(index_of(s));
  tokens_.expect("=");
  const Operand value = expression();
  tokens_.expect_line_end();
  return {tokens_.located(name, [&] {
    const DataType place = make_load(buffer, indices).type();
    return make_store(buffer, indices, laws_.meet(value, place));
  })};
}

// A.vstore([i], value, predicate=p)
Parser::Line Parser::vector_store(const Token& name) {
  const Definition* found = names_.find(name.text);
  if (found == nullptr) unknown_name(name);
  if (!found->buffer.defined())
    tokens_.fail_at(name, fmt::format("{} is a variable, only buffers have .vstore", name.text));
  const Buffer buffer = found->buffer;
  tokens_.next();
  tokens_.expect("vstore");
  tokens_.expect("(");
  const std::vector<Expr> indices = exprs_of(index_list());
  tokens_.expect(",");
  const Operand value = expression();
  Expr predicate;
  if (tokens_.take(",")) {
    tokens_.expect("predicate");
    tokens_.expect("=");
    predicate = settled_expression();
  }
  tokens_.expect(")");
  tokens_.expect_line_end();
  return {tokens_.located(name, [&] {
    const DataType place = make_load(buffer, indices).type();
    return make_store(buffer, indices, laws_.meet(value, place), predicate);
  })};
}

// T.evaluate(e), or a call on its own
Parser::Line Parser::expression_line() {
  const Token& at = tokens_.peek();
  if (tokens_.at("evaluate", 2)) {
    for (const char* part : {"T", ".", "evaluate", "("}) tokens_.expect(part);
    Stmt statement = Evaluate{settled_expression()};
    tokens_.expect(")");
    tokens_.expect_line_end();
    return {std::move(statement)};
  }
  Expr value = settled_expression();
  if (!value.is<Call>())
    tokens_.fail_at(at, "found an expression, expected a statement; T.evaluate(…) makes it one");
  tokens_.expect_line_end();
  return {Evaluate{std::move(value)}};
}

Stmt Parser::if_statement() {
  const Token& at = tokens_.next();
  Expr test = condition(at.text);
  enter_statement(at);
  Stmt taken = suite();
  Stmt other;
  if (tokens_.at("elif")) {
    other = if_statement();
  } else if (tokens_.take("else")) {
    other = suite();
  }
  --statement_depth_;
  return make_if(std::move(test), std::move(taken), std::move(other));
}

Stmt Parser::assert_statement() {
  tokens_.next();
  Expr test = condition("assert");
  tokens_.expect(",");
  const Token& message = tokens_.expect_string("the message in quotes");
  tokens_.expect_line_end();
  return Assert{std::move(test), message.text};
}

// with T.block(…): | with T.LetStmt(value) as x: | with T.allocate(…) as C: | with T.decl_buffer(…) as B:
Stmt Parser::with_statement() {
  const Token& at = tokens_.next();
  const Token& maker = tokens_.peek(2);
  if (maker.is("init"))
    tokens_.fail_at(maker, "T.init stands at the head of a block, before its first statement");
  if (maker.is("block")) return block_statement(at);
  if (!tokens_.at("T") || !(maker.is("LetStmt") || maker.is("allocate") || maker.is("decl_buffer")))
    tokens_.unexpected("T.block(…), T.init(), T.LetStmt(…), T.allocate(…) or T.decl_buffer(…)");
  // The name comes last but the definition needs it: look ahead to `as`.
  const std::size_t here = tokens_.position();
  for (int i = 0; i < 3; ++i) tokens_.next();
  tokens_.expect("(");
  while (!tokens_.at(")")) {
    tokens_.skip_argument();
    if (!tokens_.take(",") && !tokens_.at(")")) tokens_.unexpected("')'");
  }
  tokens_.next();
  tokens_.expect("as");
  const Token& name = tokens_.expect_name("a name");
  const std::size_t after = tokens_.position();
  tokens_.move_to(here);

  const NameScopes::Opened scope(names_);
  const int depth_outside = statement_depth_;
  std::function<Stmt(Stmt)> around;
  if (maker.is("allocate")) {
    around = allocation(name);
  } else if (maker.is("decl_buffer")) {
    around = buffer_view(name);
  } else {
    for (const char* part : {"T", ".", "LetStmt", "("}) tokens_.expect(part);
    Expr value = settled_expression();
    tokens_.expect(")");
    const DataType type = value.type();
    around = let(name, type, std::move(value));
  }
  tokens_.expect("as");
  tokens_.move_to(after);
  Stmt body = suite();
  statement_depth_ = depth_outside;
  return around(std::move(body));
}

}  // namespace ardea
