#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace ardea {

/// A map from handles of nodes, by identity: what std::unordered_map does with one piece of memory instead of
/// one an element. It holds the handles, so that no other node gets the address of one in it. Elements move
/// when it grows: no reference into it lasts.
template <class Handle, class Value>
class HandleMap {
 public:
  /// nullptr where there is none.
  const Value* find(const Handle& handle) const {
    if (slots_.empty()) return nullptr;
    const std::size_t at = slot_of(handle);
    return slots_[at].first.get() == nullptr ? nullptr : &slots_[at].second;
  }

  /// The handle must not be empty, and not be there.
  void insert(const Handle& handle, Value value) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    slots_[slot_of(handle)] = {handle, std::move(value)};
    ++count_;
  }

  /// The same where it may be there: then it gets the new value.
  void set(const Handle& handle, Value value) {
    if (!slots_.empty())
      if (Slot& slot = slots_[slot_of(handle)]; slot.first.get() != nullptr) {
        slot.second = std::move(value);
        return;
      }
    insert(handle, std::move(value));
  }

  void clear() {
    slots_.clear();
    count_ = 0;
  }

 private:
  using Slot = std::pair<Handle, Value>;

  /// Where the handle is, or would be.
  std::size_t slot_of(const Handle& handle) const {
    // Nodes are at least 16 bytes apart: the low bits say nothing.
    const auto address = reinterpret_cast<std::uintptr_t>(handle.get());
    std::size_t at = static_cast<std::size_t>((address >> 4) * 0x9e3779b97f4a7c15ULL >>
                                              (64 - std::bit_width(slots_.size() - 1)));
    while (slots_[at].first.get() != nullptr && slots_[at].first.get() != handle.get())
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  void grow() {
    std::vector<Slot> before(slots_.empty() ? 16 : 4 * slots_.size());
    before.swap(slots_);
    for (Slot& slot : before)
      if (slot.first.get() != nullptr) slots_[slot_of(slot.first)] = std::move(slot);
  }

  std::vector<Slot> slots_;  ///< a power of two of them; at most half are used
  std::size_t count_ = 0;
};

}  // namespace ardea
