#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ardea/space/search.h"
#include "ardea/space/tree.h"
#include "ardea/space/walks.h"

namespace ardea::space {

enum class Method { tree, walks };

struct SolverOptions {
  Tree::Limits tree =
      {};  ///< beyond these, walks serve; decided by work counted, so the same on every machine
  WalkOptions walks = {};
};

/// How many solutions there are: exactly, or estimated with a standard error.
struct Count {
  double value = 0, error = 0;
  std::optional<std::uint64_t> exact = std::nullopt;
};

struct Samples {
  std::vector<Point> points;
  Method method = Method::tree;
  /// So many uniform samples are as good: for a tree as many as there are.
  double effective_size = 0;
  bool complete = true;  ///< false where the deadline came first
  /// A sentence where the samples must not be trusted as uniform; else empty.
  std::string alarm = {};
};

/// A system, solved: by a tree where that is small enough, else by walks. `why` says which and by what
/// measure.
class Solver {
 public:
  /// An Error where the tree is too large and walks are not possible either.
  explicit Solver(System system, SolverOptions options = {});

  const System& system() const { return *system_; }
  const Engine& engine() const { return *engine_; }
  Method method() const { return tree_ ? Method::tree : Method::walks; }
  const std::string& why() const { return why_; }
  /// All solutions, where they could be enumerated.
  const Tree* tree() const { return tree_ ? &*tree_ : nullptr; }

  /// Estimated from at least 5,000 walks where there is no tree.
  Count count(std::uint64_t seed = 1) const;

  /// Uniform (tree) or near-uniform (walks) solutions; with extra constraints always by walks. The same for
  /// the same seed. Fewer than asked for only where there is no solution, none was found or the deadline
  /// came.
  Samples sample(std::size_t samples, std::uint64_t seed, const std::vector<Constraint>& extra = {},
                 Deadline deadline = std::nullopt) const;

  /// One solution that meets the extra constraints too, or the proof that there is none: thousands a second,
  /// for moves such as v ∈ {a, b}. Random, but not uniform.
  Found solve(const std::vector<Constraint>& extra, std::uint64_t seed,
              const SearchLimits& limits = {}) const;
  /// The same with the values nearest to those of a point first, knob by knob: the point itself where it is
  /// such a solution, else one that repairs it.
  Found nearest(const Point& wished, const std::vector<Constraint>& extra = {},
                const SearchLimits& limits = {}) const;
  /// `solve` for many questions at once, in the order asked; question i is answered by seed + i.
  std::vector<Found> solve_all(const std::vector<std::vector<Constraint>>& questions, std::uint64_t seed,
                               const SearchLimits& limits = {}) const;

  std::vector<Neighbour> neighbours(const Point& point, int repairs = 1,
                                    const SearchLimits& limits = {}) const {
    return space::neighbours(*engine_, point, repairs, limits);
  }

 private:
  const GecodeModel* model() const;
  /// By the tree where the constraints are sets of knobs' values, else by search.
  Found find(Engine::Scratch& scratch, const std::vector<Constraint>& extra, const ValueOrder& order,
             const SearchLimits& limits) const;

  std::unique_ptr<const System> system_;  // held where it does not move: engine and tree point to it
  std::unique_ptr<const Engine> engine_;
  SolverOptions options_;
  std::optional<Tree> tree_;
  std::string why_;
  mutable std::mutex making_model_;
  mutable std::unique_ptr<GecodeModel> model_;  ///< made when first asked for
};

}  // namespace ardea::space
