#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Characters to tokens, with Python's indentation: a line deeper than the one before opens an indent, a
/// shallower one closes as many as it leaves. Inside brackets line ends and indentation do not count.
/// Comments and blank lines vanish.

namespace ardea {

enum class TokenKind {
  name,
  integer,
  real,
  string,
  symbol,
  newline,
  indent,
  dedent,
  end,
  fault,  ///< text that is no token; `text` says why. The last token before `end`.
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;           ///< as written; the decoded value of a string
  std::uint64_t integer = 0;  ///< the value of an integer
  int line = 1, column = 1;   ///< from 1, columns in bytes

  /// A name or symbol with that spelling.
  bool is(std::string_view spelling) const {
    return (kind == TokenKind::name || kind == TokenKind::symbol) && text == spelling;
  }
};

/// Every token up to the first fault, then `end`. Never throws: a fault is reported where the parser meets
/// it, so that the first error of a text is the one reported.
std::vector<Token> lex(std::string_view text);

/// Python's keywords, which are names of nothing.
bool is_keyword(std::string_view name);

/// How a message calls the token: 'for', the string "C", the end of the line.
std::string describe(const Token& token);

}  // namespace ardea
