#include "tests/random/dependent_nests.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "ardea/arith/regions.h"
#include "ardea/arith/verify.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "tests/random/index_expression.h"

namespace ardea::random_programs {

namespace {

using Point = std::vector<std::int64_t>;
using Indices = std::vector<IndexExpression>;

struct LoopBounds {
  IndexExpression min, extent;
};

/// A comparison of expressions of loops.
struct Guard {
  IndexExpression left, right;
  char op = '<';  ///< '<', or '=' for ==

  bool holds(const Point& loops) const {
    const std::int64_t a = left.value(loops), b = right.value(loops);
    return op == '<' ? a < b : a == b;
  }
  std::string text(const std::vector<std::string>& names) const {
    return fmt::format("{} {} {}", left.text(names), op == '<' ? "<" : "==", right.text(names));
  }
};

struct Memory {
  std::string name;
  Point shape;
  enum Role { input, output, filled, temporary } role = input;
};

std::string pad(std::size_t depth) { return std::string(4 * depth, ' '); }

class DependentNests {
 public:
  DependentNests(Random& random, bool is_cautious) : random_(random), is_cautious_(is_cautious) {}

  std::string text() {
    for (std::int64_t nests = random_.integer(1, 2); nests > 0; --nests) add_nest();
    std::string head, allocated, fills;
    for (const Memory& tensor : tensors_) {
      const std::string shape = fmt::format("({},)", join(texts(tensor.shape), ", "));
      if (tensor.role == Memory::input || tensor.role == Memory::output)
        head += fmt::format("{}{}: T.Buffer({}, \"int32\")", head.empty() ? "" : ", ", tensor.name, shape);
      else
        allocated += fmt::format("    {} = T.alloc_buffer({}, \"int32\")\n", tensor.name, shape);
      if (tensor.role == Memory::filled) fills += whole("fill", tensor, tensor.name, std::nullopt);
    }
    return "@T.prim_func\ndef dependent(" + head + "):\n" + allocated + fills + text_;
  }

  /// Whether a reduction of the program comes to the same values of its iterators twice: it is none.
  bool counts_twice() const { return counts_twice_; }

 private:
  // --- loops ---

  static IndexExpression var(std::size_t k) { return IndexExpression::loop(k); }

  IndexExpression any_var(std::size_t depth) {
    return var(static_cast<std::size_t>(random_.integer(0, static_cast<std::int64_t>(depth) - 1)));
  }

  LoopBounds bounds_of_loop(std::size_t k) {
    const std::int64_t n = random_.integer(2, 5), c = random_.integer(1, 3);
    if (k == 0 || random_.chance(0.45)) return {random_.chance(0.7) ? 0 : c, n};
    const IndexExpression o = any_var(k);
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

  /// Two loops of their own and an inner one whose length or start depends on one of them: its ranges look
  /// like tiles, and are none where they differ in length, or lie askew.
  void draw_uneven_tiles() {
    const std::int64_t n = random_.integer(3, 8), c = random_.integer(2, 4);
    while (loops_.size() < 2 && (loops_.empty() || random_.chance(0.6)))
      loops_.push_back({random_.integer(0, 1), random_.integer(2, 4)});
    const IndexExpression o = any_var(loops_.size());
    switch (random_.integer(0, 5)) {
      case 0: return loops_.push_back({0, o});
      case 1: return loops_.push_back({0, floor_div(n, o + 1)});
      case 2: return loops_.push_back({0, o + c});
      case 3: return loops_.push_back({c - o, c + 1});
      case 4: return loops_.push_back({o, c});
      default: return loops_.push_back({o * (c - 1), c});
    }
  }

  /// A loop, and one to three in it that run ever fewer iterations, and in the end none: their extents become
  /// negative, mostly those of several loops in the same iterations.
  void draw_short_rows() {
    loops_.push_back({random_.integer(0, 1), random_.integer(4, 7)});
    for (std::int64_t inner = random_.integer(1, 3); inner > 0; --inner) {
      const std::int64_t n = random_.integer(1, 4), c = random_.integer(1, 3);
      const IndexExpression o = random_.chance(0.8) ? var(0) : any_var(loops_.size());
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

  /// Draws loops until they run a few iterations.
  void draw_loops() {
    do {
      loops_.clear();
      has_uneven_tiles_ = random_.chance(0.3);
      has_short_rows_ = !has_uneven_tiles_ && random_.chance(0.35);
      if (has_uneven_tiles_) draw_uneven_tiles();
      if (has_short_rows_) draw_short_rows();
      const auto depth = static_cast<std::size_t>(random_.integer(1, 4));
      while (loops_.size() < depth && !has_uneven_tiles_ && !has_short_rows_)
        loops_.push_back(bounds_of_loop(loops_.size()));
      points_.clear();
      Point point;
      enumerate(point);
    } while (points_.size() < 2 || points_.size() > 300 || loops_.size() < 2);
  }

  void enumerate(Point& point) {
    if (points_.size() > 300) return;
    if (point.size() == loops_.size()) {
      points_.push_back(point);
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

  /// The least and greatest value over all iterations of the loops.
  std::pair<std::int64_t, std::int64_t> reach(const IndexExpression& e) const {
    std::int64_t low = e.value(points_[0]), high = low;
    for (const Point& point : points_) {
      low = std::min(low, e.value(point));
      high = std::max(high, e.value(point));
    }
    return {low, high};
  }

  // --- indices ---

  IndexExpression linear(std::size_t depth) {
    IndexExpression sum = any_var(depth);
    for (std::int64_t terms = random_.integer(0, 2); terms > 0; --terms) {
      // One statement a draw: compilers evaluate the operands of one in any order, and a seed is to name the
      // same program everywhere.
      const IndexExpression term = any_var(depth);
      sum = sum + term * random_.integer(random_.chance(0.2) ? -2 : 1, 5);
    }
    return sum;
  }

  /// As a nest of rectangular loops of the greatest extents would number its iterations.
  IndexExpression row_major(std::size_t depth) {
    IndexExpression sum = 0;
    for (std::size_t k = 0; k < depth; ++k) {
      const auto [low, high] = reach(var(k));
      sum = sum * (high - low + 1) + (random_.chance(0.8) ? var(k) - low : var(k));
    }
    return sum;
  }

  /// Ranges of an inner loop, one after the other: their length may depend on a loop.
  IndexExpression tile(std::size_t depth) {
    if (!is_of_loops_) return linear(depth);
    const auto inner =
        has_uneven_tiles_
            ? depth - 1
            : static_cast<std::size_t>(random_.integer(0, static_cast<std::int64_t>(depth) - 1));
    const LoopBounds& loop = loops_[inner];
    const IndexExpression outer = any_var(depth);
    return loop.extent * outer + (random_.chance(0.5) ? var(inner) : var(inner) - loop.min);
  }

  IndexExpression any_index(std::size_t depth) {
    const std::int64_t c = random_.integer(1, 4);
    const IndexExpression v = any_var(depth);
    const std::int64_t last = reach(v).second;
    switch (random_.integer(0, 13)) {
      case 0: return v;
      case 1: return v + c;
      case 2:
      case 3: return linear(depth);
      case 4:
      case 5: return row_major(depth);
      case 6: {
        const IndexExpression product = v * any_var(depth);
        return product + any_var(depth);
      }
      case 7:
      case 8: return tile(depth);
      case 9: return floor_div(linear(depth), c);
      case 10: return floor_mod(linear(depth), c + 1);
      case 11: return least(v + c, last);
      case 12: return greatest(v - c, 0);
      default: return last - v;
    }
  }

  /// One to three of them, some of which tell all iterations apart.
  Indices any_indices(std::size_t depth) {
    Indices indices;
    if (has_uneven_tiles_ && depth == loops_.size() && random_.chance(0.4)) return {tile(depth)};
    if (random_.chance(0.3))
      for (std::size_t k = 0; k < depth && indices.size() < 3; ++k)
        if (random_.chance(0.6)) indices.push_back(var(k));
    if (random_.chance(0.1)) {
      const IndexExpression both = row_major(depth);
      const std::int64_t c = random_.integer(2, 4);
      indices = {floor_div(both, c), floor_mod(both, c)};
    }
    if (indices.empty() || (indices.size() < 3 && random_.chance(0.3))) indices.push_back(any_index(depth));
    return indices;
  }

  Point at(const Indices& indices, const Point& point) const {
    Point place;
    for (const IndexExpression& index : indices) place.push_back(index.value(point));
    return place;
  }

  /// Moves the indices so that none is negative, and lets the tensor reach there, and have `room` on both
  /// sides.
  void fit(Memory& tensor, Indices& indices, std::int64_t room = 0) {
    tensor.shape.resize(indices.size(), 1);
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const auto [low, high] = reach(indices[d]);
      const std::int64_t shift = low < room ? room - low : 0;
      if (shift > 0) indices[d] = indices[d] + shift;
      tensor.shape[d] = std::max(tensor.shape[d], high + shift + room + 1);
    }
  }

  Memory& new_tensor(Memory::Role role) {
    tensors_.push_back({fmt::format("{}{}", "ABCT"[role], tensors_.size()), {}, role});
    return tensors_.back();
  }

  std::string access(const Memory& tensor, const Indices& indices) const {
    std::vector<std::string> list;
    for (const IndexExpression& index : indices) list.push_back(index.text(iterators_));
    return fmt::format("{}[{}]", tensor.name, join(list, ", "));
  }

  // --- blocks ---

  std::string read(Indices indices, const Memory* written) {
    std::vector<Memory*> sources;
    for (Memory& tensor : tensors_)
      if (&tensor != written && tensor.role != Memory::temporary) sources.push_back(&tensor);
    Memory* source = sources.empty() || random_.chance(0.5) ? nullptr : random_.pick(sources);
    if (source != nullptr && source->shape.size() != indices.size()) source = nullptr;
    if (source == nullptr) {
      // The pointer to what is written stays valid: tensors are never moved.
      source = &new_tensor(Memory::input);
    }
    fit(*source, indices);
    return access(*source, indices);
  }

  /// Something that differs from iteration to iteration.
  std::string value(std::size_t depth, const Memory* written) {
    const Indices indices = any_indices(depth);
    std::string sum = read(indices, written);
    // A second one: elsewhere, or at the same place, mostly of another tensor.
    const double more = random_.real();
    if (more < 0.2)
      sum += " + " + read(any_indices(depth), written);
    else if (more < 0.4)
      sum += " * 2 + " + read(indices, written);
    if (random_.chance(0.3)) sum += fmt::format(" + T.cast({}, \"int32\")", linear(depth).text(iterators_));
    return sum;
  }

  Guard any_guard(std::size_t depth) {
    const std::int64_t c = random_.integer(1, 6);
    switch (random_.integer(0, 4)) {
      case 0: return {linear(depth), c};
      case 1: {
        const IndexExpression factor = any_var(depth);
        return {factor * any_var(depth), c};
      }
      case 2: return {floor_mod(linear(depth), 2), 0, '='};
      case 3: return {any_var(depth), any_var(depth) + 1};
      default: return {floor_div(linear(depth), 2), c};
    }
  }

  /// Whether different iterations have different places.
  bool tells_apart(const Indices& indices, std::size_t depth) const {
    std::map<Point, Point> seen;
    for (const Point& point : points_) {
      const Point prefix(point.begin(), point.begin() + static_cast<std::ptrdiff_t>(depth));
      const auto [found, is_new] = seen.emplace(at(indices, point), prefix);
      if (!is_new && found->second != prefix) return false;
    }
    return true;
  }

  void open_block(std::size_t depth, const std::string& kind, bool may_be_guarded = true) {
    text_ += pad(depth + 1) + fmt::format("with T.block(\"b{}\"):\n", blocks_++);
    iterators_.clear();
    for (std::size_t k = 0; k < depth; ++k) {
      const auto [low, high] = reach(var(k));
      iterators_.push_back(fmt::format("v{}", k));
      text_ += pad(depth + 2) +
               fmt::format("v{} = T.axis.{}(({}, {}), {})\n", k, kind, low, high + 1, loop_names_[k]);
    }
    if (may_be_guarded && random_.chance(0.2))
      text_ += pad(depth + 2) + fmt::format("T.where({})\n", any_guard(depth).text(loop_names_));
  }

  /// The statement, inside so many loops, in each iteration or where a condition of the iterators holds.
  std::string guarded(std::size_t depth, const std::string& store) {
    if (!random_.chance(0.15)) return pad(depth + 2) + store;
    return pad(depth + 2) + fmt::format("if {}:\n", any_guard(iterators_.size()).text(iterators_)) +
           pad(depth + 3) + store;
  }

  /// A store in every iteration: of something new, of what was there and something new, of what was
  /// elsewhere.
  void map_block(std::size_t depth) {
    std::vector<Memory*> targets;
    for (Memory& tensor : tensors_)
      if (tensor.role == Memory::output || tensor.role == Memory::filled) targets.push_back(&tensor);
    Indices indices = any_indices(depth);
    Memory* target = targets.empty() || random_.chance(0.7) ? nullptr : random_.pick(targets);
    const bool is_consumed =
        target == nullptr && depth == loops_.size() && random_.chance(0.5) && covers_a_box(indices);
    if (target == nullptr || target->shape.size() != indices.size())
      target = &new_tensor(is_consumed           ? Memory::temporary
                           : random_.chance(0.7) ? Memory::output
                                                 : Memory::filled);
    fit(*target, indices);
    if (is_consumed) consumed_.push_back(target);
    const double how = is_consumed ? 0 : random_.real();
    std::string kind = random_.chance(0.8) ? "opaque" : "scan";
    const bool may_be_spatial = how < 0.8 && tells_apart(indices, depth);
    if (may_be_spatial && !is_cautious_ && random_.chance(0.6)) kind = "spatial";
    open_block(depth, kind, !is_consumed);
    const std::string place = access(*target, indices);
    std::string what;
    if (how < 0.6) {
      what = value(depth, target);
    } else if (how < 0.8) {
      what = place + " + " + value(depth, target);
    } else {
      Indices other = indices;
      other[0] = random_.chance(0.5) ? any_index(depth) : other[0] + random_.integer(-2, 2);
      fit(*target, other);
      what = access(*target, other) + " + " + value(depth, target);
    }
    const std::string store = fmt::format("{} = {}\n", place, what);
    text_ += is_consumed ? pad(depth + 2) + store : guarded(depth, store);
  }

  /// One block writes what the next one reads, in each iteration.
  void passed_on(std::size_t depth) {
    Indices between = any_indices(depth);
    Memory& passed = new_tensor(Memory::temporary);
    fit(passed, between);
    open_block(depth, "opaque", false);
    text_ += pad(depth + 2) + fmt::format("{} = {}\n", access(passed, between), value(depth, &passed));
    Indices indices = any_indices(depth);
    Memory& target = new_tensor(Memory::output);
    fit(target, indices);
    open_block(depth, "opaque");
    text_ += guarded(depth, fmt::format("{} = {} + {}\n", access(target, indices), access(passed, between),
                                        value(depth, &target)));
  }

  /// A block that leaves loops around it out of its bindings, all of them at times: how often it runs, if at
  /// all, is in what it leaves behind. Mostly its iterators and tensors have room for more than the loops
  /// reach, so that no bound but the loops' own says which iterations there are.
  void counting_block(std::size_t depth) {
    Indices bound;
    const auto left_out = static_cast<std::size_t>(random_.integer(0, static_cast<std::int64_t>(depth) - 1));
    for (std::size_t k = 0; k < depth; ++k)
      if (k != left_out && random_.chance(0.6))
        bound.push_back(random_.chance(0.8) ? var(k) : var(k) + random_.integer(1, 5));
    if (bound.empty() || random_.chance(0.1)) bound.push_back(random_.integer(0, 3));
    const std::int64_t room = random_.chance(0.7) ? random_.integer(1, 8) : 0;
    const char* kind = random_.chance(0.9) ? "opaque" : "scan";
    text_ += pad(depth + 1) + fmt::format("with T.block(\"b{}\"):\n", blocks_++);
    iterators_.clear();
    for (std::size_t k = 0; k < bound.size(); ++k) {
      const auto [low, high] = reach(bound[k]);
      iterators_.push_back(fmt::format("v{}", k));
      text_ += pad(depth + 2) + fmt::format("v{} = T.axis.{}(({}, {}), {})\n", k, kind, low - room,
                                            high + room + 1, bound[k].text(loop_names_));
    }
    if (random_.chance(0.2))
      text_ += pad(depth + 2) + fmt::format("T.where({})\n", any_guard(depth).text(loop_names_));
    std::vector<Point> instances;
    for (const Point& point : points_) instances.push_back(at(bound, point));
    std::swap(points_, instances);
    is_of_loops_ = false;
    Indices indices;
    if (random_.chance(0.5))
      for (std::size_t k = 0; k < bound.size(); ++k) indices.push_back(var(k));
    else
      indices = any_indices(bound.size());
    Memory& target = new_tensor(random_.chance(0.7) ? Memory::output : Memory::filled);
    fit(target, indices, room);
    const std::string place = access(target, indices), what = value(bound.size(), &target);
    const double how = random_.real();
    const std::string before = how < 0.5 ? place + " + " : how < 0.7 ? place + " * 3 + " : "";
    text_ += guarded(depth, fmt::format("{} = {}{}\n", place, before, what));
    std::swap(points_, instances);
    is_of_loops_ = true;
  }

  /// Whether every element's first instance is the one that runs the init, and no other is.
  bool init_comes_first(const Indices& spatial, const Indices& reduce) const {
    Point start;
    for (const IndexExpression& binding : reduce) start.push_back(reach(binding).first);
    std::set<Point> begun;
    for (const Point& point : points_)
      if (begun.insert(at(spatial, point)).second != (at(reduce, point) == start)) return false;
    return true;
  }

  /// Whether the loop has two iterations or more somewhere.
  bool repeats(std::size_t k) const {
    return std::any_of(points_.begin(), points_.end(),
                       [&](const Point& point) { return loops_[k].extent.value(point) > 1; });
  }

  /// A sum over some of the loops; a reduce or a spatial iterator may be a number of two of them. A loop of
  /// at most one iteration may be left out.
  bool reduction(std::size_t depth) {
    Indices spatial, reduce;
    for (std::size_t k = 0; k < depth; ++k) {
      if (!repeats(k) && random_.chance(0.5)) continue;
      (random_.chance(0.5) ? spatial : reduce).push_back(var(k));
    }
    if (reduce.empty()) return false;
    Indices& joined = random_.chance(0.7) ? reduce : spatial;
    if (joined.size() >= 2 && random_.chance(0.7)) {
      // Mostly by as many as the inner one has values, as a split would have left them.
      const auto [low, high] = reach(joined.back());
      const std::int64_t inner = loops_.back().extent.value(points_[0]);
      const std::int64_t by = random_.chance(0.5)   ? inner
                              : random_.chance(0.5) ? high - low + 1
                                                    : random_.integer(1, 5);
      const IndexExpression both = joined[joined.size() - 2] * by + joined.back();
      joined.pop_back();
      joined.back() = both;
    }
    if (!init_comes_first(spatial, reduce)) return false;
    const bool is_consumed = random_.chance(0.5) && covers_a_box(spatial);
    Indices instance = spatial;
    instance.insert(instance.end(), reduce.begin(), reduce.end());
    counts_twice_ = counts_twice_ || !tells_apart(instance, depth);
    text_ += pad(depth + 1) + fmt::format("with T.block(\"b{}\"):\n", blocks_++);
    iterators_.clear();
    const Indices& all = instance;
    Indices places;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const auto [low, high] = reach(all[k]);
      if (k < spatial.size()) places.push_back(var(k));
      iterators_.push_back(fmt::format("v{}", k));
      text_ += pad(depth + 2) + fmt::format("v{} = T.axis.{}(({}, {}), {})\n", k,
                                            k < spatial.size() ? "spatial" : "reduce", low, high + 1,
                                            all[k].text(loop_names_));
    }
    if (places.empty()) places.push_back(0);
    // From here on the iterators are what indices are made of.
    std::vector<Point> instances;
    for (const Point& point : points_) instances.push_back(at(all, point));
    std::swap(points_, instances);
    is_of_loops_ = false;
    Memory& target = new_tensor(is_consumed ? Memory::temporary : Memory::output);
    fit(target, places);
    const std::string place = access(target, places);
    text_ += pad(depth + 2) + "with T.init():\n" + pad(depth + 3) + place + " = 0\n";
    text_ += pad(depth + 2) + fmt::format("{} = {} + {}\n", place, place, value(all.size(), &target));
    std::swap(points_, instances);
    is_of_loops_ = true;
    if (is_consumed) consumed_.push_back(&target);
    return true;
  }

  /// Whether the values reach every element from 0 on to their greatest.
  bool covers_a_box(const Indices& indices) const {
    std::set<Point> reached;
    for (const Point& point : points_) reached.insert(at(indices, point));
    std::size_t elements = 1;
    for (const IndexExpression& index : indices) {
      const auto [low, high] = reach(index);
      if (low != 0) return false;
      elements *= static_cast<std::size_t>(high + 1);
    }
    return reached.size() == elements;
  }

  // --- programs ---

  /// Rectangular loops over the whole of a tensor, that write a tensor of its shape.
  static std::string whole(const char* how, const Memory& tensor, const std::string& written,
                           const std::optional<std::string>& read) {
    std::vector<std::string> vars, places;
    std::string head;
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
      vars.push_back(fmt::format("f{}", d));
      places.push_back(fmt::format("u{}", d));
      head += pad(3) + fmt::format("u{} = T.axis.spatial({}, f{})\n", d, tensor.shape[d], d);
    }
    return fmt::format(
        "    for {} in T.grid({}):\n        with T.block(\"{}_{}\"):\n{}            {}[{}] = {}\n",
        join(vars, ", "), join(texts(tensor.shape), ", "), how, tensor.name, head, written,
        join(places, ", "), read ? fmt::format("{}[{}] * 3", *read, join(places, ", ")) : "2");
  }

  static std::vector<std::string> texts(const Point& numbers) {
    std::vector<std::string> list;
    for (const std::int64_t number : numbers) list.push_back(std::to_string(number));
    return list;
  }

  /// A block at that depth, or two.
  void add_blocks(std::size_t depth) {
    if (random_.chance(has_short_rows_ ? 0.7 : 0.08)) return counting_block(depth);
    const double what = random_.real();
    if (what < 0.3 && reduction(depth)) return;
    if (what < 0.4) return passed_on(depth);
    map_block(depth);
    if (what > 0.9) map_block(depth);
  }

  /// What was computed for others is read, as it lies.
  void read_consumed() {
    for (Memory* tensor : consumed_) {
      Memory& out = new_tensor(Memory::output);
      out.shape = tensor->shape;
      text_ += whole("use", *tensor, out.name, tensor->name);
    }
    consumed_.clear();
  }

  void add_nest() {
    draw_loops();
    const std::size_t depth = loops_.size();
    loop_names_.clear();
    for (std::size_t k = 0; k < depth; ++k) loop_names_.push_back(fmt::format("i{}_{}", nests_, k));
    ++nests_;
    // What stands beside the inner loops, if anything: in front of them.
    const std::size_t beside =
        random_.chance(0.12)
            ? static_cast<std::size_t>(random_.integer(1, static_cast<std::int64_t>(depth) - 1))
            : 0;
    for (std::size_t k = 0; k < depth; ++k) {
      const std::string min = loops_[k].min.text(loop_names_), extent = loops_[k].extent.text(loop_names_);
      text_ += pad(k + 1) + fmt::format("for {} in range({}, {} + {}):\n", loop_names_[k], min, min, extent);
      if (k + 1 == beside) map_block(k + 1);
    }
    add_blocks(depth);
    read_consumed();
  }

  Random& random_;
  bool is_cautious_;
  std::deque<Memory> tensors_;  ///< never moved
  std::string text_;
  std::size_t blocks_ = 0, nests_ = 0;
  bool counts_twice_ = false;
  // Of the nest under way:
  std::vector<LoopBounds> loops_;
  bool has_uneven_tiles_ = false, has_short_rows_ = false;
  std::vector<Memory*> consumed_;  ///< that the next loops are to read
  std::vector<std::string> loop_names_;
  // Of the block under way:
  std::vector<Point> points_;           ///< the values of what indices are made of, in each iteration
  std::vector<std::string> iterators_;  ///< their names
  bool is_of_loops_ = true;             ///< they are the loops' own values
};

}  // namespace

Function dependent_nests(Random& random) {
  // What cannot be proved of its bindings and iterator kinds is no program: then another one is drawn, after
  // a few only with iterators of which nothing must be proved.
  for (int attempt = 0; attempt < 40; ++attempt) {
    DependentNests nests(random, attempt > 3);
    const Function program = arith::complete_regions(parse_function(nests.text()));
    if (!arith::verify(program).empty()) continue;
    if (nests.counts_twice())
      throw InternalError("verify accepts a reduction that counts elements twice:\n" + print(program));
    return program;
  }
  throw InternalError("none of forty random nests verifies");
}

}  // namespace ardea::random_programs
