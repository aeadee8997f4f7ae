#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/ir/parse_scope.h"
#include "ardea/ir/parse_shared.h"
#include "ardea/ir/parse_tokens.h"
#include "ardea/ir/parse_types.h"

/// The recursive-descent parser of the text form. One class, one file a part of the grammar:
///   parse_expr.cc  operators, names, elements       parse_call.cc   T.name(…) in expressions
///   parse_buffer.cc  shapes, buffers, regions       parse_stmt.cc   statements and suites
///   parse_loop.cc  for                              parse_block.cc  blocks and their heads
///   parse.cc  functions and modules

namespace ardea {

struct BlockFrame;

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : tokens_(text, name) {}

  Module module();

  /// Whether T.name(…) has a rule of its own, which no intrinsic of that name could get past.
  static bool has_call_rule(std::string_view name);

 private:
  // Functions.
  Function function();
  void decorator();
  void parameters(Function& f);
  bool function_head_line(Function& f);
  void match_parameter(Function& f, const Token& name);
  void skip_imports();
  void check_parameter(const Token& at, const Buffer& buffer);
  void check_shape_variables(const Function& f);

  // Statements. A suite is the indented lines after a colon.
  using Line = SuiteLine;
  Stmt suite(BlockFrame* block = nullptr);
  Stmt lines_until_dedent(BlockFrame* block);
  Line line();
  Line named_line();
  Line assignment(const Token& name);
  Line declaration(const Token& name);
  Line element_store(const Token& name);
  Line vector_store(const Token& name);
  Line expression_line();
  Stmt if_statement();
  Stmt with_statement();
  Stmt assert_statement();
  void enter_statement(const Token& at);
  std::function<Stmt(Stmt)> allocation(const Token& name);
  std::function<Stmt(Stmt)> buffer_view(const Token& name);
  std::function<Stmt(Stmt)> let(const Token& name, DataType type, Expr value);

  // Loops.
  struct LoopHead {
    ForKind kind = ForKind::serial;
    std::vector<Range> ranges = {};
    std::string thread = {};
    Attributes annotations = {};
  };
  Stmt for_statement();
  LoopHead loop_head();
  Range loop_range();
  std::string thread_name();

  // Blocks.
  Stmt block_statement(const Token& at);
  bool block_head_line(BlockFrame& frame);
  void axis_line(BlockFrame& frame);
  void remap(BlockFrame& frame, const std::vector<Token>& names);
  bool at_pair();
  BlockIterator axis(const Token& name, const Token& kind);
  void match_region(BlockFrame& frame, const Token& name);
  void allocate_in_block(BlockFrame& frame, const Token& name);

  // Buffers and regions.
  struct BufferFields {
    std::vector<Expr> shape = {};
    DataType type = float32;
    Var data = {};
    std::vector<Expr> strides = {};
    Expr element_offset = {};
    std::string scope = "global";
    std::int64_t alignment_bytes = 0;
  };
  BufferFields buffer_fields(const Token& name, bool takes_data);  ///< from the shape to the closing bracket
  void buffer_keyword(BufferFields& fields, bool takes_data);
  Buffer make_parsed_buffer(const Token& name, BufferFields fields);
  void check_size(const Token& at, const std::string& name, const std::vector<Expr>& shape, DataType type);
  std::vector<Expr> integer_list(std::string_view what);
  std::string scope_name();
  BufferRegion region();
  std::vector<BufferRegion> regions();  ///< up to and with the closing bracket

  // Subscripts: A[i, 0:4].
  struct Subscript {
    Token at;
    Operand start;
    std::optional<Operand> stop = {}, step = {};
  };
  std::vector<Subscript> subscripts();
  Subscript subscript();
  Expr index_of(const Subscript& s);
  Range range_of(const Subscript& s);
  Range range_between(const Operand& start, const Operand& stop, bool is_index);
  std::vector<Operand> index_list();  ///< each already an index
  static std::vector<Expr> exprs_of(const std::vector<Operand>& typed);

  // Expressions.
  Operand expression() { return binary(1); }
  Expr settled_expression();
  Expr condition(std::string_view what);
  Operand binary(int lowest);
  Operand unary();
  Operand negated(const Token& at, const Operand& operand);
  Operand primary();
  Operand named_value();
  Operand buffer_value(const Token& name, const Buffer& buffer);
  Operand combined(const Token& at, BinaryOp op, const Operand& left, const Operand& right);
  /// make(), a new node over `parts`.
  Operand node(const Token& at, const std::vector<Operand>& parts, const std::function<Expr()>& make);
  [[noreturn]] void unknown_name(const Token& name);

  // T.name(…); the cursor is after the opening bracket, and after the closing one on return.
  using CallRule = Operand (Parser::*)(const Token& at);
  static const std::vector<std::pair<std::string, CallRule>>& call_rules();
  Operand call();
  Operand constant_or_cast(const Token& at, DataType type);
  Operand float_from_string(const Token& at, DataType type);
  Operand binary_call(const Token& at);
  Operand select_call(const Token& at);
  Operand cast_call(const Token& at);
  Operand cast_to_call(const Token& at);
  Operand extreme_call(const Token& at);
  Operand ramp_call(const Token& at);
  Operand broadcast_call(const Token& at);
  Operand shuffle_call(const Token& at);
  Operand let_call(const Token& at);
  Operand intrinsic_call(const Token& at);
  std::vector<Expr> call_arguments(const Intrinsic& op, const std::vector<Operand>& parts) const;
  std::vector<Operand> arguments();  ///< up to and with the closing bracket
  std::vector<Operand> arguments(std::size_t count, const Token& at);
  std::int64_t lanes_argument();
  std::int64_t integer_argument(std::string_view what);
  DataType type_name();                         ///< "float32"
  DataType dotted_type(std::string_view what);  ///< T.float32
  DataType checked_type(const Token& name);

  Attributes attributes();
  Attribute attribute();
  bool is_of_sizes(const Expr& value) const;

  TokenStream tokens_;
  NameScopes names_;
  TypingLaws laws_{false};
  int nesting_ = 0;          ///< brackets and prefix operators open in the expression
  int statement_depth_ = 0;  ///< statements around this one
  bool has_blocks_ = false;  ///< of the function being read
  std::vector<std::pair<Token, Var>> shape_variables_;
  std::vector<Var> scalars_;  ///< these, and the scalar parameters
};

/// A block whose lines are being read. Its head (iterators, regions, allocations, …) comes before its first
/// statement.
struct BlockFrame {
  Block block;
  bool is_root = false;
  bool head_is_open = true;
};

}  // namespace ardea
