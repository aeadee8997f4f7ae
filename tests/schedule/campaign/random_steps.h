#pragma once

#include <map>
#include <string>

#include "ardea/schedule/program/tree.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/random.h"
#include "tests/schedule/campaign/judge_steps.h"

namespace ardea::schedule {

/// How often steps were refused for one reason, and of those that the oracle of conflicts had an answer for
/// (at the sizes of its run), or whose results were run because a law was not proved of them, how many are
/// legal.
struct RefusalCount {
  std::int64_t refused = 0, judged = 0, legal = 0;
};
struct StepCount {
  std::int64_t applied = 0, refused = 0;
  std::int64_t on_dependent = 0;                      ///< of the applied: on loops that are `is_dependent`
  std::map<std::string, RefusalCount> refusals = {};  ///< by code
};
using StepCounts = std::map<std::string, StepCount>;  ///< by primitive

/// What a proposer may look at and draw from. Blocks are asked for as a user would, so that traces hold all.
class RandomSteps {
 public:
  RandomSteps(Schedule& schedule, Random& random, StepJudge& judge, StepCounts& counts)
      : schedule_(schedule), random_(random), judge_(judge), counts_(counts) {}

  Random& random() { return random_; }
  const Function& program() const { return schedule_.program(); }

  /// The block of that name; nothing where several have it.
  std::optional<BlockRef> block_called(const std::string& name);
  /// A random block whose name is unique; nothing where there is none.
  std::optional<BlockRef> any_block();
  /// The block at the end of the path; nothing where its name is not unique.
  std::optional<BlockRef> block_at_end(const Path& path);
  /// The loops around it, outermost first.
  std::vector<LoopRef> loops_of(const BlockRef& block);
  /// The loops around a random block.
  std::vector<LoopRef> any_loops();

  /// Takes the step where it is accepted, and counts it; its results. A refusal must be a sentence that
  /// begins with the call; anything else that is thrown is a fault, and leaves here. So does a step that was
  /// accepted though the oracle of conflicts says no, and one that was refused because a law is not proved of
  /// what it makes, where that is wrong or easy to prove.
  template <class Step>
  std::vector<Reference> attempt(const Step& step) {
    return attempt(find_primitive(Step::name), arguments_of(step), question_of(step));
  }
  bool last_was_applied() const { return applied_; }

 private:
  std::vector<Reference> attempt(const Primitive& primitive, const std::vector<Argument>& arguments,
                                 const std::optional<Question>& question);

  Schedule& schedule_;
  Random& random_;
  StepJudge& judge_;
  StepCounts& counts_;
  bool applied_ = false;
};

/// Tries one primitive with random arguments.
struct Proposer {
  double weight;
  void (*propose)(RandomSteps&);
};

/// The proposers of each kind of primitive, one file each.
std::vector<Proposer> find_proposers();
std::vector<Proposer> loop_proposers();
std::vector<Proposer> order_proposers();  ///< of these: split, fuse and reorder
std::vector<Proposer> mark_proposers();
std::vector<Proposer> concurrency_proposers();  ///< of these: parallel, vectorize and bind
/// The innermost loops of about half of the blocks become lanes, where they may.
void propose_lanes(RandomSteps& steps);
std::vector<Proposer> sampling_proposers();
std::vector<Proposer> inline_proposers();
std::vector<Proposer> reduction_proposers();
void propose_split_prefix(RandomSteps& steps);
std::vector<Proposer> place_proposers();
std::vector<Proposer> layout_proposers();
std::vector<Proposer> cache_proposers();
std::vector<Proposer> pipeline_proposers();
std::vector<Proposer> tensor_proposers();

/// Tries `steps` random steps on random loops and blocks, each as likely as its weight says; with
/// `mostly_order` half of them are reorders, marks, splits and fuses. Many end as people end a schedule: with
/// lanes. What they ask of the program's accesses is judged.
void take_random_steps(Schedule& schedule, Random& random, int steps, bool mostly_order, StepJudge& judge,
                       StepCounts& counts);

}  // namespace ardea::schedule
