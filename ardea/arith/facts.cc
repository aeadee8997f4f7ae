#include "ardea/arith/facts.h"

#include <optional>
#include <unordered_map>

#include "ardea/arith/content.h"
#include "ardea/support/overloaded.h"

namespace ardea::arith {

namespace {

std::uint64_t mixed(std::uint64_t state, std::uint64_t word) {
  state = (state ^ word) * 0x9e3779b97f4a7c15ULL;
  return state ^ (state >> 29);
}

std::uint64_t identity(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }

std::optional<std::uint64_t> hash_of(const Facts* older, const Fact& fact) {
  const std::uint64_t start = mixed(fact.index(), identity(older));
  const auto with = [](std::uint64_t state, const Expr& e) -> std::optional<std::uint64_t> {
    const auto hash = content_hash(e);
    return hash ? std::optional(mixed(state, *hash)) : std::nullopt;
  };
  return std::visit(
      overloaded{
          [&](const BoundVariable& f) -> std::optional<std::uint64_t> {
            const auto state = with(mixed(start, identity(f.var.get())), f.range.min);
            return state ? with(*state, f.range.extent) : std::nullopt;
          },
          [&](const PositiveParameter& f) -> std::optional<std::uint64_t> {
            return mixed(mixed(start, identity(f.var.get())), static_cast<std::uint64_t>(f.least));
          },
          [&](const DefinedVariable& f) { return with(mixed(start, identity(f.var.get())), f.value); },
          [&](const DataVariable& f) -> std::optional<std::uint64_t> {
            return mixed(start, identity(f.var.get()));
          },
          [&](const AssumedCondition& f) { return with(start, f.condition); },
      },
      fact);
}

bool same_fact(const Fact& a, const Fact& b) {
  if (a.index() != b.index()) return false;
  return std::visit(overloaded{
                        [&](const BoundVariable& f) {
                          const auto& other = std::get<BoundVariable>(b);
                          return f.var == other.var && same_content(f.range.min, other.range.min) &&
                                 same_content(f.range.extent, other.range.extent);
                        },
                        [&](const PositiveParameter& f) {
                          const auto& other = std::get<PositiveParameter>(b);
                          return f.var == other.var && f.least == other.least && f.divisor == other.divisor;
                        },
                        [&](const DefinedVariable& f) {
                          const auto& other = std::get<DefinedVariable>(b);
                          return f.var == other.var && same_content(f.value, other.value);
                        },
                        [&](const DataVariable& f) { return f.var == std::get<DataVariable>(b).var; },
                        [&](const AssumedCondition& f) {
                          return same_content(f.condition, std::get<AssumedCondition>(b).condition);
                        },
                    },
                    a);
}

/// Held, so that no other node gets the address of one that the hashes and the comparisons mean.
using Known = std::unordered_multimap<std::uint64_t, std::shared_ptr<const Facts>>;

Known& known_facts() {
  thread_local Known known;
  return known;
}

}  // namespace

void forget_known_facts() { known_facts().clear(); }

std::shared_ptr<const Facts> with_fact(std::shared_ptr<const Facts> older, Fact fact) {
  constexpr std::size_t most_known = 16'384;  // some programs' worth
  const auto hash = hash_of(older.get(), fact);
  const auto make = [&] { return std::make_shared<const Facts>(Facts{std::move(fact), std::move(older)}); };
  if (!hash) return make();
  Known& known = known_facts();
  const auto [first, last] = known.equal_range(*hash);
  for (auto it = first; it != last; ++it)
    if (it->second->older == older && same_fact(it->second->fact, fact)) return it->second;
  if (known.size() >= most_known) known.clear();
  return known.emplace(*hash, make())->second;
}

}  // namespace ardea::arith
