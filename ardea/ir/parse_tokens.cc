#include "ardea/ir/parse_tokens.h"

#include <algorithm>

namespace ardea {

TokenStream::TokenStream(std::string_view text, std::string name)
    : tokens_(lex(text)), name_(std::move(name)) {}

const Token& TokenStream::peek(std::size_t ahead) const {
  return tokens_[std::min(cursor_ + ahead, tokens_.size() - 1)];
}

const Token& TokenStream::next() {
  const Token& token = peek();
  if (token.kind == TokenKind::fault) fail_at(token, token.text);
  if (cursor_ + 1 < tokens_.size()) ++cursor_;
  return token;
}

bool TokenStream::take(std::string_view spelling) {
  if (!at(spelling)) return false;
  next();
  return true;
}

const Token& TokenStream::expect(std::string_view spelling) {
  if (!at(spelling)) unexpected("'" + std::string(spelling) + "'");
  return next();
}

const Token& TokenStream::expect(TokenKind kind, std::string_view what) {
  if (!at(kind)) unexpected(what);
  return next();
}

const Token& TokenStream::expect_name(std::string_view what) {
  if (!at(TokenKind::name) || is_keyword(peek().text)) unexpected(what);
  return next();
}

void TokenStream::unexpected(std::string_view what) const {
  const Token& token = peek();
  if (token.kind == TokenKind::fault) fail_at(token, token.text);
  fail_at(token, fmt::format("found {}, expected {}", describe(token), what));
}

void TokenStream::fail_at(const Token& token, const std::string& sentence) const {
  throw LocatedError(fmt::format("{}:{}:{}: {}", name_, token.line, token.column, sentence));
}

void TokenStream::skip_argument() {
  int depth = 0;
  while (!at(TokenKind::end) && !at(TokenKind::fault)) {
    const bool opens = at("(") || at("[") || at("{"), closes = at(")") || at("]") || at("}");
    if (depth == 0 && (closes || at(","))) return;
    depth += opens ? 1 : closes ? -1 : 0;
    next();
  }
}

}  // namespace ardea
