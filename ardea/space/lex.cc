#include "ardea/space/lex.h"

#include <fmt/core.h>

#include <array>
#include <cctype>
#include <optional>

#include "ardea/space/domain.h"

namespace ardea::space {
namespace {

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Word> words() {
    std::vector<Word> words;
    do {
      skip_blanks();
      words.push_back(next());
    } while (words.back().kind != Word::Kind::end && words.back().kind != Word::Kind::fault);
    if (words.back().kind == Word::Kind::fault)
      words.push_back({Word::Kind::end, "", 0, words.back().line, words.back().column});
    return words;
  }

 private:
  char at(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool done() const { return at_ >= text_.size(); }
  static bool letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
  static bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

  void skip_blanks() {
    while (!done()) {
      if (at() == '#')
        while (!done() && at() != '\n') ++at_;
      else if (at() == '\n')
        ++at_, ++line_, line_begin_ = at_;
      else if (at() == ' ' || at() == '\t' || at() == '\r')
        ++at_;
      else
        return;
    }
  }

  Word word(Word::Kind kind, std::string spelling, std::uint64_t number = 0) const {
    return {kind, std::move(spelling), number, line_, static_cast<int>(begin_ - line_begin_) + 1};
  }

  Word next() {
    begin_ = at_;
    if (done()) return word(Word::Kind::end, "");
    if (letter(at())) return name();
    if (digit(at())) return number();
    if (at() == '"') return text();
    static constexpr std::array<std::string_view, 6> pairs = {"==", "!=", "<=", ">=", "//", ".."};
    for (const std::string_view pair : pairs) {
      if (text_.substr(at_, 2) != pair) continue;
      at_ += 2;
      return word(Word::Kind::symbol, std::string(pair));
    }
    const char c = text_[at_++];
    if (std::string_view("+-*%<>=:,(){}[]").find(c) != std::string_view::npos)
      return word(Word::Kind::symbol, std::string(1, c));
    const auto code = static_cast<unsigned char>(c);
    return word(Word::Kind::fault, std::isprint(code) != 0 ? fmt::format("the character '{}'", c)
                                                           : fmt::format("the byte 0x{:02x}", code));
  }

  Word name() {
    while (letter(at()) || digit(at()) || (at() == '.' && (letter(at(1)) || digit(at(1))))) ++at_;
    return word(Word::Kind::name, std::string(text_.substr(begin_, at_ - begin_)));
  }

  Word number() {
    std::uint64_t value = 0;
    for (; digit(at()); ++at_) {
      value = value * 10 + static_cast<std::uint64_t>(at() - '0');
      if (value > static_cast<std::uint64_t>(largest_value))
        return word(Word::Kind::fault, "a number beyond 2^60");
    }
    return word(Word::Kind::number, std::string(text_.substr(begin_, at_ - begin_)), value);
  }

  Word text() {
    ++at_;
    std::string value;
    while (at() != '"') {
      if (done() || at() == '\n') return word(Word::Kind::fault, "a text without its closing quote");
      const std::optional<char> c = at() == '\\' ? escaped() : std::optional(text_[at_++]);
      if (!c) return word(Word::Kind::fault, "an unknown escape in a text");
      value += *c;
    }
    ++at_;
    return word(Word::Kind::text, std::move(value));
  }

  std::optional<char> escaped() {
    const char c = at(1);
    at_ += 2;
    switch (c) {
      case 'n': return '\n';
      case 't': return '\t';
      case 'r': return '\r';
      case '"':
      case '\\': return c;
      case 'x': {
        const auto hex = [&](char h) -> int {
          if (digit(h)) return h - '0';
          return h >= 'a' && h <= 'f' ? h - 'a' + 10 : -1;
        };
        const int high = hex(at()), low = hex(at(1));
        if (high < 0 || low < 0) return std::nullopt;
        at_ += 2;
        return static_cast<char>(high * 16 + low);
      }
      default: return std::nullopt;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0, begin_ = 0, line_begin_ = 0;
  int line_ = 1;
};

}  // namespace

std::vector<Word> words_of(std::string_view text) { return Lexer(text).words(); }

}  // namespace ardea::space
