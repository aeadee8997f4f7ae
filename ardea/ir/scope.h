#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Memory scopes. The rank says who shares a buffer: the higher, the fewer threads.

namespace ardea {

enum class ScopeRank {
  device = 0,  ///< every thread: "global"
  block = 1,   ///< the threads of one block: "shared", "scratchpad.*", "vta.*"
  warp = 2,    ///< the lanes of one warp: "warp", "wmma.*", "mma.*"
  thread = 3,  ///< one thread: "local", "register", "amx.*"
};

/// The rank of a scope, or nothing where there is no such scope. A unit's own scopes are a known first word,
/// a dot and a name: "wmma.matrix_a", "amx.tile", "scratchpad.weights".
std::optional<ScopeRank> scope_rank(std::string_view scope);

/// Vector registers: after lowering a buffer here is slots of one vector each (lower's promote_registers),
/// its indices constant.
inline constexpr std::string_view register_scope = "register";

/// "global, shared, …" for messages.
std::string known_scopes();

}  // namespace ardea
