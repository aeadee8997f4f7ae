#pragma once

#include "ardea/ir/parse.h"
#include "ardea/support/text_file.h"

namespace ardea::schedule {

/// C = A · B of 10 x 7 and 7 x 9, as the cases have it; each time another program, with loops of its own.
inline Function gemm_program() {
  return parse_function(read_text_file(ARDEA_SOURCE_DIR "/tests/schedule/programs/gemm.tir"));
}

}  // namespace ardea::schedule
