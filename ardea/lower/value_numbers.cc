#include "ardea/lower/value_numbers.h"

#include <bit>
#include <functional>

#include "ardea/ir/traverse.h"
#include "ardea/support/overloaded.h"

namespace ardea::lower {

namespace {

template <class T>
std::uint64_t identity(const T* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace

ValueNumber ValueNumbers::number_of(const Key& key, const Expr& e) {
  if (2 * (known_.size() + 1) > slots_.size()) grow();
  std::uint64_t hash = key.size();
  for (const std::uint64_t word : key) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  std::size_t at = hash & (slots_.size() - 1);
  for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
    const Known& known = known_[slots_[at] - 1];
    if (known.hash == hash && known.key == key) return slots_[at] - 1;
  }
  known_.push_back({hash, key, e});
  slots_[at] = static_cast<std::uint32_t>(known_.size());
  return known_.size() - 1;
}

void ValueNumbers::grow() {
  slots_.assign(slots_.empty() ? 1024 : 4 * slots_.size(), 0);
  known_.reserve(slots_.size() / 2);
  for (std::size_t i = 0; i < known_.size(); ++i) {
    std::size_t at = known_[i].hash & (slots_.size() - 1);
    while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = static_cast<std::uint32_t>(i + 1);
  }
}

ValueNumber ValueNumbers::add(const Expr& e, const Ages& ages, NumberOfNode& numbers) {
  if (const ValueNumber* found = numbers.find(e)) return *found;
  const DataType type = e.type();
  Key key = {e.variant().index(), static_cast<std::uint64_t>(type.code) << 32 |
                                      static_cast<std::uint64_t>(type.bits) << 16 |
                                      static_cast<std::uint64_t>(type.lanes)};
  std::visit(overloaded{
                 [&](const IntImm& n) { key.push_back(static_cast<std::uint64_t>(n.value)); },
                 [&](const FloatImm& n) { key.push_back(std::bit_cast<std::uint64_t>(n.value)); },
                 [&](const VarNode&) { key.push_back(identity(e.get())); },
                 [&](const StringImm&) { key.push_back(identity(e.get())); },
                 [&](const Let&) { key.push_back(identity(e.get())); },
                 [&](const Unary& n) { key.push_back(static_cast<std::uint64_t>(n.op)); },
                 [&](const Binary& n) { key.push_back(static_cast<std::uint64_t>(n.op)); },
                 [&](const Call& n) { key.push_back(identity(n.op)); },
                 [&](const Load& n) {
                   key.push_back(identity(n.buffer.get()));
                   const auto age = ages.find(n.buffer->data);
                   key.push_back(age == ages.end() ? 0 : static_cast<std::uint64_t>(age->second));
                   key.push_back(n.predicate.defined() ? 1 : 0);
                 },
                 [&](const Shuffle& n) {
                   key.push_back(n.vectors.size());
                   for (const std::int64_t i : n.indices) key.push_back(static_cast<std::uint64_t>(i));
                 },
                 [](const auto&) {},
             },
             e.variant());
  const auto add_part = [&](const Expr& part) { key.push_back(add(part, ages, numbers)); };
  for_each_child(e, std::ref(add_part));  // a function that needs no memory of its own
  const ValueNumber number = number_of(key, e);
  numbers.insert(e, number);
  return number;
}

}  // namespace ardea::lower
