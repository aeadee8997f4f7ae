#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ardea/ir/parse_types.h"
#include "ardea/te/hybrid.h"

namespace ardea::te {

/// What a name of a hybrid function stands for.
struct HybridName {
  enum class Kind {
    input,       ///< a tensor argument: read only
    output,      ///< made by output_tensor
    allocation,  ///< made by allocate
    variable,    ///< stored more than once: a buffer of one element
    value,       ///< stored once: an expression, or a number that waits for its type
    list,        ///< a list argument
  };
  Kind kind = Kind::value;
  std::string what;  ///< for messages: "an input", "a loop variable"
  int line = 0;      ///< of the definition
  Buffer buffer = {};
  Operand value = {};
  HybridArgument::List list = {};

  bool is_array() const { return kind == Kind::input || kind == Kind::output || kind == Kind::allocation; }
};

/// The argument as a name; a constant integer is a number like one written in the text.
HybridName meaning_of(const HybridArgument& argument);

/// A constant integer of 64 bits as a number like one written in the text, anything else as it is.
Operand as_operand(const Expr& e);
BareNumber integer_number(std::int64_t value);

/// The names that are visible at a place. Nothing hides: a name that is visible is not defined again.
class HybridNames {
 public:
  void open() { scopes_.emplace_back(); }
  void close();
  void define(const std::string& name, HybridName meaning);
  const HybridName* find(const std::string& name) const;
  /// The line that defined a name whose scope has closed.
  std::optional<int> line_of_gone(const std::string& name) const;
  std::vector<std::string> names() const;

  /// Opens a scope for the length of a C++ block.
  class Opened {
   public:
    explicit Opened(HybridNames& names) : names_(names) { names_.open(); }
    ~Opened() { names_.close(); }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

   private:
    HybridNames& names_;
  };

 private:
  std::unordered_map<std::string, HybridName> visible_;
  std::unordered_map<std::string, int> gone_;
  std::vector<std::vector<std::string>> scopes_ = {{}};
};

}  // namespace ardea::te
