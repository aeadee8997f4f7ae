#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ardea/space/search.h"
#include "ardea/space/system.h"

namespace ardea::space {

/// Constraints that cannot hold together, with what follows them from outside of the system (`asked`). Leave
/// out any one and the others can.
struct Conflict {
  std::vector<int>
      constraints;  ///< posted ones, in the system's order (or, if these alone cannot hold, definitions)
  std::vector<int> definitions;  ///< what the variables in them mean, in the system's order
  bool minimal = true;           ///< false where a question met its limit: then a member may not be needed
};

/// Why a system (with what is asked besides) has no solution; nothing where it has one, or none of it could
/// be proved within the limits. By deletion after halving (QuickXplain). Definitions and domains always hold.
std::optional<Conflict> why_unsatisfiable(const System& system, const std::vector<Constraint>& asked = {},
                                          const SearchLimits& limits = {});
/// That a variable has this value, to be asked.
Constraint equals(const System& system, Var variable, std::int64_t value);
/// Why a variable cannot have this value.
std::optional<Conflict> why_not(const System& system, Var variable, std::int64_t value,
                                const SearchLimits& limits = {});

/// What a point breaks, and what would be legal.
struct PointReport {
  struct Nearest {
    Var knob;
    std::int64_t value = 0;              ///< at the point
    std::optional<std::int64_t> alone;   ///< nearest legal value with all other knobs kept
    std::optional<std::int64_t> at_all;  ///< nearest value in any solution, where `alone` is none
  };
  std::vector<int> broken;       ///< constraints
  std::vector<Var> outside;      ///< variables whose value is not in their domain
  std::vector<Nearest> nearest;  ///< of each knob
  std::optional<Point>
      repaired;  ///< a solution near the point: each knob in turn as near as the ones before allow
  bool is_solution() const { return broken.empty() && outside.empty(); }
};

/// The point's defined variables are computed from its knobs.
PointReport explain(const System& system, const Point& asked, const SearchLimits& limits = {});

/// The same in sentences, a line each.
std::string in_words(const System& system, const Conflict& conflict);
std::string in_words(const System& system, const Point& point, const PointReport& report);

}  // namespace ardea::space
