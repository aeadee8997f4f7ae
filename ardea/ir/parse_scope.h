#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ardea/ir/stmt.h"

namespace ardea {

/// What a name stands for: a variable or a buffer.
struct Definition {
  Var var = {};
  Buffer buffer = {};
  std::optional<Range> loop = {};  ///< the range of a loop's variable, for T.axis.remap
};

/// The names visible at a place of the text. An inner definition hides an outer one until its scope closes.
class NameScopes {
 public:
  void open() { hidden_.emplace_back(); }
  void close();
  void define(const std::string& name, Definition definition);
  /// nullptr where nothing has that name.
  const Definition* find(const std::string& name) const;
  std::vector<std::string> names() const;

  /// Opens a scope for the length of a C++ block.
  class Opened {
   public:
    explicit Opened(NameScopes& scopes) : scopes_(scopes) { scopes_.open(); }
    ~Opened() { scopes_.close(); }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

   private:
    NameScopes& scopes_;
  };

 private:
  std::unordered_map<std::string, Definition> visible_;
  /// For each open scope, what its definitions hid.
  std::vector<std::vector<std::pair<std::string, std::optional<Definition>>>> hidden_ = {{}};
};

}  // namespace ardea
