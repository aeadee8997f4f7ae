#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "ardea/space/domain.h"

namespace ardea::space {

/// How the values of each variable are kept while solving: few values as a list with a bit for each, many as
/// two bounds. Fixed once for a system; what changes is in a State.
class Layout {
 public:
  Layout(std::vector<Domain> domains, std::size_t longest_list);

  int size() const { return static_cast<int>(domains_.size()); }
  const Domain& domain(int v) const { return domains_[static_cast<std::size_t>(v)]; }
  bool is_listed(int v) const { return places_[static_cast<std::size_t>(v)].words > 0; }
  const std::vector<std::int64_t>& list(int v) const { return lists_[static_cast<std::size_t>(v)]; }
  std::size_t first_word(int v) const { return places_[static_cast<std::size_t>(v)].first; }
  std::size_t words(int v) const { return places_[static_cast<std::size_t>(v)].words; }
  std::size_t all_words() const { return all_words_; }

 private:
  struct Place {
    std::size_t first = 0, words = 0;
  };
  std::vector<Domain> domains_;
  std::vector<std::vector<std::int64_t>> lists_;
  std::vector<Place> places_;
  std::size_t all_words_ = 0;
};

/// The values that are still possible. Where a variable is fixed, both bounds are its value.
struct State {
  std::vector<std::int64_t> low, high;
  std::vector<std::uint64_t> bits;

  bool fixed(int v) const { return low[static_cast<std::size_t>(v)] == high[static_cast<std::size_t>(v)]; }
};

/// A state being narrowed. Every operation that would leave a variable without a value answers false, after
/// which the state is of no use. Unlisted variables lose values at their ends only: so a state may hold
/// values that are impossible, and never loses one that is possible.
class Store {
 public:
  explicit Store(const Layout& layout) : layout_(&layout) {}

  const Layout& layout() const { return *layout_; }
  /// All values of the domains; false where one has none.
  bool reset();
  State& state() { return state_; }
  const State& state() const { return state_; }

  std::int64_t low(int v) const { return state_.low[static_cast<std::size_t>(v)]; }
  std::int64_t high(int v) const { return state_.high[static_cast<std::size_t>(v)]; }
  bool fixed(int v) const { return low(v) == high(v); }
  bool contains(int v, std::int64_t value) const;
  /// How many values are left; of unlisted variables at most so many.
  std::uint64_t count(int v) const;

  [[nodiscard]] bool set_low(int v, __int128 value);
  [[nodiscard]] bool set_high(int v, __int128 value);
  [[nodiscard]] bool assign(int v, std::int64_t value);
  [[nodiscard]] bool remove(int v, std::int64_t value);

  /// Calls `visit(value)` for every value left of a listed variable, ascending.
  template <class Visit>
  void for_each(int v, Visit&& visit) const {
    const auto& list = layout_->list(v);
    for (std::size_t w = 0; w < layout_->words(v); ++w)
      for (std::uint64_t word = state_.bits[layout_->first_word(v) + w]; word != 0; word &= word - 1)
        visit(list[w * 64 + static_cast<std::size_t>(std::countr_zero(word))]);
  }

  /// Keeps those values of a listed variable for which `keep(value)`; of others only the ends are asked.
  template <class Keep>
  [[nodiscard]] bool filter(int v, Keep&& keep) {
    if (!layout_->is_listed(v)) return !fixed(v) || keep(low(v));
    const auto& list = layout_->list(v);
    bool changed = false;
    for (std::size_t w = 0; w < layout_->words(v); ++w) {
      std::uint64_t& word = state_.bits[layout_->first_word(v) + w];
      for (std::uint64_t rest = word; rest != 0; rest &= rest - 1) {
        const int bit = std::countr_zero(rest);
        if (keep(list[w * 64 + static_cast<std::size_t>(bit)])) continue;
        word &= ~(std::uint64_t{1} << bit);
        changed = true;
      }
    }
    return !changed || tighten(v);
  }

  /// The variables whose values became fewer since they were last taken; one may come twice.
  std::vector<int>& changed() { return changed_; }

 private:
  bool tighten(int v);  ///< a listed variable's bounds from its bits

  const Layout* layout_;
  State state_;
  std::vector<int> changed_;
};

}  // namespace ardea::space
