#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "ardea/ir/parse_tokens.h"
#include "ardea/ir/stmt.h"

/// What every reader of Python-like text needs: this folder's, and te's for hybrid functions.

namespace ardea {

// Every pass recurses over expressions: what a parser lets in must fit their stack.
inline constexpr int deepest_expression = 1000;
inline constexpr int deepest_nesting = 256;

struct OperatorRow {
  std::string_view spelling;
  BinaryOp op;
  int level;  ///< Python's precedence: the higher binds tighter
};
inline constexpr int comparison_level = 4;

/// The binary operator that the token spells, or nullptr.
const OperatorRow* find_operator(const Token& token);

/// Counts what is open while it lives.
class Opened {
 public:
  explicit Opened(int& count) : count_(++count) {}
  ~Opened() { --count_; }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

 private:
  int& count_;
};

/// One line of a suite: a statement, or a definition, whose body is the rest of the suite.
struct SuiteLine {
  Stmt statement = {};
  std::function<Stmt(Stmt)> around = {};
};
Stmt nest_lines(std::vector<SuiteLine> lines);

/// {"name": value, …}, where `value` reads one.
Attributes read_attributes(TokenStream& tokens, const std::function<Attribute()>& value);

}  // namespace ardea
