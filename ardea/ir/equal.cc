#include "ardea/ir/equal.h"

#include <bit>
#include <unordered_map>
#include <unordered_set>

#include "ardea/ir/intrinsics.h"

namespace ardea {

namespace {

/// Looked up by references: a pair of handles is made only for what is kept.
struct PairHash {
  using is_transparent = void;
  template <class Pair>
  std::size_t operator()(const Pair& p) const {
    return std::hash<Expr>()(p.first) * 0x9e3779b97f4a7c15ULL ^ std::hash<Expr>()(p.second);
  }
};
struct SamePair {
  using is_transparent = void;
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return a.first == b.first && a.second == b.second;
  }
};

/// Compares two programs side by side, with the pairs of definitions seen so far.
class Comparer {
 public:
  bool equal(const Module& a, const Module& b) {
    if (a.name != b.name) return differ("the modules are called " + a.name + " and " + b.name);
    if (a.functions.size() != b.functions.size())
      return differ("the modules have different numbers of functions");
    for (std::size_t i = 0; i < a.functions.size(); ++i)
      if (!equal(a.functions[i], b.functions[i])) return false;
    return true;
  }

  bool equal(const Function& a, const Function& b) {
    place_ = "function " + a.name;
    if (a.name != b.name) return differ("the functions are called " + a.name + " and " + b.name);
    if (a.parameters.size() != b.parameters.size()) return differ("different numbers of parameters");
    const std::vector<Var> extents_a = shape_variables(a), extents_b = shape_variables(b);
    if (extents_a.size() != extents_b.size()) return differ("different numbers of symbolic extents");
    for (std::size_t i = 0; i < extents_a.size(); ++i)
      if (!define(extents_a[i], extents_b[i])) return false;
    for (std::size_t i = 0; i < a.parameters.size(); ++i) {
      const Parameter &p = a.parameters[i], &q = b.parameters[i];
      if (!define(p.var, q.var)) return false;
      if (p.buffer.defined() != q.buffer.defined()) return differ("a scalar and a buffer parameter");
    }
    for (std::size_t i = 0; i < a.parameters.size(); ++i)
      if (a.parameters[i].buffer.defined() && !define(a.parameters[i].buffer, b.parameters[i].buffer, true))
        return false;
    if (a.assumptions.size() != b.assumptions.size()) return differ("different numbers of assumptions");
    for (std::size_t i = 0; i < a.assumptions.size(); ++i)
      if (!equal(a.assumptions[i], b.assumptions[i])) return false;
    return equal(a.attributes, b.attributes) && equal(a.body, b.body);
  }

  bool equal(const Expr& a, const Expr& b) {
    if (!a.defined() || !b.defined())
      return (!a.defined() && !b.defined()) || differ("one side has no expression here");
    if (a.is<VarNode>() && b.is<VarNode>()) return same_variable(a, b);
    if (a == b && lets_ == 0 && forward_.empty()) return true;
    if (a.type() != b.type()) return differ("types " + to_string(a.type()) + " and " + to_string(b.type()));
    if (a.variant().index() != b.variant().index()) return differ("expressions of different kinds");
    const std::pair<const Expr&, const Expr&> key(a, b);
    if (lets_ == 0 && known_.contains(key)) return true;
    const bool same =
        std::visit([&](const auto& node) { return equal_nodes(node, *b.as<std::decay_t<decltype(node)>>()); },
                   a.variant());
    if (same && lets_ == 0) known_.emplace(a, b);
    return same;
  }

  bool equal(const Stmt& a, const Stmt& b) {
    if (!a.defined() || !b.defined())
      return (!a.defined() && !b.defined()) || differ("one side has no statement here");
    if (a.variant().index() != b.variant().index()) return differ("statements of different kinds");
    return std::visit(
        [&](const auto& node) { return equal_nodes(node, *b.as<std::decay_t<decltype(node)>>()); },
        a.variant());
  }

  const std::string& difference() const { return difference_; }

 private:
  bool differ(const std::string& what) {
    if (difference_.empty()) difference_ = place_.empty() ? what : place_ + ": " + what;
    return false;
  }
  bool same(bool condition, const char* what) { return condition || differ(what); }

  bool same_variable(const Expr& a, const Expr& b) {
    const auto to = forward_.find(a);
    const auto from = backward_.find(b);
    if (to == forward_.end() && from == backward_.end())
      return a == b || differ("free variables " + Var(a).name() + " and " + Var(b).name());
    if (to != forward_.end() && from != backward_.end() && to->second == b && from->second == a) return true;
    return differ("variables " + Var(a).name() + " and " + Var(b).name() + " do not correspond");
  }

  bool define(const Var& a, const Var& b) {
    if (a.type() != b.type())
      return differ("variable " + a.name() + " is " + to_string(a.type()) + " and " + to_string(b.type()));
    forward_[a] = b;
    backward_[b] = a;
    return true;
  }

  /// `owns_data`: the buffer brings its memory along (a parameter, an allocation, a match).
  bool define(const Buffer& a, const Buffer& b, bool owns_data) {
    if (owns_data && !define(a->data, b->data)) return false;
    if (!equal(static_cast<const Expr&>(a->data), static_cast<const Expr&>(b->data))) return false;
    if (a->type != b->type || a->scope != b->scope || a->alignment_bytes != b->alignment_bytes)
      return differ("buffer " + a->name + " differs in type, scope or alignment");
    if (!equal(a->shape, b->shape) || !equal(a->strides, b->strides) ||
        !equal(a->element_offset, b->element_offset))
      return differ("buffer " + a->name + " differs in shape, strides or offset");
    buffers_[a] = b;
    buffers_back_[b] = a;
    return true;
  }

  bool equal(const Buffer& a, const Buffer& b) {
    const auto to = buffers_.find(a);
    const auto from = buffers_back_.find(b);
    if (to == buffers_.end() && from == buffers_back_.end())
      return a == b || differ("free buffers " + a->name + " and " + b->name);
    if (to != buffers_.end() && from != buffers_back_.end() && to->second == b) return true;
    return differ("buffers " + a->name + " and " + b->name + " do not correspond");
  }

  template <class T>
  bool equal(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size()) return differ("lists of different lengths");
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!equal(a[i], b[i])) return false;
    return true;
  }
  template <class T>
  bool equal(const std::optional<T>& a, const std::optional<T>& b) {
    if (a.has_value() != b.has_value()) return differ("regions given on one side only");
    return !a || equal(*a, *b);
  }
  bool equal(const Range& a, const Range& b) { return equal(a.min, b.min) && equal(a.extent, b.extent); }
  bool equal(const BufferRegion& a, const BufferRegion& b) {
    return equal(a.buffer, b.buffer) && equal(a.region, b.region);
  }
  bool equal(const Attribute& a, const Attribute& b) {
    if (a.value.index() != b.value.index()) return differ("annotations of different kinds");
    if (const Expr* e = std::get_if<Expr>(&a.value)) return equal(*e, std::get<Expr>(b.value));
    return equal(std::get<std::vector<Attribute>>(a.value), std::get<std::vector<Attribute>>(b.value));
  }
  bool equal(const Attributes& a, const Attributes& b) {
    if (a.size() != b.size()) return differ("different numbers of annotations");
    for (auto p = a.begin(), q = b.begin(); p != a.end(); ++p, ++q)
      if (p->first != q->first || !equal(p->second, q->second))
        return differ("annotation " + p->first + " differs");
    return true;
  }

  bool equal_nodes(const IntImm& a, const IntImm& b) {
    return same(a.value == b.value, "integer constants differ");
  }
  bool equal_nodes(const FloatImm& a, const FloatImm& b) {
    return same(std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value),
                "float constants differ");
  }
  bool equal_nodes(const StringImm& a, const StringImm& b) {
    return same(a.value == b.value, "strings differ");
  }
  bool equal_nodes(const VarNode&, const VarNode&) { return true; }  // same_variable has decided
  bool equal_nodes(const Cast& a, const Cast& b) { return equal(a.value, b.value); }
  bool equal_nodes(const Unary& a, const Unary& b) {
    return same(a.op == b.op, "operators differ") && equal(a.operand, b.operand);
  }
  bool equal_nodes(const Binary& a, const Binary& b) {
    return same(a.op == b.op, "operators differ") && equal(a.left, b.left) && equal(a.right, b.right);
  }
  bool equal_nodes(const Select& a, const Select& b) {
    return equal(a.condition, b.condition) && equal(a.when_true, b.when_true) &&
           equal(a.when_false, b.when_false);
  }
  bool equal_nodes(const Let& a, const Let& b) {
    if (!equal(a.value, b.value) || !define(a.var, b.var)) return false;
    ++lets_;  // what is known inside depends on this pair of variables
    const bool same_body = equal(a.body, b.body);
    --lets_;
    return same_body;
  }
  bool equal_nodes(const Load& a, const Load& b) {
    return equal(a.buffer, b.buffer) && equal(a.indices, b.indices) && equal(a.predicate, b.predicate);
  }
  bool equal_nodes(const Call& a, const Call& b) {
    return same(a.op == b.op, "calls of different intrinsics") && equal(a.arguments, b.arguments);
  }
  bool equal_nodes(const Ramp& a, const Ramp& b) {
    return equal(a.base, b.base) && equal(a.stride, b.stride);
  }
  bool equal_nodes(const Broadcast& a, const Broadcast& b) { return equal(a.value, b.value); }
  bool equal_nodes(const Shuffle& a, const Shuffle& b) {
    return same(a.indices == b.indices, "shuffles differ") && equal(a.vectors, b.vectors);
  }

  bool equal_nodes(const Store& a, const Store& b) {
    return equal(a.buffer, b.buffer) && equal(a.indices, b.indices) && equal(a.value, b.value) &&
           equal(a.predicate, b.predicate);
  }
  bool equal_nodes(const For& a, const For& b) {
    place_ = "loop " + a.var.name();
    return same(a.kind == b.kind && a.thread == b.thread, "loops of different kinds") &&
           equal(a.min, b.min) && equal(a.extent, b.extent) && define(a.var, b.var) &&
           equal(a.annotations, b.annotations) && equal(a.body, b.body);
  }
  bool equal_nodes(const If& a, const If& b) {
    return equal(a.condition, b.condition) && equal(a.then_case, b.then_case) &&
           equal(a.else_case, b.else_case);
  }
  bool equal_nodes(const Seq& a, const Seq& b) { return equal(a.statements, b.statements); }
  bool equal_nodes(const Allocate& a, const Allocate& b) {
    return same(a.type == b.type && a.scope == b.scope, "allocations differ in type or scope") &&
           equal(a.extents, b.extents) && define(a.data, b.data) && equal(a.annotations, b.annotations) &&
           equal(a.body, b.body);
  }
  bool equal_nodes(const DeclareBuffer& a, const DeclareBuffer& b) {
    return define(a.buffer, b.buffer, false) && equal(a.body, b.body);
  }
  bool equal_nodes(const LetStmt& a, const LetStmt& b) {
    return equal(a.value, b.value) && define(a.var, b.var) && equal(a.body, b.body);
  }
  bool equal_nodes(const Assert& a, const Assert& b) {
    return same(a.message == b.message, "assertions with different messages") &&
           equal(a.condition, b.condition);
  }
  bool equal_nodes(const Evaluate& a, const Evaluate& b) { return equal(a.value, b.value); }
  bool equal_nodes(const Block& a, const Block& b) {
    place_ = "block " + a.name;
    if (!same(a.name == b.name, "blocks with different names") ||
        !same(a.iterators.size() == b.iterators.size(), "blocks with different numbers of iterators"))
      return false;
    for (std::size_t i = 0; i < a.iterators.size(); ++i) {
      const BlockIterator &p = a.iterators[i], &q = b.iterators[i];
      if (!same(p.kind == q.kind, "iterators of different kinds") || !equal(p.domain, q.domain) ||
          !equal(p.binding, q.binding))
        return false;
    }
    if (!equal(a.predicate, b.predicate)) return false;
    for (std::size_t i = 0; i < a.iterators.size(); ++i)
      if (!define(a.iterators[i].var, b.iterators[i].var)) return false;
    if (!same(a.allocations.size() == b.allocations.size(), "different numbers of allocations") ||
        !same(a.matches.size() == b.matches.size(), "different numbers of matched buffers"))
      return false;
    for (std::size_t i = 0; i < a.allocations.size(); ++i)
      if (!define(a.allocations[i], b.allocations[i], true)) return false;
    for (std::size_t i = 0; i < a.matches.size(); ++i)
      if (!equal(a.matches[i].source, b.matches[i].source) ||
          !define(a.matches[i].buffer, b.matches[i].buffer, true))
        return false;
    return equal(a.reads, b.reads) && equal(a.writes, b.writes) && equal(a.annotations, b.annotations) &&
           equal(a.init, b.init) && equal(a.body, b.body);
  }

  std::unordered_map<Expr, Expr> forward_, backward_;
  std::unordered_map<Buffer, Buffer> buffers_, buffers_back_;
  std::unordered_set<std::pair<Expr, Expr>, PairHash, SamePair> known_;
  int lets_ = 0;  ///< let expressions that are open
  std::string place_, difference_;
};

template <class T>
bool compare(const T& a, const T& b) {
  return Comparer().equal(a, b);
}

template <class T>
std::string difference_of(const T& a, const T& b) {
  Comparer comparer;
  if (comparer.equal(a, b)) return "";
  return comparer.difference();
}

}  // namespace

bool structurally_equal(const Expr& a, const Expr& b) { return compare(a, b); }
bool structurally_equal(const Stmt& a, const Stmt& b) { return compare(a, b); }
bool structurally_equal(const Function& a, const Function& b) { return compare(a, b); }
bool structurally_equal(const Module& a, const Module& b) { return compare(a, b); }
std::string first_difference(const Function& a, const Function& b) { return difference_of(a, b); }
std::string first_difference(const Module& a, const Module& b) { return difference_of(a, b); }

}  // namespace ardea
