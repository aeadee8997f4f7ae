#include "ardea/codegen/c/text.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "ardea/support/text.h"

namespace ardea::codegen::c {

std::string inside(const Text& text, Binding least) {
  return text.binding < least ? "(" + text.text + ")" : text.text;
}

Text call_text(const std::string& function, const std::vector<std::string>& arguments) {
  return {function + "(" + join(arguments, ", ") + ")"};
}

Text cast_text(const std::string& type, const Text& value) {
  return {"(" + type + ")" + inside(value, Binding::unary), Binding::unary};
}

namespace {

/// C compilers need not accept longer literals.
constexpr std::size_t longest_literal = 4095;

/// As it stands in a string or character literal. Octal, because hexadecimal escapes have no end.
std::string escaped(char c, char before) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == '\n') return "\\n";
  if (c == '"' || c == '\\') return std::string("\\") + c;
  if (c == '?' && before == '?') return "\\?";  // ??/ and its like are trigraphs
  if (byte < 0x20 || byte >= 0x7f) return fmt::format("\\{:03o}", byte);
  return std::string(1, c);
}

}  // namespace

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) out += escaped(text[i], i > 0 ? text[i - 1] : ' ');
  out += "\"";
  if (text.size() <= longest_literal) return out;
  out = "(const char[]){";
  for (const char c : text) out += "'" + (c == '\'' ? "\\'" : escaped(c, ' ')) + "', ";
  return out + "0}";
}

Text integer_literal(std::int64_t value, DataType type, bool typed) {
  if (type.is_bool()) return {value != 0 ? "true" : "false"};
  if (type.is_uint()) {
    const auto bits = static_cast<std::uint64_t>(value);
    if (type.bits == 64 && (typed || bits > std::numeric_limits<std::uint32_t>::max()))
      return {fmt::format("UINT64_C({:#x})", bits)};
    // What is this large is a pattern of bits more often than a number.
    const std::string digits = bits >= 0x1000 ? fmt::format("{:#x}", bits) : std::to_string(bits);
    return {digits + (type.bits >= 32 ? "u" : "")};
  }
  if (value == std::numeric_limits<std::int64_t>::min()) return {"INT64_MIN"};
  if (value == std::numeric_limits<std::int32_t>::min() && type.bits == 32) return {"INT32_MIN"};
  const bool is_int =
      value > std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max();
  const std::string digits =
      type.bits == 64 && (typed || !is_int) ? fmt::format("INT64_C({})", value) : fmt::format("{}", value);
  return {digits, value < 0 && digits[0] == '-' ? Binding::unary : Binding::primary};
}

Text float_literal(double value, DataType type) {
  const bool single = type.bits == 32;
  if (std::isnan(value)) return {single ? "NAN" : "(double)NAN", single ? Binding::primary : Binding::unary};
  if (std::isinf(value)) {
    const std::string infinity = single ? "INFINITY" : "HUGE_VAL";
    return value > 0 ? Text{infinity} : Text{"-" + infinity, Binding::unary};
  }
  std::string digits = single ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  if (single) digits += "f";
  return {digits, std::signbit(value) ? Binding::unary : Binding::primary};
}

namespace {

constexpr std::size_t page_width = 118;
/// A break further left than this before the end of the page would leave a ragged margin: a string is cut
/// first.
constexpr std::size_t ragged = 50;

struct Break {
  std::size_t at = std::string::npos;  ///< of the space
  bool in_string = false;
};

/// The last place before `limit` where the line may go on below: behind a comma if one is near, else between
/// two words, else inside a string.
Break last_break(const std::string& line, std::size_t begin, std::size_t limit) {
  Break behind_comma, outside, any;
  bool in_string = false;
  for (std::size_t i = begin; i < line.size() && i <= limit; ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      in_string = !in_string;
    } else if (line[i] == ' ' && i > begin) {
      any = {i, in_string};
      if (in_string) continue;
      if (!line.substr(begin, i - begin).ends_with("const")) outside = any;
      if (line[i - 1] == ',') behind_comma = any;
    }
  }
  const auto is_near = [&](const Break& place) {
    return place.at != std::string::npos && place.at + ragged > limit;
  };
  if (is_near(behind_comma)) return behind_comma;
  return is_near(outside) || any.at == std::string::npos ? outside : any;
}

}  // namespace

std::string broken_line(const std::string& line) {
  const std::size_t depth = line.find_first_not_of(' ');
  if (line.size() <= page_width || depth == std::string::npos) return line;
  const std::string indent(depth + 4, ' ');
  std::string out, rest = line;
  while (rest.size() > page_width) {
    const std::size_t begin = rest.find_first_not_of(' ');
    const Break cut = last_break(rest, begin, page_width - 1);
    if (cut.at == std::string::npos || cut.at <= begin) break;
    out += rest.substr(0, cut.in_string ? cut.at + 1 : cut.at) + (cut.in_string ? "\"\n" : "\n");
    rest = fmt::format("{}{}{}", indent, cut.in_string ? "\"" : "", rest.substr(cut.at + 1));
  }
  return out + rest;
}

}  // namespace ardea::codegen::c
