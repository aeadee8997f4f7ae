#include "ardea/space/store.h"

#include <algorithm>

namespace ardea::space {

Layout::Layout(std::vector<Domain> domains, std::size_t longest_list) : domains_(std::move(domains)) {
  for (const Domain& domain : domains_) {
    const bool listed = domain.size() <= longest_list;
    lists_.push_back(listed ? domain.values() : std::vector<std::int64_t>());
    const std::size_t words = listed ? (lists_.back().size() + 63) / 64 : 0;
    places_.push_back({all_words_, words});
    all_words_ += words;
  }
}

bool Store::reset() {
  const auto n = static_cast<std::size_t>(layout_->size());
  state_.low.assign(n, 0);
  state_.high.assign(n, 0);
  state_.bits.assign(layout_->all_words(), 0);
  changed_.clear();
  for (int v = 0; v < layout_->size(); ++v) {
    const Domain& domain = layout_->domain(v);
    if (domain.empty()) return false;
    state_.low[static_cast<std::size_t>(v)] = domain.min();
    state_.high[static_cast<std::size_t>(v)] = domain.max();
    const std::size_t values = layout_->list(v).size();
    for (std::size_t i = 0; i < values; ++i)
      state_.bits[layout_->first_word(v) + i / 64] |= std::uint64_t{1} << (i % 64);
  }
  return true;
}

bool Store::contains(int v, std::int64_t value) const {
  if (value < low(v) || value > high(v)) return false;
  if (!layout_->is_listed(v)) return layout_->domain(v).contains(value);
  const auto& list = layout_->list(v);
  const auto at = std::lower_bound(list.begin(), list.end(), value);
  if (at == list.end() || *at != value) return false;
  const auto i = static_cast<std::size_t>(at - list.begin());
  return (state_.bits[layout_->first_word(v) + i / 64] >> (i % 64) & 1) != 0;
}

std::uint64_t Store::count(int v) const {
  if (fixed(v)) return 1;
  if (!layout_->is_listed(v)) return static_cast<std::uint64_t>(high(v) - low(v)) + 1;
  std::uint64_t count = 0;
  for (std::size_t w = 0; w < layout_->words(v); ++w)
    count += static_cast<std::uint64_t>(std::popcount(state_.bits[layout_->first_word(v) + w]));
  return count;
}

bool Store::tighten(int v) {
  const std::size_t first = layout_->first_word(v), words = layout_->words(v);
  const auto& list = layout_->list(v);
  std::size_t w = 0;
  while (w < words && state_.bits[first + w] == 0) ++w;
  if (w == words) return false;
  std::size_t last = words - 1;
  while (state_.bits[first + last] == 0) --last;
  state_.low[static_cast<std::size_t>(v)] =
      list[w * 64 + static_cast<std::size_t>(std::countr_zero(state_.bits[first + w]))];
  state_.high[static_cast<std::size_t>(v)] =
      list[last * 64 + 63 - static_cast<std::size_t>(std::countl_zero(state_.bits[first + last]))];
  changed_.push_back(v);
  return true;
}

bool Store::set_low(int v, __int128 value) {
  if (value <= low(v)) return true;
  if (value > high(v)) return false;
  const auto bound = static_cast<std::int64_t>(value);
  if (!layout_->is_listed(v)) {
    const auto least = layout_->domain(v).at_least(bound);
    if (!least || *least > high(v)) return false;
    state_.low[static_cast<std::size_t>(v)] = *least;
    changed_.push_back(v);
    return true;
  }
  const auto& list = layout_->list(v);
  const auto i = static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), bound) - list.begin());
  const std::size_t first = layout_->first_word(v);
  for (std::size_t w = 0; w < i / 64; ++w) state_.bits[first + w] = 0;
  if (i % 64 != 0) state_.bits[first + i / 64] &= ~std::uint64_t{0} << (i % 64);
  return tighten(v);
}

bool Store::set_high(int v, __int128 value) {
  if (value >= high(v)) return true;
  if (value < low(v)) return false;
  const auto bound = static_cast<std::int64_t>(value);
  if (!layout_->is_listed(v)) {
    const auto most = layout_->domain(v).at_most(bound);
    if (!most || *most < low(v)) return false;
    state_.high[static_cast<std::size_t>(v)] = *most;
    changed_.push_back(v);
    return true;
  }
  const auto& list = layout_->list(v);
  const auto i = static_cast<std::size_t>(std::upper_bound(list.begin(), list.end(), bound) - list.begin());
  const std::size_t first = layout_->first_word(v);
  for (std::size_t w = i / 64 + 1; w < layout_->words(v); ++w) state_.bits[first + w] = 0;
  if (i / 64 < layout_->words(v)) state_.bits[first + i / 64] &= ~(~std::uint64_t{0} << (i % 64));
  return tighten(v);
}

bool Store::assign(int v, std::int64_t value) {
  if (fixed(v)) return low(v) == value;
  return contains(v, value) && set_low(v, value) && set_high(v, value);
}

bool Store::remove(int v, std::int64_t value) {
  if (value < low(v) || value > high(v)) return true;
  if (layout_->is_listed(v)) return filter(v, [&](std::int64_t x) { return x != value; });
  if (value == low(v)) return set_low(v, static_cast<__int128>(value) + 1);
  if (value == high(v)) return set_high(v, static_cast<__int128>(value) - 1);
  return true;
}

}  // namespace ardea::space
