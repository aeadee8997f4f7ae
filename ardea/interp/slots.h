#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ardea::interp {

/// Numbers things by their identity, 0, 1, 2, … in the order they are first seen, and keeps them alive, so
/// that no other takes an address that has a number: a flat table, since every use of a variable looks itself
/// up here.
template <class Handle>
class Slots {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// The number of `key`, or `none`.
  std::uint32_t find(const Handle& key) const {
    if (cells_.empty()) return none;
    for (std::size_t at = home(key.get());; at = (at + 1) & mask()) {
      if (cells_[at].key == key.get()) return cells_[at].number;
      if (cells_[at].key == nullptr) return none;
    }
  }

  /// The number of `key`, which is given one where it has none.
  std::uint32_t number(const Handle& key) {
    if (const std::uint32_t found = find(key); found != none) return found;
    if ((numbered_.size() + 1) * 2 > cells_.size()) grow();
    const auto number = static_cast<std::uint32_t>(numbered_.size());
    insert({key.get(), number});
    numbered_.push_back(key);
    return number;
  }

 private:
  struct Cell {
    const void* key = nullptr;
    std::uint32_t number = none;
  };

  std::size_t mask() const { return cells_.size() - 1; }
  std::size_t home(const void* key) const {
    return (reinterpret_cast<std::uintptr_t>(key) >> 4) * 0x9e3779b97f4a7c15ULL >> 32 & mask();
  }
  void insert(Cell cell) {
    std::size_t at = home(cell.key);
    while (cells_[at].key != nullptr) at = (at + 1) & mask();
    cells_[at] = cell;
  }
  void grow() {
    const std::vector<Cell> old =
        std::exchange(cells_, std::vector<Cell>(cells_.empty() ? 64 : cells_.size() * 2));
    for (const Cell& cell : old)
      if (cell.key != nullptr) insert(cell);
  }

  std::vector<Cell> cells_;
  std::vector<Handle> numbered_;
};

}  // namespace ardea::interp
