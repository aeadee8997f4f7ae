#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace ardea {

/// A set of addresses that needs no memory of its own while it is small: for walks over expressions, most of
/// which have few nodes.
class PointerSet {
 public:
  /// Whether it was not there before.
  bool insert(const void* address) {
    if (2 * (count_ + 1) > size_) grow();
    return put(address);
  }
  bool contains(const void* address) const { return slots()[slot_of(address)] == address; }

 private:
  /// Where the address is, or would be.
  std::size_t slot_of(const void* address) const {
    // Nodes are at least 16 bytes apart: the low bits say nothing.
    std::size_t at = (reinterpret_cast<std::uintptr_t>(address) >> 4) * 0x9e3779b97f4a7c15ULL >>
                     (64 - std::bit_width(size_ - 1));
    const void* const* all = slots();
    while (all[at] != nullptr && all[at] != address) at = (at + 1) & (size_ - 1);
    return at;
  }

  bool put(const void* address) {
    const void*& slot = many_.empty() ? few_[slot_of(address)] : many_[slot_of(address)];
    if (slot == address) return false;
    slot = address;
    ++count_;
    return true;
  }

  void grow() {
    std::vector<const void*> before(4 * size_);
    before.swap(many_);
    const void** from = before.empty() ? few_.data() : before.data();
    const std::size_t count = size_;
    size_ *= 4;
    count_ = 0;
    for (const void** address = from; address != from + count; ++address)
      if (*address != nullptr) put(*address);
  }

  const void* const* slots() const { return many_.empty() ? few_.data() : many_.data(); }

  std::size_t size_ = 128;  ///< of the table, a power of two; at most half of it is used
  std::size_t count_ = 0;
  std::array<const void*, 128> few_ = {};
  std::vector<const void*> many_ = {};
};

}  // namespace ardea
