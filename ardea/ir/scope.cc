#include "ardea/ir/scope.h"

namespace ardea {

namespace {

struct RankedScope {
  std::string_view name;  ///< ends in a dot where it is the first word of a unit's own scopes
  ScopeRank rank;
};

constexpr RankedScope ranked_scopes[] = {
    {"global", ScopeRank::device},     {"shared", ScopeRank::block}, {"shared.dyn", ScopeRank::block},
    {"warp", ScopeRank::warp},         {"local", ScopeRank::thread}, {"register", ScopeRank::thread},
    {"scratchpad.", ScopeRank::block}, {"wmma.", ScopeRank::warp},   {"mma.", ScopeRank::warp},
    {"amx.", ScopeRank::thread},       {"vta.", ScopeRank::block},
};

}  // namespace

std::optional<ScopeRank> scope_rank(std::string_view scope) {
  for (const RankedScope& row : ranked_scopes) {
    const bool family = row.name.back() == '.';
    if (family ? scope.size() > row.name.size() && scope.starts_with(row.name) : scope == row.name)
      return row.rank;
  }
  return std::nullopt;
}

std::string known_scopes() {
  std::string names;
  for (const RankedScope& row : ranked_scopes) {
    if (!names.empty()) names += ", ";
    names += row.name;
    if (row.name.back() == '.') names += '*';
  }
  return names;
}

}  // namespace ardea
