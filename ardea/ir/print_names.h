#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "ardea/ir/stmt.h"

namespace ardea {

/// The names that variables and buffers have in a text. A name in use at a place is never given to a second
/// thing there; sibling scopes reuse names. What no one defined gets a name of its own at its first mention.
class PrintNames {
 public:
  /// Who reads the text: of a part that is shown to people and never parsed, names of the grammar (T, I,
  /// range) stay as they were given.
  enum class Reader { parser, people };
  explicit PrintNames(Reader reader = Reader::parser) : reader_(reader) {}

  void open() { scopes_.emplace_back(); }
  void close();

  std::string define(const Var& var);
  /// A buffer over memory that has a name already.
  std::string define_view(const Buffer& buffer);
  /// A buffer that brings its memory along: that is called name.data.
  std::string define_owner(const Buffer& buffer);

  std::string of(const Expr& var);
  std::string of(const Buffer& buffer);

 private:
  std::string unique(const std::string& wanted) const;
  /// By its identity.
  using Thing = std::variant<Expr, Buffer>;
  void bind(const Thing& thing, std::string name, std::size_t scope);
  void reserve(const std::string& name, std::size_t scope);

  struct Scope {
    std::vector<std::string> names;
    std::vector<std::pair<Thing, std::string>> hidden;  ///< what things were called before; empty: nothing
  };
  Reader reader_;
  std::vector<Scope> scopes_ = {{}};
  std::unordered_set<std::string> taken_;
  std::unordered_map<Thing, std::string> names_;
};

/// The name as an identifier of the text form.
std::string identifier(const std::string& name);

}  // namespace ardea
