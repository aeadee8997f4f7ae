#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ardea/measure/peer_abi.h"

/// What a peer of this folder is written with: three functions and two values in C++; plugin.cc makes the C
/// interface of them.

namespace peer {

struct Array {
  std::string type;
  std::vector<std::int64_t> shape;
  std::int64_t elements() const;
  std::int64_t bytes() const;
};

struct Workload {
  std::string op, layout, acc;
  std::vector<std::int64_t> sizes;
  bool transpose_b = false;
  std::vector<Array> arrays;  ///< inputs, then the output

  const Array& output() const { return arrays.back(); }
  /// Whether all arrays and the arithmetic are of that type.
  bool all(const std::string& type) const;
};

/// Thrown by prepare: the peer cannot do this. A phrase that goes on after "left out, ".
struct Refusal {
  std::string reason;
};

/// A call made ready: what it includes, and the call itself.
struct Prepared {
  std::string label;
  std::function<void(void* const* arrays)> run;
};

/// By variant, each making its call on demand.
using Variants = std::vector<std::function<Prepared()>>;

// Each peer defines these.
extern const char* const name;
extern const ArdeaPeerKind kind;
std::string description();
/// All ways to do the work, the usual one first; Refusal, or none, where there is no way.
Variants variants(const Workload& workload, int threads);

/// The file that the code at this address was loaded from.
std::string file_of(const void* address);

}  // namespace peer
