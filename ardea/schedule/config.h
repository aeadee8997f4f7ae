#pragma once

#include <map>
#include <optional>
#include <set>

#include "ardea/schedule/choices.h"
#include "ardea/schedule/primitive.h"

/// A schedule with knobs, in AutoTVM's words: what a script's `cfg` is, and the same in C++.

namespace ardea::schedule {

/// A condition on numbers, and how it was written.
struct Condition {
  Expr is;
  std::string text;
};

template <>
struct Convert<Condition> {
  static std::string expected() { return "a comparison of numbers, such as a * b <= 32"; }
  static Argument to(const Condition& condition);
  static std::optional<Condition> from(const Argument& argument);
};

class Config {
 public:
  Config(Schedule& steps, Choices& choices) : steps_(steps), choices_(choices) {}

  struct SplitOptions {
    /// "factors": their product is the loop's extent. "padded": any that are worth trying, where the last
    /// round may be cut short by a guard.
    std::string policy = "factors";
    std::optional<std::int64_t> most_innermost = {};  ///< of the innermost loop; none: the extent
  };
  /// The loop becomes `parts` loops, outermost first, whose extents are knobs `name_0`, `name_1`, ….
  std::vector<LoopRef> define_split(const std::string& name, const LoopRef& loop, std::int64_t parts,
                                    const SplitOptions& options);
  std::vector<LoopRef> define_split(const std::string& name, const LoopRef& loop, std::int64_t parts) {
    return define_split(name, loop, parts, {});
  }
  /// The extents of those loops.
  const std::vector<Number>& factors(const std::string& name) const;

  /// One of the numbers; the first is the default.
  Number define_knob(const std::string& name, const std::vector<std::int64_t>& values);

  /// One of several orders of loops, of which the first is the default; all of them where none is given, and
  /// the loops are few.
  void define_reorder(const std::string& name, const std::vector<LoopRef>& loops,
                      const std::vector<std::vector<LoopRef>>& orders = {});

  /// One of the loops is unrolled or vectorized ("unroll", "vectorize"), the last by default; or none of
  /// them, which then is the default ("try_unroll", "try_vectorize", and "try_both" of which either).
  void define_annotate(const std::string& name, const std::vector<LoopRef>& loops, const std::string& policy);

  /// Keeps the numbers to a condition, which has a reason in words.
  void require(const Condition& condition, const std::string& reason);
  void require(const Expr& condition, const std::string& reason);

 private:
  /// Error where something is called so already.
  void define(const char* what, const std::string& name);
  std::vector<Number> padded_factors(const std::string& name, std::int64_t extent, std::int64_t parts,
                                     std::int64_t most_innermost);

  Schedule& steps_;
  Choices& choices_;
  std::set<std::string> names_;
  std::map<std::string, std::vector<Number>> factors_;
};

/// The calls that a script may write after `cfg.`; they have no `apply`, which is for steps.
const std::vector<Primitive>& config_calls();
/// Error, with their names, where there is none.
const Primitive& find_config_call(const std::string& name);
/// Makes the call; what it gives.
std::vector<Argument> make_call(Config& config, const Primitive& call,
                                const std::vector<Argument>& arguments);

}  // namespace ardea::schedule
