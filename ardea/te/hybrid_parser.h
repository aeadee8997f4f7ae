#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/parse_shared.h"
#include "ardea/ir/parse_tokens.h"
#include "ardea/te/hybrid_names.h"

/// The recursive-descent reader of the hybrid dialect, which makes statements as it goes. One class, one file
/// a part of the grammar:
///   hybrid_expr.cc  operators, names, elements      hybrid_call.cc  functions, casts, types
///   hybrid_stmt.cc  statements and suites           hybrid_loop.cc  for, and const_range, which reads its
///   hybrid_array.cc output_tensor and allocate                      suite once for each value
///   hybrid.cc       the function: parameters, outputs, return

namespace ardea::te {

class HybridParser {
 public:
  HybridParser(std::string_view source, const std::string& text_name)
      : tokens_(source, text_name), text_name_(text_name) {}

  Operation function(const std::vector<HybridArgument>& arguments);

 private:
  // The function.
  void decorators();
  void parameters(const std::vector<HybridArgument>& arguments);
  Stmt body();
  void return_line();
  void return_output(const Token& name);

  // Statements. A suite is the indented lines after a colon, or one simple statement beside it.
  using Line = SuiteLine;
  Stmt suite();
  void skip_suite();
  void skip_other_sides();
  Stmt lines_until_dedent();
  Line line();
  Line simple_line();
  Line named_line();
  Line assignment(const Token& name);
  Line first_store(const Token& name, const Operand& value);
  Line element_assignment(const Token& name);
  Line store(const Token& at, const Buffer& buffer, const std::vector<Operand>& indices);
  Stmt if_statement();
  Stmt assert_statement();
  void refuse_keyword();
  void require_fresh(const Token& name, std::string_view what);
  bool stored_later(const std::string& name) const;
  void enter_statement(const Token& at, int levels = 1);

  // Loops.
  struct LoopHead {
    Range range = {};
    ForKind kind = ForKind::serial;
    std::string thread = {};
    Attributes annotations = {};
  };
  Stmt for_statement();
  Stmt unrolled(const Token& at, const Token& name);
  LoopHead loop_head(const Token& kind);
  Range loop_range(const Token& kind);
  std::vector<std::int64_t> constant_range();
  Attributes attributes();
  Attribute attribute();

  // Arrays.
  Line output_tensor(const Token& name);
  Line allocation(const Token& name);
  static Buffer local_buffer(const std::string& name, std::vector<Expr> shape, DataType type,
                             std::string scope);
  static Stmt allocated(const Buffer& buffer, Stmt body);
  std::vector<Expr> shape();
  void check_shape(const Token& at, const std::string& name, const std::vector<Expr>& shape, DataType type);
  Expr outside_extent(const Token& at, const Expr& extent) const;

  // Expressions.
  Operand expression();
  Operand binary(int lowest);
  Operand unary();
  Operand power();
  Operand primary();
  Operand named_value();
  Operand array_value(const Token& name, const HybridName& array);
  Operand extent(const Token& name, const HybridName& array);
  std::vector<Operand> subscripts(const Token& name);
  Operand element(const Token& at, const Buffer& buffer, const std::vector<Operand>& indices);
  std::vector<Expr> indices_of(const Buffer& buffer, const std::vector<Operand>& indices) const;
  Operand combined(const Token& at, BinaryOp op, const Operand& left, const Operand& right);
  Operand raised(const Token& at, const Operand& base, const Operand& exponent);
  Operand chosen(const Token& at, const Operand& condition, const Operand& when_true,
                 const Operand& when_false);
  /// make(), a new node over `parts`.
  Operand node(const Token& at, const std::vector<Operand>& parts, const std::function<Expr()>& make);
  /// TypingLaws' meet and unify, where a choice between numbers (1 if c else 0) waits for its type as they
  /// do.
  Expr met(const Operand& operand, DataType type) const;
  DataType common_type(const std::vector<Operand>& operands) const;
  std::vector<Expr> unified(const std::vector<Operand>& operands) const;
  Expr settled(const Token& at, const Operand& operand) const;
  Expr condition(std::string_view what);
  std::int64_t constant(const Token& at, std::string_view what);
  const HybridName& visible(const Token& name);
  /// The element of a list that the text goes on to name, or the name itself.
  HybridName resolved(const Token& name);

  // name(…); the cursor is after the opening bracket, and after the closing one on return.
  using CallRule = Operand (HybridParser::*)(const Token& at);
  static const std::vector<std::pair<std::string, CallRule>>& call_rules();
  Operand call();
  Operand extreme_call(const Token& at);
  Operand division_call(const Token& at);
  Operand power_call(const Token& at);
  Operand cast_call(const Token& at);
  Operand len_call(const Token& at);
  Operand limit_call(const Token& at);
  Operand intrinsic_call(const Token& at, const Intrinsic& op);
  Operand as_type(const Token& at, DataType type, const Operand& value);
  [[noreturn]] void unknown_function(const Token& name);
  std::vector<Operand> arguments(const Token& at, std::size_t least, std::size_t most);
  DataType type_name();  ///< "float32", float32 or a.dtype

  TokenStream tokens_;
  std::string text_name_, function_name_;
  HybridNames names_;
  TypingLaws laws_{false};
  struct Choice {
    Expr condition;
    Operand when_true, when_false;
  };
  std::unordered_map<Expr, Choice> choices_;  ///< those between numbers
  std::vector<Buffer> outputs_, returned_;
  std::unordered_map<Var, Expr> values_;  ///< of the variables that are stored once
  bool at_top_ = true;                    ///< between statements of the function itself
  int nesting_ = 0;                       ///< brackets and prefix operators open in the expression
  int statement_depth_ = 0;               ///< statements around this one
  std::int64_t statements_ = 0;           ///< read so far, those of const_range once for each value
};

/// Refuses a parallel loop in which every iteration is sure to write one and the same element of what is
/// declared outside it: the answer would depend on which iteration comes last.
void refuse_certain_race(const For& loop);

}  // namespace ardea::te
