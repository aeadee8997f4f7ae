#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ardea/space/store.h"
#include "ardea/space/system.h"

namespace ardea::space {

/// Propagation: narrows the values that variables may still take, and loses none that a solution has. A
/// constraint whose variables are all fixed is decided by evaluate.h itself, so that what is found is a
/// solution by definition.
class Engine {
 public:
  /// Narrows the domains by propagation alone (`satisfiable` is false where that leaves one empty), and lays
  /// them out for solving. The system must outlive the engine. With `enabled`, only those constraints count.
  explicit Engine(const System& system, const std::vector<bool>* enabled = nullptr);

  const System& system() const { return *system_; }
  const Layout& layout() const { return layout_; }
  bool satisfiable() const { return satisfiable_; }
  const State& root() const { return root_; }

  /// A place to solve in, with memory of its own: one a thread.
  class Scratch {
   public:
    explicit Scratch(const Engine& engine);
    Store store;
    std::uint64_t work = 0;  ///< propagators run so far: the same on every machine

   private:
    friend class Engine;
    std::vector<int> queue;
    std::vector<char> queued;
  };

  /// Runs all constraints that the changed variables wake, and `extra`, until nothing changes. False: no
  /// solution is left. Long creeping of bounds over large ranges is cut off: then values stay that are
  /// impossible.
  [[nodiscard]] bool propagate(Scratch& scratch, std::span<const Constraint> extra = {}) const;
  /// The root with extra constraints (in the system's canonical form) propagated.
  [[nodiscard]] bool begin(Scratch& scratch, std::span<const Constraint> extra = {}) const;

  /// Whether nothing that is left can break the constraint.
  bool entailed(const Store& store, int constraint) const;
  bool is_enabled(int constraint) const {
    return enabled_.empty() || enabled_[static_cast<std::size_t>(constraint)];
  }
  const std::vector<Var>& variables_of(int constraint) const {
    return variables_[static_cast<std::size_t>(constraint)];
  }

 private:
  std::vector<Domain> narrowed();  ///< the domains after propagation
  bool fixpoint(Scratch& scratch, std::span<const Constraint> extra) const;

  const System* system_;
  std::vector<bool> enabled_;
  std::vector<std::vector<Var>> variables_;  ///< of each constraint
  std::vector<std::vector<int>> watchers_;   ///< of each variable: constraints
  bool satisfiable_ = true;
  Layout layout_;
  State root_;
};

/// One run of a constraint's propagator.
[[nodiscard]] bool narrow(Store& store, const Constraint& constraint);

enum class Truth3 { no, unknown, yes };
/// What a condition is for all values left.
Truth3 status(const Store& store, const Condition& condition);

}  // namespace ardea::space
