#pragma once

#include <cstddef>
#include <string>

#include "ardea/ir/function.h"

namespace ardea::schedule {

/// A program whose caller packs one of its parameters once, for any number of calls.
struct SeparatedPacking {
  Function main;  ///< NAME(…, P_packed, …)
  Function pack;  ///< NAME_pack(P, P_packed)
  std::size_t parameter =
      0;  ///< the place of P among the parameters of the whole program, of P_packed in main
};

/// f(…, P, …): { P_packed = copy of P; rest }  ⇒  f_pack(P, P_packed): { P_packed = copy of P }
///                                                f(…, P_packed, …): { rest }
/// Requires a statement of f's root that alone touches P, and reads it; that reads nothing else; and that
/// alone writes its result, a buffer of the root in global memory. Such are the blocks that transform_layout,
/// cache_read and pad_einsum add, as long as compute_at does not move them. Error with the reason elsewhere.
///
/// This is no step of a schedule, for it changes the interface: it comes after the last one.
SeparatedPacking separate_packing(const Function& f, const std::string& parameter);

/// Its `main` alone, which is not verified: also of a program whose numbers are open, where what is left
/// after packing is to be judged.
Function without_packing(const Function& f, const std::string& parameter);

/// The operand that is called the weights: the right one of a product, the kernel of a convolution. Error
/// where the program has no second operand.
std::string weights_of(const Function& f);

}  // namespace ardea::schedule
