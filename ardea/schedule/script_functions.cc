#include "ardea/schedule/script_functions.h"

#include <algorithm>

#include "ardea/schedule/script.h"

namespace ardea::schedule::script {

namespace {

const Items* list_in(const Argument& argument) { return std::get_if<Items>(&argument.value); }

std::optional<Argument> counted(std::size_t size) { return Argument{static_cast<std::int64_t>(size)}; }

std::optional<Argument> range_of(const Items& arguments) {
  std::vector<std::int64_t> numbers;
  for (const Argument& argument : arguments) {
    const auto number = number_in(argument);
    if (!number || !std::holds_alternative<std::int64_t>(*number)) return std::nullopt;
    numbers.push_back(std::get<std::int64_t>(*number));
  }
  if (numbers.empty() || numbers.size() > 3 || (numbers.size() == 3 && numbers[2] == 0)) return std::nullopt;
  const std::int64_t from = numbers.size() == 1 ? 0 : numbers[0];
  const std::int64_t to = numbers.size() == 1 ? numbers[0] : numbers[1];
  const std::int64_t step = numbers.size() == 3 ? numbers[2] : 1;
  Items items;
  std::int64_t at = from;
  while ((step > 0 ? at < to : at > to) && items.size() <= most_items) {
    items.emplace_back(at);
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  return Argument{std::move(items)};
}

/// The least or the greatest of several numbers, or of the numbers in one list.
template <class Better>
std::optional<Argument> best_of(const Items& arguments, Better better) {
  const Items* all = &arguments;
  if (arguments.size() == 1 && list_in(arguments[0])) all = list_in(arguments[0]);
  std::optional<std::int64_t> best;
  for (const Argument& argument : *all) {
    const auto number = number_in(argument);
    if (!number || !std::holds_alternative<std::int64_t>(*number)) return std::nullopt;
    const std::int64_t value = std::get<std::int64_t>(*number);
    best = best ? better(*best, value) : value;
  }
  return best ? std::optional(Argument{*best}) : std::nullopt;
}

std::optional<Argument> zipped(const Items& arguments) {
  std::size_t shortest = most_items;
  for (const Argument& argument : arguments) {
    if (!list_in(argument)) return std::nullopt;
    shortest = std::min(shortest, list_in(argument)->size());
  }
  if (arguments.empty()) return std::nullopt;
  shortest = std::min(shortest, most_items / arguments.size() + 1);  // more is refused
  Items rows;
  for (std::size_t i = 0; i < shortest; ++i) {
    Items row;
    for (const Argument& argument : arguments) row.push_back((*list_in(argument))[i]);
    rows.emplace_back(std::move(row));
  }
  return Argument{std::move(rows)};
}

std::optional<Argument> enumerated(const Items& arguments) {
  if (arguments.size() != 1 || !list_in(arguments[0])) return std::nullopt;
  Items rows;
  for (const Argument& item : *list_in(arguments[0]))
    rows.emplace_back(Items{{static_cast<std::int64_t>(rows.size())}, item});
  return Argument{std::move(rows)};
}

std::optional<Argument> backwards(const Items& arguments) {
  if (arguments.size() != 1 || !list_in(arguments[0])) return std::nullopt;
  return Argument{Items(list_in(arguments[0])->rbegin(), list_in(arguments[0])->rend())};
}

}  // namespace

const std::vector<ScriptFunction>& script_functions() {
  static const std::vector<ScriptFunction> functions = {
      {"len", "one list",
       [](const Items& a) {
         return a.size() == 1 && list_in(a[0]) ? counted(list_in(a[0])->size()) : std::nullopt;
       }},
      {"range", "one to three integers, the third not 0", range_of},
      {"reversed", "one list", backwards},
      {"enumerate", "one list", enumerated},
      {"zip", "lists", zipped},
      {"min", "integers",
       [](const Items& a) { return best_of(a, [](auto x, auto y) { return std::min(x, y); }); }},
      {"max", "integers",
       [](const Items& a) { return best_of(a, [](auto x, auto y) { return std::max(x, y); }); }},
  };
  return functions;
}

const std::vector<std::string>& function_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const ScriptFunction& function : script_functions()) all.emplace_back(function.name);
    return all;
  }();
  return names;
}

}  // namespace ardea::schedule::script
