#include "tests/random/dependent_loops.h"

namespace ardea::random_programs {

namespace {

constexpr std::size_t most_iterations = 300;

class LoopDraw {
 public:
  explicit LoopDraw(Random& random) : random_(random) {}

  DependentLoops draw() {
    drawn_.has_uneven_tiles = random_.chance(0.3);
    drawn_.has_short_rows = !drawn_.has_uneven_tiles && random_.chance(0.35);
    if (drawn_.has_uneven_tiles) draw_uneven_tiles();
    if (drawn_.has_short_rows) draw_short_rows();
    const auto depth = static_cast<std::size_t>(random_.integer(1, 4));
    while (loops_.size() < depth && !drawn_.has_uneven_tiles && !drawn_.has_short_rows)
      loops_.push_back(bounds_of_loop(loops_.size()));
    Point point;
    enumerate(point);
    return drawn_;
  }

 private:
  LoopBounds bounds_of_loop(std::size_t k) {
    const std::int64_t n = random_.integer(2, 5), c = random_.integer(1, 3);
    if (k == 0 || random_.chance(0.45)) return {random_.chance(0.7) ? 0 : c, n};
    const IndexExpression o = any_loop(random_, k);
    switch (random_.integer(0, 12)) {
      case 0: return {0, o};
      case 1: return {0, o + c};
      case 2: return {0, n - o};
      case 3: return {0, floor_div(n + 2, greatest(o, 0) + 1)};
      case 4: return {o, n};
      case 5: return {n - o, n};
      case 6: return {o, n - o};
      case 7: return {floor_div(o, 2), n};
      case 8: return {0, floor_mod(o, 2) + c};
      case 9: return {0, least(n, o + c)};
      case 10: return {greatest(o - c, 0), n};
      case 11: return {o * c, c};
      default: return {0, least(n, n + c - o * n)};
    }
  }

  /// Two loops of their own and an inner one whose length or start depends on one of them.
  void draw_uneven_tiles() {
    const std::int64_t n = random_.integer(3, 8), c = random_.integer(2, 4);
    while (loops_.size() < 2 && (loops_.empty() || random_.chance(0.6)))
      loops_.push_back({random_.integer(0, 1), random_.integer(2, 4)});
    const IndexExpression o = any_loop(random_, loops_.size());
    switch (random_.integer(0, 5)) {
      case 0: return loops_.push_back({0, o});
      case 1: return loops_.push_back({0, floor_div(n, o + 1)});
      case 2: return loops_.push_back({0, o + c});
      case 3: return loops_.push_back({c - o, c + 1});
      case 4: return loops_.push_back({o, c});
      default: return loops_.push_back({o * (c - 1), c});
    }
  }

  /// A loop, and one to three in it: their extents become negative, mostly those of several loops in the same
  /// iterations.
  void draw_short_rows() {
    loops_.push_back({random_.integer(0, 1), random_.integer(4, 7)});
    for (std::int64_t inner = random_.integer(1, 3); inner > 0; --inner) {
      const std::int64_t n = random_.integer(1, 4), c = random_.integer(1, 3);
      const IndexExpression o =
          random_.chance(0.8) ? IndexExpression::loop(0) : any_loop(random_, loops_.size());
      const IndexExpression start = random_.chance(0.6) ? 0 : random_.chance(0.5) ? IndexExpression(c) : o;
      switch (random_.integer(0, 6)) {
        case 0:
        case 1: loops_.push_back({start, n - o}); break;
        case 2: loops_.push_back({start, n - o * c}); break;
        case 3: loops_.push_back({start, o - n}); break;
        case 4: loops_.push_back({start, floor_div(n + c - o, c)}); break;
        case 5: loops_.push_back({start, least(1, n - o)}); break;
        default: loops_.push_back({start, n}); break;
      }
    }
  }

  void enumerate(Point& point) {
    std::vector<Point>& points = drawn_.instances.points;
    if (points.size() > most_iterations) return;
    if (point.size() == loops_.size()) {
      points.push_back(point);
      return;
    }
    const LoopBounds& loop = loops_[point.size()];
    const std::int64_t min = loop.min.value(point), extent = loop.extent.value(point);
    for (std::int64_t i = min; i < min + extent; ++i) {
      point.push_back(i);
      enumerate(point);
      point.pop_back();
    }
  }

  Random& random_;
  DependentLoops drawn_;
  std::vector<LoopBounds>& loops_ = drawn_.bounds;
};

}  // namespace

IndexExpression any_loop(Random& random, std::size_t depth) {
  return IndexExpression::loop(
      static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(depth) - 1)));
}

DependentLoops dependent_loops(Random& random) {
  while (true) {
    DependentLoops drawn = LoopDraw(random).draw();
    const std::size_t iterations = drawn.instances.points.size();
    if (iterations >= 2 && iterations <= most_iterations && drawn.bounds.size() >= 2) return drawn;
  }
}

}  // namespace ardea::random_programs
