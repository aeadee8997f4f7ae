#include <nlohmann/json.hpp>
#include <set>

#include "ardea/ir/parse_tokens.h"
#include "ardea/schedule/trace.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

using Given =
    std::vector<std::pair<std::string, WrittenArgument>>;  ///< keyword (empty: positional) and value

/// One argument a parameter, in order: what was given by place or by name, and defaults for the rest.
Given in_order(const Primitive& primitive, const Given& given, const std::string& place) {
  const std::vector<Parameter>& parameters = primitive.parameters;
  std::vector<std::optional<WrittenArgument>> values(parameters.size());
  std::size_t next = 0;
  for (const auto& [keyword, value] : given) {
    if (keyword.empty()) {
      if (next < parameters.size() && parameters[next].spread &&
          !std::holds_alternative<std::vector<WrittenArgument>>(value.value)) {
        if (!values[next]) values[next] = WrittenArgument{std::vector<WrittenArgument>{}};
        std::get<std::vector<WrittenArgument>>(values[next]->value).push_back(value);
        continue;
      }
      require(next < parameters.size(), "{}: {} takes {} arguments, more are given", place, primitive.name,
              parameters.size());
      values[next++] = value;
      continue;
    }
    std::vector<std::string> names;
    std::size_t at = parameters.size();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      names.push_back(parameters[i].name);
      if (parameters[i].name == keyword) at = i;
    }
    require(at < parameters.size(), "{}: {} has no argument {}, only {}{}", place, primitive.name, keyword,
            join(names, ", "), did_you_mean(keyword, names));
    require(!values[at], "{}: {} gives {} twice", place, primitive.name, keyword);
    values[at] = value;
  }
  Given ordered;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    require(values[i] || !parameters[i].required, "{}: {} needs {}, {}", place, primitive.name,
            parameters[i].name, parameters[i].expected);
    if (values[i]) {
      ordered.emplace_back(parameters[i].name, *values[i]);
      continue;
    }
    const auto plain = [](const auto& value) -> WrittenArgument {
      using T = std::decay_t<decltype(value)>;
      if constexpr (std::is_same_v<T, std::vector<Argument>>) {
        ensure(value.empty(), "the default of an argument is a list of references");
        return {std::vector<WrittenArgument>{}};
      } else if constexpr (std::is_constructible_v<decltype(WrittenArgument::value), T>)
        return {value};
      else
        throw InternalError("the default of an argument is a reference");
    };
    ordered.emplace_back(parameters[i].name, std::visit(plain, parameters[i].otherwise.value));
  }
  return ordered;
}

// ----- scripts

class ScriptParser {
 public:
  ScriptParser(std::string_view text, const std::string& name) : tokens_(text, name), name_(name) {}

  std::vector<WrittenStep> run() {
    // The head of the seeds' scripts may be there or not.
    const bool has_head = tokens_.at("def");
    if (has_head) {
      while (!tokens_.at(TokenKind::newline) && !tokens_.at(TokenKind::end)) tokens_.next();
      tokens_.expect_line_end();
      tokens_.expect(TokenKind::indent, "an indented line");
    }
    std::vector<WrittenStep> steps;
    while (!tokens_.at(TokenKind::end) && !tokens_.at(TokenKind::dedent)) {
      if (tokens_.take("pass")) {
        tokens_.expect_line_end();
        continue;
      }
      steps.push_back(step());
    }
    if (has_head) tokens_.expect(TokenKind::dedent, "a step");
    tokens_.expect(TokenKind::end, "the end of the script");
    return steps;
  }

 private:
  WrittenStep step() {
    const Token& at = tokens_.peek();
    WrittenStep written;
    written.place = fmt::format("{}:{}", name_, at.line);
    if (!(tokens_.at("sch") && tokens_.at(".", 1))) {
      do {
        const bool rest = tokens_.take("*");
        const Token& result = tokens_.expect_name("the name of a result");
        if (rest && !written.results.empty())
          tokens_.fail_at(result, "only the first result may take the rest");
        written.results.push_back((rest ? "*" : "") + result.text);
        if (!rest) defined_.insert(result.text);
      } while (tokens_.take(",") && !tokens_.at("="));  // `i, = …` is a list of one
      tokens_.expect("=");
    }
    tokens_.expect("sch");
    tokens_.expect(".");
    const Token& primitive = tokens_.expect_name("the name of a primitive");
    written.primitive = tokens_.located(primitive, [&] { return &find_primitive(primitive.text); });
    tokens_.expect("(");
    Given given;
    while (!tokens_.at(")")) {
      std::string keyword;
      if (tokens_.at(TokenKind::name) && tokens_.at("=", 1)) {
        keyword = tokens_.next().text;
        tokens_.next();
      } else if (!given.empty() && !given.back().first.empty()) {
        tokens_.fail_at(tokens_.peek(), "an argument without its name stands after one with it");
      }
      given.emplace_back(keyword, value());
      if (!tokens_.take(",")) break;
    }
    tokens_.expect(")");
    tokens_.expect_line_end();
    written.arguments = in_order(*written.primitive, given, written.place);
    return written;
  }

  WrittenArgument value() {
    const Token& at = tokens_.peek();
    if (tokens_.at("[") || tokens_.at("(")) return list();
    if (tokens_.at("lambda")) return lambda();
    if (at.kind == TokenKind::string) return {tokens_.next().text};
    const bool negative = tokens_.take("-");
    if (tokens_.at(TokenKind::integer)) {
      const auto number = static_cast<std::int64_t>(tokens_.next().integer);
      return {negative ? -number : number};
    }
    if (tokens_.at(TokenKind::real)) {
      const double number = std::stod(tokens_.next().text);
      return {negative ? -number : number};
    }
    if (negative) tokens_.unexpected("a number");
    if (tokens_.take("None")) return {};
    if (tokens_.take("True")) return {true};
    if (tokens_.take("False")) return {false};
    const Token& name = tokens_.expect_name("a value");
    if (!defined_.contains(name.text))
      tokens_.fail_at(name, fmt::format("{} is not defined before", name.text));
    return {NamedValue{name.text}};
  }

  /// A function of indices, kept as its text.
  WrittenArgument lambda() {
    const std::size_t first = tokens_.position();
    while (!tokens_.at(":") && !tokens_.at(TokenKind::newline) && !tokens_.at(TokenKind::end)) tokens_.next();
    tokens_.skip_argument();
    const std::size_t end = tokens_.position();
    tokens_.move_to(first);
    std::string text;
    bool opened = true;
    while (tokens_.position() < end) {
      const Token& token = tokens_.next();
      const bool closes = token.is(")") || token.is("]") || token.is(",") || token.is(":");
      text += (opened || closes ? "" : " ") + token.text;
      opened = token.is("(") || token.is("[");
    }
    return {text};
  }

  WrittenArgument list() {
    const char* const close = tokens_.next().text == "[" ? "]" : ")";
    if (++depth_ > 16) tokens_.fail_at(tokens_.peek(), "lists nest more than 16 deep");
    std::vector<WrittenArgument> items;
    while (!tokens_.at(close)) {
      items.push_back(value());
      if (!tokens_.take(",")) break;
    }
    tokens_.expect(close);
    --depth_;
    return {std::move(items)};
  }

  TokenStream tokens_;
  const std::string& name_;
  std::set<std::string> defined_;
  int depth_ = 0;
};

// ----- JSON

WrittenArgument written_from(const nlohmann::json& value, const std::string& place, int depth = 0) {
  require(depth < 16, "{}: lists nest more than 16 deep", place);
  if (value.is_null()) return {};
  if (value.is_boolean()) return {value.get<bool>()};
  if (value.is_number_integer()) return {value.get<std::int64_t>()};
  if (value.is_number()) return {value.get<double>()};
  if (value.is_string()) return {NamedValue{value.get<std::string>()}};
  if (value.is_object() && value.size() == 1 && value.contains("string") && value["string"].is_string())
    return {value["string"].get<std::string>()};
  require(value.is_array(),
          "{}: an argument is neither a number, a bool, null, a name, a list nor {{\"string\": …}}", place);
  std::vector<WrittenArgument> items;
  for (const nlohmann::json& item : value) items.push_back(written_from(item, place, depth + 1));
  return {std::move(items)};
}

std::vector<WrittenStep> steps_from_json(std::string_view text, const std::string& name) {
  const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
  require(!list.is_discarded() && list.is_array(), "{}: it is no list of steps in JSON", name);
  std::vector<WrittenStep> steps;
  for (std::size_t i = 0; i < list.size(); ++i) {
    WrittenStep step;
    step.place = fmt::format("{}: step {}", name, i + 1);
    const nlohmann::json& entry = list[i];
    const bool good = entry.is_object() && entry.contains("primitive") && entry["primitive"].is_string() &&
                      entry.contains("arguments") && entry["arguments"].is_object() &&
                      entry.contains("results") && entry["results"].is_array();
    require(good, "{}: it needs \"primitive\", \"arguments\" and \"results\"", step.place);
    step.primitive = &find_primitive(entry["primitive"].get<std::string>());
    Given given;
    for (const auto& [keyword, value] : entry["arguments"].items())
      given.emplace_back(keyword, written_from(value, step.place));
    step.arguments = in_order(*step.primitive, given, step.place);
    for (const nlohmann::json& result : entry["results"]) {
      require(result.is_string(), "{}: a result is no name", step.place);
      step.results.push_back(result.get<std::string>());
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

std::vector<WrittenStep> parse_steps(std::string_view text, const std::string& name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '[') return steps_from_json(text, name);
  return ScriptParser(text, name).run();
}

}  // namespace ardea::schedule
