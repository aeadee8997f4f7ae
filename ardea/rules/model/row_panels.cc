#include "ardea/rules/model/row_panels.h"

#include <algorithm>
#include <limits>

#include "ardea/limits/register_tile.h"
#include "ardea/rules/model/blocking.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

namespace {

/// A new sum begins, the old one is stored, and the loop's end is mostly not foreseen.
constexpr double cycles_around_sums = 32;
/// Loads are never all hidden: each holds up so much of a multiplication.
constexpr double held_up_by_a_load = 0.25;
/// What goes between the first two caches in a cycle.
constexpr double bytes_a_cycle_to_second_cache = 48;
/// What memory takes for the bytes that a third cache moves in a unit of time (1,8192,64 of attention, which
/// keeps 256 MiB between, took 1.15 times as long stage by stage as by panels on a Sapphire Rapids).
constexpr std::int64_t slower_than_third_cache = 2;
/// More rows are not worth the memory between the products.
constexpr std::int64_t most_groups = 8;

/// A tile of `numbers` that are broadcast by `vectors`, through all steps.
double cycles_of_sums(std::int64_t numbers, std::int64_t vectors, std::int64_t lanes, std::int64_t steps,
                      const target::Target& target) {
  if (numbers == 0 || vectors == 0) return 0;
  const target::Core& core = target.core;
  const bool takes_lanes = multiplies_by_lanes(target);
  const auto sums = static_cast<double>(numbers * vectors);
  const auto loads =
      static_cast<double>(vectors + (takes_lanes ? numbers / lanes + numbers % lanes : numbers));
  const double step = std::max({sums / core.multiplications_per_cycle, loads / core.loads_per_cycle,
                                static_cast<double>(core.sum_cycles)}) +
                      held_up_by_a_load * loads / core.multiplications_per_cycle;
  return step * static_cast<double>(steps) + cycles_around_sums + 2 * sums;
}

/// Tiles of `across` numbers, of which there are `all`, and the smaller one at the edge: `cost` of each.
template <class Cost>
double cycles_of_tiles(std::int64_t all, std::int64_t across, const Cost& cost) {
  const std::int64_t whole = all / across, rest = all % across;
  return static_cast<double>(whole) * cost(across) + (rest > 0 ? cost(rest) : 0.0);
}

class PanelChoice {
 public:
  PanelChoice(const ProductSizes& first, const ProductSizes& last, DataType type,
              const target::Target& target)
      : first_(first),
        last_(last),
        type_(type),
        target_(target),
        lanes_(std::max<std::int64_t>(target.vector_bits / type.bits, 1)) {}

  RowPanels run() {
    for (std::int64_t vectors = 1; vectors <= std::min(ceil_div(last_.n, lanes_), registers()); ++vectors)
      for (std::int64_t rows = 1; rows <= last_.m && fits(rows, vectors * lanes_); ++rows)
        for (std::int64_t groups = 1; groups <= most_groups && groups * rows <= last_.m; ++groups)
          try_panel({.groups = groups, .rows = rows, .columns = std::min(vectors * lanes_, last_.n)});
    return best_;
  }

 private:
  std::int64_t registers() const { return target_.vector_registers; }
  bool fits(std::int64_t numbers, std::int64_t columns) const {
    return limits::registers_of({.rows = numbers, .columns = columns, .type = type_}, target_) <= registers();
  }
  /// All rows between, written to the second cache and read again.
  double cycles_to_and_fro() const {
    return static_cast<double>(2 * last_.m * first_.n * type_.bytes()) / bytes_a_cycle_to_second_cache;
  }
  std::int64_t vectors_of(std::int64_t numbers) const { return ceil_div(numbers, lanes_); }

  std::int64_t bytes_of(const RowPanels& panels) const { return panels.panel() * first_.n * type_.bytes(); }

  /// Beside what goes by.
  bool stays_near(const RowPanels& panels) const {
    const target::Cache* near = target_.cache(1);
    return near == nullptr || bytes_of(panels) <= near->bytes / 2;
  }

  /// A longer panel than caches hold is one tile, or one vector, of rows.
  bool is_small(const RowPanels& panels) const {
    return panels.groups == 1 || panels.panel() == lanes_ || bytes_of(panels) <= bytes_of_row_panel(target_);
  }

  void try_panel(RowPanels panels) {
    if (!is_small(panels) || panels.panel() % lanes_ != 0) return;
    for (std::int64_t columns = 1; columns <= first_.n && fits(columns, panels.panel()); ++columns) {
      panels.first_columns = columns;
      const double cycles = cycles_of(panels);
      if (cycles >= least_) continue;
      least_ = cycles;
      best_ = panels;
    }
  }

  double cycles_of(const RowPanels& panels) const {
    const double first = cycles_of_tiles(last_.m, panels.panel(), [&](std::int64_t rows) {
      return cycles_of_tiles(first_.n, panels.first_columns, [&](std::int64_t columns) {
        return cycles_of_sums(columns, vectors_of(rows), lanes_, first_.k, target_);
      });
    });
    const double last = cycles_of_tiles(last_.m, panels.rows, [&](std::int64_t rows) {
      return cycles_of_tiles(last_.n, panels.columns, [&](std::int64_t columns) {
        return cycles_of_sums(rows, vectors_of(columns), lanes_, last_.k, target_);
      });
    });
    return first + last + (stays_near(panels) ? 0 : cycles_to_and_fro());
  }

  const ProductSizes &first_, &last_;
  DataType type_;
  const target::Target& target_;
  std::int64_t lanes_;
  RowPanels best_;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::int64_t bytes_of_row_panel(const target::Target& target) { return second_cache_bytes(target) / 4; }

RowPanels choose_row_panels(const ProductSizes& first, const ProductSizes& last, DataType type,
                            const target::Target& target) {
  return PanelChoice(first, last, type, target).run();
}

bool panels_pay(const RowPanels& panels, const ProductSizes& first, const ProductSizes& last,
                const RowPasses& passes, DataType type, const target::Target& target) {
  const std::int64_t streamed = last.k * (first.k + last.n) * type.bytes();
  // Half of it: panels, sums and results lie there, too (512,256,512,256 took 5 % longer by panels on a
  // Sapphire Rapids, 256,64,256,64 the same).
  if (streamed <= second_cache_bytes(target) / 2) return true;
  std::int64_t largest = second_cache_bytes(target);
  for (const target::Cache& cache : target.caches) largest = std::max(largest, cache.bytes);
  const std::int64_t between = last.m * last.k * type.bytes(),
                     cost = between > largest ? slower_than_third_cache : 1;
  return ceil_div(last.m, panels.panel()) * streamed <= cost * between * (passes.reads + passes.writes);
}

}  // namespace ardea::rules
