#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ardea/schedule/primitive.h"

/// What a script's names and expressions stand for while it runs.

namespace ardea::schedule::script {

using Items = std::vector<Argument>;

constexpr std::size_t most_items = 1U << 16U;  ///< of a list, those of the lists in it included

[[noreturn]] void fail_at(const std::string& place, const std::string& sentence);

/// A step that gives one result gives it by itself, and where a list is asked for a list of one: get_loops of
/// a block in one loop is used as either.
struct Value {
  Argument is;
  bool is_whole_result = false;
};

/// The value as a list; nothing where it is none.
std::optional<Items> list_of(const Value& value);

/// "a loop", "the number 4", "a list of 3 loops", "a list of None and the number 4".
std::string in_words(const Argument& argument);

/// Itself, and the items of lists.
std::size_t size_of(const Argument& argument);
/// How deep lists lie in lists: 0 for what is none.
std::size_t nesting_of(const Argument& argument);

/// A number of either kind; a sampled one counts as what was drawn.
std::optional<std::variant<std::int64_t, double>> number_in(const Argument& argument);
/// + - * and, rounded down, / and %. Error where there is no such number.
std::int64_t computed(char op, std::int64_t a, std::int64_t b, const std::string& place);
double computed(char op, double a, double b, const std::string& place);

/// A number of an integer kind as an expression, open or not.
std::optional<ardea::Expr> expression_in(const Argument& argument);
/// A number that follows from open ones.
Argument follows(const std::string& op, const ardea::Expr& a, const ardea::Expr& b);
ardea::Expr compared(const std::string& op, const ardea::Expr& a, const ardea::Expr& b);

}  // namespace ardea::schedule::script
