#pragma once

#include <string_view>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/stmt.h"

/// Memory that may be read where it need not be, such as the padding of a packed panel.

namespace ardea::lower {

/// An annotation of an Allocate: one statement fills the memory, all of it, and what comes after only reads
/// it. Reading any element there, wanted or not, finds a value and races with no write.
inline constexpr std::string_view filled_first_key = "filled_first";

/// Whether `buffer` is so inside `body`, the statement under its declaration.
bool is_filled_first(const Buffer& buffer, const Stmt& body, const arith::Analyzer& facts);

}  // namespace ardea::lower
