#pragma once

/// All that a program which uses Ardea writes with, for the target Ardea::ardea (docs/linking.md):
///
///   te::   tensor expressions, ops:: operators made of them; parse and arith::load_file read programs
///   schedule::Schedule   steps on a program; stages:: TVM's stage schedules; rules:: ready ones, and spaces
///   interp::run, compile::callable, compile::export_library   run it, here or elsewhere
///   runtime::Array, runtime::load_module, runtime::TimeEvaluator   what it runs on

#include "ardea/arith/load.h"
#include "ardea/compile/compile.h"
#include "ardea/compile/export_library.h"
#include "ardea/interp/interpreter.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/ops/conv.h"
#include "ardea/ops/elementwise.h"
#include "ardea/ops/fused.h"
#include "ardea/ops/gemm.h"
#include "ardea/ops/normalise.h"
#include "ardea/ops/pool.h"
#include "ardea/ops/prefix_sum.h"
#include "ardea/ops/reduce.h"
#include "ardea/ops/registry.h"
#include "ardea/ops/transpose.h"
#include "ardea/ops/transposed_conv.h"
#include "ardea/rules/program_space.h"
#include "ardea/runtime/array.h"
#include "ardea/runtime/load_module.h"
#include "ardea/runtime/module.h"
#include "ardea/runtime/npy.h"
#include "ardea/runtime/registry.h"
#include "ardea/runtime/tensor_function.h"
#include "ardea/runtime/time_evaluator.h"
#include "ardea/schedule/schedule.h"
#include "ardea/schedule/separate_packing.h"
#include "ardea/stages/lower.h"
#include "ardea/stages/schedule.h"
#include "ardea/support/error.h"
#include "ardea/target/target.h"
#include "ardea/te/compute.h"
#include "ardea/te/create_prim_func.h"
#include "ardea/te/extern.h"
#include "ardea/te/hybrid.h"
#include "ardea/te/math.h"
#include "ardea/te/print.h"
#include "ardea/te/scan.h"
