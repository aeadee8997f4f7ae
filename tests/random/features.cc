#include "tests/random/features.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"

namespace ardea::random_programs {

namespace {

/// A construct and how it is recognised: in an expression, in a statement, or in a whole function.
struct ExprFeature {
  const char* name;
  bool (*holds)(const Expr&);
};
struct StmtFeature {
  const char* name;
  bool (*holds)(const Stmt&);
};
struct FunctionFeature {
  const char* name;
  bool (*holds)(const Function&);
};

template <BinaryOp... ops>
bool is_binary(const Expr& e) {
  const auto* node = e.as<Binary>();
  return node != nullptr && ((node->op == ops) || ...);
}

template <ForKind kind>
bool is_loop(const Stmt& s) {
  const auto* loop = s.as<For>();
  return loop != nullptr && loop->kind == kind;
}

bool calls(const Expr& e, std::initializer_list<const char*> names) {
  const auto* call = e.as<Call>();
  return call != nullptr && std::find(names.begin(), names.end(), call->op->name) != names.end();
}

template <class Node>
bool contains(const Expr& e) {
  bool found = false;
  visit_exprs(e, [&](const Expr& x) { found = found || x.is<Node>(); });
  return found;
}

bool contains_block(const Stmt& s) {
  bool found = false;
  visit_stmts(s, [&](const Stmt& x) { found = found || x.is<Block>(); });
  return found;
}

bool is_cast(const Expr& e, bool (*from)(DataType), bool (*to)(DataType)) {
  const auto* cast = e.as<Cast>();
  return cast != nullptr && from(cast->value.type()) && to(e.type());
}
bool is_float(DataType t) { return t.is_float(); }
bool is_integer(DataType t) { return t.is_integer(); }

bool has_index(const Expr& e, bool (*is)(const Expr&)) {
  const auto* load = e.as<Load>();
  return load != nullptr && std::any_of(load->indices.begin(), load->indices.end(), is);
}

const std::vector<ExprFeature> expr_features = {
    {"floor division or modulo", is_binary<BinaryOp::floor_div, BinaryOp::floor_mod>},
    {"truncating division or modulo", is_binary<BinaryOp::trunc_div, BinaryOp::trunc_mod>},
    {"float division", is_binary<BinaryOp::div>},
    {"shift", is_binary<BinaryOp::shift_left, BinaryOp::shift_right>},
    {"bit operation", is_binary<BinaryOp::bit_and, BinaryOp::bit_or, BinaryOp::bit_xor>},
    {"minimum or maximum", is_binary<BinaryOp::min, BinaryOp::max>},
    {"and or or", is_binary<BinaryOp::logical_and, BinaryOp::logical_or>},
    {"select", [](const Expr& e) { return e.is<Select>(); }},
    {"if_then_else", [](const Expr& e) { return calls(e, {"if_then_else"}); }},
    {"guarded load (halo)",
     [](const Expr& e) { return calls(e, {"if_then_else"}) && contains<Load>(e.as<Call>()->arguments[1]); }},
    {"let in an expression", [](const Expr& e) { return e.is<Let>(); }},
    {"cast float to integer", [](const Expr& e) { return is_cast(e, is_float, is_integer); }},
    {"cast integer to float", [](const Expr& e) { return is_cast(e, is_integer, is_float); }},
    {"cast between floats", [](const Expr& e) { return is_cast(e, is_float, is_float); }},
    {"cast between integers", [](const Expr& e) { return is_cast(e, is_integer, is_integer); }},
    {"reinterpret", [](const Expr& e) { return calls(e, {"reinterpret"}); }},
    {"fma", [](const Expr& e) { return calls(e, {"fma"}); }},
    {"rounding function",
     [](const Expr& e) { return calls(e, {"floor", "ceil", "round", "nearbyint", "trunc", "sqrt"}); }},
    {"library function",
     [](const Expr& e) {
       return calls(e, {"exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "rsqrt", "tanh",
                        "sigmoid", "erf", "pow", "sin", "cos", "atan", "sinh", "cosh"});
     }},
    {"popcount or clz", [](const Expr& e) { return calls(e, {"popcount", "clz"}); }},
    {"NaN or infinity test", [](const Expr& e) { return calls(e, {"isnan", "isinf", "isfinite"}); }},
    {"index from data",
     [](const Expr& e) {
       const auto* load = e.as<Load>();
       return load != nullptr && std::any_of(load->indices.begin(), load->indices.end(), contains<Load>);
     }},
    {"index held at a border",
     [](const Expr& e) { return has_index(e, is_binary<BinaryOp::min, BinaryOp::max>); }},
    {"index turned round",
     [](const Expr& e) {
       return has_index(e, [](const Expr& index) {
         return is_binary<BinaryOp::sub>(index) && index.as<Binary>()->right.is<VarNode>();
       });
     }},
    {"ramp", [](const Expr& e) { return e.is<Ramp>(); }},
    {"broadcast", [](const Expr& e) { return e.is<Broadcast>(); }},
    {"shuffle", [](const Expr& e) { return e.is<Shuffle>(); }},
    {"masked load", [](const Expr& e) { return e.is<Load>() && e.as<Load>()->predicate.defined(); }},
};

// --- statements ---

const Block* inner_block(const Stmt& s) {  // a block that has iterators: not the root
  const auto* block = s.as<Block>();
  return block != nullptr && !block->iterators.empty() ? block : nullptr;
}

template <IteratorKind kind>
bool has_iterator(const Stmt& s) {
  const Block* block = inner_block(s);
  return block != nullptr && std::any_of(block->iterators.begin(), block->iterators.end(),
                                         [](const BlockIterator& i) { return i.kind == kind; });
}

template <class Test>
bool any_binding(const Stmt& s, const Test& test) {
  const Block* block = inner_block(s);
  return block != nullptr && std::any_of(block->iterators.begin(), block->iterators.end(),
                                         [&](const BlockIterator& i) { return test(i.binding); });
}

template <BinaryOp op>
bool reduces_with(const Stmt& s) {
  const Block* block = inner_block(s);
  if (block == nullptr || !block->init.defined() || !has_iterator<IteratorKind::reduce>(s)) return false;
  const auto* store = block->body.as<Store>();
  return store != nullptr && is_binary<op>(store->value);
}

std::size_t spatial_count(const Block& block) {
  return static_cast<std::size_t>(
      std::count_if(block.iterators.begin(), block.iterators.end(),
                    [](const BlockIterator& i) { return i.kind == IteratorKind::spatial; }));
}

/// An index of the form iterator · stride + iterator: a window that moves by more than 1.
bool is_strided_window(const Expr& e) {
  const auto* load = e.as<Load>();
  return load != nullptr && std::any_of(load->indices.begin(), load->indices.end(), [](const Expr& index) {
           const auto* sum = index.as<Binary>();
           return sum != nullptr && sum->op == BinaryOp::add && free_variables(index).size() == 2 &&
                  is_binary<BinaryOp::mul>(sum->left);
         });
}

bool contains_strided_window(const Stmt& s) {
  if (!s.is<Store>()) return false;
  bool found = false;
  visit_exprs(s, [&](const Expr& e) { found = found || is_strided_window(e); });
  return found;
}

/// The last index of a load, where it is held, mirrored or turned round at a border; else nothing.
Expr bent_column(const Load& load) {
  const Expr& column = load.indices.back();
  return is_binary<BinaryOp::min, BinaryOp::max, BinaryOp::sub>(column) ? column : Expr();
}

/// A sum of two elements of one bent column: where all lanes read the same of each, they are still two.
bool adds_along_a_border(const Stmt& s) {
  if (!s.is<Store>()) return false;
  bool found = false;
  visit_exprs(s, [&](const Expr& e) {
    const auto* sum = e.as<Binary>();
    const auto* left = sum != nullptr ? sum->left.as<Load>() : nullptr;
    const auto* right = sum != nullptr ? sum->right.as<Load>() : nullptr;
    if (left == nullptr || right == nullptr) return;
    const Expr a = bent_column(*left), b = bent_column(*right);
    found = found || (a.defined() && b.defined() && structurally_equal(a, b) &&
                      !structurally_equal(sum->left, sum->right));
  });
  return found;
}

const std::vector<StmtFeature> stmt_features = {
    {"sum", reduces_with<BinaryOp::add>},
    {"product", reduces_with<BinaryOp::mul>},
    {"minimum reduction", reduces_with<BinaryOp::min>},
    {"maximum reduction", reduces_with<BinaryOp::max>},
    {"reduction of everything",
     [](const Stmt& s) {
       return has_iterator<IteratorKind::reduce>(s) && spatial_count(*s.as<Block>()) == 0;
     }},
    {"reduction without init",
     [](const Stmt& s) { return has_iterator<IteratorKind::reduce>(s) && !s.as<Block>()->init.defined(); }},
    {"reduction with two results",
     [](const Stmt& s) { return has_iterator<IteratorKind::reduce>(s) && s.as<Block>()->init.is<Seq>(); }},
    {"ordered iterator", has_iterator<IteratorKind::ordered>},
    {"opaque iterator", has_iterator<IteratorKind::opaque>},
    {"window with a stride", contains_strided_window},
    {"two elements of a bent column", adds_along_a_border},
    {"block predicate",
     [](const Stmt& s) { return inner_block(s) != nullptr && s.as<Block>()->predicate.defined(); }},
    {"split binding", [](const Stmt& s) { return any_binding(s, is_binary<BinaryOp::add>); }},
    {"fused binding", [](const Stmt& s) { return any_binding(s, is_binary<BinaryOp::floor_div>); }},
    {"matched buffer",
     [](const Stmt& s) { return inner_block(s) != nullptr && !s.as<Block>()->matches.empty(); }},
    {"nested block",
     [](const Stmt& s) { return inner_block(s) != nullptr && contains_block(s.as<Block>()->body); }},
    {"allocation in a block",
     [](const Stmt& s) { return inner_block(s) != nullptr && !s.as<Block>()->allocations.empty(); }},
    {"parallel loop", is_loop<ForKind::parallel>},
    {"vectorized loop", is_loop<ForKind::vectorized>},
    {"unrolled loop", is_loop<ForKind::unrolled>},
    {"thread-bound loop", is_loop<ForKind::thread_binding>},
    {"virtual thread", is_loop<ForKind::virtual_thread>},
    {"loop that starts elsewhere", [](const Stmt& s) { return s.is<For>() && !is_zero(s.as<For>()->min); }},
    {"unit loop", [](const Stmt& s) { return s.is<For>() && is_one(s.as<For>()->extent); }},
    {"prime extent",
     [](const Stmt& s) {
       static const std::set<std::int64_t> primes = {5, 7, 11, 13};
       return s.is<For>() && primes.contains(constant_int(s.as<For>()->extent).value_or(0));
     }},
    {"if statement", [](const Stmt& s) { return s.is<If>(); }},
    {"let statement", [](const Stmt& s) { return s.is<LetStmt>(); }},
    {"assertion", [](const Stmt& s) { return s.is<Assert>(); }},
    {"masked store", [](const Stmt& s) { return s.is<Store>() && s.as<Store>()->predicate.defined(); }},
    {"lowered allocation", [](const Stmt& s) { return s.is<Allocate>(); }},
    {"view with an offset",
     [](const Stmt& s) {
       return s.is<DeclareBuffer>() && s.as<DeclareBuffer>()->buffer->element_offset.defined();
     }},
};

// --- whole functions ---

std::unordered_map<Var, int> blocks_reading(const Function& f) {
  std::unordered_map<Var, int> readers;
  visit_stmts(f.body, [&](const Stmt& s) {
    const Block* block = inner_block(s);
    if (block == nullptr || !block->reads) return;
    std::unordered_set<Var> read;
    for (const BufferRegion& region : *block->reads) read.insert(region.buffer->data);
    for (const Var& data : read) ++readers[data];
  });
  return readers;
}

bool intermediate_with_two_consumers(const Function& f) {
  const Block* root = root_block(f);
  if (root == nullptr) return false;
  const auto readers = blocks_reading(f);
  return std::any_of(root->allocations.begin(), root->allocations.end(), [&](const Buffer& b) {
    const auto found = readers.find(b->data);
    return found != readers.end() && found->second > 1;
  });
}

/// A block without an init that reads what it writes.
bool updates_in_place(const Function& f) {
  bool found = false;
  visit_stmts(f.body, [&](const Stmt& s) {
    const Block* block = inner_block(s);
    if (block == nullptr || block->init.defined() || !block->reads || !block->writes) return;
    for (const BufferRegion& write : *block->writes)
      for (const BufferRegion& read : *block->reads) found = found || read.buffer == write.buffer;
  });
  return found;
}

/// A loop around blocks that hold all uses of an allocation of the root: only a part of it is alive at a
/// time.
bool allocation_can_shrink(const Function& f) {
  const Block* root = root_block(f);
  if (root == nullptr) return false;
  bool found = false;
  const auto mentions = [](const Stmt& s, const Buffer& b) {
    const auto all = buffers_in(s);
    return std::find(all.begin(), all.end(), b) != all.end();
  };
  visit_stmts(root->body, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    if (loop == nullptr || !loop->body.is<Seq>()) return;
    for (const Buffer& b : root->allocations) {
      int parts = 0;
      for (const Stmt& part : loop->body.as<Seq>()->statements) parts += mentions(part, b);
      found = found || parts > 1;
    }
  });
  return found;
}

const std::vector<FunctionFeature> function_features = {
    {"several stages",
     [](const Function& f) {
       int blocks = 0;
       visit_stmts(f.body, [&](const Stmt& s) { blocks += inner_block(s) != nullptr; });
       return blocks > 1;
     }},
    {"intermediate with two consumers", intermediate_with_two_consumers},
    {"update in place", updates_in_place},
    {"allocation that can shrink", allocation_can_shrink},
    {"allocation at the root",
     [](const Function& f) { return root_block(f) && !root_block(f)->allocations.empty(); }},
    {"one symbolic extent", [](const Function& f) { return shape_variables(f).size() == 1; }},
    {"two symbolic extents", [](const Function& f) { return shape_variables(f).size() == 2; }},
    {"scalar parameter",
     [](const Function& f) {
       return std::any_of(f.parameters.begin(), f.parameters.end(),
                          [](const Parameter& p) { return !p.buffer.defined(); });
     }},
    {"32-bit indices",
     [](const Function& f) {
       bool found = false;
       visit_stmts(f.body, [&](const Stmt& s) {
         found = found || (s.is<For>() && s.as<For>()->var.type() == int32);
       });
       return found;
     }},
    {"no blocks (lowered form)", [](const Function& f) { return root_block(f) == nullptr; }},
};

std::string type_feature(DataType type) { return "buffer of " + to_string(type); }

}  // namespace

const std::vector<std::string>& all_features() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const FunctionFeature& feature : function_features) all.emplace_back(feature.name);
    for (const StmtFeature& feature : stmt_features) all.emplace_back(feature.name);
    for (const ExprFeature& feature : expr_features) all.emplace_back(feature.name);
    for (const DataType type : element_types) all.push_back(type_feature(type));
    return all;
  }();
  return names;
}

std::vector<std::string> features_of(const Function& f) {
  std::set<std::string> found;
  for (const FunctionFeature& feature : function_features)
    if (feature.holds(f)) found.insert(feature.name);
  visit_stmts(f.body, [&](const Stmt& s) {
    for (const StmtFeature& feature : stmt_features)
      if (feature.holds(s)) found.insert(feature.name);
  });
  visit_exprs(f.body, [&](const Expr& e) {
    for (const ExprFeature& feature : expr_features)
      if (feature.holds(e)) found.insert(feature.name);
  });
  for (const Parameter& p : f.parameters)
    if (p.buffer.defined()) found.insert(type_feature(p.buffer->type));
  for (const Buffer& b : buffers_in(f.body)) found.insert(type_feature(b->type.element()));
  std::vector<std::string> in_order;
  for (const std::string& name : all_features())
    if (found.contains(name)) in_order.push_back(name);
  return in_order;
}

}  // namespace ardea::random_programs
