#include <algorithm>

#include "ardea/ir/equal.h"
#include "ardea/ir/thread_axes.h"
#include "ardea/support/text.h"
#include "ardea/te/hybrid_parser.h"

namespace ardea::te {

namespace {

constexpr std::pair<std::string_view, ForKind> loop_kinds[] = {
    {"range", ForKind::serial},      {"serial", ForKind::serial},        {"unroll", ForKind::unrolled},
    {"parallel", ForKind::parallel}, {"vectorize", ForKind::vectorized}, {"bind", ForKind::thread_binding},
};

constexpr std::int64_t most_values = 100'000;

}  // namespace

Stmt HybridParser::for_statement() {
  const Token& at = tokens_.next();
  const Token& name = tokens_.expect_name("the name of a loop variable");
  if (tokens_.at(","))
    tokens_.fail_at(tokens_.peek(), "found ',', expected 'in': a loop has one variable; nest loops");
  require_fresh(name, "the loop variable");
  tokens_.expect("in");
  const Token& kind = tokens_.expect_name("a loop such as range(…)");
  if (kind.is("const_range")) return unrolled(at, name);
  const LoopHead head = loop_head(kind);

  const HybridNames::Opened scope(names_);
  const int depth_outside = statement_depth_;
  enter_statement(at);
  const Var var(name.text, head.range.extent.type());
  names_.define(name.text, {.what = "a loop variable", .line = name.line, .value = {var}});
  const For loop{.var = var,
                 .min = head.range.min,
                 .extent = head.range.extent,
                 .kind = head.kind,
                 .body = suite(),
                 .thread = head.thread,
                 .annotations = head.annotations};
  statement_depth_ = depth_outside;
  if (loop.kind == ForKind::parallel) tokens_.located(at, [&] { refuse_certain_race(loop); });
  return loop;
}

// for j in const_range(3): the suite is read once for each value, in which j is that number.
Stmt HybridParser::unrolled(const Token& at, const Token& name) {
  tokens_.expect("(");
  const std::vector<std::int64_t> values = constant_range();
  const std::size_t begins = tokens_.position();
  skip_suite();
  const std::size_t after = tokens_.position();
  const int depth_outside = statement_depth_;
  enter_statement(at);
  std::vector<Stmt> copies;
  for (const std::int64_t value : values) {
    const HybridNames::Opened scope(names_);
    names_.define(name.text,
                  {.what = "a loop variable", .line = name.line, .value = {{}, integer_number(value)}});
    tokens_.move_to(begins);
    copies.push_back(suite());
  }
  statement_depth_ = depth_outside;
  tokens_.move_to(after);
  return make_seq(std::move(copies));
}

/// The values of const_range(end), (first, end) or (first, end, step), as Python's range has them.
std::vector<std::int64_t> HybridParser::constant_range() {
  const Token& at = tokens_.peek();
  std::vector<std::int64_t> parts;
  while (!tokens_.at(")")) {
    parts.push_back(constant(tokens_.peek(), "a bound of const_range"));
    if (!tokens_.take(",")) break;
  }
  tokens_.expect(")");
  if (parts.empty() || parts.size() > 3)
    tokens_.fail_at(at, fmt::format("const_range takes an end, or a first value and an end, got {} numbers",
                                    parts.size()));
  const std::int64_t first = parts.size() == 1 ? 0 : parts[0], end = parts.size() == 1 ? parts[0] : parts[1],
                     step = parts.size() == 3 ? parts[2] : 1;
  if (step == 0) tokens_.fail_at(at, "const_range: the step is 0");
  std::vector<std::int64_t> values;
  std::int64_t value = first;
  while (step > 0 ? value < end : value > end) {
    values.push_back(value);
    if (static_cast<std::int64_t>(values.size()) > most_values)
      tokens_.fail_at(at,
                      fmt::format("const_range has more than {} values; use range or unroll", most_values));
    if (__builtin_add_overflow(value, step, &value)) break;
  }
  return values;
}

// range([first,] end) | … | bind("threadIdx.x", extent), with annotations={"key": 1}
HybridParser::LoopHead HybridParser::loop_head(const Token& kind) {
  const auto row = std::find_if(std::begin(loop_kinds), std::end(loop_kinds),
                                [&](const auto& k) { return kind.is(k.first); });
  if (row == std::end(loop_kinds)) {
    std::vector<std::string> known = {"const_range"};
    for (const auto& [name, value] : loop_kinds) known.emplace_back(name);
    tokens_.fail_at(kind, fmt::format("there is no loop {}{}; the loops are {}", kind.text,
                                      did_you_mean(kind.text, known), join(known, ", ")));
  }
  LoopHead head{.kind = row->second};
  tokens_.expect("(");
  if (kind.is("bind")) {
    const Token& thread = tokens_.expect_string("a thread such as \"threadIdx.x\"");
    if (std::find(thread_axes().begin(), thread_axes().end(), thread.text) == thread_axes().end())
      tokens_.fail_at(thread, fmt::format("there is no thread {}; the threads are {}", in_quotes(thread.text),
                                          join(thread_axes(), ", ")));
    head.thread = thread.text;
    if (head.thread.starts_with("vthread")) head.kind = ForKind::virtual_thread;
    tokens_.expect(",");
  }
  head.range = loop_range(kind);
  if (tokens_.take(",") && !tokens_.at(")")) {
    if (!tokens_.at("annotations"))
      tokens_.fail_at(tokens_.peek(), fmt::format("{} takes an end, or a first value and an end; for steps "
                                                  "write range((n + 1) // 2) and use 2 * i",
                                                  kind.text));
    tokens_.next();
    tokens_.expect("=");
    head.annotations = attributes();
    tokens_.take(",");
  }
  tokens_.expect(")");
  return head;
}

Range HybridParser::loop_range(const Token& kind) {
  const Token& at = tokens_.peek();
  if (tokens_.at(")")) tokens_.fail_at(at, fmt::format("{}: how many iterations?", kind.text));
  const Operand first = expression();
  std::optional<Operand> second;
  if (tokens_.at(",") && !tokens_.at(")", 1) && !tokens_.at("=", 2)) {
    tokens_.next();
    second = expression();
  }
  return tokens_.located(at, [&] {
    const std::vector<Expr> ends =
        second ? unified({first, *second}) : unified({{{}, integer_number(0)}, first});
    for (const Expr& end : ends)
      require(end.type() == ends[0].type() && end.type().is_integer(),
              "{}: a bound is {}, must be an integer; cast it, as in int64(…)", kind.text,
              to_string(end.type()));
    const auto low = constant_int(ends[0]), high = constant_int(ends[1]);
    if (low && high) {
      std::int64_t extent = 0;
      require(*high <= *low || !__builtin_sub_overflow(*high, *low, &extent),
              "{}: the range is longer than 2^63", kind.text);
      return Range{ends[0], make_int(extent, ends[0].type())};
    }
    const auto* sum = ends[1].as<Binary>();
    if (sum != nullptr && sum->op == BinaryOp::add && structurally_equal(sum->left, ends[0]))
      return Range{ends[0], sum->right};
    return Range{ends[0], is_zero(ends[0]) ? ends[1] : ends[1] - ends[0]};
  });
}

// ----- annotations

Attributes HybridParser::attributes() {
  return read_attributes(tokens_, [&] { return attribute(); });
}

Attribute HybridParser::attribute() {
  const Token& at = tokens_.peek();
  if (tokens_.at(TokenKind::string)) return {make_string(tokens_.next().text)};
  if (tokens_.take("[")) {
    std::vector<Attribute> items;
    while (!tokens_.at("]")) {
      if (tokens_.at("[")) tokens_.fail_at(tokens_.peek(), "the lists of annotations do not nest");
      items.push_back(attribute());
      if (!tokens_.take(",")) break;
    }
    tokens_.expect("]");
    return {std::move(items)};
  }
  Expr value = settled(at, expression());
  if (!value.is<IntImm>() && !value.is<FloatImm>())
    tokens_.fail_at(at, "the value of an annotation must be a number, a bool, a string or a list of these");
  return {std::move(value)};
}

}  // namespace ardea::te
