#include "ardea/ir/parse_shared.h"

#include <algorithm>
#include <ranges>

#include "ardea/support/text.h"

namespace ardea {

namespace {

constexpr OperatorRow operators[] = {
    {"or", BinaryOp::logical_or, 1},  {"and", BinaryOp::logical_and, 2},
    {"==", BinaryOp::eq, 4},          {"!=", BinaryOp::ne, 4},
    {"<", BinaryOp::lt, 4},           {"<=", BinaryOp::le, 4},
    {">", BinaryOp::gt, 4},           {">=", BinaryOp::ge, 4},
    {"|", BinaryOp::bit_or, 5},       {"^", BinaryOp::bit_xor, 6},
    {"&", BinaryOp::bit_and, 7},      {"<<", BinaryOp::shift_left, 8},
    {">>", BinaryOp::shift_right, 8}, {"+", BinaryOp::add, 9},
    {"-", BinaryOp::sub, 9},          {"*", BinaryOp::mul, 10},
    {"/", BinaryOp::div, 10},         {"//", BinaryOp::floor_div, 10},
    {"%", BinaryOp::floor_mod, 10},
};

}  // namespace

const OperatorRow* find_operator(const Token& token) {
  for (const OperatorRow& row : operators)
    if (token.is(row.spelling)) return &row;
  return nullptr;
}

Stmt nest_lines(std::vector<SuiteLine> lines) {
  std::vector<Stmt> rest;  // in reverse
  for (SuiteLine& line : std::views::reverse(lines)) {
    if (!line.around) {
      if (line.statement.defined()) rest.push_back(std::move(line.statement));
      continue;
    }
    std::reverse(rest.begin(), rest.end());
    Stmt defined = line.around(make_seq(std::move(rest)));
    rest.clear();
    rest.push_back(std::move(defined));
  }
  std::reverse(rest.begin(), rest.end());
  return make_seq(std::move(rest));
}

Attributes read_attributes(TokenStream& tokens, const std::function<Attribute()>& value) {
  Attributes all;
  tokens.expect("{");
  while (!tokens.at("}")) {
    const Token& key = tokens.expect_string("the name of an annotation in quotes");
    tokens.expect(":");
    if (!all.emplace(key.text, value()).second)
      tokens.fail_at(key, fmt::format("the annotation {} is given twice", in_quotes(key.text)));
    if (!tokens.take(",")) break;
  }
  tokens.expect("}");
  return all;
}

}  // namespace ardea
