#include "ardea/ir/traverse.h"

#include "ardea/support/overloaded.h"
#include "ardea/support/pointer_set.h"

namespace ardea {

namespace {

/// Constants of annotations are no parts of their node: that narrower indices are wanted, say, is nothing to
/// them. What names a variable is one.
bool is_constant(const Expr& value) {
  return value.is<IntImm>() || value.is<FloatImm>() || value.is<StringImm>();
}

/// Maps parts. Nothing where a part stays as it is: most do, and what does not change is not copied.
class PartMapper {
 public:
  explicit PartMapper(const Mapper& mapper) : mapper_(mapper) {}

  std::optional<Expr> changed(const Expr& e) const {
    return e.defined() && mapper_.expr ? other(e, mapper_.expr(e)) : std::nullopt;
  }
  std::optional<Stmt> changed(const Stmt& s) const {
    return s.defined() && mapper_.stmt ? other(s, mapper_.stmt(s)) : std::nullopt;
  }
  std::optional<Buffer> changed(const Buffer& b) const {
    return mapper_.buffer ? other(b, mapper_.buffer(b)) : std::nullopt;
  }
  std::optional<Var> changed_definition(const Var& v) const {
    return mapper_.definition ? other(v, mapper_.definition(v)) : std::nullopt;
  }
  std::optional<Range> changed(const Range& r) const {
    std::optional<Expr> min = changed(r.min), extent = changed(r.extent);
    if (!min && !extent) return std::nullopt;
    return Range{std::move(min).value_or(r.min), std::move(extent).value_or(r.extent)};
  }
  std::optional<BufferRegion> changed(const BufferRegion& r) const {
    std::optional<Buffer> buffer = changed(r.buffer);
    std::optional<std::vector<Range>> region = changed(r.region);
    if (!buffer && !region) return std::nullopt;
    return BufferRegion{std::move(buffer).value_or(r.buffer), std::move(region).value_or(r.region)};
  }
  std::optional<MatchBuffer> changed(const MatchBuffer& m) const {
    std::optional<BufferRegion> source = changed(m.source);
    std::optional<Buffer> buffer = changed(m.buffer);
    if (!source && !buffer) return std::nullopt;
    return MatchBuffer{std::move(buffer).value_or(m.buffer), std::move(source).value_or(m.source)};
  }
  std::optional<Attribute> changed(const Attribute& a) const {
    if (const auto* items = std::get_if<std::vector<Attribute>>(&a.value)) {
      auto list = changed(*items);
      return list ? std::optional(Attribute{*std::move(list)}) : std::nullopt;
    }
    const Expr& value = std::get<Expr>(a.value);
    auto to = is_constant(value) ? std::nullopt : changed(value);
    return to ? std::optional(Attribute{*std::move(to)}) : std::nullopt;
  }
  std::optional<Attributes> changed(const Attributes& attributes) const {
    std::optional<Attributes> out;
    for (const auto& [key, value] : attributes) {
      auto to = changed(value);
      if (!to) continue;
      if (!out) out = attributes;
      (*out)[key] = *std::move(to);
    }
    return out;
  }
  template <class T>
  std::optional<std::vector<T>> changed(const std::vector<T>& parts) const {
    std::optional<std::vector<T>> out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      auto to = changed(parts[i]);
      if (!to) continue;
      if (!out) out = parts;
      (*out)[i] = *std::move(to);
    }
    return out;
  }
  template <class T>
  std::optional<std::optional<T>> changed(const std::optional<T>& part) const {
    if (!part) return std::nullopt;
    std::optional<T> to = changed(*part);
    if (!to) return std::nullopt;
    return std::make_optional(std::move(to));
  }

 private:
  template <class T>
  static std::optional<T> other(const T& before, T after) {
    return before == after ? std::nullopt : std::optional<T>(std::move(after));
  }

  const Mapper& mapper_;
};

/// A node with mapped parts: a copy of the one given, made when the first of them changes.
template <class Node>
class MappedNode {
 public:
  MappedNode(const Node& node, const Mapper& mapper) : node_(node), map_(mapper) {}

  std::optional<Node> take() { return std::move(out_); }

  template <class... Parts>
  void parts(Parts Node::*... members) {
    (part(members), ...);
  }
  void definition(Var Node::* member) {
    if (auto to = map_.changed_definition(node_.*member)) own().*member = *std::move(to);
  }
  /// Of a block.
  void iterators() {
    for (std::size_t i = 0; i < node_.iterators.size(); ++i) {
      if (auto to = map_.changed(node_.iterators[i].domain)) own().iterators[i].domain = *std::move(to);
      if (auto to = map_.changed(node_.iterators[i].binding)) own().iterators[i].binding = *std::move(to);
    }
  }
  void iterator_definitions() {
    for (std::size_t i = 0; i < node_.iterators.size(); ++i)
      if (auto to = map_.changed_definition(node_.iterators[i].var)) own().iterators[i].var = *std::move(to);
  }

 private:
  template <class Part>
  void part(Part Node::* member) {
    if (auto to = map_.changed(node_.*member)) own().*member = *std::move(to);
  }
  Node& own() { return out_ ? *out_ : out_.emplace(node_); }

  const Node& node_;
  const PartMapper map_;
  std::optional<Node> out_;
};

/// What is named is mapped before what it names is defined anew: a value does not see its own name.
void map_parts(MappedNode<IntImm>&) {}
void map_parts(MappedNode<FloatImm>&) {}
void map_parts(MappedNode<StringImm>&) {}
void map_parts(MappedNode<VarNode>&) {}
void map_parts(MappedNode<Cast>& m) { m.parts(&Cast::value); }
void map_parts(MappedNode<Unary>& m) { m.parts(&Unary::operand); }
void map_parts(MappedNode<Binary>& m) { m.parts(&Binary::left, &Binary::right); }
void map_parts(MappedNode<Select>& m) {
  m.parts(&Select::condition, &Select::when_true, &Select::when_false);
}
void map_parts(MappedNode<Let>& m) {
  m.parts(&Let::value);
  m.definition(&Let::var);
  m.parts(&Let::body);
}
void map_parts(MappedNode<Load>& m) { m.parts(&Load::buffer, &Load::indices, &Load::predicate); }
void map_parts(MappedNode<Call>& m) { m.parts(&Call::arguments); }
void map_parts(MappedNode<Ramp>& m) { m.parts(&Ramp::base, &Ramp::stride); }
void map_parts(MappedNode<Broadcast>& m) { m.parts(&Broadcast::value); }
void map_parts(MappedNode<Shuffle>& m) { m.parts(&Shuffle::vectors); }

void map_parts(MappedNode<Store>& m) {
  m.parts(&Store::buffer, &Store::indices, &Store::value, &Store::predicate);
}
void map_parts(MappedNode<For>& m) {
  m.parts(&For::min, &For::extent, &For::annotations);
  m.definition(&For::var);
  m.parts(&For::body);
}
void map_parts(MappedNode<If>& m) { m.parts(&If::condition, &If::then_case, &If::else_case); }
void map_parts(MappedNode<Seq>& m) { m.parts(&Seq::statements); }
void map_parts(MappedNode<Allocate>& m) {
  m.parts(&Allocate::extents, &Allocate::annotations);
  m.definition(&Allocate::data);
  m.parts(&Allocate::body);
}
void map_parts(MappedNode<DeclareBuffer>& m) { m.parts(&DeclareBuffer::buffer, &DeclareBuffer::body); }
void map_parts(MappedNode<LetStmt>& m) {
  m.parts(&LetStmt::value);
  m.definition(&LetStmt::var);
  m.parts(&LetStmt::body);
}
void map_parts(MappedNode<Assert>& m) { m.parts(&Assert::condition); }
void map_parts(MappedNode<Evaluate>& m) { m.parts(&Evaluate::value); }
void map_parts(MappedNode<Block>& m) {
  m.iterators();
  m.parts(&Block::predicate, &Block::annotations);
  m.iterator_definitions();
  m.parts(&Block::allocations, &Block::matches, &Block::reads, &Block::writes, &Block::init, &Block::body);
}

template <class Node>
std::optional<Node> mapped(const Node& node, const Mapper& mapper) {
  MappedNode<Node> out(node, mapper);
  map_parts(out);
  return out.take();
}

}  // namespace

Expr map_children(const Expr& e, const Mapper& mapper) {
  return std::visit(
      [&](const auto& node) {
        auto out = mapped(node, mapper);
        return out ? Expr(e.type(), *std::move(out)) : e;
      },
      e.variant());
}

Stmt map_children(const Stmt& s, const Mapper& mapper) {
  return std::visit(
      [&](const auto& node) {
        auto out = mapped(node, mapper);
        return out ? Stmt(*std::move(out)) : s;
      },
      s.variant());
}

Buffer map_children(const Buffer& b, const std::function<Expr(const Expr&)>& expr) {
  const Mapper mapper{.expr = expr};
  const PartMapper map(mapper);
  const auto data = map.changed(static_cast<const Expr&>(b->data));
  auto shape = map.changed(b->shape), strides = map.changed(b->strides);
  auto offset = map.changed(b->element_offset);
  if (!data && !shape && !strides && !offset) return b;
  BufferNode out = *b;
  if (data) out.data = Var(*data);
  if (shape) out.shape = *std::move(shape);
  if (strides) out.strides = *std::move(strides);
  if (offset) out.element_offset = *std::move(offset);
  return Buffer(std::move(out));
}

namespace {

/// Calls `read` for the direct parts of a node, in the order in which map_children maps them; nothing is
/// copied.
template <class Read>
class PartReader {
 public:
  explicit PartReader(const Read& read) : read_(read) {}

  void operator()(const Expr& e) const {
    if (e.defined()) read_(e);
  }
  void operator()(const Stmt& s) const {
    if (s.defined()) read_(s);
  }
  void operator()(const Buffer& b) const { read_(b); }
  void operator()(const Range& r) const { (*this)(r.min), (*this)(r.extent); }
  void operator()(const BufferRegion& r) const { (*this)(r.buffer), (*this)(r.region); }
  void operator()(const MatchBuffer& m) const { (*this)(m.source), (*this)(m.buffer); }
  void operator()(const Attribute& a) const {
    if (const auto* items = std::get_if<std::vector<Attribute>>(&a.value)) return (*this)(*items);
    if (const Expr& value = std::get<Expr>(a.value); !is_constant(value)) (*this)(value);
  }
  void operator()(const Attributes& attributes) const {
    for (const auto& [key, value] : attributes) (*this)(value);
  }
  template <class T>
  void operator()(const std::vector<T>& parts) const {
    for (const T& part : parts) (*this)(part);
  }
  template <class T>
  void operator()(const std::optional<T>& part) const {
    if (part) (*this)(*part);
  }

  void parts(const IntImm&) const {}
  void parts(const FloatImm&) const {}
  void parts(const StringImm&) const {}
  void parts(const VarNode&) const {}
  void parts(const Cast& n) const { all(n.value); }
  void parts(const Unary& n) const { all(n.operand); }
  void parts(const Binary& n) const { all(n.left, n.right); }
  void parts(const Select& n) const { all(n.condition, n.when_true, n.when_false); }
  void parts(const Let& n) const { all(n.value, n.body); }
  void parts(const Load& n) const { all(n.buffer, n.indices, n.predicate); }
  void parts(const Call& n) const { all(n.arguments); }
  void parts(const Ramp& n) const { all(n.base, n.stride); }
  void parts(const Broadcast& n) const { all(n.value); }
  void parts(const Shuffle& n) const { all(n.vectors); }

  void parts(const Store& n) const { all(n.buffer, n.indices, n.value, n.predicate); }
  void parts(const For& n) const { all(n.min, n.extent, n.annotations, n.body); }
  void parts(const If& n) const { all(n.condition, n.then_case, n.else_case); }
  void parts(const Seq& n) const { all(n.statements); }
  void parts(const Allocate& n) const { all(n.extents, n.annotations, n.body); }
  void parts(const DeclareBuffer& n) const { all(n.buffer, n.body); }
  void parts(const LetStmt& n) const { all(n.value, n.body); }
  void parts(const Assert& n) const { all(n.condition); }
  void parts(const Evaluate& n) const { all(n.value); }
  void parts(const Block& n) const {
    for (const BlockIterator& i : n.iterators) all(i.domain, i.binding);
    all(n.predicate, n.annotations, n.allocations, n.matches, n.reads, n.writes, n.init, n.body);
  }

 private:
  template <class... Parts>
  void all(const Parts&... parts) const {
    ((*this)(parts), ...);
  }

  const Read& read_;
};

template <class Node, class Read>
void read_parts(const Node& node, const Read& read) {
  std::visit([&](const auto& n) { PartReader<Read>(read).parts(n); }, node.variant());
}

}  // namespace

void for_each_child(const Expr& e, const std::function<void(const Expr&)>& expr) {
  read_parts(e, overloaded{[&](const Expr& x) { expr(x); }, [](const auto&) {}});
}

void for_each_child(const Stmt& s, const std::function<void(const Expr&)>& expr,
                    const std::function<void(const Stmt&)>& stmt) {
  read_parts(
      s, overloaded{[&](const Expr& x) { expr(x); }, [&](const Stmt& x) { stmt(x); }, [](const Buffer&) {}});
}

namespace {

struct Visitor {
  std::function<void(const Expr&)> on_expr = {};
  std::function<void(const Stmt&)> on_stmt = {};
  std::function<void(const Buffer&)> on_buffer = {};
  PointerSet seen = {};

  void visit(const Expr& e) {
    // A variable or a number has no parts: only who asks for expressions needs to remember it.
    const bool is_leaf = e.is<VarNode>() || e.is<IntImm>() || e.is<FloatImm>();
    if (is_leaf && !on_expr) return;
    if (!seen.insert(e.get())) return;
    if (on_expr) on_expr(e);
    if (!is_leaf) enter(e);
  }
  void visit(const Stmt& s) {
    if (!seen.insert(s.get())) return;
    if (on_stmt) on_stmt(s);
    enter(s);
  }
  void visit(const Buffer& b) {
    if (on_buffer && seen.insert(b.get())) on_buffer(b);
  }

 private:
  template <class Node>
  void enter(const Node& node) {
    read_parts(node, [this](const auto& part) {
      // Expressions hold no statements: who asks for statements only need not enter them.
      if constexpr (std::is_same_v<std::decay_t<decltype(part)>, Expr>)
        if (!on_expr && !on_buffer) return;
      visit(part);
    });
  }
};

}  // namespace

void visit_exprs(const Expr& e, const std::function<void(const Expr&)>& f) { Visitor{.on_expr = f}.visit(e); }

void visit_exprs(const Stmt& s, const std::function<void(const Expr&)>& f) { Visitor{.on_expr = f}.visit(s); }

namespace {

/// Index expressions have a dozen nodes: to remember which of so few were seen would cost more than to look
/// at shared ones again.
class Finder {
 public:
  explicit Finder(const std::function<bool(const Expr&)>& holds) : holds_(holds) {}

  /// Whether there is one.
  bool find(const Expr& e) {
    if (!e.defined()) return false;
    visit(e);
    if (found_ || left_ >= 0) return found_;
    seen_.emplace();
    visit(e);
    return found_;
  }
  bool find(const Stmt& s) {
    seen_.emplace();
    visit(s);
    return found_;
  }

 private:
  bool is_new(const void* node) { return seen_ ? seen_->insert(node) : --left_ >= 0; }

  void visit(const Expr& e) {
    if (found_) return;
    const bool is_leaf = e.is<VarNode>() || e.is<IntImm>() || e.is<FloatImm>();
    if (!is_leaf && !is_new(e.get())) return;
    found_ = holds_(e);
    if (!is_leaf && !found_) enter(e);
  }
  void visit(const Stmt& s) {
    if (!found_ && is_new(s.get())) enter(s);
  }
  void visit(const Buffer&) {}

  template <class Node>
  void enter(const Node& node) {
    read_parts(node, [this](const auto& part) { this->visit(part); });
  }

  const std::function<bool(const Expr&)>& holds_;
  bool found_ = false;
  int left_ = 64;  ///< nodes to look at before it pays to remember them
  std::optional<PointerSet> seen_;
};

}  // namespace

bool any_expr(const Expr& e, const std::function<bool(const Expr&)>& holds) { return Finder(holds).find(e); }

bool any_expr(const Stmt& s, const std::function<bool(const Expr&)>& holds) { return Finder(holds).find(s); }

void visit_stmts(const Stmt& s, const std::function<void(const Stmt&)>& f) { Visitor{.on_stmt = f}.visit(s); }

std::vector<Buffer> buffers_in(const Stmt& s) {
  std::vector<Buffer> found;
  Visitor{.on_buffer = [&](const Buffer& b) { found.push_back(b); }}.visit(s);
  return found;
}

std::vector<Buffer> buffers_in(const Stmt& s, const Stmt& without) {
  std::vector<Buffer> found;
  Visitor visitor{.on_buffer = [&](const Buffer& b) { found.push_back(b); }};
  visitor.seen.insert(without.get());
  visitor.visit(s);
  return found;
}

std::vector<Buffer> buffers_in(const Expr& e) {
  std::vector<Buffer> found;
  Visitor{.on_buffer = [&](const Buffer& b) { found.push_back(b); }}.visit(e);
  return found;
}

}  // namespace ardea
