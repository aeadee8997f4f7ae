#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ardea/measure/check.h"
#include "ardea/measure/library_call.h"
#include "ardea/measure/packed_weights.h"
#include "ardea/measure/peers.h"
#include "ardea/measure/rotation.h"
#include "ardea/measure/statistics.h"
#include "ardea/ops/registry.h"
#include "ardea/runtime/function.h"

/// A compiled program against other programs and other people's, all in one run.

namespace ardea::measure {

struct Contender {
  std::string name;        ///< "ardea", or the peer's
  bool rival = false;      ///< another program of Ardea's; `name` says which
  std::string label = {};  ///< what one call includes
  ArdeaPeerKind kind = ARDEA_PEER_LIBRARY;
  double median_s = 0, min_s = 0;
  int threads = 1;                        ///< that a call of Ardea's ran on; of the others nothing is known
  Interval ratio = {};                    ///< its time over Ardea's, round by round; 1 for Ardea
  std::optional<CheckReport> check = {};  ///< nothing for a yardstick
  bool agrees() const { return !check || check->agrees(); }
};

struct LeftOut {
  std::string name, reason;
};

struct BenchReport {
  std::vector<Contender> contenders;  ///< Ardea first
  std::vector<LeftOut> left_out;      ///< peers that cannot do this
  std::int64_t rounds = 0, calls = 0;
  std::vector<double> clock_mhz = {};  ///< of a GPU, before the first round and after the last
  /// The fastest library whose answers are right, by its ratio; where no library takes part, the fastest of
  /// the others. Nothing where no peer is left.
  std::optional<std::size_t> best = {};

  bool all_agree() const;
  /// The fastest contender of a peer, which may have several ways to do the work.
  const Contender* fastest_of(const std::string& name) const;
};

/// BenchReport::best of contenders of which Ardea is the first.
std::optional<std::size_t> best_of(const std::vector<Contender>& contenders);

/// An operator as it is measured: on its own arguments, or with the weights packed before the first call.
struct Compiled {
  runtime::Function main;
  std::optional<PackedWeights> weights = {};
};

/// The same program under another schedule.
struct Rival {
  std::string name;
  Compiled compiled;
};

struct BenchOptions {
  int threads = 1;  ///< what the peers may use; `compiled` uses the pool's
  std::uint64_t seed = 0;
  RotationOptions rotation = {};
};

/// What is measured: a program, and the arguments that all contenders get.
struct Problem {
  Function meaning;  ///< what every answer is compared with
  std::vector<interp::Argument> arguments;
};
/// An operator on arguments of its own.
Problem problem_of(const ops::Workload& workload, std::uint64_t seed);

/// Somebody's own function, by the C signature of the program.
struct Outsider {
  std::string name, label;
  LibraryCall call;
};

/// `compiled` computes `problem`. All contenders read the same inputs and write outputs of their own, which
/// hold what they held at first (a poison, where the program only writes) before the call that is checked
/// against the float64 reference. Rivals have turns like everybody, but are never the best.
BenchReport bench(const Problem& problem, const Compiled& compiled, const BenchOptions& options,
                  const std::vector<Rival>& rivals, const std::vector<Outsider>& outsiders);

/// The same of an operator, against peers, too: `compiled` computes `workload`. Peers' calls that are
/// labelled prepacked take part where Ardea's own weights are.
BenchReport bench(const ops::Workload& workload, const Compiled& compiled, const std::vector<Peer>& peers,
                  const BenchOptions& options, const std::vector<Rival>& rivals = {},
                  const std::vector<Outsider>& outsiders = {});

/// One kernel on several threads against as many kernels on one thread each, which work on arrays of their
/// own at the same time: what is lost by splitting and joining.
struct CopiesReport {
  std::int64_t rounds = 0, calls = 0;
  double threads_s = 0;  ///< of one call on all threads
  double copies_s = 0;   ///< of one call of each copy
  Interval ratio = {};   ///< the calls a second on all threads over those of the copies together
  std::vector<CheckReport> checks = {};
  bool all_agree() const;
};

/// `threaded` and `single` compute `workload`; there are options.threads copies, on the pool of this process,
/// which must have as many threads.
CopiesReport bench_copies(const ops::Workload& workload, const Compiled& threaded, const Compiled& single,
                          const BenchOptions& options);

}  // namespace ardea::measure
