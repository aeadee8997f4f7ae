#include "ardea/ir/lex.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "ardea/support/text.h"

namespace ardea {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

// Longest first, so that the first match is the token.
constexpr std::array<std::string_view, 46> symbols = {
    "**=", "//=", "<<=", ">>=", "->", "==", "!=", "<=", ">=", "//", "**", "<<", ">>", "+=", "-=", "*=",
    "/=",  "%=",  "&=",  "|=",  "^=", ":=", "(",  ")",  "[",  "]",  "{",  "}",  ",",  ":",  ".",  "=",
    "<",   ">",   "+",   "-",   "*",  "/",  "%",  "&",  "|",  "^",  "~",  "@",  ";",  "!"};

std::string shown_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte < 0x7f ? fmt::format("'{}'", c) : fmt::format("the byte 0x{:02x}", byte);
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (!faulty_ && at_ < text_.size()) {
      if (line_begins_ && open_brackets_ == 0) {
        begin_line();
      } else {
        token();
      }
    }
    if (!faulty_) finish();
    add(TokenKind::end, "");
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  int column() const { return static_cast<int>(at_ - line_start_) + 1; }

  void add(TokenKind kind, std::string text, int column) {
    tokens_.push_back({kind, std::move(text), 0, line_, column});
  }
  void add(TokenKind kind, std::string text) { add(kind, std::move(text), column()); }

  void fault(std::string why) {
    add(TokenKind::fault, std::move(why));
    faulty_ = true;
  }

  bool at_line_end() const { return peek() == '\n' || (peek() == '\r' && peek(1) == '\n'); }

  void next_line() {
    at_ += peek() == '\r' ? 2 : 1;
    ++line_;
    line_start_ = at_;
    line_begins_ = true;
  }

  void skip_comment() {
    while (at_ < text_.size() && !at_line_end()) ++at_;
  }

  // Measures the indentation of the next line that holds anything, and opens or closes indents.
  void begin_line() {
    while (peek() == ' ') ++at_;
    if (peek() == '\t') return fault("a tab in the indentation; indent with spaces");
    if (peek() == '#') skip_comment();
    if (at_ >= text_.size()) return;
    if (at_line_end()) return next_line();
    const int width = column() - 1;
    if (width > indents_.back()) {
      indents_.push_back(width);
      add(TokenKind::indent, "");
    }
    while (width < indents_.back()) {
      indents_.pop_back();
      if (width > indents_.back()) return fault("this line is indented like no line around it");
      add(TokenKind::dedent, "");
    }
    line_begins_ = false;
  }

  void token() {
    const char c = peek();
    if (c == ' ' || c == '\t') {
      ++at_;
    } else if (c == '#') {
      skip_comment();
    } else if (at_line_end()) {
      if (open_brackets_ == 0) add(TokenKind::newline, "");
      next_line();
      line_begins_ = open_brackets_ == 0;
    } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
      ++at_;
      next_line();
      line_begins_ = false;
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (is_name_start(c)) {
      name();
    } else if (c == '"' || c == '\'') {
      string();
    } else {
      symbol();
    }
  }

  void name() {
    const std::size_t start = at_;
    const int begins = column();
    while (is_name_part(peek())) ++at_;
    add(TokenKind::name, std::string(text_.substr(start, at_ - start)), begins);
  }

  void number() {
    const std::size_t start = at_;
    const int begins = column();
    const bool hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    bool real = false;
    if (hex) {
      at_ += 2;
      while (is_name_part(peek())) ++at_;
    } else {
      while (is_digit(peek())) ++at_;
      if (peek() == '.') {
        real = true;
        ++at_;
        while (is_digit(peek())) ++at_;
      }
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
      if ((peek() == 'e' || peek() == 'E') && is_digit(peek(sign))) {
        real = true;
        at_ += sign;
        while (is_digit(peek())) ++at_;
      }
    }
    const std::string spelling(text_.substr(start, at_ - start));
    if (is_name_part(peek()))
      return fault(fmt::format("found {} right after the number {}", shown_byte(peek()), spelling));
    add(real ? TokenKind::real : TokenKind::integer, spelling, begins);
    if (!real) integer_value(spelling, hex);
  }

  void integer_value(const std::string& spelling, bool hex) {
    const char* first = spelling.data() + (hex ? 2 : 0);
    const char* last = spelling.data() + spelling.size();
    const auto [end, error] = std::from_chars(first, last, tokens_.back().integer, hex ? 16 : 10);
    if (error == std::errc() && end == last) return;
    const int begins = tokens_.back().column;
    tokens_.pop_back();
    add(TokenKind::fault,
        error == std::errc::result_out_of_range ? fmt::format("the integer {} does not fit 64 bits", spelling)
                                                : fmt::format("{} is no hexadecimal number", spelling),
        begins);
    faulty_ = true;
  }

  void string() {
    const int begins = column();
    const char quote = peek();
    ++at_;
    std::string value;
    while (peek() != quote) {
      if (at_ >= text_.size() || at_line_end())
        return fault("found the end of the line inside a string, expected its closing quote");
      if (peek() == '\0') return fault("a NUL byte inside a string; write \\x00");
      if (peek() == '\\') {
        const std::optional<char> c = escape();
        if (!c) return;
        value += *c;
      } else {
        value += peek();
        ++at_;
      }
    }
    ++at_;
    add(TokenKind::string, std::move(value), begins);
  }

  std::optional<char> escape() {
    static constexpr std::string_view letters = "nrt0\\\"'", values("\n\r\t\0\\\"'", 7);
    const std::size_t which = letters.find(peek(1));
    if (which != std::string_view::npos) {
      at_ += 2;
      return values[which];
    }
    int code = 0;
    const char* digits = text_.data() + std::min(at_ + 2, text_.size());
    const char* last = text_.data() + std::min(at_ + 4, text_.size());
    if (peek(1) == 'x' && last - digits == 2 && std::from_chars(digits, last, code, 16).ptr == last) {
      at_ += 4;
      return static_cast<char>(code);
    }
    fault("an escape other than \\n, \\r, \\t, \\0, \\\\, \\\", \\' or \\xNN in a string");
    return std::nullopt;
  }

  void symbol() {
    for (const std::string_view s : symbols) {
      if (text_.substr(at_, s.size()) != s) continue;
      add(TokenKind::symbol, std::string(s));
      at_ += s.size();
      if (s == "(" || s == "[" || s == "{") ++open_brackets_;
      if ((s == ")" || s == "]" || s == "}") && open_brackets_ > 0) --open_brackets_;
      return;
    }
    if (static_cast<unsigned char>(peek()) >= 0x80)
      return fault("a character outside ASCII; names are letters a to z, digits and _");
    fault(fmt::format("{} begins no name, number, string or operator", shown_byte(peek())));
  }

  void finish() {
    if (!line_begins_) add(TokenKind::newline, "");
    for (; indents_.size() > 1; indents_.pop_back()) add(TokenKind::dedent, "");
  }

  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
  int open_brackets_ = 0;
  bool line_begins_ = true;
  bool faulty_ = false;
  std::vector<int> indents_ = {0};
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> lex(std::string_view text) { return Lexer(text).run(); }

bool is_keyword(std::string_view name) {
  static constexpr std::string_view keywords[] = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "for",      "finally",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return std::find(std::begin(keywords), std::end(keywords), name) != std::end(keywords);
}

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::name:
    case TokenKind::symbol: return "'" + token.text + "'";
    case TokenKind::integer:
    case TokenKind::real: return "the number " + token.text;
    case TokenKind::string: return "the string " + in_quotes(token.text);
    case TokenKind::newline: return "the end of the line";
    case TokenKind::indent: return "a deeper indentation";
    case TokenKind::dedent: return "the end of the indented lines";
    case TokenKind::end: return "the end of the text";
    case TokenKind::fault: return token.text;
  }
  return token.text;
}

}  // namespace ardea
