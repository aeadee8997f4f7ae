#include "ardea/schedule/run_script.h"

#include <algorithm>
#include <map>

#include "ardea/schedule/config.h"
#include "ardea/schedule/script_functions.h"
#include "ardea/schedule/script_values.h"
#include "ardea/support/overloaded.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace script {

namespace {

// So that every script ends, in seconds and with a sentence.
constexpr std::size_t most_nesting = 32;         ///< of lists in lists
constexpr std::size_t most_lines = 1U << 17U;    ///< that are run
constexpr std::size_t most_handled = 1U << 22U;  ///< items of lists that are named or made

class ScriptRun {
 public:
  ScriptRun(const TakeStep& take, const CallConfig& call_config, bool draws)
      : take_(take), call_config_(call_config), draws_(draws) {}

  void run(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      if (++lines_ > most_lines)
        fail_at(statement.place, fmt::format("the script has taken {} lines, which is the most", most_lines));
      std::visit([&](const auto& is) { run(is); }, statement.is);
    }
  }

 private:
  void run(const Do& statement) { evaluate(*statement.step); }

  void run(const Assign& statement) {
    const Value value = evaluate(*statement.value);
    const auto* step = std::get_if<Step>(&statement.value->is);
    bind(statement.targets, value, [&](std::size_t count, std::size_t names) {
      return step ? fmt::format("{} gives {} result{}, and {} name{} for them", step->primitive->name, count,
                                count == 1 ? "" : "s", names, names == 1 ? " stands" : "s stand")
                  : fmt::format("{} is given, and {} name{} for it", in_words(value.is), names,
                                names == 1 ? " stands" : "s stand");
    });
  }

  void run(const Change& statement) {
    const Value before = name(statement.name, statement.place), by = evaluate(*statement.value);
    values_.insert_or_assign(statement.name, Value{operate(statement.op, before, by, statement.place)});
  }

  void run(const For& statement) {
    for (const Argument& item : items_of(*statement.list, "for goes over a list")) {
      bind(statement.targets, {item}, [&](std::size_t, std::size_t names) {
        return fmt::format("an item of the list is {}, and {} name{} for it", in_words(item), names,
                           names == 1 ? " stands" : "s stand");
      });
      run(statement.body);
    }
  }

  /// Gives the names their values; `mismatch(count, names)` says what does not fit.
  template <class Mismatch>
  void bind(const Targets& targets, const Value& value, Mismatch mismatch) {
    const std::vector<Targets::Target>& names = targets.names;
    if (!targets.unpacks) {
      values_.insert_or_assign(names[0].name, value);
      return;
    }
    const std::optional<Items> list = list_of(value);
    if (!list) fail_at(targets.place, mismatch(1, names.size()));
    const auto rest =
        std::find_if(names.begin(), names.end(), [](const auto& target) { return target.rest; });
    const bool fits = rest == names.end() ? list->size() == names.size() : list->size() + 1 >= names.size();
    if (!fits) fail_at(targets.place, mismatch(list->size(), names.size()));
    auto item = list->begin();
    for (auto target = names.begin(); target != names.end(); ++target) {
      if (target == rest) {
        const auto end = list->end() - (names.end() - target - 1);
        values_.insert_or_assign(target->name, Value{{Items(item, end)}});
        item = end;
      } else {
        values_.insert_or_assign(target->name, Value{*item++});
      }
    }
  }

  Value name(const std::string& name, const std::string& place) {
    const auto at = values_.find(name);
    if (at == values_.end()) fail_at(place, name + " is not defined before");
    count_handled(size_of(at->second.is), place);
    return at->second;
  }

  void count_handled(std::size_t items, const std::string& place) {
    handled_ += items;
    if (handled_ > most_handled)
      fail_at(place,
              fmt::format("the script has gone through {} items of lists, which is the most", most_handled));
  }

  Value evaluate(const Expr& expr) {
    return std::visit([&](const auto& is) { return evaluate(is, expr.place); }, expr.is);
  }

  Items items_of(const Expr& expr, const char* needs) {
    const Value value = evaluate(expr);
    std::optional<Items> list = list_of(value);
    if (!list) fail_at(expr.place, fmt::format("{}, and this is {}", needs, in_words(value.is)));
    return *std::move(list);
  }

  std::int64_t integer(const Expr& expr, const char* what) {
    const Value value = evaluate(expr);
    const auto number = number_in(value.is);
    if (!number || !std::holds_alternative<std::int64_t>(*number))
      fail_at(expr.place, fmt::format("{} is an integer, and this is {}", what, in_words(value.is)));
    return std::get<std::int64_t>(*number);
  }

  Value evaluate(const Literal& literal, const std::string&) { return {literal.value}; }
  Value evaluate(const Name& is, const std::string& place) { return name(is.name, place); }

  Value evaluate(const Starred&, const std::string& place) {
    fail_at(place, "* gives the items of a list to a list or to a step");
  }

  Value evaluate(const List& list, const std::string& place) { return bounded(all_items(list.items), place); }

  Items all_items(const std::vector<ExprRef>& written) {
    Items items;
    for (const ExprRef& item : written) {
      if (const auto* starred = std::get_if<Starred>(&item->is)) {
        const Items more = items_of(*starred->list, "* gives the items of a list");
        items.insert(items.end(), more.begin(), more.end());
      } else {
        items.push_back(evaluate(*item).is);
      }
    }
    return items;
  }

  Value bounded(Items items, const std::string& place) {
    Argument list{std::move(items)};
    const std::size_t size = size_of(list);
    count_handled(size, place);
    if (size > most_items) fail_at(place, fmt::format("this list has more than {} items", most_items));
    if (nesting_of(list) > most_nesting)
      fail_at(place, fmt::format("lists lie more than {} deep in this list", most_nesting));
    return {std::move(list)};
  }

  Value evaluate(const Index& index, const std::string&) {
    const Items list = items_of(*index.list, "only a list has positions");
    const std::int64_t position = integer(*index.position, "a position");
    const auto size = static_cast<std::int64_t>(list.size());
    if (position < -size || position >= size)
      fail_at(index.position->place,
              size == 0
                  ? fmt::format("position {} of an empty list", position)
                  : fmt::format("position {} is outside a list of {}: its positions are 0 to {}, or {} to -1",
                                position, size, size - 1, -size));
    return {list[static_cast<std::size_t>(position < 0 ? position + size : position)]};
  }

  /// As Python cuts: positions outside count as the ends.
  Value evaluate(const Slice& slice, const std::string&) {
    const Items list = items_of(*slice.list, "only a list has positions");
    const auto size = static_cast<std::int64_t>(list.size());
    const std::int64_t step = slice.step ? integer(*slice.step, "the step of a slice") : 1;
    if (step == 0) fail_at(slice.step->place, "the step of a slice is 0");
    const std::int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
    const auto bound = [&](const ExprRef& written, std::int64_t otherwise) {
      if (!written) return otherwise;
      const std::int64_t at = integer(*written, "an end of a slice");
      if (at < -size) return lowest;
      return std::clamp(at < 0 ? at + size : at, lowest, highest);
    };
    const std::int64_t from = bound(slice.from, step > 0 ? lowest : highest);
    const std::int64_t to = bound(slice.to, step > 0 ? highest : lowest);
    Items part;
    // |step| beyond the size takes one item, as the size does, and cannot overflow.
    const std::int64_t stride = std::clamp(step, -size - 1, size + 1);
    for (std::int64_t at = from; stride > 0 ? at < to : at > to; at += stride)
      part.push_back(list[static_cast<std::size_t>(at)]);
    return {{std::move(part)}};
  }

  Value evaluate(const Negated& negated, const std::string& place) {
    const Value value = evaluate(*negated.value);
    const auto number = number_in(value.is);
    if (const auto open = number ? std::nullopt : expression_in(value.is))
      return {follows("-", make_int(0), *open)};
    if (!number) fail_at(place, fmt::format("- takes a number, and this is {}", in_words(value.is)));
    if (const auto* real = std::get_if<double>(&*number)) return {{-*real}};
    return {{computed('-', 0, std::get<std::int64_t>(*number), place)}};
  }

  Value evaluate(const Operation& operation, const std::string& place) {
    const Value left = evaluate(*operation.left), right = evaluate(*operation.right);
    return {operate(operation.op, left, right, place)};
  }

  Argument operate(const std::string& op, const Value& left, const Value& right, const std::string& place) {
    const auto a = number_in(left.is), b = number_in(right.is);
    if (a && b) {
      const auto of_both = [&](auto x, auto y) -> Argument {
        if constexpr (std::is_same_v<decltype(x), std::int64_t> && std::is_same_v<decltype(y), std::int64_t>)
          return {computed(op[0], x, y, place)};
        else
          return {computed(op[0], static_cast<double>(x), static_cast<double>(y), place)};
      };
      return std::visit(of_both, *a, *b);
    }
    const auto x = expression_in(left.is), y = expression_in(right.is);
    if (x && y) {
      const bool by_zero = (op == "//" || op == "%") && constant_int(*y) == 0;
      if (by_zero) fail_at(place, fmt::format("{} 0 divides by zero", op));
      return follows(op, *x, *y);
    }
    std::optional<Items> list = list_of(left);
    const std::optional<Items> more = list_of(right);
    if (op == "+" && list && more) {
      list->insert(list->end(), more->begin(), more->end());
      return bounded(*std::move(list), place).is;
    }
    fail_at(place, fmt::format("{} takes two numbers{}, and these are {} and {}", op,
                               op == "+" ? " or two lists" : "", in_words(left.is), in_words(right.is)));
  }

  /// The text, with the script's numbers in it. A sampled one stays a name, which is given beside the text.
  Value evaluate(const Lambda& lambda, const std::string&) {
    std::string text;
    std::map<std::string, Argument> sampled;
    for (const Lambda::Word& word : lambda.words) {
      const auto at = word.is_free_name ? values_.find(word.text) : values_.end();
      const auto* number = at == values_.end() ? nullptr : std::get_if<std::int64_t>(&at->second.is.value);
      if (at != values_.end() && std::holds_alternative<NumberRef>(at->second.is.value))
        sampled.emplace(word.text, at->second.is);
      text += word.after_space ? " " : "";
      text += !number ? word.text : *number < 0 ? fmt::format("({})", *number) : std::to_string(*number);
    }
    if (sampled.empty()) return {{text}};
    Items with_numbers = {{text}};
    for (const auto& [name, number] : sampled) with_numbers.emplace_back(Items{{name}, number});
    return {{std::move(with_numbers)}};
  }

  Value evaluate(const Call& call, const std::string& place);

  Value evaluate(const Comparison& comparison, const std::string& place) {
    return {Convert<Condition>::to({condition(comparison, place), comparison.text})};
  }

  ardea::Expr condition(const Comparison& comparison, const std::string& place) {
    const bool both = comparison.op == "and";
    if (both || comparison.op == "or") {
      const ardea::Expr left = condition(std::get<Comparison>(comparison.left->is), comparison.left->place);
      const ardea::Expr right =
          condition(std::get<Comparison>(comparison.right->is), comparison.right->place);
      return both ? logical_and(left, right) : logical_or(left, right);
    }
    const Value left = evaluate(*comparison.left), right = evaluate(*comparison.right);
    const auto a = expression_in(left.is), b = expression_in(right.is);
    if (!a || !b)
      fail_at(place, fmt::format("{} compares two integers, and these are {} and {}", comparison.op,
                                 in_words(left.is), in_words(right.is)));
    return compared(comparison.op, *a, *b);
  }

  Value evaluate(const Step& step, const std::string& place) {
    std::vector<std::string> keywords;
    std::vector<Value> values;
    std::vector<bool> is_list;
    std::vector<const std::string*> places;
    const auto add = [&](const std::string& keyword, Value value, const Expr& written) {
      is_list.push_back(std::holds_alternative<Items>(value.is.value));
      keywords.push_back(keyword);
      values.push_back(std::move(value));
      places.push_back(&written.place);
    };
    for (const Step::Given& given : step.arguments) {
      if (draws_ && given.keyword == decision_name) {
        add(given.keyword, {}, *given.value);
      } else if (const auto* starred = std::get_if<Starred>(&given.value->is)) {
        for (Argument& item : items_of(*starred->list, "* gives the items of a list"))
          add("", {std::move(item)}, *given.value);
      } else {
        add(given.keyword, evaluate(*given.value), *given.value);
      }
    }
    const auto matched = match_arguments(*step.primitive, keywords, is_list,
                                         [&](std::optional<std::size_t> at, const std::string& why) {
                                           fail_at(at ? *places[*at] : place, why);
                                         });
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < matched.size(); ++i) {
      const Parameter& parameter = step.primitive->parameters[i];
      if (matched[i].empty() || (draws_ && parameter.name == decision_name)) {
        arguments.push_back(parameter.otherwise);
        continue;
      }
      const auto refuse = [&](std::size_t which) {
        fail_at(*places[which], fmt::format("{}: {} must be {}, and this is {}", step.primitive->name,
                                            parameter.name, parameter.expected, in_words(values[which].is)));
      };
      Argument argument = values[matched[i][0]].is;
      const bool of_items = parameter.spread && !is_list[matched[i][0]];
      if (of_items) {
        Items items;
        for (const std::size_t which : matched[i]) {
          items.push_back(values[which].is);
          if (!parameter.accepts({Items{items.back()}})) refuse(which);
        }
        argument = {std::move(items)};
      } else if (values[matched[i][0]].is_whole_result && parameter.takes_list) {
        argument = {*list_of(values[matched[i][0]])};
      }
      if (!parameter.accepts(argument)) refuse(matched[i][0]);
      arguments.push_back(std::move(argument));
    }
    return take(step, place, std::move(arguments));
  }

  Value take(const Step& step, const std::string& place, std::vector<Argument> arguments) {
    Items all;
    try {
      if (step.is_of_cfg) {
        all = call_config_(*step.primitive, std::move(arguments));
      } else {
        for (const Reference& result : take_(*step.primitive, std::move(arguments)))
          all.push_back(std::visit([](const auto& r) { return Argument{r}; }, result));
      }
    } catch (const Refused& refused) {
      throw Refused(refused.code(), fmt::format("{}: {}", place, refused.what()));
    } catch (const Error& error) {
      fail_at(place, error.what());
    }
    if (all.size() == 1) return {all[0], true};
    return {{std::move(all)}};
  }

  const TakeStep& take_;
  const CallConfig& call_config_;
  const bool draws_;
  std::map<std::string, Value> values_;
  std::size_t lines_ = 0, handled_ = 0;
};

Value ScriptRun::evaluate(const Call& call, const std::string& place) {
  const std::vector<ScriptFunction>& all = script_functions();
  const auto function =
      std::find_if(all.begin(), all.end(), [&](const ScriptFunction& f) { return f.name == call.name; });
  Items arguments;
  for (const ExprRef& written : call.arguments) {
    if (std::holds_alternative<Starred>(written->is)) {
      for (Argument& item : all_items({written})) arguments.push_back(std::move(item));
      continue;
    }
    const Value value = evaluate(*written);
    const bool as_list = value.is_whole_result && !number_in(value.is);
    arguments.push_back(as_list ? Argument{*list_of(value)} : value.is);
  }
  std::optional<Argument> result = function->apply(arguments);
  if (!result) {
    std::vector<std::string> given;
    for (const Argument& argument : arguments) given.push_back(in_words(argument));
    fail_at(place, fmt::format("{} takes {}, and {}", call.name, function->needs,
                               given.empty() ? "nothing is given" : "this is " + join(given, ", ")));
  }
  if (const auto* items = std::get_if<Items>(&result->value)) return bounded(*items, place);
  return {*std::move(result)};
}

}  // namespace

}  // namespace script

void run_script(const Script& script, const TakeStep& take, const CallConfig& call_config, bool draws) {
  script::ScriptRun(take, call_config, draws).run(script.statements);
}

}  // namespace ardea::schedule
