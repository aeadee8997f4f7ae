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

/// Maps parts and remembers whether any of them changed.
class PartMapper {
 public:
  explicit PartMapper(const Mapper& mapper) : mapper_(mapper) {}

  bool changed() const { return changed_; }

  Expr operator()(const Expr& e) { return e.defined() && mapper_.expr ? noted(e, mapper_.expr(e)) : e; }
  Stmt operator()(const Stmt& s) { return s.defined() && mapper_.stmt ? noted(s, mapper_.stmt(s)) : s; }
  Buffer operator()(const Buffer& b) { return mapper_.buffer ? noted(b, mapper_.buffer(b)) : b; }
  Var define(const Var& v) { return mapper_.definition ? noted(v, mapper_.definition(v)) : v; }
  Range operator()(const Range& r) {
    Expr min = (*this)(r.min);
    return {std::move(min), (*this)(r.extent)};
  }
  BufferRegion operator()(const BufferRegion& r) { return {(*this)(r.buffer), (*this)(r.region)}; }
  template <class T>
  std::vector<T> operator()(const std::vector<T>& parts) {
    std::vector<T> mapped;
    mapped.reserve(parts.size());
    for (const T& part : parts) mapped.push_back((*this)(part));
    return mapped;
  }
  template <class T>
  std::optional<T> operator()(const std::optional<T>& part) {
    return part ? std::optional<T>((*this)(*part)) : std::nullopt;
  }
  MatchBuffer operator()(const MatchBuffer& m) {
    BufferRegion source = (*this)(m.source);
    return {(*this)(m.buffer), std::move(source)};
  }
  Attribute operator()(const Attribute& a) {
    if (const auto* items = std::get_if<std::vector<Attribute>>(&a.value)) return {(*this)(*items)};
    const Expr& value = std::get<Expr>(a.value);
    return is_constant(value) ? a : Attribute{(*this)(value)};
  }
  void inside(Attributes& attributes) {
    for (auto& [key, value] : attributes) value = (*this)(value);
  }

 private:
  template <class T>
  T noted(const T& before, T after) {
    if (!(before == after)) changed_ = true;
    return after;
  }

  const Mapper& mapper_;
  bool changed_ = false;
};

template <class Node>
Node mapped_expr(const Node& node, PartMapper& map) {
  if constexpr (std::is_same_v<Node, Cast>) {
    return {map(node.value)};
  } else if constexpr (std::is_same_v<Node, Unary>) {
    return {node.op, map(node.operand)};
  } else if constexpr (std::is_same_v<Node, Binary>) {
    Expr left = map(node.left);
    return {node.op, std::move(left), map(node.right)};
  } else if constexpr (std::is_same_v<Node, Select>) {
    Expr condition = map(node.condition);
    Expr when_true = map(node.when_true);
    return {std::move(condition), std::move(when_true), map(node.when_false)};
  } else if constexpr (std::is_same_v<Node, Let>) {
    Expr value = map(node.value);
    Var var = map.define(node.var);
    return {std::move(var), std::move(value), map(node.body)};
  } else if constexpr (std::is_same_v<Node, Load>) {
    Buffer buffer = map(node.buffer);
    std::vector<Expr> indices = map(node.indices);
    return {std::move(buffer), std::move(indices), map(node.predicate)};
  } else if constexpr (std::is_same_v<Node, Call>) {
    return {node.op, map(node.arguments)};
  } else if constexpr (std::is_same_v<Node, Ramp>) {
    Expr base = map(node.base);
    return {std::move(base), map(node.stride)};
  } else if constexpr (std::is_same_v<Node, Broadcast>) {
    return {map(node.value)};
  } else if constexpr (std::is_same_v<Node, Shuffle>) {
    return {map(node.vectors), node.indices};
  } else {
    return node;  // constants and variables have no parts
  }
}

template <class Node>
Node mapped_stmt(const Node& node, PartMapper& map) {
  Node out = node;
  if constexpr (std::is_same_v<Node, Store>) {
    out.buffer = map(node.buffer);
    out.indices = map(node.indices);
    out.value = map(node.value);
    out.predicate = map(node.predicate);
  } else if constexpr (std::is_same_v<Node, For>) {
    out.min = map(node.min);
    out.extent = map(node.extent);
    map.inside(out.annotations);
    out.var = map.define(node.var);
    out.body = map(node.body);
  } else if constexpr (std::is_same_v<Node, If>) {
    out.condition = map(node.condition);
    out.then_case = map(node.then_case);
    out.else_case = map(node.else_case);
  } else if constexpr (std::is_same_v<Node, Seq>) {
    out.statements = map(node.statements);
  } else if constexpr (std::is_same_v<Node, Allocate>) {
    out.extents = map(node.extents);
    map.inside(out.annotations);
    out.data = map.define(node.data);
    out.body = map(node.body);
  } else if constexpr (std::is_same_v<Node, DeclareBuffer>) {
    out.buffer = map(node.buffer);
    out.body = map(node.body);
  } else if constexpr (std::is_same_v<Node, LetStmt>) {
    out.value = map(node.value);
    out.var = map.define(node.var);
    out.body = map(node.body);
  } else if constexpr (std::is_same_v<Node, Assert>) {
    out.condition = map(node.condition);
  } else if constexpr (std::is_same_v<Node, Evaluate>) {
    out.value = map(node.value);
  } else {
    static_assert(std::is_same_v<Node, Block>);
    for (std::size_t i = 0; i < node.iterators.size(); ++i) {
      out.iterators[i].domain = map(node.iterators[i].domain);
      out.iterators[i].binding = map(node.iterators[i].binding);
    }
    out.predicate = map(node.predicate);
    map.inside(out.annotations);
    for (std::size_t i = 0; i < node.iterators.size(); ++i)
      out.iterators[i].var = map.define(node.iterators[i].var);
    out.allocations = map(node.allocations);
    out.matches = map(node.matches);
    out.reads = map(node.reads);
    out.writes = map(node.writes);
    out.init = map(node.init);
    out.body = map(node.body);
  }
  return out;
}

}  // namespace

Expr map_children(const Expr& e, const Mapper& mapper) {
  PartMapper map(mapper);
  return std::visit(
      [&](const auto& node) {
        auto out = mapped_expr(node, map);
        return map.changed() ? Expr(e.type(), std::move(out)) : e;
      },
      e.variant());
}

Stmt map_children(const Stmt& s, const Mapper& mapper) {
  PartMapper map(mapper);
  return std::visit(
      [&](const auto& node) -> Stmt {
        auto out = mapped_stmt(node, map);
        if (!map.changed()) return s;
        return Stmt(std::move(out));
      },
      s.variant());
}

Buffer map_children(const Buffer& b, const std::function<Expr(const Expr&)>& expr) {
  const Mapper mapper{.expr = expr};
  PartMapper map(mapper);
  BufferNode out = *b;
  out.data = Var(map(static_cast<const Expr&>(b->data)));
  out.shape = map(b->shape);
  out.strides = map(b->strides);
  out.element_offset = map(b->element_offset);
  return map.changed() ? Buffer(std::move(out)) : b;
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

void visit_stmts(const Stmt& s, const std::function<void(const Stmt&)>& f) { Visitor{.on_stmt = f}.visit(s); }

std::vector<Buffer> buffers_in(const Stmt& s) {
  std::vector<Buffer> found;
  Visitor{.on_buffer = [&](const Buffer& b) { found.push_back(b); }}.visit(s);
  return found;
}

std::vector<Buffer> buffers_in(const Expr& e) {
  std::vector<Buffer> found;
  Visitor{.on_buffer = [&](const Buffer& b) { found.push_back(b); }}.visit(e);
  return found;
}

}  // namespace ardea
