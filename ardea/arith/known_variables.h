#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ardea/arith/shared_copy.h"
#include "ardea/ir/stmt.h"

namespace ardea::arith {

/// What the facts say about a variable.
struct VariableFacts {
  std::optional<Range> range = {};
  std::optional<Expr> value = {};
  std::optional<std::int64_t> least = {};
  std::int64_t divisor = 1;
  bool data = false;
  int order = 0;  ///< later facts may mention earlier variables
};

/// The same of each of them. Lists of facts grow by one, and each is remembered with a table of its own
/// (scopes.h): the tables hold addresses only, and what lies there is shared by all of them.
class KnownVariables {
 public:
  /// nullptr where there are none. What is found lives as long as the table or a copy of it.
  const VariableFacts* find(const Expr& var) const {
    return slots_->empty() ? nullptr : (*slots_)[slot_of(*slots_, var.get())].facts;
  }

  void set(const Var& var, VariableFacts facts) {
    newest_ = std::make_shared<const Noted>(Noted{var, std::move(facts), std::move(newest_)});
    put(slots_.own(), {var.get(), &newest_->facts});
  }

 private:
  struct Noted {
    Var var;
    VariableFacts facts;
    std::shared_ptr<const Noted> older;
  };
  struct Slot {
    const ExprNode* var = nullptr;
    const VariableFacts* facts = nullptr;
  };
  using Slots = std::vector<Slot>;  ///< a power of two of them, at most three of four used

  /// Where the variable is, or would be.
  static std::size_t slot_of(const Slots& slots, const ExprNode* var) {
    const auto address = reinterpret_cast<std::uintptr_t>(var);
    std::size_t at = static_cast<std::size_t>((address >> 4) * 0x9e3779b97f4a7c15ULL >>
                                              (64 - std::bit_width(slots.size() - 1)));
    while (slots[at].var != nullptr && slots[at].var != var) at = (at + 1) & (slots.size() - 1);
    return at;
  }

  void put(Slots& slots, Slot slot) {
    if (4 * (count_ + 1) > 3 * slots.size()) {
      Slots before(slots.empty() ? 8 : 2 * slots.size());
      before.swap(slots);
      for (const Slot& old : before)
        if (old.var != nullptr) slots[slot_of(slots, old.var)] = old;
    }
    Slot& place = slots[slot_of(slots, slot.var)];
    if (place.var == nullptr) ++count_;
    place = slot;
  }

  std::shared_ptr<const Noted> newest_;  ///< holds all that the slots name
  SharedCopy<Slots> slots_;
  std::size_t count_ = 0;
};

}  // namespace ardea::arith
