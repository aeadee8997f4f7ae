#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "ardea/space/search.h"

namespace ardea::space {

/// All solutions of a system: the tree of choices of one knob after another, without the branches that end in
/// nothing, and with equal branches kept once. So the number of solutions is exact, the i-th is found by
/// walking down, and samples are uniform.
///
/// Two branches are equal where the knobs that are still open have the same values left and every constraint
/// that can still be broken asks the same of them. Then their solutions below are the same, knob by knob.
/// Knobs are asked in the order of their declaration: those that constraints join should stand together.
class Tree {
 public:
  struct Limits {
    std::uint64_t work = 5'000'000;    ///< propagators run: about half a second
    std::uint64_t words = 16'000'000;  ///< of memory for what branches are recognised by
  };
  struct TooLarge {
    std::uint64_t work;
    const char* what;  ///< which limit was met
  };

  static std::variant<Tree, TooLarge> build(const Engine& engine, const Limits& limits);

  std::uint64_t count() const { return count_; }
  std::uint64_t work() const { return work_; }
  std::size_t nodes() const { return nodes_.size(); }

  /// The solution number i < count(): in the order of the knobs' values, the knob declared first slowest.
  Point point(std::uint64_t i) const;
  /// Its number, or nothing where the point is no solution.
  std::optional<std::uint64_t> index_of(const Point& point) const;
  Point sample(Random& random) const { return point(below(random, count_)); }

  /// A solution whose knobs take values of these sets alone (by variable; null: any), or nothing where there
  /// is none: knobs in the tree's order, the values of each in the order given. A branch is tried once,
  /// wherever it is met.
  std::optional<Point> find(const std::vector<const Domain*>& allowed, const ValueOrder& order) const;

  /// Uniform in [0, n), exactly.
  static std::uint64_t below(Random& random, std::uint64_t n);

 private:
  friend class TreeBuilder;
  struct Edge {
    std::int64_t value;
    std::uint32_t child;
    std::uint64_t before;  ///< solutions below the edges to its left
  };
  struct Node {
    std::uint32_t first, last;  ///< its edges
    std::uint64_t count;
  };

  const System* system_ = nullptr;
  std::vector<int> order_;  ///< the knobs' variables, from the root on
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::uint32_t root_ = 0;
  std::uint64_t count_ = 0, work_ = 0;
};

}  // namespace ardea::space
