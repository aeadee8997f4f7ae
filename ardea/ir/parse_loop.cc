#include <algorithm>

#include "ardea/ir/parser.h"
#include "ardea/ir/thread_axes.h"
#include "ardea/support/text.h"

namespace ardea {

namespace {

constexpr std::pair<std::string_view, ForKind> loop_kinds[] = {
    {"grid", ForKind::serial},       {"serial", ForKind::serial},
    {"parallel", ForKind::parallel}, {"vectorized", ForKind::vectorized},
    {"unroll", ForKind::unrolled},   {"thread_binding", ForKind::thread_binding},
};

}  // namespace

Stmt Parser::for_statement() {
  const Token& at = tokens_.next();
  std::vector<Token> names;
  do {
    names.push_back(tokens_.expect_name("the name of a loop variable"));
  } while (tokens_.take(","));
  tokens_.expect("in");
  const LoopHead head = loop_head();
  if (head.ranges.size() != names.size())
    tokens_.fail_at(names[0],
                    fmt::format("{} loop variables for {} ranges", names.size(), head.ranges.size()));

  const NameScopes::Opened scope(names_);
  const int depth_outside = statement_depth_;
  std::vector<Var> vars;
  for (std::size_t i = 0; i < names.size(); ++i) {
    enter_statement(at);
    vars.emplace_back(names[i].text, head.ranges[i].extent.type());
    names_.define(names[i].text, {vars[i], {}, head.ranges[i]});
  }
  Stmt body = suite();
  statement_depth_ = depth_outside;
  for (std::size_t i = names.size(); i-- > 0;)
    body = For{.var = vars[i],
               .min = head.ranges[i].min,
               .extent = head.ranges[i].extent,
               .kind = head.kind,
               .body = std::move(body),
               .thread = head.thread,
               .annotations = head.annotations};
  return body;
}

// range(n) | range(a, b) | T.grid(n, m, …) | T.serial(n, annotations={…}) | T.thread_binding(n,
// thread="threadIdx.x") | …
Parser::LoopHead Parser::loop_head() {
  LoopHead head;
  if (tokens_.take("range")) {
    tokens_.expect("(");
    head.ranges.push_back(loop_range());
    tokens_.expect(")");
    return head;
  }
  if (!tokens_.at("T") || !tokens_.at(".", 1))
    tokens_.unexpected("range(…), T.grid(…), or a loop such as T.parallel(…)");
  tokens_.next();
  tokens_.next();
  const Token& kind = tokens_.expect_name("the kind of a loop");
  const auto row = std::find_if(std::begin(loop_kinds), std::end(loop_kinds),
                                [&](const auto& k) { return kind.is(k.first); });
  if (row == std::end(loop_kinds)) {
    std::vector<std::string> known;
    for (const auto& [name, value] : loop_kinds) known.emplace_back(name);
    tokens_.fail_at(kind, fmt::format("there is no loop T.{}; the loops are range, T.{}", kind.text,
                                      join(known, ", T.")));
  }
  head.kind = row->second;
  tokens_.expect("(");
  if (kind.is("grid")) {
    do {
      const Token& at = tokens_.peek();
      const Expr extent = settled_expression();
      if (!extent.type().is_integer() || !extent.type().is_scalar())
        tokens_.fail_at(
            at, fmt::format("the extent of a loop is {}, must be an integer", to_string(extent.type())));
      head.ranges.push_back({make_int(0, extent.type()), extent});
    } while (tokens_.take(",") && !tokens_.at(")"));
    tokens_.expect(")");
    return head;
  }
  head.ranges.push_back(loop_range());
  while (tokens_.take(",") && !tokens_.at(")")) {
    if (kind.is("thread_binding") && tokens_.take("thread")) {
      tokens_.expect("=");
      head.thread = thread_name();
    } else {
      if (!tokens_.take("annotations"))
        tokens_.unexpected(kind.is("thread_binding") ? "thread=" : "annotations=");
      tokens_.expect("=");
      head.annotations = attributes();
    }
  }
  tokens_.expect(")");
  if (kind.is("thread_binding") && head.thread.empty())
    tokens_.fail_at(
        kind, "T.thread_binding must say which thread, as in T.thread_binding(32, thread=\"threadIdx.x\")");
  if (head.thread.starts_with("vthread")) head.kind = ForKind::virtual_thread;
  return head;
}

Range Parser::loop_range() {
  const Token& at = tokens_.peek();
  const Operand first = expression();
  const bool keyword_follows = tokens_.at("=", 2);
  std::optional<Operand> second;
  if (tokens_.at(",") && !keyword_follows && !tokens_.at(")", 1)) {
    tokens_.next();
    second = expression();
  }
  return tokens_.located(at, [&] {
    if (second) return range_between(first, *second, false);
    const Expr extent = laws_.settle(first);
    require(extent.type().is_integer() && extent.type().is_scalar(),
            "the extent of a loop is {}, must be an integer", to_string(extent.type()));
    return Range{make_int(0, extent.type()), extent};
  });
}

std::string Parser::thread_name() {
  const Token& name = tokens_.expect_string("a thread such as \"threadIdx.x\"");
  if (std::find(thread_axes().begin(), thread_axes().end(), name.text) == thread_axes().end())
    tokens_.fail_at(name, fmt::format("there is no thread {}; the threads are {}", in_quotes(name.text),
                                      join(thread_axes(), ", ")));
  return name.text;
}

}  // namespace ardea
