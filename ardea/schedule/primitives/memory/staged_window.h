#pragma once

#include "ardea/arith/regions.h"
#include "ardea/schedule/context.h"
#include "ardea/schedule/program/index_text.h"

namespace ardea::schedule {

/// A part of the program that touches a buffer.
struct TouchingPart {
  std::string name;  ///< "loop i"
  Buffer buffer;
  const arith::Accesses& touched;
  const std::vector<Var>& around;  ///< what a window may vary with
  const arith::Analyzer& facts;    ///< what holds where it runs
};

/// The window that the part works on: the box around all that it touches, or what is asked for, which must
/// contain it. Refused as bad_window, rank_differs, window_too_small, window_outside.
Result<BufferRegion> staged_window(const Function& f, const TouchingPart& part,
                                   const std::optional<IndexText>& asked, Context& context);

}  // namespace ardea::schedule
