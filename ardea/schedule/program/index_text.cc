#include "ardea/schedule/program/index_text.h"

#include <ranges>

#include "ardea/arith/regions_linear.h"
#include "ardea/ir/parse_shared.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

using arith::as_index;

class Reader {
 public:
  Reader(const std::string& text, const char* what, IndexNames names)
      : tokens_(text, what), names_(std::move(names)) {}

  IndexMap index_map() {
    IndexMap map;
    tokens_.expect("lambda");
    do {
      map.from.emplace_back(tokens_.expect_name("the name of an index").text);
      names_.emplace_back(map.from.back().name(), map.from.back());
    } while (tokens_.take(","));
    tokens_.expect(":");
    // Brackets around a list, or around the first term of the only index.
    const bool is_list = tokens_.at("[") || tokens_.at("(");
    const std::size_t start = tokens_.position();
    if (is_list) {
      const char* const close = tokens_.next().text == "[" ? "]" : ")";
      while (!tokens_.at(close)) {
        map.to.push_back(exclusive());
        if (!tokens_.take(",")) break;
      }
      tokens_.expect(close);
    }
    if (!is_list || !tokens_.at(TokenKind::newline)) {
      tokens_.move_to(start);
      map.to = {exclusive()};
    }
    if (map.to.empty()) tokens_.unexpected("an index");
    end();
    return map;
  }

  std::vector<Range> window() {
    if (tokens_.at(TokenKind::name) && tokens_.at("[", 1)) tokens_.next();
    const bool in_brackets = tokens_.take("[");
    std::vector<Range> ranges;
    do {
      const Expr first = sum();
      ranges.push_back({first, tokens_.take(":") ? sum() - first : make_int(1)});
    } while (tokens_.take(","));
    if (in_brackets) tokens_.expect("]");
    end();
    return ranges;
  }

 private:
  void end() {
    tokens_.expect_line_end();
    tokens_.expect(TokenKind::end, "one line");
  }

  /// As in Python it binds less than sums do.
  Expr exclusive() {
    Expr value = sum();
    while (tokens_.take("^")) value = make_binary(BinaryOp::bit_xor, value, sum());
    return value;
  }

  Expr sum() {
    const Opened opened(depth_);
    if (depth_ > deepest_nesting) tokens_.fail_at(tokens_.peek(), "brackets nest too deep");
    Expr value = tokens_.take("-") ? make_int(0) - product() : product();
    while (tokens_.at("+") || tokens_.at("-")) {
      const bool adds = tokens_.next().text == "+";
      const Expr other = product();
      value = adds ? value + other : value - other;
    }
    return value;
  }

  Expr product() {
    Expr value = factor();
    while (tokens_.at("*") || tokens_.at("//") || tokens_.at("%")) {
      const Token& op = tokens_.next();
      const Expr other = factor();
      if (op.text == "*")
        value = value * other;
      else if (is_zero(other))
        tokens_.fail_at(op, "a division by 0");
      else
        value = op.text == "//" ? floor_div(value, other) : floor_mod(value, other);
    }
    return value;
  }

  Expr factor() {
    if (tokens_.take("(")) {
      const Expr value = exclusive();
      tokens_.expect(")");
      return value;
    }
    if (tokens_.at(TokenKind::integer)) {
      const Token& number = tokens_.next();
      if (number.integer > largest) tokens_.fail_at(number, "the number is too large for an index");
      return make_int(static_cast<std::int64_t>(number.integer));
    }
    const Token& name = tokens_.expect_name("an index, a number or a size");
    for (const auto& [text, value] : std::views::reverse(names_))
      if (text == name.text) return as_index(value);
    std::vector<std::string> known;
    for (const auto& [text, value] : names_) known.push_back(text);
    tokens_.fail_at(name, fmt::format("{} is not known here, only {}{}", name.text, join(known, ", "),
                                      did_you_mean(name.text, known)));
  }

  static constexpr std::uint64_t largest = std::uint64_t{1} << 62;

  TokenStream tokens_;
  IndexNames names_;
  int depth_ = 0;
};

IndexNames with_numbers(IndexNames names, const IndexText& text) {
  for (const auto& [name, number] : text.numbers) names.emplace_back(name, value_of(number, int64));
  return names;
}

}  // namespace

IndexNames size_names(const Function& f) {
  IndexNames names;
  for (const Var& var : shape_variables(f)) names.emplace_back(var.name(), var);
  for (const ardea::Parameter& parameter : f.parameters)
    if (!parameter.buffer.defined() && parameter.var.type().is_integer())
      names.emplace_back(parameter.var.name(), parameter.var);
  return names;
}

Argument Convert<IndexText>::to(const IndexText& indices) {
  if (indices.numbers.empty()) return {indices.text};
  std::vector<Argument> items = {{indices.text}};
  for (const auto& [name, number] : indices.numbers)
    items.emplace_back(std::vector<Argument>{{name}, Convert<Number>::to(number)});
  return {std::move(items)};
}

std::optional<IndexText> Convert<IndexText>::from(const Argument& argument) {
  if (const auto* text = std::get_if<std::string>(&argument.value)) return IndexText(*text);
  const auto* items = std::get_if<std::vector<Argument>>(&argument.value);
  const auto* text =
      items == nullptr || items->empty() ? nullptr : std::get_if<std::string>(&items->front().value);
  if (text == nullptr) return std::nullopt;
  IndexText indices(*text);
  for (std::size_t i = 1; i < items->size(); ++i) {
    const auto* pair = std::get_if<std::vector<Argument>>(&(*items)[i].value);
    if (pair == nullptr || pair->size() != 2) return std::nullopt;
    const auto* name = std::get_if<std::string>(&(*pair)[0].value);
    const auto number = Convert<Number>::from((*pair)[1]);
    if (name == nullptr || !number) return std::nullopt;
    indices.numbers.emplace_back(*name, *number);
  }
  return indices;
}

IndexMap read_index_map(const IndexText& text, IndexNames names) {
  return Reader(text.text, "index_map", with_numbers(std::move(names), text)).index_map();
}

std::vector<Range> read_window(const IndexText& text, IndexNames names) {
  return Reader(text.text, "window", with_numbers(std::move(names), text)).window();
}

}  // namespace ardea::schedule
