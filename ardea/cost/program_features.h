#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ardea/cost/formulas.h"
#include "ardea/ir/function.h"
#include "ardea/target/target.h"

namespace ardea::cost {

/// What is told of every program, whatever it computes. Counts are of one call. Arithmetic is counted by
/// element; instructions as the loops say: what is vectorized in vectors, what an unrolled loop does in each
/// of its iterations once.
enum class Feature : std::uint8_t {
  // Arithmetic.
  float_fma,  ///< a product that is added or subtracted
  float_add,  ///< additions and subtractions of anything else
  float_mul,  ///< products that are not added
  float_div,
  float_special,  ///< roots, exponentials and all other functions
  float_compare,  ///< minimum, maximum, comparisons, magnitudes
  integer,        ///< of values, not of indices
  casts,
  // Instructions.
  vector_operations,  ///< of arithmetic, by vector or by number where nothing is vectorized
  scalar_operations,  ///< those among them that are outside of vectorized loops
  tensor_instructions,
  contiguous_accesses,  ///< loads and stores, by how they move with the innermost loop that moves
  broadcast_accesses,
  strided_accesses,
  waiting_cycles,  ///< that sums wait for themselves
  // Memory.
  bytes_accessed,  ///< by all loads and stores outside of registers
  bytes_touched,   ///< of different memory
  bytes_into_l1,
  bytes_into_l2,
  bytes_into_l3,
  reuse_l1,  ///< bytes accessed for each that comes into the cache
  reuse_l2,
  reuse_l3,
  allocated_bytes,  ///< live at once, outside of registers
  allocations,      ///< how often memory is asked for
  // Registers and code.
  register_bytes,  ///< live at once, in slots of whole vectors
  statements,      ///< with unrolled loops written out, by vector
  // Loops.
  loop_iterations,  ///< of loops that are neither vectorized nor unrolled
  loop_entries,
  guards,  ///< conditions that are asked and not always alike
  parallel_tasks,
  parallel_regions,
  // The statement that computes most.
  main_executions,
  main_lanes,
  main_unrolled,
  main_inner_iterations,  ///< of the innermost loop that runs
  main_chains,            ///< sums that do not wait for each other
  main_accesses,          ///< for each operation
  // What a simple model of the machine makes of it, in cycles of one thread.
  compute_cycles,
  memory_cycles,
  overhead_cycles,
  cycles,
  count,
};

inline constexpr auto feature_count = static_cast<std::size_t>(Feature::count);
std::span<const std::string_view> feature_names();

/// The features of a scheduled program as formulas over some of its scalar parameters: found once, computed
/// for many points. With no parameter left they are numbers.
///
/// They are said by values of index expressions and not by their form. So a program whose factors are
/// parameters and the program that has numbers in their places, in any form (schedule/canon.h), have the same
/// features: loops of one iteration, conditions that hold and code that never runs count for nothing.
class ProgramFeatures {
 public:
  /// The cycles are those of so many threads.
  ProgramFeatures(const Function& program, const std::vector<Var>& parameters, const target::Target& target,
                  int threads = 1);

  using Values = std::array<double, feature_count>;
  Values at(std::span<const double> parameters) const;
  /// By feature, the parameters that it depends on, by their place.
  std::vector<std::vector<std::size_t>> parameters_behind() const { return formulas_.inputs_behind(); }
  std::size_t steps() const { return formulas_.size(); }  ///< that a point takes

 private:
  Formulas formulas_;
};

/// Of a program without open factors.
ProgramFeatures::Values features_of(const Function& program, const target::Target& target, int threads = 1);

}  // namespace ardea::cost
