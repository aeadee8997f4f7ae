#include "ardea/schedule/script_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ardea/arith/analyzer.h"
#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"
#include "ardea/support/text.h"

namespace ardea::schedule::script {

namespace {

bool is_reference(const Argument& argument) {
  return std::holds_alternative<BlockRef>(argument.value) ||
         std::holds_alternative<LoopRef>(argument.value) || std::holds_alternative<NumberRef>(argument.value);
}

const char* kind_of(const Argument& argument) {
  return std::visit(overloaded{
                        [](std::monostate) { return "None"; },
                        [](bool) { return "bool"; },
                        [](std::int64_t) { return "number"; },
                        [](double) { return "number"; },
                        [](const std::string&) { return "string"; },
                        [](const BlockRef&) { return "block"; },
                        [](const LoopRef&) { return "loop"; },
                        [](const NumberRef&) { return "sampled number"; },
                        [](const Items&) { return "list"; },
                    },
                    argument.value);
}

}  // namespace

[[noreturn]] void fail_at(const std::string& place, const std::string& sentence) {
  fail("{}: {}", place, sentence);
}

std::optional<Items> list_of(const Value& value) {
  if (const auto* items = std::get_if<Items>(&value.is.value)) return *items;
  if (value.is_whole_result && is_reference(value.is)) return Items{value.is};
  return std::nullopt;
}

std::string in_words(const Argument& argument) {
  const auto of_list = [](const Items& items) -> std::string {
    if (items.empty()) return "an empty list";
    const std::string kind = kind_of(items[0]);
    const bool alike =
        std::all_of(items.begin(), items.end(), [&](const Argument& item) { return kind_of(item) == kind; });
    if (alike && kind != "None")
      return fmt::format("a list of {} {}{}", items.size(), kind, items.size() == 1 ? "" : "s");
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < std::min<std::size_t>(items.size(), 4); ++i)
      parts.push_back(std::holds_alternative<Items>(items[i].value) ? "a list" : in_words(items[i]));
    return "a list of " + join(parts, ", ") + (items.size() > 4 ? ", …" : "");
  };
  return std::visit(overloaded{
                        [](std::monostate) { return std::string("None"); },
                        [](bool value) { return std::string(value ? "True" : "False"); },
                        [](std::int64_t value) { return fmt::format("the number {}", value); },
                        [](double value) { return fmt::format("the number {}", value); },
                        [](const std::string& value) { return "the string " + in_quotes(value); },
                        [&](const Items& items) { return of_list(items); },
                        [&](const auto&) { return std::string("a ") + kind_of(argument); },
                    },
                    argument.value);
}

std::size_t size_of(const Argument& argument) {
  std::size_t size = 1;
  if (const auto* items = std::get_if<Items>(&argument.value))
    for (const Argument& item : *items) size += size_of(item);
  return size;
}

std::size_t nesting_of(const Argument& argument) {
  const auto* items = std::get_if<Items>(&argument.value);
  if (items == nullptr) return 0;
  std::size_t deepest = 0;
  for (const Argument& item : *items) deepest = std::max(deepest, nesting_of(item));
  return deepest + 1;
}

std::optional<std::variant<std::int64_t, double>> number_in(const Argument& argument) {
  if (const auto* whole = std::get_if<std::int64_t>(&argument.value)) return *whole;
  if (const auto* real = std::get_if<double>(&argument.value)) return *real;
  const auto* sampled = std::get_if<NumberRef>(&argument.value);
  if (const auto value = sampled ? constant_int(sampled->value) : std::nullopt) return *value;
  return std::nullopt;
}

std::int64_t computed(char op, std::int64_t a, std::int64_t b, const std::string& place) {
  std::int64_t result = 0;
  bool overflows = false;
  if (op == '+') overflows = __builtin_add_overflow(a, b, &result);
  if (op == '-') overflows = __builtin_sub_overflow(a, b, &result);
  if (op == '*') overflows = __builtin_mul_overflow(a, b, &result);
  if (op == '/' || op == '%') {
    if (b == 0) fail_at(place, fmt::format("{} {} 0 divides by zero", a, op == '/' ? "//" : "%"));
    overflows = b == -1 && __builtin_sub_overflow(std::int64_t{0}, a, &result);
    if (overflows && op == '%') return 0;
    if (!overflows) {
      const std::int64_t rest = a % b, below = rest != 0 && (rest < 0) != (b < 0) ? 1 : 0;
      result = op == '/' ? a / b - below : rest + below * b;
    }
  }
  if (overflows)
    fail_at(place, fmt::format("{} {} {} does not fit 64 bits", a, op == '/' ? "//" : std::string(1, op), b));
  return result;
}

double computed(char op, double a, double b, const std::string& place) {
  if (op == '+') return a + b;
  if (op == '-') return a - b;
  if (op == '*') return a * b;
  if (b == 0) fail_at(place, fmt::format("{} {} 0 divides by zero", a, op == '/' ? "//" : "%"));
  const double quotient = std::floor(a / b);
  return op == '/' ? quotient : a - quotient * b;
}

std::optional<ardea::Expr> expression_in(const Argument& argument) {
  if (const auto* whole = std::get_if<std::int64_t>(&argument.value)) return make_int(*whole);
  const auto* sampled = std::get_if<NumberRef>(&argument.value);
  return sampled ? std::optional(sampled->value) : std::nullopt;
}

Argument follows(const std::string& op, const ardea::Expr& a, const ardea::Expr& b) {
  const ardea::Expr value = op == "+"    ? a + b
                            : op == "-"  ? a - b
                            : op == "*"  ? a * b
                            : op == "//" ? floor_div(a, b)
                                         : floor_mod(a, b);
  const ardea::Expr simple = arith::Analyzer().simplify(value);
  if (const auto number = constant_int(simple)) return {*number};
  return {NumberRef::fresh(simple)};
}

ardea::Expr compared(const std::string& op, const ardea::Expr& a, const ardea::Expr& b) {
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  return op == "==" ? equals(a, b) : not_equals(a, b);
}

}  // namespace ardea::schedule::script
