#pragma once

#include <cstdint>
#include <string>

#include "ardea/ir/function.h"

namespace ardea {

/// Equal up to the names of variables and buffers that the compared things define themselves. Variables and
/// buffers defined outside (free on both sides) are equal only to themselves. Block ids, and names of
/// anything, do not count; names of blocks and of functions do.
bool structurally_equal(const Expr& a, const Expr& b);
bool structurally_equal(const Stmt& a, const Stmt& b);
bool structurally_equal(const Function& a, const Function& b);
bool structurally_equal(const Module& a, const Module& b);

/// Where the two first differ, in a sentence; empty where they are equal.
std::string first_difference(const Function& a, const Function& b);
std::string first_difference(const Module& a, const Module& b);

/// Equal things have equal hashes. The same in every run and on every machine where nothing is free (it keys
/// the tuning database); free variables and buffers hash by their type.
std::uint64_t structural_hash(const Expr& e);
std::uint64_t structural_hash(const Stmt& s);
std::uint64_t structural_hash(const Function& f);
std::uint64_t structural_hash(const Module& m);

}  // namespace ardea
