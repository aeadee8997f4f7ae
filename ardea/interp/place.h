#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ardea/ir/stmt.h"

/// How messages name the places of a program.

namespace ardea::interp {

/// The first line of the statement as text: what identifies it in a sentence.
std::string first_line_of(const Stmt& s);

/// "A[3, 5]"
std::string element_name(const Buffer& buffer, std::span<const std::int64_t> indices);

}  // namespace ardea::interp
