#include "ardea/cost/program_features.h"

#include "ardea/cost/counted_program.h"
#include "ardea/limits/limits.h"
#include "ardea/lower/limits_of.h"

namespace ardea::cost {

namespace {

constexpr std::array<std::string_view, feature_count> names = {
    "float_fma",
    "float_add",
    "float_mul",
    "float_div",
    "float_special",
    "float_compare",
    "integer",
    "casts",
    "vector_operations",
    "scalar_operations",
    "tensor_instructions",
    "contiguous_accesses",
    "broadcast_accesses",
    "strided_accesses",
    "waiting_cycles",
    "bytes_accessed",
    "bytes_touched",
    "bytes_into_l1",
    "bytes_into_l2",
    "bytes_into_l3",
    "reuse_l1",
    "reuse_l2",
    "reuse_l3",
    "allocated_bytes",
    "allocations",
    "register_bytes",
    "statements",
    "loop_iterations",
    "loop_entries",
    "guards",
    "parallel_tasks",
    "parallel_regions",
    "main_executions",
    "main_lanes",
    "main_unrolled",
    "main_inner_iterations",
    "main_chains",
    "main_accesses",
    "compute_cycles",
    "memory_cycles",
    "overhead_cycles",
    "cycles",
};

}  // namespace

std::span<const std::string_view> feature_names() { return names; }

ProgramFeatures::ProgramFeatures(const Function& program, const std::vector<Var>& parameters,
                                 const target::Target& target, int threads) {
  const Function placed = lower::placed(program, target);
  const limits::Limits limits = limits::limits_of(placed, target);
  Formulas::Environment inputs;
  for (std::size_t i = 0; i < parameters.size(); ++i) inputs[parameters[i]] = formulas_.input(i);
  formulas_.keep(counted(placed, limits, inputs, target, threads, formulas_));
}

ProgramFeatures::Values ProgramFeatures::at(std::span<const double> parameters) const {
  Values values{};
  thread_local std::vector<double> work;
  formulas_.compute(parameters, work, values);
  return values;
}

ProgramFeatures::Values features_of(const Function& program, const target::Target& target, int threads) {
  return ProgramFeatures(program, {}, target, threads).at({});
}

}  // namespace ardea::cost
