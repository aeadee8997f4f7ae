#include <bit>
#include <unordered_map>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"

namespace ardea {

namespace {

/// Hashes a program as Comparer (equal.cc) compares it. Statements number their variables in the order of
/// definition; variables of let expressions, which may be shared, count by their type alone.
class Hasher {
 public:
  std::uint64_t value() const { return state_; }

  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15ULL;
    state_ ^= state_ >> 29;
  }
  void add(const std::string& text) {
    add(text.size());
    for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  }
  void add(DataType type) {
    add(static_cast<std::uint64_t>(type.code) << 32 | static_cast<std::uint64_t>(type.bits) << 16 |
        type.lanes);
  }

  void add(const Module& m) {
    add(m.name);
    add(m.functions.size());
    for (const Function& f : m.functions) add(f);
  }
  void add(const Function& f) {
    add(f.name);
    for (const Var& v : shape_variables(f)) define(v);
    for (const Parameter& p : f.parameters) define(p.var);
    for (const Parameter& p : f.parameters)
      if (p.buffer.defined()) define(p.buffer, true);
    add(f.attributes);
    for (const Expr& condition : f.assumptions) add(condition);
    add(f.body);
  }

  void add(const Expr& e) { add(e.defined() ? hash_of(e) : 0); }

  void add(const Stmt& s) {
    if (!s.defined()) return add(std::uint64_t{0});
    add(s.variant().index() + 1);
    std::visit([&](const auto& node) { add_node(node); }, s.variant());
  }

 private:
  std::uint64_t hash_of(const Expr& e) {
    if (const auto found = known_.find(e); found != known_.end()) return found->second;
    Hasher inner(*this, e.variant().index() + 1);
    inner.add(e.type());
    std::visit([&](const auto& node) { inner.add_node(node); }, e.variant());
    std::uint64_t hash = inner.value();
    if (const auto number = numbers_.find(e); number != numbers_.end())
      hash += number->second * 0x2545f4914f6cdd1dULL;
    known_.emplace(e, hash);
    return hash;
  }

  void define(const Var& v) {
    numbers_[v] = numbers_.size() + 1;
    known_.erase(v);
    add(v.type());
  }
  void define(const Buffer& b, bool owns_data) {
    if (owns_data) define(b->data);
    add(static_cast<const Expr&>(b->data));
    add(b->type);
    add(b->scope);
    add(static_cast<std::uint64_t>(b->alignment_bytes));
    add(b->shape);
    add(b->strides);
    add(b->element_offset);
    buffers_[b] = buffers_.size() + 1;
  }
  void add(const Buffer& b) {
    const auto number = buffers_.find(b);
    add(number == buffers_.end() ? std::uint64_t{0} : number->second);
    add(b->type);
  }
  template <class T>
  void add(const std::vector<T>& parts) {
    add(parts.size());
    for (const T& part : parts) add(part);
  }
  void add(const Range& r) {
    add(r.min);
    add(r.extent);
  }
  void add(const BufferRegion& r) {
    add(r.buffer);
    add(r.region);
  }
  void add(const Attribute& a) {
    add(a.value.index());
    std::visit([&](const auto& value) { add(value); }, a.value);
  }
  void add(const Attributes& attributes) {
    add(attributes.size());
    for (const auto& [key, value] : attributes) {
      add(key);
      add(value);
    }
  }
  void add(std::int64_t word) { add(static_cast<std::uint64_t>(word)); }

  void add_node(const IntImm& n) { add(n.value); }
  void add_node(const FloatImm& n) { add(std::bit_cast<std::uint64_t>(n.value)); }
  void add_node(const StringImm& n) { add(n.value); }
  void add_node(const VarNode&) {}
  void add_node(const Cast& n) { add(n.value); }
  void add_node(const Unary& n) { add(static_cast<std::uint64_t>(n.op)), add(n.operand); }
  void add_node(const Binary& n) { add(static_cast<std::uint64_t>(n.op)), add(n.left), add(n.right); }
  void add_node(const Select& n) { add(n.condition), add(n.when_true), add(n.when_false); }
  void add_node(const Let& n) { add(n.value), add(n.var.type()), add(n.body); }
  void add_node(const Load& n) { add(n.buffer), add(n.indices), add(n.predicate); }
  void add_node(const Call& n) { add(n.op->name), add(n.arguments); }
  void add_node(const Ramp& n) { add(n.base), add(n.stride); }
  void add_node(const Broadcast& n) { add(n.value); }
  void add_node(const Shuffle& n) { add(n.vectors), add(n.indices); }

  void add_node(const Store& n) { add(n.buffer), add(n.indices), add(n.value), add(n.predicate); }
  void add_node(const For& n) {
    add(static_cast<std::uint64_t>(n.kind)), add(n.thread), add(n.min), add(n.extent);
    define(n.var);
    add(n.annotations), add(n.body);
  }
  void add_node(const If& n) { add(n.condition), add(n.then_case), add(n.else_case); }
  void add_node(const Seq& n) { add(n.statements); }
  void add_node(const Allocate& n) {
    add(n.type), add(n.scope), add(n.extents);
    define(n.data);
    add(n.annotations), add(n.body);
  }
  void add_node(const DeclareBuffer& n) {
    define(n.buffer, false);
    add(n.body);
  }
  void add_node(const LetStmt& n) {
    add(n.value);
    define(n.var);
    add(n.body);
  }
  void add_node(const Assert& n) { add(n.message), add(n.condition); }
  void add_node(const Evaluate& n) { add(n.value); }
  void add_node(const Block& n) {
    add(n.name);
    add(n.iterators.size());
    for (const BlockIterator& i : n.iterators)
      add(static_cast<std::uint64_t>(i.kind)), add(i.domain), add(i.binding);
    add(n.predicate);
    for (const BlockIterator& i : n.iterators) define(i.var);
    for (const Buffer& b : n.allocations) define(b, true);
    for (const MatchBuffer& m : n.matches) add(m.source), define(m.buffer, true);
    for (const auto* regions : {&n.reads, &n.writes}) {
      add(std::uint64_t{regions->has_value()});
      if (*regions) add(**regions);
    }
    add(n.annotations), add(n.init), add(n.body);
  }

 public:
  Hasher() : shared_(std::make_shared<Shared>()) {}

 private:
  /// What every expression of one program shares: results and numbers.
  struct Shared {
    std::unordered_map<Expr, std::uint64_t> known, numbers;
    std::unordered_map<Buffer, std::uint64_t> buffers;
  };
  Hasher(const Hasher& outer, std::uint64_t seed) : shared_(outer.shared_) { add(seed); }

  std::shared_ptr<Shared> shared_;
  std::unordered_map<Expr, std::uint64_t>&known_ = shared_->known, &numbers_ = shared_->numbers;
  std::unordered_map<Buffer, std::uint64_t>& buffers_ = shared_->buffers;
  std::uint64_t state_ = 0x243f6a8885a308d3ULL;
};

template <class T>
std::uint64_t hash(const T& part) {
  Hasher hasher;
  hasher.add(part);
  return hasher.value();
}

}  // namespace

std::uint64_t structural_hash(const Expr& e) { return hash(e); }
std::uint64_t structural_hash(const Stmt& s) { return hash(s); }
std::uint64_t structural_hash(const Function& f) { return hash(f); }
std::uint64_t structural_hash(const Module& m) { return hash(m); }

}  // namespace ardea
