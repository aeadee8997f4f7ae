#include <algorithm>
#include <utility>

#include "ardea/support/text.h"
#include "ardea/te/hybrid_parser.h"

namespace ardea::te {

namespace {

// Every pass recurses over statements: what is let in must fit their stack.
constexpr int deepest_statement = 1000;
constexpr std::int64_t most_statements = 100'000;

struct AugmentedRow {
  std::string_view spelling;
  BinaryOp op;
};
constexpr AugmentedRow augmented[] = {
    {"+=", BinaryOp::add},         {"-=", BinaryOp::sub},          {"*=", BinaryOp::mul},
    {"/=", BinaryOp::div},         {"//=", BinaryOp::floor_div},   {"%=", BinaryOp::floor_mod},
    {"&=", BinaryOp::bit_and},     {"|=", BinaryOp::bit_or},       {"^=", BinaryOp::bit_xor},
    {"<<=", BinaryOp::shift_left}, {">>=", BinaryOp::shift_right},
};

const AugmentedRow* find_augmented(const Token& token) {
  for (const AugmentedRow& row : augmented)
    if (token.is(row.spelling)) return &row;
  return nullptr;
}

bool assigns(const Token& token) { return token.is("=") || token.is("**=") || find_augmented(token); }

constexpr std::pair<std::string_view, std::string_view> refused[] = {
    {"while", "there is no while: loops count; write for i in range(…) and put the body under an if"},
    {"break", "there is no break; put the rest of the loop under an if"},
    {"continue", "there is no continue; put the rest of the loop under an if"},
    {"def", "a text holds one function; make another stage of it by another call of hybrid"},
    {"lambda", "there is no lambda; write the expression where it is used"},
    {"class", "there are no classes; a text holds one function"},
    {"import", "there is nothing to import; the functions are there by name, as in exp(x)"},
    {"from", "there is nothing to import; the functions are there by name, as in exp(x)"},
    {"with", "there is no with; allocate(…) holds to the end of its lines"},
    {"else", "found 'else' without an if before it at the same indentation"},
    {"elif", "found 'elif' without an if before it at the same indentation"},
};

}  // namespace

void HybridParser::enter_statement(const Token& at, int levels) {
  statement_depth_ += levels;
  if (statement_depth_ > deepest_statement)
    tokens_.fail_at(at, fmt::format("statements nest deeper than {} here; loops, conditions and variables "
                                    "count",
                                    deepest_statement));
}

// ----- suites

Stmt HybridParser::suite() {
  tokens_.expect(":");
  const HybridNames::Opened scope(names_);
  const bool was_top = std::exchange(at_top_, false);
  Stmt body;
  if (tokens_.at(TokenKind::newline)) {
    tokens_.next();
    tokens_.expect(TokenKind::indent, "an indented line");
    body = lines_until_dedent();
  } else {
    const int depth_outside = statement_depth_;
    std::vector<Line> lines;
    lines.push_back(simple_line());
    statement_depth_ = depth_outside;
    body = nest_lines(std::move(lines));
  }
  at_top_ = was_top;
  return body;
}

/// Leaves a suite unread: the side that a constant condition does not take.
void HybridParser::skip_suite() {
  tokens_.expect(":");
  const bool beside = !tokens_.at(TokenKind::newline);
  while (!tokens_.at(TokenKind::newline) && !tokens_.at(TokenKind::end)) tokens_.next();
  tokens_.expect_line_end();
  if (beside) return;
  tokens_.expect(TokenKind::indent, "an indented line");
  for (int open = 1; open > 0 && !tokens_.at(TokenKind::end);) {
    const TokenKind kind = tokens_.next().kind;
    open += kind == TokenKind::indent ? 1 : kind == TokenKind::dedent ? -1 : 0;
  }
}

void HybridParser::skip_other_sides() {
  while (tokens_.at("elif") || tokens_.at("else")) {
    while (!tokens_.at(":") && !tokens_.at(TokenKind::newline) && !tokens_.at(TokenKind::end)) tokens_.next();
    skip_suite();
  }
}

Stmt HybridParser::lines_until_dedent() {
  std::vector<Line> lines;
  const int depth_outside = statement_depth_;
  while (!tokens_.at(TokenKind::dedent) && !tokens_.at(TokenKind::end)) {
    if (at_top_ && tokens_.at("return")) {
      return_line();
      break;
    }
    lines.push_back(line());
    if (lines.back().statement.defined() && is_no_op(lines.back().statement)) lines.pop_back();
  }
  if (at_top_ && !returned_.empty() && !tokens_.at(TokenKind::dedent))
    tokens_.fail_at(tokens_.peek(), "return is the last line of the function; this line comes after it");
  tokens_.expect(TokenKind::dedent, "a statement");
  statement_depth_ = depth_outside;
  return nest_lines(std::move(lines));
}

// ----- statements

HybridParser::Line HybridParser::line() {
  if (tokens_.at("for")) return {for_statement()};
  if (tokens_.at("if")) return {if_statement()};
  if (tokens_.at(TokenKind::indent))
    tokens_.fail_at(tokens_.peek(), "this line is indented deeper than the one before");
  return simple_line();
}

HybridParser::Line HybridParser::simple_line() {
  const Token& at = tokens_.peek();
  if (++statements_ > most_statements)
    tokens_.fail_at(at, fmt::format("const_range unrolls to more than {} statements; use range or unroll",
                                    most_statements));
  if (tokens_.at("assert")) return {assert_statement()};
  if (tokens_.take("pass")) {
    tokens_.expect_line_end();
    return {};
  }
  if (tokens_.at(TokenKind::string)) {  // a comment in quotes
    while (tokens_.at(TokenKind::string)) tokens_.next();
    tokens_.expect_line_end();
    return {};
  }
  refuse_keyword();
  return named_line();
}

void HybridParser::refuse_keyword() {
  const Token& at = tokens_.peek();
  if (at.is("return"))
    tokens_.fail_at(at, "return is the last line of the function, and stands in no loop and no if");
  for (const auto& [keyword, sentence] : refused)
    if (at.is(keyword)) tokens_.fail_at(at, std::string(sentence));
}

HybridParser::Line HybridParser::named_line() {
  const Token& name = tokens_.expect_name("a statement");
  if (assigns(tokens_.peek())) return assignment(name);
  if (tokens_.at("[")) return element_assignment(name);
  if (tokens_.at("("))
    tokens_.fail_at(name, fmt::format("the value of {}(…) would be lost; store it, as in x = {}(…)",
                                      name.text, name.text));
  if (tokens_.at(",")) tokens_.fail_at(tokens_.peek(), "found ',', expected '=': one store a line");
  if (tokens_.at(":"))
    tokens_.fail_at(tokens_.peek(),
                    "found ':', expected '=': the type of a variable is its first value's; "
                    "cast that, as in x = float32(0)");
  tokens_.unexpected("'=', or an element such as c[i] on the left of '='");
}

// x = …: the first store declares x; later ones store.
HybridParser::Line HybridParser::assignment(const Token& name) {
  const HybridName* found = names_.find(name.text);
  if (tokens_.at("=")) {
    const Token& maker = tokens_.peek(1);
    const bool called = tokens_.at("(", 2);
    if (called && maker.is("output_tensor")) return output_tensor(name);
    if (called && maker.is("allocate")) return allocation(name);
    if (found == nullptr) {
      tokens_.next();
      const Operand value = expression();
      if (tokens_.at(","))
        tokens_.fail_at(tokens_.peek(), "found ',', expected the end of the line: one store a line");
      tokens_.expect_line_end();
      return first_store(name, value);
    }
  }
  const HybridName meaning = visible(name);  // an error where x += … comes before x = …
  if (meaning.kind != HybridName::Kind::variable)
    tokens_.fail_at(
        name, fmt::format(
                  "{0} is {1}, which {2}; store to a variable of another name", name.text, meaning.what,
                  meaning.is_array() ? "has elements such as " + name.text + "[…]" : "cannot be stored to"));
  return store(name, meaning.buffer, {{make_int(0)}});
}

HybridParser::Line HybridParser::first_store(const Token& name, const Operand& value) {
  HybridName meaning{.what = "a variable", .line = name.line};
  if (!stored_later(name.text)) {
    if (value.bare || constant_int(value.expr)) {
      meaning.value = value;
      names_.define(name.text, std::move(meaning));
      return {};
    }
    const Var var(name.text, value.expr.type());
    meaning.value = {var};
    values_[var] = value.expr;
    enter_statement(name);
    names_.define(name.text, std::move(meaning));
    return {{}, [var, e = value.expr](Stmt body) -> Stmt { return LetStmt{var, e, std::move(body)}; }};
  }
  const Expr first = settled(name, value);
  const Buffer buffer = local_buffer(name.text, {make_int(1)}, first.type(), "local");
  meaning.kind = HybridName::Kind::variable;
  meaning.buffer = buffer;
  enter_statement(name, 3);
  names_.define(name.text, std::move(meaning));
  return {{}, [buffer, first](Stmt body) -> Stmt {
            return allocated(buffer, make_seq({make_store(buffer, {make_int(0)}, first), std::move(body)}));
          }};
}

/// Whether a line below, in the suite that this line is in, stores to the variable.
bool HybridParser::stored_later(const std::string& name) const {
  int open = 0;
  bool line_begins = true;
  for (std::size_t ahead = 0;; ++ahead) {
    const Token& token = tokens_.peek(ahead);
    if (token.kind == TokenKind::end || token.kind == TokenKind::fault) return false;
    if (token.kind == TokenKind::indent) ++open;
    if (token.kind == TokenKind::dedent && --open < 0) return false;
    if (line_begins && token.is(name) && assigns(tokens_.peek(ahead + 1))) return true;
    line_begins = token.kind == TokenKind::newline || token.kind == TokenKind::indent ||
                  token.kind == TokenKind::dedent || token.is(":");
  }
}

// c[i, j] = …
HybridParser::Line HybridParser::element_assignment(const Token& name) {
  const HybridName meaning = resolved(name);
  if (!meaning.is_array())
    tokens_.fail_at(name, fmt::format("{} is {}, only arrays have elements", name.text, meaning.what));
  if (meaning.kind == HybridName::Kind::input)
    tokens_.fail_at(name, fmt::format("{} is an input, which is only read; write to an output_tensor or to "
                                      "what allocate gives",
                                      name.text));
  return store(name, meaning.buffer, subscripts(name));
}

/// = value, or += value, to an element.
HybridParser::Line HybridParser::store(const Token& at, const Buffer& buffer,
                                       const std::vector<Operand>& indices) {
  const Token& sign = tokens_.peek();
  if (!assigns(sign)) tokens_.unexpected("'=' or an operator such as '+='");
  tokens_.next();
  Operand value = expression();
  if (tokens_.at(","))
    tokens_.fail_at(tokens_.peek(), "found ',', expected the end of the line: one store a line");
  tokens_.expect_line_end();
  if (sign.is("**="))
    value = raised(sign, element(at, buffer, indices), value);
  else if (const AugmentedRow* row = find_augmented(sign))
    value = combined(sign, row->op, element(at, buffer, indices), value);
  return {tokens_.located(at, [&] {
    const Expr stored = met(value, buffer->type);
    require(stored.type() == buffer->type, "{} holds {}, the value is {}; cast it, as in {}(…)", buffer->name,
            to_string(buffer->type), to_string(stored.type()), to_string(buffer->type));
    return make_store(buffer, indices_of(buffer, indices), stored);
  })};
}

// A constant condition takes its side while reading, so that const_range can choose what to write.
Stmt HybridParser::if_statement() {
  const Token& at = tokens_.next();
  const Expr test = condition(at.text);
  const std::optional<std::int64_t> known = constant_int(test);
  enter_statement(at);
  Stmt taken, other;
  if (!known || *known != 0)
    taken = suite();
  else
    skip_suite();
  if (known && *known != 0)
    skip_other_sides();
  else if (tokens_.at("elif"))
    other = if_statement();
  else if (tokens_.take("else"))
    other = suite();
  --statement_depth_;
  if (!known) return make_if(test, std::move(taken), std::move(other));
  if (taken.defined()) return taken;
  return other.defined() ? other : make_no_op();
}

Stmt HybridParser::assert_statement() {
  const Token& at = tokens_.next();
  const Expr test = condition(at.text);
  std::string message = fmt::format("{}:{}: the assertion is false", text_name_, at.line);
  if (tokens_.take(",")) message = tokens_.expect_string("the message in quotes").text;
  tokens_.expect_line_end();
  return Assert{test, message};
}

void HybridParser::require_fresh(const Token& name, std::string_view what) {
  const HybridName* found = names_.find(name.text);
  if (found == nullptr) return;
  const std::string where = found->line == 0 ? "" : fmt::format(" of line {}", found->line);
  tokens_.fail_at(name, fmt::format("{} is {}{}; give {} another name", name.text, found->what, where, what));
}

}  // namespace ardea::te
