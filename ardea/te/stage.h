#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ardea/te/tensor.h"

/// One operation as a nest of loops around a block. For create_prim_func.

namespace ardea::te {

/// The loop of a scan that stages of its cell stand in: it counts from 0, the steps from range.min.
struct ScanStep {
  Var loop;
  Range range;
};

/// Loops over the axes, then the reduced ones, around a block of that name. In a cell the first axis is the
/// step, whose loop is outside.
Stmt compute_stage(const Compute& compute, const std::vector<Buffer>& outputs, const std::string& block_name,
                   const std::optional<ScanStep>& step = {});

/// Every element of `from` to the same place of `to`, which may be longer in its first dimension.
Stmt copy_stage(const Tensor& from, const Buffer& to, const std::string& block_name);

/// The statement in a block of its own.
Stmt extern_stage(const Extern& written, const std::string& block_name);

}  // namespace ardea::te
