#pragma once

#include <cstdint>
#include <string>

#include "ardea/ir/function.h"

/// One random program through every way that Ardea has to run it. Everything follows from the seed, so that a
/// printed seed replays the failure: ardea_campaign --only SEED.

namespace ardea::campaign {

/// A program of one of the kinds, block form mostly, and all that the checks draw by chance.
struct Case {
  std::uint64_t seed = 0;
  Function program;
  bool smooth = false;         ///< floats stay smooth: a derived tolerance must hold
  bool each_pass = false;      ///< interpret after every pass of lowering
  bool other_target = false;   ///< make assembly for the other architecture
  int optimization_level = 1;  ///< of the compiled runs
  std::int64_t n = 7, m = 5;   ///< the symbolic extents
};

Case make_case(std::uint64_t seed);

/// Empty where every law holds; else the law, the first difference, and the program. The laws:
///   verify       the program keeps the laws of the IR
///   round_trip   parse(print(p)) is p
///   interpret    the interpreter runs it
///   compiled     without contraction the compiled program gives the interpreter's bits
///   contracted   with contraction it stays within the derived tolerance
///   pass …       the interpreter gives the same bits after each pass of lowering
///   assembly     the other architecture's code can be made
std::string failure_of(const Case& test);

}  // namespace ardea::campaign
