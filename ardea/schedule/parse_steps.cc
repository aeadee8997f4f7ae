#include <algorithm>
#include <nlohmann/json.hpp>

#include "ardea/schedule/parse_script.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace script {

namespace {

ExprRef value_from(const nlohmann::json& value, const std::string& place, int depth = 0) {
  require(depth < 16, "{}: lists nest more than 16 deep", place);
  const auto make = [&](auto is) { return std::make_shared<const Expr>(Expr{std::move(is), place}); };
  if (value.is_null()) return make(Literal{});
  if (value.is_boolean()) return make(Literal{{value.get<bool>()}});
  if (value.is_number_integer()) return make(Literal{{value.get<std::int64_t>()}});
  if (value.is_number()) return make(Literal{{value.get<double>()}});
  if (value.is_string()) return make(Name{value.get<std::string>()});
  if (value.is_object() && value.size() == 1 && value.contains("string") && value["string"].is_string())
    return make(Literal{{value["string"].get<std::string>()}});
  require(value.is_array(),
          "{}: an argument is neither a number, a bool, null, a name, a list nor {{\"string\": …}}", place);
  List list;
  for (const nlohmann::json& item : value) list.items.push_back(value_from(item, place, depth + 1));
  return make(std::move(list));
}

/// A name takes all results, several take one each; "*rest" takes what the others leave.
Targets targets_from(const nlohmann::json& results, const std::string& place) {
  Targets targets;
  targets.place = place;
  for (const nlohmann::json& result : results) {
    require(result.is_string(), "{}: a result is no name", place);
    const std::string name = result.get<std::string>();
    const bool rest = name.starts_with('*');
    targets.names.push_back({name.substr(rest ? 1 : 0), rest});
  }
  targets.unpacks = targets.names.size() > 1 || (!targets.names.empty() && targets.names[0].rest);
  const auto rests =
      std::count_if(targets.names.begin(), targets.names.end(), [](const auto& t) { return t.rest; });
  require(rests <= 1, "{}: two names take the rest", place);
  return targets;
}

Statement statement_from(const nlohmann::json& entry, const std::string& place) {
  const bool good = entry.is_object() && entry.contains("primitive") && entry["primitive"].is_string() &&
                    entry.contains("arguments") && entry["arguments"].is_object() &&
                    entry.contains("results") && entry["results"].is_array();
  require(good, "{}: it needs \"primitive\", \"arguments\" and \"results\"", place);
  Step step;
  step.primitive = &find_primitive(entry["primitive"].get<std::string>());
  std::vector<std::string> keywords;
  std::vector<bool> is_list;
  for (const auto& [keyword, value] : entry["arguments"].items()) {
    step.arguments.push_back({keyword, value_from(value, place)});
    keywords.push_back(keyword);
    is_list.push_back(value.is_array());
  }
  match_arguments(*step.primitive, keywords, is_list,
                  [&](std::optional<std::size_t>, const std::string& why) { fail("{}: {}", place, why); });
  Targets targets = targets_from(entry["results"], place);
  auto call = std::make_shared<const Expr>(Expr{std::move(step), place});
  if (targets.names.empty()) return {Do{std::move(call)}, place};
  return {Assign{std::move(targets), std::move(call)}, place};
}

Script script_from_json(std::string_view text, const std::string& name) {
  const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
  require(!list.is_discarded() && list.is_array(), "{}: it is no list of steps in JSON", name);
  Script script;
  for (std::size_t i = 0; i < list.size(); ++i)
    script.statements.push_back(statement_from(list[i], fmt::format("{}: step {}", name, i + 1)));
  return script;
}

}  // namespace

std::vector<std::vector<std::size_t>> match_arguments(
    const Primitive& primitive, const std::vector<std::string>& keywords, const std::vector<bool>& is_list,
    const std::function<void(std::optional<std::size_t>, const std::string&)>& fail) {
  const std::vector<Parameter>& parameters = primitive.parameters;
  std::vector<std::vector<std::size_t>> matched(parameters.size());
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  std::size_t next = 0;
  for (std::size_t i = 0; i < keywords.size(); ++i) {
    if (keywords[i].empty()) {
      if (next == parameters.size())
        fail(i, fmt::format("{} takes {}, {} argument{}, and this is one more", primitive.name,
                            join(names, ", "), parameters.size(), parameters.size() == 1 ? "" : "s"));
      matched[next].push_back(i);
      // A list among arguments that are items of one stands for all of them.
      if (!parameters[next].spread || (is_list[i] && matched[next].size() == 1)) ++next;
      continue;
    }
    const auto at = std::find(names.begin(), names.end(), keywords[i]);
    if (at == names.end())
      fail(i, fmt::format("{} has no argument {}, only {}{}", primitive.name, keywords[i], join(names, ", "),
                          did_you_mean(keywords[i], names)));
    std::vector<std::size_t>& of_name = matched[static_cast<std::size_t>(at - names.begin())];
    if (!of_name.empty()) fail(i, fmt::format("{} gives {} twice", primitive.name, keywords[i]));
    of_name.push_back(i);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].required && matched[i].empty())
      fail(std::nullopt,
           fmt::format("{} needs {}, {}", primitive.name, parameters[i].name, parameters[i].expected));
  return matched;
}

}  // namespace script

Script parse_steps(std::string_view text, const std::string& name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '[') return script::script_from_json(text, name);
  return parse_script(text, name);
}

}  // namespace ardea::schedule
