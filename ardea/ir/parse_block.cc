#include <algorithm>

#include "ardea/ir/parser.h"
#include "ardea/support/text.h"

namespace ardea {

namespace {

constexpr std::pair<std::string_view, IteratorKind> axis_kinds[] = {{"spatial", IteratorKind::spatial},
                                                                    {"reduce", IteratorKind::reduce},
                                                                    {"scan", IteratorKind::ordered},
                                                                    {"opaque", IteratorKind::opaque}};

constexpr std::string_view head_names[] = {"where", "reads", "writes", "block_attr", "init"};

}  // namespace

// with T.block("C"): …   The cursor is after `with`; `at` is the line's first token.
Stmt Parser::block_statement(const Token& at) {
  for (const char* part : {"T", ".", "block", "("}) tokens_.expect(part);
  BlockFrame frame;
  if (!tokens_.at(")")) frame.block.name = tokens_.expect_string("the name of the block in quotes").text;
  tokens_.expect(")");
  enter_statement(at);
  has_blocks_ = true;
  Stmt body = suite(&frame);
  --statement_depth_;
  frame.block.body = std::move(body);
  return std::move(frame.block);
}

// Reads the line if it belongs to a block's head.
bool Parser::block_head_line(BlockFrame& frame) {
  const Token& first = tokens_.peek();
  const bool dotted = tokens_.at("T") && tokens_.at(".", 1);
  const bool init = tokens_.at("with") && tokens_.at("T", 1) && tokens_.at("init", 3);
  const Token& word = tokens_.peek(init ? 3 : 2);
  const bool named = first.kind == TokenKind::name && (tokens_.at("=", 1) || tokens_.at(",", 1));
  if (named) {
    std::size_t value = 1;
    while (tokens_.at(",", value)) value += 2;
    if (!tokens_.at("=", value) || !tokens_.at("T", value + 1)) return false;
    const Token& maker = tokens_.peek(value + 3);
    if (!maker.is("axis") && !maker.is("alloc_buffer") && !maker.is("match_buffer")) return false;
    if (!frame.head_is_open || (frame.is_root && !maker.is("alloc_buffer")))
      tokens_.fail_at(
          maker, fmt::format("T.{} stands at the head of a block, before its first statement", maker.text));
    if (maker.is("axis")) {
      axis_line(frame);
    } else {
      const Token& name = tokens_.next();
      for (const char* part : {"=", "T", "."}) tokens_.expect(part);
      tokens_.next();
      tokens_.expect("(");
      maker.is("alloc_buffer") ? allocate_in_block(frame, name) : match_region(frame, name);
    }
    return true;
  }
  if (!dotted && !init) return false;
  if (std::find(std::begin(head_names), std::end(head_names), word.text) == std::end(head_names))
    return false;
  if (!frame.head_is_open || frame.is_root)
    tokens_.fail_at(word,
                    fmt::format("T.{} stands at the head of a block, before its first statement", word.text));
  for (int i = 0; i < (init ? 4 : 3); ++i) tokens_.next();
  tokens_.expect("(");
  Block& block = frame.block;
  const bool twice = (word.is("where") && block.predicate.defined()) || (word.is("reads") && block.reads) ||
                     (word.is("writes") && block.writes) || (init && block.init.defined());
  if (twice)
    tokens_.fail_at(word, fmt::format("T.{} is given twice in block {}", word.text, in_quotes(block.name)));
  if (init) {
    tokens_.expect(")");
    enter_statement(word);
    block.init = suite();
    --statement_depth_;
    return true;
  }
  if (word.is("where")) {
    block.predicate = condition("T.where");
    tokens_.expect(")");
  } else if (word.is("reads")) {
    block.reads = regions();
  } else if (word.is("writes")) {
    block.writes = regions();
  } else {
    for (auto& [key, value] : attributes()) block.annotations[key] = value;
    tokens_.expect(")");
  }
  tokens_.expect_line_end();
  return true;
}

// v = T.axis.spatial(16, i)   |   vi, vj = T.axis.remap("SR", [i, j])
void Parser::axis_line(BlockFrame& frame) {
  std::vector<Token> names;
  do {
    names.push_back(tokens_.expect_name("the name of an iterator"));
  } while (tokens_.take(","));
  for (const char* part : {"=", "T", ".", "axis", "."}) tokens_.expect(part);
  const Token& kind = tokens_.expect_name("the kind of an iterator");
  const auto define = [&](const BlockIterator& iterator) {
    frame.block.iterators.push_back(iterator);
    names_.define(iterator.var.name(), {iterator.var});
  };
  if (kind.is("remap")) {
    remap(frame, names);
  } else {
    if (names.size() != 1)
      tokens_.fail_at(names[1], fmt::format("T.axis.{} defines one iterator", kind.text));
    define(axis(names[0], kind));
  }
  tokens_.expect_line_end();
}

void Parser::remap(BlockFrame& frame, const std::vector<Token>& names) {
  tokens_.expect("(");
  const Token& kinds = tokens_.expect_string("the kinds of the iterators, such as \"SSR\"");
  tokens_.expect(",");
  tokens_.expect("[");
  std::vector<BlockIterator> iterators;
  while (!tokens_.at("]")) {
    const Token& loop = tokens_.expect_name("the name of a loop variable");
    const Definition* found = names_.find(loop.text);
    if (found == nullptr) unknown_name(loop);
    if (!found->loop)
      tokens_.fail_at(loop, fmt::format("T.axis.remap: {} is not the variable of a loop", loop.text));
    const std::size_t i = iterators.size();
    if (i >= names.size() || i >= kinds.text.size())
      tokens_.fail_at(loop, fmt::format("T.axis.remap: {} names and {} kinds for {} loops", names.size(),
                                        kinds.text.size(), i + 1));
    const std::size_t kind = std::string_view("SRO").find(kinds.text[i]);
    if (kind == std::string_view::npos)
      tokens_.fail_at(kinds,
                      fmt::format("T.axis.remap: the kinds {} must be S (spatial), R (reduce) or O (ordered)",
                                  in_quotes(kinds.text)));
    iterators.push_back(
        {Var(names[i].text, found->var.type()), *found->loop, static_cast<IteratorKind>(kind), found->var});
    if (!tokens_.take(",")) break;
  }
  const Token& at = tokens_.expect("]");
  tokens_.expect(")");
  if (iterators.size() != names.size() || iterators.size() != kinds.text.size())
    tokens_.fail_at(at, fmt::format("T.axis.remap: {} names and {} kinds for {} loops", names.size(),
                                    kinds.text.size(), iterators.size()));
  for (const BlockIterator& iterator : iterators) {
    frame.block.iterators.push_back(iterator);
    names_.define(iterator.var.name(), {iterator.var});
  }
}

// Whether the bracket here holds (first, end) rather than a part of an expression.
bool Parser::at_pair() {
  if (!tokens_.at("(")) return false;
  const std::size_t here = tokens_.position();
  tokens_.next();
  tokens_.skip_argument();
  const bool pair = tokens_.at(",");
  tokens_.move_to(here);
  return pair;
}

BlockIterator Parser::axis(const Token& name, const Token& kind) {
  const auto row = std::find_if(std::begin(axis_kinds), std::end(axis_kinds),
                                [&](const auto& k) { return kind.is(k.first); });
  if (row == std::end(axis_kinds))
    tokens_.fail_at(
        kind, fmt::format("there is no T.axis.{}; the kinds are spatial, reduce, scan, opaque and remap",
                          kind.text));
  tokens_.expect("(");
  const Token& at = tokens_.peek();
  Range domain;
  if (at_pair()) {
    tokens_.next();
    const Operand first = expression();
    tokens_.expect(",");
    const Operand end = expression();
    tokens_.expect(")");
    domain = tokens_.located(at, [&] { return range_between(first, end, false); });
  } else {
    domain.extent = settled_expression();
    domain.min = tokens_.located(at, [&] { return make_int(0, domain.extent.type()); });
  }
  tokens_.expect(",");
  const Token& binding_at = tokens_.peek();
  const Operand binding = expression();
  tokens_.expect(")");
  const DataType type = domain.extent.type();
  const Expr bound = tokens_.located(binding_at, [&] {
    Expr met = laws_.meet(binding, type);
    require(met.type() == type && type.is_scalar(),
            "T.axis.{}: the binding is {}, the domain {}; cast one of them", kind.text, to_string(met.type()),
            to_string(type));
    return met;
  });
  return {Var(name.text, type), domain, row->second, bound};
}

// C = T.alloc_buffer((16, 16), "float16", scope="shared")
void Parser::allocate_in_block(BlockFrame& frame, const Token& name) {
  const Buffer buffer = make_parsed_buffer(name, buffer_fields(name, false));
  tokens_.expect_line_end();
  frame.block.allocations.push_back(buffer);
  names_.define(name.text, {{}, buffer});
}

// B = T.match_buffer(A[0:4, i], (4,))
void Parser::match_region(BlockFrame& frame, const Token& name) {
  BufferRegion source = region();
  tokens_.expect(",");
  const Buffer buffer = make_parsed_buffer(name, buffer_fields(name, false));
  tokens_.expect_line_end();
  frame.block.matches.push_back({buffer, std::move(source)});
  names_.define(name.text, {{}, buffer});
}

}  // namespace ardea
