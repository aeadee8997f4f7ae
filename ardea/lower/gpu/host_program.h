#pragma once

#include "ardea/lower/gpu/split_kernels.h"

namespace ardea::lower {

/// The host's part as a function for a CPU's backend: an entry point of the ABI that checks its arguments as
/// programs for CPUs do, launches the kernels in their order, and takes memory between them from the device.
/// It has one parameter more, the last: the runtime::cuda::Launcher that does both. Arrays are memory of the
/// device, which it never touches.
Function host_program(const SplitProgram& program);

}  // namespace ardea::lower
