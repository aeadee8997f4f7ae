#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "ardea/ardea.h"
#include "ardea/support/random.h"

/// F = exp(A · B) · E, from the naive program to one that uses the machine, a step at a time. Every step is
/// timed, and its result compared with the first one's. docs/walkthrough.md explains what is seen.
///
///   walkthrough [M K L N]

using namespace ardea;
using namespace ardea::schedule;

namespace {

struct Sizes {
  std::int64_t m = 1024, k = 2048, l = 1024, n = 3072;
};

Function two_products(const Sizes& sizes) {
  const te::Tensor a = te::placeholder("A", {sizes.m, sizes.k}), b = te::placeholder("B", {sizes.k, sizes.l});
  const te::Tensor e = te::placeholder("E", {sizes.l, sizes.n});
  const te::Axis rk = te::reduce_axis(sizes.k, "rk"), rl = te::reduce_axis(sizes.l, "rl");
  const te::Tensor c = te::compute("C", {{"m", sizes.m}, {"l", sizes.l}},
                                   [&](auto m, auto l) { return te::sum(a(m, rk) * b(rk, l), {rk}); });
  const te::Tensor d =
      te::compute("D", {{"m", sizes.m}, {"l", sizes.l}}, [&](auto m, auto l) { return te::exp(c(m, l)); });
  const te::Tensor f = te::compute("F", {{"m", sizes.m}, {"n", sizes.n}},
                                   [&](auto m, auto n) { return te::sum(d(m, rl) * e(rl, n), {rl}); });
  return te::create_prim_func({a, b, e, f});
}

/// Compiles, times and compares.
class Stopwatch {
 public:
  explicit Stopwatch(const Sizes& s)
      : operations_(2.0 * static_cast<double>(s.m * s.l) * static_cast<double>(s.k + s.n)),
        // All inputs are positive, so that no sum cancels and a bound on the relative error holds for every
        // order of the additions: half a unit in the last place for each, in both programs.
        tolerance_(2 * 6e-8 * static_cast<double>(2 * s.k + s.l + 8)),
        arguments_{filled({s.m, s.k}, 2.0 / static_cast<double>(s.k), 1), filled({s.k, s.l}, 1, 2),
                   filled({s.l, s.n}, 1, 3), runtime::Array::empty({s.m, s.n}, float32)} {}

  /// Seconds a call. Error where the result differs from that of the first program.
  double time(const std::string& title, const Function& program) {
    const std::span<float> result = arguments_.back().values<float>();
    std::fill(result.begin(), result.end(), std::nanf(""));
    const runtime::Function compiled = compile::callable(program, target::host());
    const std::vector<runtime::Value> values(arguments_.begin(), arguments_.end());
    // What takes a second is known well enough from one call.
    double seconds = runtime::TimeEvaluator{.repeat = 1, .warmup = 0}(compiled, values).median_s;
    if (seconds < 1) seconds = runtime::TimeEvaluator{.repeat = 3, .warmup = 0}(compiled, values).median_s;
    check(title, result);
    if (first_seconds_ == 0) first_seconds_ = seconds;
    fmt::print("{:<50} {:9.2f} ms {:8.2f} GFLOP/s {:8.1f} x\n", title, seconds * 1e3,
               operations_ / seconds * 1e-9, first_seconds_ / seconds);
    std::fflush(stdout);
    return seconds;
  }

 private:
  static runtime::Array filled(std::vector<std::int64_t> shape, double most, std::uint64_t seed) {
    runtime::Array array = runtime::Array::empty(std::move(shape), float32);
    Random random(seed);
    for (float& x : array.values<float>()) x = static_cast<float>(random.real() * most);
    return array;
  }

  void check(const std::string& title, std::span<const float> result) {
    if (expected_.empty()) expected_.assign(result.begin(), result.end());
    for (std::size_t i = 0; i < result.size(); ++i) {
      const double error = std::abs(static_cast<double>(result[i]) - expected_[i]);
      // Written so that NaN fails.
      require(error <= tolerance_ * expected_[i], "{}: element {} is {}, but {} in the first program", title,
              i, result[i], expected_[i]);
    }
  }

  const double operations_, tolerance_;
  const std::vector<runtime::Array> arguments_;
  std::vector<float> expected_;
  double first_seconds_ = 0;
};

/// The loops of a product in tiles of 16 rows, 8 steps of the sum and 8 columns, outermost first.
std::vector<LoopRef> tiled(Schedule& s, const std::string& block) {
  const std::vector<LoopRef> loops = s.get_loops(s.get_block(block));
  const auto rows = s.split(loops[0], {none, 16});
  const auto depth = s.split(loops[2], {none, 8});
  const auto columns = s.split(loops[1], {none, 8});
  const std::vector<LoopRef> order = {rows[0], columns[0], depth[0], rows[1], depth[1], columns[1]};
  s.reorder(order);
  return order;
}

/// The sum stands outside the columns, so that B and E are read along their rows.
Function reordered(const Function& program) {
  Schedule s(program);
  for (const char* block : {"C", "F"}) {
    const std::vector<LoopRef> loops = s.get_loops(s.get_block(block));
    s.reorder(loops[0], loops[2], loops[1]);
  }
  return s.program();
}

/// Eight steps of the sum at a time for all rows: the rows of B that are in use stay in the cache.
Function sum_tiled(const Function& program) {
  Schedule s(program);
  for (const char* block : {"C", "F"}) {
    const std::vector<LoopRef> loops = s.get_loops(s.get_block(block));
    const auto depth = s.split(loops[2], {none, 8});
    s.reorder(depth[0], loops[0], depth[1], loops[1]);
  }
  return s.program();
}

Function all_tiled(const Function& program, bool decomposed) {
  Schedule s(program);
  for (const char* block : {"C", "F"}) {
    const std::vector<LoopRef> loops = tiled(s, block);
    if (decomposed) s.decompose_reduction(s.get_block(block), loops[2]);
  }
  return s.program();
}

/// Both products in tiles, exp in the tiles of the first one, and at `last`, how far the fusion goes.
enum class Fusion { none, tiles, rows };
void fuse(Schedule& s, Fusion last) {
  const std::vector<LoopRef> first = tiled(s, "C"), second = tiled(s, "F");
  if (last == Fusion::none) return;
  const std::vector<LoopRef> loops = s.get_loops(s.get_block("D"));
  const auto rows = s.split(loops[0], {none, 16}), columns = s.split(loops[1], {none, 8});
  s.reorder(rows[0], columns[0], rows[1], columns[1]);
  s.merge(first[1], columns[0]);
  if (last == Fusion::tiles) return;
  // What a row of tiles of the second product needs of D is complete when that row of the first one is.
  s.merge(s.get_loops(s.get_block("C"))[0], second[0]);
}

void vectorize(Schedule& s) {
  for (const char* block : {"C", "F"}) s.vectorize(s.get_loops(s.get_block(block)).back());
}

/// Tiles by chance: the same steps with factors that the seed draws.
Schedule sampled(const Function& program, std::uint64_t seed) {
  Schedule s(program, seed);
  for (const char* block : {"C", "F"}) {
    const std::vector<LoopRef> loops = s.get_loops(s.get_block(block));
    std::vector<std::vector<LoopRef>> tiles;
    for (const LoopRef& loop : loops) {
      const auto factors = s.sample_perfect_tile(loop, 2, 64);
      tiles.push_back(s.split(loop, {factors.begin(), factors.end()}));
    }
    s.reorder(tiles[0][0], tiles[1][0], tiles[2][0], tiles[0][1], tiles[2][1], tiles[1][1]);
    s.decompose_reduction(s.get_block(block), tiles[2][0]);
    s.vectorize(tiles[1][1]);
  }
  return s;
}

void walk(const Sizes& sizes) {
  Stopwatch stopwatch(sizes);
  const Function naive = two_products(sizes);
  stopwatch.time("as written", naive);
  stopwatch.time("reorder: the sum outside the columns", reordered(naive));
  stopwatch.time("tile the sum by 8", sum_tiled(naive));
  stopwatch.time("tile rows, columns and sum", all_tiled(naive, false));
  stopwatch.time("the same, init decomposed", all_tiled(naive, true));

  Schedule tiles(naive);
  fuse(tiles, Fusion::tiles);
  stopwatch.time("merge exp into the first product's tiles", tiles.program());
  Schedule rows(naive);
  fuse(rows, Fusion::rows);
  stopwatch.time("merge the rows of both products", rows.program());
  vectorize(rows);
  stopwatch.time("vectorize the columns of a tile", rows.program());
  rows.parallel(rows.get_loops(rows.get_block("C"))[0]);
  stopwatch.time("rows of tiles on all threads", rows.program());

  std::optional<std::pair<double, Schedule>> best;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Schedule s = sampled(naive, seed);
    const double seconds = stopwatch.time(fmt::format("sampled tiles, seed {}", seed), s.program());
    if (!best || seconds < best->first) best.emplace(seconds, s);
  }
  fmt::print("\nThe best sample is this trace:\n{}", print(best->second.trace()));
}

std::int64_t size_from(const char* text) {
  std::int64_t value = 0;
  const char* const end = text + std::strlen(text);
  const auto [last, fault] = std::from_chars(text, end, value);
  require(fault == std::errc() && last == end && value > 0 && value <= 1 << 16,
          "walkthrough {}: sizes are numbers from 1 to 65536", text);
  return value;
}

}  // namespace

int main(int count, char** words) {
  try {
    require(count == 1 || count == 5, "walkthrough takes no sizes or four of them: M K L N");
    Sizes sizes;
    if (count == 5)
      sizes = {size_from(words[1]), size_from(words[2]), size_from(words[3]), size_from(words[4])};
    walk(sizes);
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
