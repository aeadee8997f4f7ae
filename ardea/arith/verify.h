#pragma once

#include <string>
#include <vector>

#include "ardea/ir/function.h"

namespace ardea::arith {

/// A broken law of the IR: which, and a sentence with the place, the fact and the way out.
struct Violation {
  std::string law;  ///< a stable code such as "read_region_too_small"; docs/ir.md lists them all
  std::string message;
  bool refuted = true;  ///< false: it may hold, which could not be proved
};

/// The laws of the IR (docs/ir.md): definitions before use, one definition each, types, buffers declared,
/// bindings inside their domains, declared regions true, iterator kinds true, accesses that are provably out
/// of range. Empty where all hold.
std::vector<Violation> verify(const Function& f);
/// The same where `verified` is known to keep the laws: what f shares with it, under the same loops and
/// conditions, is not proved again.
std::vector<Violation> verify_changed(const Function& f, const Function& verified);
std::vector<Violation> verify(const Module& m);

/// The laws of form alone, which need no proofs: definitions, types, buffers. What complete_regions may count
/// on.
std::vector<Violation> verify_form(const Function& f);
std::vector<Violation> verify_form(const Module& m);

/// Throws Error with the first violation's message; `context` goes in front.
void require_form(const Module& m, const std::string& context);
void require_valid(const Function& f, const std::string& context);
void require_valid(const Module& m, const std::string& context);

}  // namespace ardea::arith
