#include "ardea/report/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace ardea::report {

namespace {

constexpr std::array<std::string_view, 14> keywords = {"def",    "for",  "in",    "with",  "if",
                                                       "else",   "elif", "while", "range", "return",
                                                       "import", "from", "None",  "class"};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

std::string in_markup(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  return out;
}

std::string coloured_program(std::string_view text) {
  std::string out;
  const auto mark = [&](char kind, std::string_view part) {
    out += fmt::format("<i class={}>{}</i>", kind, in_markup(part));
  };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (text[i] == '#') {
      end = std::min(text.find('\n', i), text.size());
      mark('c', text.substr(i, end - i));
    } else if (text[i] == '"') {
      while (end < text.size() && text[end] != '"' && text[end] != '\n') ++end;
      end = std::min(end + 1, text.size());
      mark('s', text.substr(i, end - i));
    } else if (is_word(text[i])) {
      const bool is_number = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
      while (end < text.size() && (is_word(text[end]) || (is_number && text[end] == '.'))) ++end;
      const std::string_view word = text.substr(i, end - i);
      if (is_number)
        mark('n', word);
      else if (std::find(keywords.begin(), keywords.end(), word) != keywords.end())
        mark('k', word);
      else
        out += in_markup(word);
    } else {
      out += in_markup(text.substr(i, 1));
    }
    i = end;
  }
  return out;
}

}  // namespace ardea::report
