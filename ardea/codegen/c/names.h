#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ardea/ir/expr.h"

namespace ardea::codegen::c {

/// Whether C lets one define the name at all.
bool is_identifier(const std::string& name);

/// A name or a literal, which needs no other.
bool is_leaf(const Expr& e);

/// Whether a value should be computed on a line of its own, rather than be written out at the one place, or
/// at each of several, that use it.
bool is_worth_a_name(const std::string& text, bool is_shared);

/// The C names of a program's variables: its own names where C and the text's helpers leave them free. A name
/// in use at a place is never given to a second thing there; sibling blocks reuse names.
class Names {
 public:
  /// `file_names`: what the text defines at file scope, which locals must not hide.
  explicit Names(const std::unordered_set<std::string>& file_names) : file_names_(&file_names) {}

  void open() { blocks_.emplace_back(); }
  void close();

  std::string define(const Var& var);
  /// A name for something that is no variable of the program.
  std::string fresh(const std::string& wanted);
  /// A fresh name of this block that was not needed.
  void forget(const std::string& name);

  /// Those that have a name here, in the order in which they were defined.
  std::vector<Var> variables() const;
  /// InternalError where nothing defines it.
  const std::string& of(const Var& var) const;

 private:
  struct Block {
    std::vector<std::string> names;
    std::vector<Var> variables;
  };
  const std::unordered_set<std::string>* file_names_;
  std::vector<Block> blocks_ = {{}};
  std::unordered_set<std::string> taken_;
  std::unordered_map<Var, std::string> names_;
};

}  // namespace ardea::codegen::c
