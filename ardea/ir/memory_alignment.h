#pragma once

#include <string>
#include <unordered_map>

#include "ardea/ir/function.h"

/// Where memory begins. A buffer may promise a multiple on which its memory begins (`align=` in text); what
/// allocates keeps the promise, and a call with an array that does not is an error.

namespace ardea {

/// On which every allocation begins, promised or not: a cache line, and as wide as any vector.
inline constexpr std::int64_t allocation_alignment_bytes = 64;

/// On which an element lies at least.
std::int64_t element_alignment_bytes(DataType type);

/// The multiple, in bytes, on which each memory of the function begins. All buffers of a memory speak of its
/// beginning, so that the largest promise holds. Where none of them promises, memory that is allocated begins
/// on allocation_alignment_bytes, any other on what the largest of the elements that it is viewed as needs.
std::unordered_map<Var, std::int64_t> memory_alignments(const Function& f);
/// The same with buffers_in(f.body), which the caller has already.
std::unordered_map<Var, std::int64_t> memory_alignments(const Function& f,
                                                        const std::vector<Buffer>& in_body);

/// The function with the promise that the array `parameter` begins on a multiple of `bytes`, in place of what
/// it promised before. Error, which begins with `call`, where there is no such array, or `bytes` is no power
/// of two.
Function promise_alignment(const Function& f, const std::string& parameter, std::int64_t bytes,
                           const std::string& call);

}  // namespace ardea
