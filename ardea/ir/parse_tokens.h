#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ardea/ir/lex.h"
#include "ardea/support/error.h"

namespace ardea {

/// An Error that already says where: name:line:column.
class LocatedError : public Error {
 public:
  using Error::Error;
};

/// The tokens of a text, and a cursor on them; a token stays where it is as long as the stream. What is not
/// there as expected is an Error with its place.
class TokenStream {
 public:
  TokenStream(std::string_view text, std::string name);

  const Token& peek(std::size_t ahead = 0) const;
  const Token& next();
  bool at(std::string_view spelling, std::size_t ahead = 0) const { return peek(ahead).is(spelling); }
  bool at(TokenKind kind) const { return peek().kind == kind; }
  bool take(std::string_view spelling);

  const Token& expect(std::string_view spelling);
  const Token& expect(TokenKind kind, std::string_view what);
  const Token& expect_name(std::string_view what);  ///< no keyword
  const Token& expect_string(std::string_view what) { return expect(TokenKind::string, what); }
  void expect_line_end() { expect(TokenKind::newline, "the end of the line"); }

  /// found …, expected `what`
  [[noreturn]] void unexpected(std::string_view what) const;
  [[noreturn]] void fail_at(const Token& token, const std::string& sentence) const;

  /// f(), with the place of `token` in front of the message of an Error that has none.
  template <class F>
  std::invoke_result_t<F> located(const Token& token, F&& f) const {
    try {
      return f();
    } catch (const LocatedError&) {
      throw;
    } catch (const Error& error) {
      fail_at(token, error.what());
    }
  }

  std::size_t position() const { return cursor_; }
  void move_to(std::size_t position) { cursor_ = position; }
  /// From just inside a bracket to just before the bracket or top-level comma that ends the argument.
  void skip_argument();

 private:
  std::vector<Token> tokens_;
  std::string name_;
  std::size_t cursor_ = 0;
};

}  // namespace ardea
