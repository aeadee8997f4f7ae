#pragma once

#include <vector>

#include "ardea/ir/stmt.h"

namespace ardea::lower {

/// Accesses by quotient and remainder of a number, which fused loops leave, as accesses by the number itself.
///
/// The rule: let C be compact with r elements along its dimension d + 1. C[.., f // r, f % r, ..] and
/// C[.., f // r % q, f % r, ..] are the elements at f and at f % (q * r) of the same memory seen with both
/// dimensions in one: f // r * r + f % r is f. Two of them are equal exactly where these numbers are, which
/// is easier to see than that quotients and remainders are. The same view is the same buffer everywhere, so
/// that accesses through it are compared.
class JoinedDimensions {
 public:
  Stmt in(const Stmt& s);

 private:
  struct View {
    Buffer whole, joined;
    std::vector<std::size_t> dimensions;  ///< of `whole`, those that are one with the next
  };
  const Buffer& view(const Buffer& whole, const std::vector<std::size_t>& dimensions);

  std::vector<View> views_;
};

}  // namespace ardea::lower
