#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ardea::space {

struct Word {
  enum class Kind { name, number, text, symbol, end, fault };
  Kind kind = Kind::end;
  std::string spelling;      ///< a text's contents; of a fault, what is wrong
  std::uint64_t number = 0;  ///< at most 2^60
  int line = 1, column = 1;  ///< from 1, columns in bytes

  bool is(std::string_view what) const {
    return (kind == Kind::name || kind == Kind::symbol) && spelling == what;
  }
};

/// All words of the text, `end` last; after a fault comes `end` too. Comments run from # to the end of a
/// line.
std::vector<Word> words_of(std::string_view text);

}  // namespace ardea::space
