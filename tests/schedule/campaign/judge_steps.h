#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ardea/schedule/primitive.h"
#include "ardea/schedule/primitives/loops/bind.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "tests/schedule/campaign/access_record.h"

/// What the oracle of conflicts says of steps that the schedule accepted or refused.

namespace ardea::schedule {

/// What a step asks of the program's accesses: that a loop's iterations may run concurrently, or that loops
/// may change places.
struct Question {
  std::vector<Var> loops;  ///< the loop, or those that change places, in their new order
  std::optional<Concurrency> how;
};
template <class Step>
std::optional<Question> question_of(const Step&) {
  return std::nullopt;
}
std::optional<Question> question_of(const Parallel& step);
std::optional<Question> question_of(const Vectorize& step);
std::optional<Question> question_of(const Bind& step);
std::optional<Question> question_of(const Reorder& step);

/// The arguments that a campaign runs a program on.
std::vector<interp::Argument> campaign_arguments(const Function& program, std::uint64_t seed);

/// Whether bounds of the loop or of one inside it depend on a loop, or something inside is indexed, guarded
/// or bound by products of loops, or by their quotients, remainders, least and greatest values.
bool is_dependent(const Function& program, const Var& loop);

/// Whether `verify` is to prove every law of the program that holds: its loops begin and end at numbers, it
/// asks nothing of indices, bindings and conditions but sums of multiples of loops, and it has no block in a
/// block. The campaign's programs begin so wherever the generator draws no symbolic size, no loop of
/// dependent_nests.h that depends on another, no bent index, no fused loops and no nested stage.
bool is_easy_to_prove(const Function& program);

class StepJudge {
 public:
  StepJudge(const Function& original, std::uint64_t seed)
      : original_(original), arguments_(campaign_arguments(original, seed)) {}

  struct Answer {
    bool is_known = false;  ///< the loops are there, form a chain, and the run was short enough
    std::optional<std::string> conflict;
    bool is_dependent = false;
  };
  /// What the accesses of one run of the program say.
  Answer answer(const Function& program, const Question& question);

  /// What a step makes that was refused because a law is not proved of it.
  struct Unproved {
    bool is_known = false;  ///< the step makes it again
    bool is_easy =
        false;  ///< laws that hold are to be proved of it: the step broke one, or `verify` is at fault
    std::optional<std::string> fault = {};  ///< how its answers differ from the original's
  };
  Unproved unproved(const Function& before, const Primitive& primitive,
                    const std::vector<schedule::Argument>& arguments) const;

  /// A conflict between iterations of a loop of the program that runs concurrently, in words.
  std::optional<std::string> race(const Function& program);

 private:
  const AccessRecord& record_of(const Function& program);

  Function original_;
  std::vector<interp::Argument> arguments_;
  Stmt recorded_;  ///< the body that `record_` is of
  std::unique_ptr<AccessRecord> record_;
};

}  // namespace ardea::schedule
