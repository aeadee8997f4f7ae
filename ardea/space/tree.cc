#include "ardea/space/tree.h"

#include <algorithm>
#include <ranges>
#include <unordered_map>
#include <unordered_set>

#include "ardea/space/evaluate.h"
#include "ardea/space/image.h"
#include "ardea/support/error.h"

namespace ardea::space {

using TreeKey = std::vector<std::int64_t>;

struct TreeKeyHash {
  std::size_t operator()(const TreeKey& key) const {
    std::uint64_t hash = key.size();
    for (const std::int64_t word : key) {
      hash ^= static_cast<std::uint64_t>(word);
      hash *= 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

class TreeBuilder {
 public:
  TreeBuilder(const Engine& engine, const Tree::Limits& limits)
      : engine_(engine), limits_(limits), scratch_(engine) {
    for (const Var knob : engine.system().knobs()) order_.push_back(knob.index);
    seen_.resize(order_.size() + 1);
    for (std::size_t i = 0; i < order_.size(); ++i) before_.emplace_back();
    open_.resize(order_.size() + 1);
    const auto& variables = engine.system().variables();
    for (std::size_t i = 0; i < variables.size(); ++i)
      if (!variables[i].is_knob()) open_[0].defined.push_back(static_cast<int>(i));
    for (std::size_t c = 0; c < engine.system().constraints().size(); ++c)
      open_[0].constraints.push_back(static_cast<int>(c));
  }

  std::variant<Tree, Tree::TooLarge> build() {
    tree_.system_ = &engine_.system();
    tree_.order_ = order_;
    tree_.nodes_.push_back({0, 0, 1});  // what stands below the last knob
    std::optional<std::uint32_t> root;
    if (engine_.begin(scratch_)) root = node(0);
    if (over_) return Tree::TooLarge{scratch_.work, over_};
    if (root) {
      tree_.root_ = *root;
      tree_.count_ = tree_.nodes_[*root].count;
    }
    tree_.work_ = scratch_.work;
    return std::move(tree_);
  }

 private:
  /// The node of the present state, or nothing where it has no solution (or a limit is met).
  std::optional<std::uint32_t> node(std::size_t depth) {
    if (depth == order_.size()) return is_leaf() ? std::optional(std::uint32_t{0}) : std::nullopt;
    TreeKey key = key_of(depth);
    if (const auto known = seen_[depth].find(key); known != seen_[depth].end())
      return known->second == none ? std::nullopt : std::optional(known->second);
    words_ += key.size() + 8;
    if (words_ > limits_.words) over_ = "memory";
    const int knob = order_[depth];
    State& here = before_[depth];
    here = scratch_.store.state();
    std::vector<Tree::Edge> edges;
    std::uint64_t count = 0;
    const auto branch = [&](std::int64_t value) {
      if (scratch_.work > limits_.work) over_ = "work";
      if (over_) return;
      scratch_.store.state() = here;
      scratch_.store.changed().clear();
      if (!scratch_.store.assign(knob, value)) return;
      ++scratch_.work;
      if (!engine_.propagate(scratch_)) return;
      const auto child = node(depth + 1);
      if (!child || over_) return;
      edges.push_back({value, *child, count});
      if (__builtin_add_overflow(count, tree_.nodes_[*child].count, &count)) over_ = "2^64 solutions";
    };
    for_each_value(here, knob, branch);
    if (over_) return std::nullopt;
    std::uint32_t id = none;
    if (!edges.empty()) {
      id = static_cast<std::uint32_t>(tree_.nodes_.size());
      const auto first = static_cast<std::uint32_t>(tree_.edges_.size());
      tree_.edges_.insert(tree_.edges_.end(), edges.begin(), edges.end());
      tree_.nodes_.push_back({first, static_cast<std::uint32_t>(tree_.edges_.size()), count});
      words_ += 3 * edges.size();
    }
    key.shrink_to_fit();
    seen_[depth].emplace(std::move(key), id);
    return id == none ? std::nullopt : std::optional(id);
  }

  template <class Visit>
  void for_each_value(const State& here, int knob, Visit&& visit) {
    const auto k = static_cast<std::size_t>(knob);
    if (engine_.layout().is_listed(knob)) {
      const auto& list = engine_.layout().list(knob);
      const std::size_t first = engine_.layout().first_word(knob);
      for (std::size_t i = 0; i < list.size(); ++i)
        if ((here.bits[first + i / 64] >> (i % 64) & 1) != 0) visit(list[i]);
      return;
    }
    for (const Range& range : engine_.layout().domain(knob).ranges())
      for (std::int64_t value = std::max(range.low, here.low[k]); value <= std::min(range.high, here.high[k]);
           ++value) {
        if (over_) return;
        visit(value);
      }
  }

  /// Propagation has fixed the defined variables and decided every constraint, unless it was cut off.
  bool is_leaf() const {
    const Store& store = scratch_.store;
    for (int v = 0; v < engine_.layout().size(); ++v) {
      if (store.fixed(v)) continue;
      const auto point = complete(engine_.system(), store.state().low);
      return point && is_solution(engine_.system(), *point);
    }
    return true;
  }

  void add_values(TreeKey& key, int v) const {
    const Store& store = scratch_.store;
    key.push_back(store.low(v));
    key.push_back(store.high(v));
    for (std::size_t w = 0; w < engine_.layout().words(v); ++w)
      key.push_back(static_cast<std::int64_t>(store.state().bits[engine_.layout().first_word(v) + w]));
  }

  /// All that the solutions below depend on: the values left of open knobs and of open defined variables
  /// (which shows which variables are open), and of each constraint that can still be broken what its fixed
  /// variables contribute.
  TreeKey key_of(std::size_t depth) {
    const Store& store = scratch_.store;
    TreeKey key;
    key.reserve(longest_key_);
    for (std::size_t i = depth; i < order_.size(); ++i) add_values(key, order_[i]);
    // What is fixed or decided here is so below, where it need not be looked at again.
    const Open& around = open_[depth];
    Open& here = open_[depth + 1];
    here.defined.clear();
    find_breakable(around.constraints, here.constraints);
    for (const int v : around.defined) {
      if (store.fixed(v) || !is_asked_for(v)) continue;
      here.defined.push_back(v);
      key.push_back(v);
      add_values(key, v);
    }
    for (const int c : here.constraints) {
      key.push_back(c);
      add_residue(key, c);
    }
    longest_key_ = std::max(longest_key_, key.size());
    return key;
  }

  /// Those that the solutions below can break, out of those around, and the variables that they ask for.
  ///
  /// A definition is left out where it forbids nothing (image.h) and nothing else that is left asks for its
  /// variable. Proof that the solutions below are the same without what is left out: take values of the knobs
  /// under which all the rest holds, with values that are left. In the order of definition, the operands of a
  /// definition that is left out have values that are left, and so has its variable. Then all variables have
  /// such values, and what no values that are left break holds as well. Thus a limit on the sum of all
  /// stages, once it cannot be broken, or on the largest of them, which is a limit on each, no longer joins
  /// them.
  void find_breakable(const std::vector<int>& around, std::vector<int>& here) {
    here.clear();
    asked_for_.assign(engine_.system().variables().size(), 0);
    // A definition stands before all that uses its variable.
    for (const int c : std::views::reverse(around)) {
      if (engine_.entailed(scratch_.store, c)) continue;
      const Constraint& constraint = engine_.system().constraints()[static_cast<std::size_t>(c)];
      if (engine_.system().is_definition(c) && !is_asked_for(result_of(constraint.body)->variable().index) &&
          gives_a_value_left(scratch_.store, constraint.body))
        continue;
      here.push_back(c);
      for (const Var v : engine_.variables_of(c)) asked_for_[static_cast<std::size_t>(v.index)] = 1;
    }
    std::reverse(here.begin(), here.end());
  }

  bool is_asked_for(int v) const { return asked_for_[static_cast<std::size_t>(v)] != 0; }

  void add_residue(TreeKey& key, int c) const {
    const Store& store = scratch_.store;
    const Constraint& constraint = engine_.system().constraints()[static_cast<std::size_t>(c)];
    if (const auto* sum = std::get_if<Linear>(&constraint.body); sum && constraint.when.empty()) {
      __int128 fixed = 0;
      for (const Scaled& term : sum->terms)
        if (store.fixed(term.variable.index))
          fixed += static_cast<__int128>(term.coefficient) * store.low(term.variable.index);
      if (sum->right.is_variable() && store.fixed(sum->right.variable().index))
        fixed -= store.low(sum->right.variable().index);
      key.push_back(static_cast<std::int64_t>(fixed));
      key.push_back(static_cast<std::int64_t>(fixed >> 64));
      return;
    }
    for (const Var v : engine_.variables_of(c))
      if (store.fixed(v.index)) key.push_back(store.low(v.index));
  }

  static constexpr std::uint32_t none = ~std::uint32_t{0};

  const Engine& engine_;
  const Tree::Limits& limits_;
  Engine::Scratch scratch_;
  std::vector<int> order_;
  std::vector<std::unordered_map<TreeKey, std::uint32_t, TreeKeyHash>> seen_;  ///< of each depth
  std::vector<State> before_;
  /// Of the node above each depth: the variables that are not fixed, the constraints that can be broken.
  struct Open {
    std::vector<int> defined, constraints;
  };
  std::vector<Open> open_;
  std::vector<char> asked_for_;
  std::size_t longest_key_ = 0;
  std::uint64_t words_ = 0;
  const char* over_ = nullptr;
  Tree tree_;
};

std::variant<Tree, Tree::TooLarge> Tree::build(const Engine& engine, const Limits& limits) {
  return TreeBuilder(engine, limits).build();
}

Point Tree::point(std::uint64_t i) const {
  ensure(i < count_, "point {} of {}", i, count_);
  Point knobs(system_->variables().size());
  std::uint32_t at = root_;
  for (const int knob : order_) {
    const Node& node = nodes_[at];
    // The last edge that begins at or before i.
    const auto after = std::upper_bound(edges_.begin() + node.first, edges_.begin() + node.last, i,
                                        [](std::uint64_t x, const Edge& edge) { return x < edge.before; });
    const Edge& edge = *std::prev(after);
    knobs[static_cast<std::size_t>(knob)] = edge.value;
    i -= edge.before;
    at = edge.child;
  }
  auto point = complete(*system_, std::move(knobs));
  ensure(point.has_value(), "a solution has no values for its defined variables");
  return std::move(*point);
}

std::optional<std::uint64_t> Tree::index_of(const Point& point) const {
  if (count_ == 0 || !is_solution(*system_, point)) return std::nullopt;
  std::uint64_t index = 0;
  std::uint32_t at = root_;
  for (const int knob : order_) {
    const Node& node = nodes_[at];
    const std::int64_t value = point[static_cast<std::size_t>(knob)];
    const auto edge = std::lower_bound(edges_.begin() + node.first, edges_.begin() + node.last, value,
                                       [](const Edge& e, std::int64_t x) { return e.value < x; });
    ensure(edge != edges_.begin() + node.last && edge->value == value, "a solution is not in the tree");
    index += edge->before;
    at = edge->child;
  }
  return index;
}

std::optional<Point> Tree::find(const std::vector<const Domain*>& allowed, const ValueOrder& order) const {
  if (count_ == 0) return std::nullopt;
  Point knobs(system_->variables().size());
  std::unordered_set<std::uint32_t> empty;  // branches without such a solution, whatever leads to them
  const auto below = [&](const auto& self, std::uint32_t at, std::size_t depth) -> bool {
    if (depth == order_.size()) return true;
    const Node& node = nodes_[at];
    const auto first = edges_.begin() + node.first, last = edges_.begin() + node.last;
    const int knob = order_[depth];
    const Domain* of_knob = allowed[static_cast<std::size_t>(knob)];
    std::vector<std::int64_t> values;
    for (auto edge = first; edge != last; ++edge)
      if (!of_knob || of_knob->contains(edge->value)) values.push_back(edge->value);
    if (values.size() > 1) order(knob, values);
    for (const std::int64_t value : values) {
      const auto edge =
          std::lower_bound(first, last, value, [](const Edge& e, std::int64_t x) { return e.value < x; });
      if (empty.contains(edge->child)) continue;
      knobs[static_cast<std::size_t>(knob)] = value;
      if (self(self, edge->child, depth + 1)) return true;
    }
    empty.insert(at);
    return false;
  };
  if (!below(below, root_, 0)) return std::nullopt;
  auto point = complete(*system_, std::move(knobs));
  ensure(point.has_value(), "a solution has no values for its defined variables");
  return point;
}

std::uint64_t Tree::below(Random& random, std::uint64_t n) {
  const std::uint64_t rest = -n % n;  // 2^64 mod n: draws below it would favour small results
  std::uint64_t draw = random.next();
  while (draw < rest) draw = random.next();
  return draw % n;
}

}  // namespace ardea::space
