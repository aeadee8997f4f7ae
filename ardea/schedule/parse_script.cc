#include "ardea/schedule/parse_script.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "ardea/ir/parse_tokens.h"
#include "ardea/schedule/config.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace script {

namespace {

/// Of brackets, signs and operations, which trees of expressions follow.
constexpr int max_nesting = 200;

/// Why a token that Python knows has no place in a script, and what to write for it; nothing of others.
std::optional<std::string> left_out(const Token& token) {
  struct Group {
    std::vector<std::string_view> spellings;
    const char* why;
  };
  static const std::vector<Group> groups = {
      {{"/", "/="}, "a script divides integers: write // for the floor"},
      {{"**", "**=", "<<", ">>", "&", "|", "^", "~", "<<=", ">>=", "&=", "|=", "^="},
       "scripts compute with + - * // and %"},
      {{"<", ">", "<=", ">=", "==", "!=", "and", "or", "not", "is", "if", "elif", "else", "in"},
       "scripts have no conditions: the steps themselves ask what the program is"},
      {{"while", "break", "continue"}, "scripts repeat with for over a list alone"},
      {{"{"}, "scripts have lists and numbers, no sets and dictionaries"},
      {{"import", "from"}, "scripts need no modules: sch is there already"},
      {{"def", "class", "return", "yield"}, "scripts define no functions and classes"},
      {{"with", "try", "raise", "assert", "del", "global", "nonlocal", "async", "await", "except", "finally"},
       "scripts are assignments, steps and for loops"},
      {{";", ":=", "@"}, "scripts have one assignment or step a line"},
  };
  for (const Group& group : groups)
    for (const std::string_view spelling : group.spellings)
      if (token.is(spelling))
        return fmt::format("found {}, which is left out: {}", describe(token), group.why);
  return std::nullopt;
}

class ScriptParser {
 public:
  ScriptParser(std::string_view text, const std::string& name) : tokens_(text, name), name_(name) {}

  Script run() {
    // The head of the seeds' scripts may be there or not.
    const bool has_head = tokens_.at("def");
    if (has_head) {
      while (!tokens_.at(TokenKind::newline) && !tokens_.at(TokenKind::end)) tokens_.next();
      tokens_.expect_line_end();
      tokens_.expect(TokenKind::indent, "an indented line");
    }
    Script script;
    while (!tokens_.at(TokenKind::end) && !tokens_.at(TokenKind::dedent)) line(script.statements);
    if (has_head) tokens_.expect(TokenKind::dedent, "a step");
    if (!tokens_.at(TokenKind::end)) unexpected("the end of the script");
    return script;
  }

 private:
  std::string place_of(const Token& token) const {
    return fmt::format("{}:{}:{}", name_, token.line, token.column);
  }
  template <class T>
  ExprRef make(const Token& at, T is) const {
    return std::make_shared<const Expr>(Expr{std::move(is), place_of(at)});
  }
  [[noreturn]] void unexpected(std::string_view what) const {
    if (const auto why = left_out(tokens_.peek())) tokens_.fail_at(tokens_.peek(), *why);
    tokens_.unexpected(what);
  }
  void expect(std::string_view spelling) {
    if (!tokens_.at(spelling)) unexpected("'" + std::string(spelling) + "'");
    tokens_.next();
  }
  void expect_line_end() {
    if (!tokens_.at(TokenKind::newline)) unexpected("the end of the line");
    tokens_.next();
  }

  // ----- statements

  void line(std::vector<Statement>& into) {
    if (tokens_.at(TokenKind::indent))
      tokens_.fail_at(tokens_.peek(),
                      "this line is indented deeper than the one before, which opens nothing");
    const Token& at = tokens_.peek();
    if (tokens_.take("for")) {
      into.push_back({loop(), place_of(at)});
      return;
    }
    simple_line(into);
  }

  void simple_line(std::vector<Statement>& into) {
    const Token& at = tokens_.peek();
    if (tokens_.take("pass")) return expect_line_end();
    if (at.kind == TokenKind::string) {  // a line of text says something to people
      tokens_.next();
      return expect_line_end();
    }
    const bool begins_targets = tokens_.at("*") || (at.kind == TokenKind::name && !is_keyword(at.text) &&
                                                    !tokens_.at(".", 1) && !tokens_.at("(", 1));
    if (begins_targets)
      into.push_back({assignment(), place_of(at)});
    else if (tokens_.at("(") || tokens_.at("["))
      tokens_.fail_at(
          at, "found " + describe(at) + ", expected a step or names: write a, b = … without brackets");
    else
      into.push_back({Do{step_of_its_own()}, place_of(at)});
    expect_line_end();
  }

  ExprRef step_of_its_own() {
    if (!tokens_.at(TokenKind::name) || is_keyword(tokens_.peek().text)) unexpected("a step");
    const Token& at = tokens_.peek();
    ExprRef made = postfix();
    if (!std::holds_alternative<Step>(made->is))
      tokens_.fail_at(at, "this line makes a value and leaves it; give it a name, or take a step");
    return made;
  }

  std::variant<Assign, Change, Do, For> assignment() {
    const Token& first = tokens_.peek();
    Targets targets = targets_before("=");
    if (tokens_.at("["))
      tokens_.fail_at(first, "an item of a list is not assigned alone; make a new list of it and the others");
    static constexpr std::array changes = {"+=", "-=", "*=", "//=", "%="};
    for (const char* const change : changes) {
      if (!tokens_.at(change)) continue;
      if (targets.unpacks) tokens_.fail_at(tokens_.peek(), fmt::format("{} changes one name", change));
      if (!defined_.contains(first.text))
        tokens_.fail_at(first, fmt::format("{} is not defined before", first.text));
      tokens_.next();
      const std::string op(change, std::string_view(change).size() - 1);
      return Change{first.text, op, items_as_value(), place_of(first)};
    }
    if (!tokens_.at("=")) {
      if (left_out(tokens_.peek())) unexpected("'='");
      tokens_.fail_at(tokens_.peek(),
                      fmt::format("found {}, expected '=' or '+=': a line is an assignment, a step or a for",
                                  describe(tokens_.peek())));
    }
    tokens_.next();
    if (tokens_.at(TokenKind::name) && tokens_.at("=", 1))
      tokens_.fail_at(tokens_.peek(1), "one assignment a line: write a = … and b = a");
    Assign assign{std::move(targets), items_as_value()};
    define(assign.targets);
    return assign;
  }

  For loop() {
    For made;
    made.targets = targets_before("in");
    expect("in");
    made.list = items_as_value();
    define(made.targets);
    expect(":");
    if (!tokens_.at(TokenKind::newline)) {
      if (tokens_.at("for"))
        tokens_.fail_at(tokens_.peek(), "a for inside a for begins on a line of its own");
      simple_line(made.body);
      return made;
    }
    tokens_.next();
    tokens_.expect(TokenKind::indent, "an indented line");
    if (++depth_ > max_nesting) too_deep();
    while (!tokens_.at(TokenKind::dedent) && !tokens_.at(TokenKind::end)) line(made.body);
    --depth_;
    tokens_.expect(TokenKind::dedent, "a step");
    return made;
  }

  Targets targets_before(const char* end) {
    Targets targets;
    targets.place = place_of(tokens_.peek());
    bool has_rest = false;
    do {
      const bool rest = tokens_.take("*");
      if (tokens_.at("("))
        tokens_.fail_at(tokens_.peek(), "names stand in one row: unpack the inner list on a line of its own");
      if (!tokens_.at(TokenKind::name) || is_keyword(tokens_.peek().text)) unexpected("a name");
      const Token& name = tokens_.next();
      if (name.text == "sch") tokens_.fail_at(name, "sch is the schedule, and no other name");
      if (rest && has_rest) tokens_.fail_at(name, "two names take the rest");
      has_rest = has_rest || rest;
      targets.names.push_back({name.text, rest});
      if (!tokens_.at(",")) break;
      tokens_.next();
      targets.unpacks = true;
    } while (!tokens_.at(end));  // `i, = …` is a list of one
    if (has_rest && !targets.unpacks)
      tokens_.fail_at(tokens_.peek(),
                      fmt::format("*{0} takes a rest: write *{0}, = … or {0} = …", targets.names[0].name));
    return targets;
  }

  void define(const Targets& targets) {
    for (const Targets::Target& target : targets.names) defined_.insert(target.name);
  }

  // ----- expressions

  [[noreturn]] void too_deep() const {
    tokens_.fail_at(tokens_.peek(), fmt::format("values stand more than {} deep in each other", max_nesting));
  }

  /// `a`, or `a, b` as a list.
  ExprRef items_as_value() {
    const Token& at = tokens_.peek();
    ExprRef first = item();
    if (!tokens_.at(",")) {
      if (std::holds_alternative<Starred>(first->is))
        tokens_.fail_at(at, "* gives the items of a list to a list or to a step");
      return first;
    }
    std::vector<ExprRef> items = {first};
    while (tokens_.take(",") && !tokens_.at(TokenKind::newline) && !tokens_.at(":")) items.push_back(item());
    return make(at, List{std::move(items)});
  }

  ExprRef item() {
    const Token& at = tokens_.peek();
    if (tokens_.take("*")) return make(at, Starred{value()});
    return value();
  }

  ExprRef value() {
    if (++depth_ > max_nesting) too_deep();
    ExprRef made = tokens_.at("lambda") ? lambda() : sum();
    --depth_;
    return made;
  }

  ExprRef sum() {
    const int outside = depth_;
    ExprRef left = product();
    while (tokens_.at("+") || tokens_.at("-")) left = operation(left, [&] { return product(); });
    depth_ = outside;
    return left;
  }

  ExprRef product() {
    const int outside = depth_;
    ExprRef left = factor();
    while (tokens_.at("*") || tokens_.at("//") || tokens_.at("%"))
      left = operation(left, [&] { return factor(); });
    depth_ = outside;
    return left;
  }

  template <class Right>
  ExprRef operation(const ExprRef& left, Right right) {
    if (++depth_ > max_nesting) too_deep();
    const Token& op = tokens_.next();
    return make(op, Operation{op.text, left, right()});
  }

  ExprRef factor() {
    const Token& at = tokens_.peek();
    if (tokens_.take("+")) return factor_below();
    if (!tokens_.take("-")) return postfix();
    if (tokens_.at(TokenKind::integer)) {
      const std::uint64_t magnitude = tokens_.peek().integer;
      if (magnitude > std::uint64_t{1} << 63U) does_not_fit(tokens_.peek());
      tokens_.next();
      return make(at, Literal{{static_cast<std::int64_t>(-magnitude)}});
    }
    if (tokens_.at(TokenKind::real)) return make(at, Literal{{-std::stod(tokens_.next().text)}});
    return make(at, Negated{factor_below()});
  }

  ExprRef factor_below() {
    if (++depth_ > max_nesting) too_deep();
    ExprRef made = factor();
    --depth_;
    return made;
  }

  ExprRef postfix() {
    ExprRef made = atom();
    const int outside = depth_;
    while (tokens_.at("[") || tokens_.at(".") || tokens_.at("(")) {
      const Token& at = tokens_.peek();
      if (++depth_ > max_nesting) too_deep();
      if (at.is(".")) tokens_.fail_at(at, "only sch has something after a point; a list grows by +=");
      if (at.is("(")) tokens_.fail_at(at, "this is no function");
      made = part_of(made);
    }
    depth_ = outside;
    return made;
  }

  /// list[i] and list[from:to:step].
  ExprRef part_of(const ExprRef& list) {
    const Token& at = tokens_.next();
    const auto bound = [&]() -> ExprRef { return tokens_.at(":") || tokens_.at("]") ? nullptr : value(); };
    if (tokens_.at("]")) tokens_.unexpected("a position");
    const ExprRef first = bound();
    if (!tokens_.at(":")) {
      if (tokens_.at(",")) tokens_.fail_at(tokens_.peek(), "a list has one position: write list[i][j]");
      expect("]");
      return make(at, Index{list, first});
    }
    tokens_.next();
    const ExprRef to = bound();
    const ExprRef step = tokens_.take(":") ? bound() : nullptr;
    expect("]");
    return make(at, Slice{list, first, to, step});
  }

  [[noreturn]] void does_not_fit(const Token& token) const {
    tokens_.fail_at(token, fmt::format("the integer {} does not fit 64 bits", token.text));
  }

  ExprRef atom() {
    const Token& at = tokens_.peek();
    if (tokens_.at("[")) return list("]");
    if (tokens_.at("(")) return list(")");
    if (at.kind == TokenKind::string) return make(at, Literal{{tokens_.next().text}});
    if (at.kind == TokenKind::integer) {
      if (at.integer > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) does_not_fit(at);
      return make(at, Literal{{static_cast<std::int64_t>(tokens_.next().integer)}});
    }
    if (at.kind == TokenKind::real) return make(at, Literal{{std::stod(tokens_.next().text)}});
    if (tokens_.take("None")) return make(at, Literal{{}});
    if (tokens_.take("True")) return make(at, Literal{{true}});
    if (tokens_.take("False")) return make(at, Literal{{false}});
    if (tokens_.at("*")) tokens_.fail_at(at, "* gives the items of a list to a list or to a step");
    if (at.kind != TokenKind::name || is_keyword(at.text)) unexpected("a value");
    tokens_.next();
    if (at.text == "sch") return step(at);
    if (at.text == "cfg" && !defined_.contains(at.text)) return step(at, /*is_of_cfg=*/true);
    if (tokens_.at("(")) return function(at);
    if (!defined_.contains(at.text)) not_defined(at);
    return make(at, Name{at.text});
  }

  [[noreturn]] void not_defined(const Token& name) const {
    tokens_.fail_at(name, fmt::format("{} is not defined before{}", name.text,
                                      did_you_mean(name.text, {defined_.begin(), defined_.end()})));
  }

  /// Brackets: a list; round ones around one value without a comma only group.
  ExprRef list(const char* close) {
    const Token& at = tokens_.next();
    std::vector<ExprRef> items;
    bool comma = false;
    while (!tokens_.at(close)) {
      items.push_back(item());
      if (tokens_.at("for"))
        tokens_.fail_at(tokens_.peek(),
                        "found 'for', which is left out here: write a for loop with += on a list");
      if (!tokens_.at(",")) break;
      comma = true;
      tokens_.next();
    }
    expect(close);
    const bool groups = at.is("(") && items.size() == 1 && !comma;
    if (groups && std::holds_alternative<Starred>(items[0]->is))
      tokens_.fail_at(at, "* gives the items of a list to a list or to a step");
    return groups ? items[0] : make(at, List{std::move(items)});
  }

  ExprRef function(const Token& name) {
    const std::vector<std::string>& known = function_names();
    if (defined_.contains(name.text))
      tokens_.fail_at(name, fmt::format("{} is a value, no function", name.text));
    if (std::find(known.begin(), known.end(), name.text) == known.end())
      tokens_.fail_at(name, fmt::format("there is no function {}, only {}; steps are written sch.{}(…)",
                                        name.text, join(known, ", "), name.text));
    expect("(");
    Call made{name.text, {}};
    while (!tokens_.at(")")) {
      made.arguments.push_back(item());
      if (!tokens_.take(",")) break;
    }
    expect(")");
    return make(name, std::move(made));
  }

  /// `a * b <= 32`, joined by `and` and `or` as in Python; a value where nothing is compared.
  ExprRef condition() {
    const std::size_t first = tokens_.position();
    ExprRef made = joined("or", [&] { return joined("and", [&] { return comparison(); }); });
    if (!std::holds_alternative<Comparison>(made->is)) return made;
    Comparison whole = std::get<Comparison>(made->is);
    const std::size_t end = tokens_.position();
    tokens_.move_to(first);
    bool opened = true;
    while (tokens_.position() < end) {
      const Token& token = tokens_.next();
      const bool closes = token.is(")") || token.is("]") || token.is(",");
      const bool opens = token.is("(") || token.is("[");
      if (!opened && !closes && !token.is("[")) whole.text += " ";
      whole.text += token.text;
      opened = opens;
    }
    return std::make_shared<const Expr>(Expr{std::move(whole), made->place});
  }

  template <class Part>
  ExprRef joined(const char* word, Part part) {
    const int outside = depth_;
    ExprRef left = part();
    while (tokens_.at(word)) {
      if (++depth_ > max_nesting) too_deep();
      const Token& op = tokens_.next();
      ExprRef right = part();
      for (const ExprRef& side : {left, right})
        if (!std::holds_alternative<Comparison>(side->is))
          tokens_.fail_at(
              op, fmt::format("{} joins comparisons: write each in full, as a <= 4 {} b <= 4", word, word));
      left = make(op, Comparison{word, left, right, ""});
    }
    depth_ = outside;
    return left;
  }

  /// a < b, and a < b < c, which is both.
  ExprRef comparison() {
    static constexpr std::array ops = {"<", "<=", ">", ">=", "==", "!="};
    const auto is_next = [&] {
      return std::any_of(ops.begin(), ops.end(), [&](const char* op) { return tokens_.at(op); });
    };
    const int outside = depth_;
    ExprRef left = item(), made;
    while (is_next()) {
      if (++depth_ > max_nesting) too_deep();
      const Token& op = tokens_.next();
      ExprRef right = value();
      ExprRef one = make(op, Comparison{op.text, left, right, ""});
      made = made ? make(op, Comparison{"and", made, one, ""}) : one;
      left = right;
    }
    depth_ = outside;
    return made ? made : left;
  }

  ExprRef step(const Token& at, bool is_of_cfg = false) {
    if (!tokens_.at("."))
      tokens_.fail_at(at, is_of_cfg ? "cfg takes what is left open: write cfg.define_knob(…)"
                                    : "sch is the schedule: write sch.step(…)");
    tokens_.next();
    const Token& primitive =
        tokens_.expect_name(is_of_cfg ? "the name of a call" : "the name of a primitive");
    Step step;
    step.is_of_cfg = is_of_cfg;
    step.primitive = tokens_.located(primitive, [&] {
      return is_of_cfg ? &find_config_call(primitive.text) : &find_primitive(primitive.text);
    });
    expect("(");
    std::vector<const Token*> places;
    while (!tokens_.at(")")) {
      places.push_back(&tokens_.peek());
      Step::Given given;
      if (tokens_.at(TokenKind::name) && tokens_.at("=", 1)) {
        given.keyword = tokens_.next().text;
        tokens_.next();
        given.value = is_of_cfg ? condition() : value();
      } else if (!step.arguments.empty() && !step.arguments.back().keyword.empty()) {
        tokens_.fail_at(tokens_.peek(), "an argument without its name stands after one with it");
      } else {
        given.value = is_of_cfg ? condition() : item();
      }
      step.arguments.push_back(std::move(given));
      if (!tokens_.take(",")) break;
    }
    expect(")");
    check_arguments(step, primitive, places);
    return make(at, std::move(step));
  }

  /// What is wrong with the arguments whatever their values are.
  void check_arguments(const Step& step, const Token& name, const std::vector<const Token*>& places) const {
    std::vector<std::string> keywords;
    std::vector<bool> is_list;
    for (const Step::Given& given : step.arguments) {
      if (std::holds_alternative<Starred>(given.value->is)) return;  // how many there are shows when it runs
      keywords.push_back(given.keyword);
      is_list.push_back(std::holds_alternative<List>(given.value->is));
    }
    match_arguments(*step.primitive, keywords, is_list,
                    [&](std::optional<std::size_t> at, const std::string& why) {
                      tokens_.fail_at(at ? *places[*at] : name, why);
                    });
  }

  /// A function of indices: all that stands before the bracket, comma or line end that ends the argument.
  ExprRef lambda() {
    const Token& at = tokens_.peek();
    const std::size_t first = tokens_.position();
    std::set<std::string> parameters = {"lambda"};
    while (!tokens_.at(":") && !tokens_.at(TokenKind::newline) && !tokens_.at(TokenKind::end))
      parameters.insert(tokens_.next().text);
    for (int open = 0; !tokens_.at(TokenKind::newline) && !tokens_.at(TokenKind::end); tokens_.next()) {
      const bool opens = tokens_.at("(") || tokens_.at("["), closes = tokens_.at(")") || tokens_.at("]");
      if (open == 0 && (closes || tokens_.at(","))) break;
      open += opens ? 1 : closes ? -1 : 0;
    }
    const std::size_t end = tokens_.position();
    tokens_.move_to(first);
    Lambda made;
    bool opened = true;
    while (tokens_.position() < end) {
      const Token& token = tokens_.next();
      const bool closes = token.is(")") || token.is("]") || token.is(",") || token.is(":");
      made.words.push_back({token.text, token.kind == TokenKind::name && !parameters.contains(token.text),
                            !opened && !closes});
      opened = token.is("(") || token.is("[");
    }
    return make(at, std::move(made));
  }

  TokenStream tokens_;
  const std::string& name_;
  std::set<std::string> defined_;
  int depth_ = 0;
};

}  // namespace

}  // namespace script

Script parse_script(std::string_view text, const std::string& name) {
  return script::ScriptParser(text, name).run();
}

}  // namespace ardea::schedule
